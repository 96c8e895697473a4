"""`dodona parse` of many documents: tables of texts, or folders of them, to tables of trees.

The work is done in `dodona.arrow`, which is loaded when it is needed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dodona.cli.errors import UsageError, say
from dodona.models import advise_on_text

if TYPE_CHECKING:
    from dodona.arrow.corpus_run import RunProgress

# as in dodona.arrow, which takes a moment to load; a test compares them
LEVELS = ("word", "sentence", "document", "conllu")
PARQUET = "parquet"
TABLES = (".parquet", ".jsonl", ".ndjson", ".csv", ".tsv")
FORMATS = (PARQUET, "json")
INPUTS = (None, "text", "tokens")


def is_corpus(paths: list[str], output: str | None, *only_of_corpora: Any) -> bool:
    """Whether these inputs, or what is asked for, are a corpus.

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
) -> None:
    """Parse all of it into a folder; `unfit` are flags that are for sentences only."""
    if given := [name for name, is_given in unfit.items() if is_given]:
        raise UsageError(f"--{given[0]} is for sentences, not for a corpus")
    if text and (advice := advise_on_text(text)):
        raise UsageError(f"--text names the column of a corpus that has the texts{advice}")
    if out == "-":
        raise UsageError("a corpus goes into a folder: -o FOLDER")
    if input not in INPUTS:
        raise UsageError(f"a corpus is of text or tokens, not of --input {input}")
    if (output or PARQUET) not in FORMATS:
        raise UsageError(f"a corpus becomes --output {' or '.join(FORMATS)}, not {output}")
    from dodona.arrow.corpus_run import parse_files
    from dodona.arrow.options import make_options

    column = "tokens" if input == "tokens" else "text"
    chosen: dict[str, Any] = {column: text or column, "keep": _columns(keep), **options}
    parsing = make_options(model, level=level or LEVELS[0], **chosen)
    with _view() as show:
        progress = parse_files(
            paths, out, parsing, format=output or PARQUET, resume=resume, report=show
        )
    if progress.n_errors:
        say(
            f"{progress.n_errors:,} of {progress.n_documents:,} documents could not be parsed; "
            "the column 'error' says why"
        )


def _columns(keep: str | None) -> dict[str, str]:
    """The columns to keep, and what they are called afterwards.

    >>> _columns("url, id=doc_id")
    {'url': 'url', 'id': 'doc_id'}
    """
    pairs = (word.strip().partition("=") for word in (keep or "").split(",") if word.strip())
    return {old: new or old for old, _, new in pairs}


@contextmanager
def _view() -> Iterator[Any]:
    """Shows how far it is where stderr is a terminal, and at the end how fast it was."""
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    from rich import progress as bars
    from rich.console import Console

    start = time.perf_counter()
    bar = bars.Progress(
        bars.TextColumn("{task.description}"),
        bars.BarColumn(),
        bars.TaskProgressColumn(),
        bars.TextColumn("{task.fields[speed]}"),
        bars.TimeRemainingColumn(),
        console=Console(stderr=True, highlight=False),
        transient=True,
    )
    task = bar.add_task("parse", total=None, speed="")
    last: list[RunProgress] = []

    def show(progress: RunProgress) -> None:
        last[:] = [progress]
        seconds = time.perf_counter() - start
        bar.update(
            task,
            total=max(progress.n_bytes_total - progress.n_bytes_before, 1),
            completed=progress.n_bytes - progress.n_bytes_before,
            speed=f"{progress.n_words:,} words  {progress.n_words / seconds:,.0f} words/s",
        )

    with bar:
        yield show
    seconds = time.perf_counter() - start
    for progress in last:
        say(
            f"{progress.n_parts:,} files, {progress.n_words:,} words in {seconds:.2f} s: "
            f"{progress.n_words / seconds:,.0f} words/s"
        )
