"""`dodona validate`: check that files are CoNLL-U and trees Universal Dependencies."""

import json as json_
import sys
from collections.abc import Iterator
from typing import Annotated

from dodona.cli.errors import FAILED, Stop, UsageError, say
from dodona.cli.flags import Flag, Treebanks
from dodona.cli.input_files import STDIN, InputFile, find_files, total_size
from dodona.cli.inputs import CONLLU
from dodona.cli.output_names import choose_format
from dodona.cli.progress import Meter
from dodona.core.base.values import plural
from dodona.treebank.conllu.files import open_output
from dodona.validation.sentence_blocks import Problem
from dodona.validation.validator import LEVELS, fix_bytes, validate_bytes


def validate(
    files: Treebanks = None,
    level: Annotated[
        int, Flag("1: the format; 2: also columns and trees; 3: also the guidelines (warnings)")
    ] = 3,
    fix: Annotated[bool, Flag("fix problems in place where no information is lost")] = False,
    out: Annotated[
        str | None,
        Flag("output of --fix", short="-o", default="the file itself; for stdin, stdout"),
    ] = None,
    warnings: Annotated[bool, Flag("print warnings")] = True,
    json: Annotated[bool, Flag("print JSON lines, one per problem")] = False,
) -> None:
    """Find all errors in CoNLL-U files.

    The levels are those of UD's validator: (1) ids, ranges, empty nodes and columns; (2) metadata,
    UPOS, FEATS, relations, one root, cycles; (3) the guidelines for all languages. --fix repairs
    line breaks, white space, empty fields, the order of FEATS and DEPS, missing ids and texts. The
    exit code is 1 if errors remain.
    """
    if level not in LEVELS:
        raise UsageError(f"--level must be 1, 2 or 3, not {level}")
    paths = list(find_files(files or [STDIN]))
    if out is not None and (not fix or len(paths) > 1):
        raise UsageError("-o requires --fix and a single file")
    choose_format(out or STDIN, None, (CONLLU,), CONLLU, plain=CONLLU, flag="")
    n_errors = n_warnings = n_fixable = 0
    for problem in _validate(paths, level, fix, out):
        n_errors += not problem.is_warning
        n_warnings += problem.is_warning
        n_fixable += problem.can_fix
        if warnings or not problem.is_warning:
            line = json_.dumps(problem.to_dict(), ensure_ascii=False) if json else str(problem)
            print(line, file=sys.stderr if fix and (out or paths[0]) == STDIN else sys.stdout)
    fixable = f"; --fix can repair {n_fixable:,}" if n_fixable and not fix else ""
    counts = f"{plural(n_errors, 'error')}, {plural(n_warnings, 'warning')}"
    say(f"{counts} in {plural(len(paths), 'file')}{fixable}")
    if n_errors:
        raise Stop(FAILED)


def _validate(paths: list[str], level: int, fix: bool, out: str | None) -> Iterator[Problem]:
    """Yield the problems of all files; with `fix`, those that remain."""
    with Meter("validating", total_size(paths)) as meter:
        for path in paths:
            with InputFile(path) as file:
                meter.watch(file)
                data = b"".join(iter(file.read1, b""))
                meter.tick()
            if fix:
                data = _fix(data, file.name, path, out)
            yield from validate_bytes(data, file.name, level)


def _fix(data: bytes, name: str, path: str, out: str | None) -> bytes:
    """Write the fixed data of a file, and return it."""
    fixed = fix_bytes(data)
    if fixed != data or out is not None or path == STDIN:
        with open_output(out or path) as file:
            file.write(fixed)
    if fixed != data:
        before, after = validate_bytes(data, name, 2), validate_bytes(fixed, name, 2)
        say(f"{name}: {len(before) - len(after):,} of {len(before):,} problems fixed")
    return fixed
