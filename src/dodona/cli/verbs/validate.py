"""`dodona validate`: whether files are CoNLL-U, and their trees Universal Dependencies."""

import json as json_
from collections.abc import Iterator
from typing import Annotated

from dodona.cli.errors import FAILED, Stop, UsageError, say
from dodona.cli.flags import Flag
from dodona.cli.input_files import STDIN, InputFile, find_files, total_size
from dodona.cli.progress import Meter
from dodona.treebank.conllu.files import open_output
from dodona.validation.problems import Problem
from dodona.validation.validator import LEVELS, mend_bytes, validate_bytes


def validate(
    files: Annotated[
        list[str] | None,
        Flag("CoNLL-U files, or folders of them ('-': stdin, the default)", positional=True),
    ] = None,
    level: Annotated[
        int, Flag("1: the format; 2: also columns and trees; 3: also the guidelines (warnings)")
    ] = 3,
    fix: Annotated[bool, Flag("mend what is safe to mend, in the files themselves")] = False,
    out: Annotated[
        str | None,
        Flag("where --fix writes", short="-o", default="the file itself; of stdin, stdout"),
    ] = None,
    warnings: Annotated[bool, Flag("tell warnings")] = True,
    json: Annotated[bool, Flag("print JSON, a problem a line")] = False,
) -> None:
    """Find everything that is wrong with CoNLL-U files.

    Levels are those of UD's own validator: ids, ranges, empty nodes and columns; metadata, UPOS,
    FEATS, relations, one root, cycles; what the guidelines ask of all languages. --fix mends what
    loses nothing: line ends, white space, empty fields, the order of FEATS and DEPS, missing ids
    and texts. The exit code is 1 where errors are left.
    """
    if level not in LEVELS:
        raise UsageError(f"--level is 1, 2 or 3; found {level}")
    paths = list(find_files(files or [STDIN]))
    if out is not None and (not fix or len(paths) > 1):
        raise UsageError("-o goes with --fix and one file")
    n_errors = n_warnings = n_mendable = 0
    for problem in _look(paths, level, fix, out):
        n_errors += not problem.is_warning
        n_warnings += problem.is_warning
        n_mendable += problem.can_mend
        if warnings or not problem.is_warning:
            _tell(problem, json, to_stderr=fix and (out or paths[0]) == STDIN)
    mendable = f"; --fix can mend {n_mendable:,}" if n_mendable and not fix else ""
    counts = f"{n_errors:,} errors, {n_warnings:,} warnings"
    say(f"{counts} in {len(paths):,} file{'s' if len(paths) > 1 else ''}{mendable}")
    if n_errors:
        raise Stop(FAILED)


def _look(paths: list[str], level: int, fix: bool, out: str | None) -> Iterator[Problem]:
    """The problems of all files; with `fix`, those that are left after mending."""
    with Meter("validating", total_size(paths)) as meter:
        for path in paths:
            data, name = _read(path, meter)
            yield from _look_at(data, name, path, level, fix, out)


def _look_at(
    data: bytes, name: str, path: str, level: int, fix: bool, out: str | None
) -> Iterator[Problem]:
    if fix:
        mended = mend_bytes(data)
        if mended != data or out is not None or path == STDIN:
            with open_output(out or path) as file:
                file.write(mended)
        if mended != data:
            before, after = validate_bytes(data, name, 2), validate_bytes(mended, name, 2)
            say(f"{name}: {len(before) - len(after):,} of {len(before):,} problems mended")
        data = mended
    yield from validate_bytes(data, name, level)


def _read(path: str, meter: Meter) -> tuple[bytes, str]:
    with InputFile(path) as file:
        meter.watch(file)
        data = b"".join(iter(file.read1, b""))
        meter.tick()
        return data, file.name


def _tell(problem: Problem, json: bool, to_stderr: bool) -> None:
    said = json_.dumps(problem.to_dict(), ensure_ascii=False) if json else str(problem)
    if to_stderr:
        say(said)
    else:
        print(said)
