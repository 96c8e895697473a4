"""`dodona parse` of a corpus: tables or folders of texts become tables of trees.

`dodona.arrow` does the work; it is imported only when needed.
"""

import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dodona.cli.errors import UsageError, say
from dodona.cli.input_files import STDIN, TREEBANK
from dodona.cli.progress import ProgressBar
from dodona.models import advise_on_text

if TYPE_CHECKING:
    from dodona.arrow.runs.corpus_run import RunProgress, RunSettings

# as in dodona.arrow, which is slow to import; a test compares them
LEVELS = ("word", "sentence", "document", "conllu")
PARQUET = "parquet"
TABLES = (".parquet", ".arrow", ".jsonl", ".ndjson", ".csv", ".tsv")
FORMATS = (PARQUET, "json")
INPUTS = (None, "text", "tokens")
LOG_SECONDS = 60.0  # between two lines where there is no terminal for a bar
# how the formats begin that stdin may have; anything else is JSON lines
MAGIC = {b"PAR1": ".parquet", b"ARROW1": ".arrow", b"\xff\xff\xff\xff": ".arrow"}
MAGIC |= {b"\x1f\x8b": ".jsonl.gz", b"\x28\xb5\x2f\xfd": ".jsonl.zst"}


def is_corpus(paths: list[str], output: str | None, *only_of_corpora: Any) -> bool:
    """Return whether the inputs or the options are those of a corpus.

    >>> is_corpus(["in/a.parquet"], None), is_corpus(["notes.txt"], "conllu")
    (True, False)
    """
    return output == PARQUET or any(map(_is_given, only_of_corpora)) or any(map(_has_tables, paths))


def _is_given(value: Any) -> bool:
    return value is not None and value is not False  # 0 is a value


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
    workers: int | None
    shard: str | None
    max_errors: int | None
    plan: bool


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
    given = (flag for flag, value in corpus_flags.items() if _is_given(value))
    why = next(given, "")
    why = why or ("--output parquet" if output == PARQUET else "a table")
    for path in paths:
        if path == STDIN and len(paths) > 1:
            raise UsageError("a corpus is read from stdin or from files, not from both")
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
    from dodona.arrow.options import make_options
    from dodona.arrow.runs.corpus_run import parse_files
    from dodona.arrow.schema import NameTakenError

    column = "tokens" if flags.input == "tokens" else "text"
    columns = _columns(flags.keep)
    chosen: dict[str, Any] = {column: flags.text or column, "keep": columns, **options}
    run_options = make_options(model, level=flags.level or LEVELS[0], **chosen)
    settings = _run_settings(flags)
    with RunReport(quiet) as report, _spooled(paths) as names:
        try:
            progress = parse_files(names, out, run_options, settings, report=report.show)
        except NameTakenError as error:
            old = next((old for old, new in columns.items() if new == error.name), error.name)
            raise UsageError(f"{error.problem}: --keep {old}=doc_{error.name}") from None
    report.finish(progress, out, is_plan=flags.plan)


def _run_settings(flags: CorpusFlags) -> "RunSettings":
    from dodona.arrow.runs.corpus_run import RunSettings
    from dodona.arrow.runs.planning import WHOLE, Shard

    try:
        return RunSettings(
            format=flags.output or PARQUET,
            resume=flags.resume,
            workers=1 if flags.workers is None else flags.workers,
            shard=WHOLE if flags.shard is None else Shard.parse(flags.shard),
            max_errors=flags.max_errors or 0,
            plan_only=flags.plan,
        )
    except ValueError as error:
        raise UsageError(str(error)) from None


class RunReport:
    """The progress of a run: a bar on a terminal, elsewhere a line every minute."""

    def __init__(self, quiet: bool) -> None:
        self.quiet, self.bar = quiet, ProgressBar("parsing", quiet=quiet)
        self.start = self._last = time.perf_counter()

    def __enter__(self) -> "RunReport":
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.close()

    def show(self, progress: "RunProgress") -> None:
        """Show how far a run is."""
        now = time.perf_counter()
        speed = f"{progress.n_words / (now - self.start):,.0f} words/s"
        n_before = progress.n_bytes_before  # parsed by an earlier run
        total = max(progress.n_bytes_total - n_before, 1)
        done = progress.n_bytes - n_before
        note = f"{progress.n_words:,} words  {speed}"
        self.bar.update(done, total, note=note)
        if not (self.quiet or self.bar.is_shown) and now - self._last >= LOG_SECONDS:
            self._last = now
            say(
                f"{done / total:.1%}: {progress.n_parts:,} files, {progress.n_words:,} words, "
                f"{speed}, {progress.n_errors:,} errors"
            )

    def finish(self, progress: "RunProgress", out: str, *, is_plan: bool) -> None:
        """Print a summary."""
        seconds = time.perf_counter() - self.start
        if is_plan and not self.quiet:
            say(f"{out}: the schema is fixed, {progress.n_bytes_total:,} bytes are to be parsed")
        elif not self.quiet:
            speed = f"{progress.n_words / seconds:,.0f} words/s"
            say(
                f"{progress.n_parts:,} files, {progress.n_documents:,} documents, "
                f"{progress.n_words:,} words in {seconds:.2f} s: {speed}"
            )
        if progress.n_failed:
            files = "1 file" if progress.n_failed == 1 else f"{progress.n_failed:,} files"
            say(f"{files} could not be read: see {out.rstrip('/')}/_failures*")
        if progress.n_errors:
            say(
                f"{progress.n_errors:,} of {progress.n_documents:,} documents could not be parsed; "
                "the column 'error' gives the reasons"
            )


@contextmanager
def _spooled(paths: list[str]) -> Iterator[list[str]]:
    """Copy stdin to a file, which is read twice: first for the types of the kept columns."""
    if paths != [STDIN]:
        yield paths
        return
    from tempfile import TemporaryDirectory  # imported here, as most runs need none

    with TemporaryDirectory(prefix="dodona-") as folder:
        source = sys.stdin.buffer
        first = source.read(8)
        suffix = next((MAGIC[magic] for magic in MAGIC if first.startswith(magic)), ".jsonl")
        if suffix == ".jsonl" and first.lstrip()[:1] not in (b"{", b""):
            raise UsageError(
                "a corpus on stdin is JSON lines, Parquet or Arrow, but this is text: name its "
                "files or, for CoNLL-U, leave out the flags of a corpus"
            )
        path = Path(folder, f"stdin{suffix}")
        with path.open("wb") as file:
            file.write(first)
            shutil.copyfileobj(source, file, 1 << 20)
        yield [str(path)]


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
