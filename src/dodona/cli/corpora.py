"""`dodona parse` of a corpus: tables or folders of texts become tables of trees.

`dodona.arrow` does the work; it is imported only when needed.
"""

import time
from pathlib import Path
from typing import Any, NamedTuple

from dodona.cli.errors import UsageError, say
from dodona.cli.input_files import STDIN, TREEBANK
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
    is_given = any(value not in (None, False) for value in only_of_corpora)
    return output == PARQUET or is_given or any(map(_has_tables, paths))


def _has_tables(path: str) -> bool:
    if "://" in path or _is_table(path):
        return True
    folder = Path(path)
    if path == "-" or not folder.is_dir():
        return False
    return any(_is_table(file.name) for file in folder.rglob("*") if file.is_file())


def _is_table(name: str) -> bool:
    return name.removesuffix(".gz").removesuffix(".zst").lower().endswith(TABLES)


class CorpusFlags(NamedTuple):
    """The flags of `dodona parse` that have a meaning of their own for a corpus."""

    input: str | None
    output: str | None
    text: str | None
    keep: str | None
    level: str | None
    resume: bool


def check_corpus(
    paths: list[str],
    out: str,
    input: str | None,
    output: str | None,
    corpus_flags: dict[str, Any],
    unfit: dict[str, bool],
) -> None:
    """Refuse flags and files that do not fit a corpus.

    `corpus_flags` are the flags that make the input a corpus, with their values; `unfit` are flags
    for sentences, and whether they are given.
    """
    text = corpus_flags["--text"]
    if text == "":
        raise UsageError("--text needs the name of a column")
    if text and (advice := advise_on_text(text)):
        raise UsageError(f"--text is the name of a column of a corpus{advice}")
    given = (flag for flag, value in corpus_flags.items() if value not in (None, False))
    why = next(given, "")
    why = why or ("--output parquet" if output == PARQUET else "a table")
    for path in paths:
        if path == STDIN:
            raise UsageError(f"{why} is for a corpus, which is not read from stdin: name its files")
        if path.removesuffix(".gz").endswith(TREEBANK):
            raise UsageError(
                f"{why} is for a corpus of tables or plain texts; {path} is a treebank"
            )
    for name, is_given in unfit.items():
        if is_given:
            raise UsageError(f"--{name} does not apply to a corpus")
    if out == "-":
        raise UsageError("the output of a corpus is a folder: use -o FOLDER")
    if Path(out).is_file():
        raise UsageError(f"{out} is a file, but the output of a corpus is a folder")
    if input not in INPUTS:
        raise UsageError(f"--input {input} does not apply to a corpus; use text or tokens")
    if (output or PARQUET) not in FORMATS:
        raise UsageError(
            f"--output {output} does not apply to a corpus; use {' or '.join(FORMATS)}"
        )


def parse_corpus(
    model: str,
    paths: list[str],
    out: str,
    flags: CorpusFlags,
    options: dict[str, Any],
    *,
    quiet: bool = False,
) -> None:
    """Parse a corpus into a folder; `options` are those of `dodona.arrow.mapper`."""
    from dodona.arrow.corpus_run import RunProgress, parse_files
    from dodona.arrow.options import make_options
    from dodona.arrow.schema import NameTakenError

    column = "tokens" if flags.input == "tokens" else "text"
    columns = _columns(flags.keep)
    chosen: dict[str, Any] = {column: flags.text or column, "keep": columns, **options}
    run_options = make_options(model, level=flags.level or LEVELS[0], **chosen)
    start = time.perf_counter()
    with ProgressBar("parsing", quiet=quiet) as bar:

        def show(progress: RunProgress) -> None:
            speed = f"{progress.n_words / (time.perf_counter() - start):,.0f} words/s"
            n_before = progress.n_bytes_before  # parsed by an earlier run
            total = max(progress.n_bytes_total - n_before, 1)
            note = f"{progress.n_words:,} words  {speed}"
            bar.update(progress.n_bytes - n_before, total, note=note)

        format = flags.output or PARQUET
        try:
            progress = parse_files(
                paths, out, run_options, format=format, resume=flags.resume, report=show
            )
        except NameTakenError as error:
            old = next(old for old, new in columns.items() if new == error.name)
            raise UsageError(f"{error.problem}: --keep {old}=doc_{error.name}") from None
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
    found: dict[str, str] = {}
    for word in map(str.strip, keep.split(",") if keep is not None else ()):
        old, is_renamed, new = map(str.strip, word.partition("="))
        if not old or (is_renamed and not new):
            raise UsageError(f"--keep {keep}: expected columns, or COLUMN=NAME to rename one")
        if old in found:
            raise UsageError(f"--keep has the column {old!r} twice")
        found[old] = new or old
    return found
