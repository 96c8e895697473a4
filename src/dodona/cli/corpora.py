"""`dodona parse` of a corpus: tables or folders of texts become tables of trees.

`dodona.arrow` does the work; it is imported only when needed.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from dodona.cli.errors import UsageError, say
from dodona.cli.progress import ProgressBar
from dodona.models import advise_on_text

# as in dodona.arrow, which is slow to import; a test compares them
LEVELS = ("word", "sentence", "document", "conllu")
PARQUET = "parquet"
TABLES = (".parquet", ".jsonl", ".ndjson", ".csv", ".tsv")
FORMATS = (PARQUET, "json")
INPUTS = (None, "text", "tokens")


def is_corpus(paths: list[str], output: str | None, *only_of_corpora: Any) -> bool:
    """Return whether the inputs or the options are those of a corpus.

    >>> is_corpus(["in/a.parquet"], None), is_corpus(["notes.txt"], "conllu")
    (True, False)
    """
    return output == PARQUET or any(only_of_corpora) or any(map(_has_tables, paths))


def _has_tables(path: str) -> bool:
    if "://" in path or _is_table(path):
        return True
    folder = Path(path)
    if path == "-" or not folder.is_dir():
        return False
    return any(_is_table(file.name) for file in folder.rglob("*") if file.is_file())


def _is_table(name: str) -> bool:
    return name.removesuffix(".gz").removesuffix(".zst").lower().endswith(TABLES)


def parse_corpus(
    model: str,
    paths: list[str],
    out: str,
    input: str | None,
    output: str | None,
    text: str | None,
    keep: str | None,
    level: str | None,
    resume: bool,
    unfit: dict[str, bool],
    options: dict[str, Any],
    *,
    quiet: bool = False,
) -> None:
    """Parse a corpus into a folder; `unfit` are flags for sentences, and whether they are given."""
    if given := [name for name, is_given in unfit.items() if is_given]:
        raise UsageError(f"--{given[0]} does not apply to a corpus")
    if text and (advice := advise_on_text(text)):
        raise UsageError(f"--text is the name of a column of a corpus{advice}")
    if out == "-":
        raise UsageError("the output of a corpus is a folder: use -o FOLDER")
    if input not in INPUTS:
        raise UsageError(f"--input {input} does not apply to a corpus; use text or tokens")
    if (output or PARQUET) not in FORMATS:
        raise UsageError(
            f"--output {output} does not apply to a corpus; use {' or '.join(FORMATS)}"
        )
    from dodona.arrow.corpus_run import RunProgress, parse_files
    from dodona.arrow.options import make_options

    column = "tokens" if input == "tokens" else "text"
    chosen: dict[str, Any] = {column: text or column, "keep": _columns(keep), **options}
    run_options = make_options(model, level=level or LEVELS[0], **chosen)
    start = time.perf_counter()
    with ProgressBar("parsing", quiet=quiet) as bar:

        def show(progress: RunProgress) -> None:
            speed = f"{progress.n_words / (time.perf_counter() - start):,.0f} words/s"
            n_before = progress.n_bytes_before  # parsed by an earlier run
            total = max(progress.n_bytes_total - n_before, 1)
            note = f"{progress.n_words:,} words  {speed}"
            bar.update(progress.n_bytes - n_before, total, note=note)

        progress = parse_files(
            paths, out, run_options, format=output or PARQUET, resume=resume, report=show
        )
    if bar.is_shown:
        seconds = time.perf_counter() - start
        speed = f"{progress.n_words / seconds:,.0f} words/s"
        say(f"{progress.n_parts:,} files, {progress.n_words:,} words in {seconds:.2f} s: {speed}")
    if progress.n_errors:
        say(
            f"{progress.n_errors:,} of {progress.n_documents:,} documents could not be parsed; "
            "the column 'error' gives the reasons"
        )


def _columns(keep: str | None) -> dict[str, str]:
    """Return the columns to keep, with their new names.

    >>> _columns("url, id=doc_id")
    {'url': 'url', 'id': 'doc_id'}
    """
    pairs = (word.strip().partition("=") for word in (keep or "").split(",") if word.strip())
    return {old: new or old for old, _, new in pairs}
