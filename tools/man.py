"""The manual page dodona(1), from the declarations of the verbs; `tools.pages` writes it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import dodona
from dodona.cli.flags import parameters
from dodona.cli.help import explain_flag, name_flag
from dodona.cli.program import program
from dodona.cli.verbs import VERBS, load_verb

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "dodona.1"
ENVIRONMENT = {
    "DODONA_MODELS": "folders of models that can be loaded by name, separated as in PATH",
    "NO_COLOR": "if it is set and not empty, output has no colours",
}
EXIT_CODES = {
    "0": "success",
    "1": "an error, such as a file that cannot be read; for grep, no match",
    "2": "wrong arguments",
    "128 + N": "ended by signal N",
}


def make_man_page() -> str:
    """Return the page in the macros of man(7)."""
    about = (inspect.getdoc(program) or "").split("\n")[0].rstrip(".")
    lines = [
        f'.TH DODONA 1 "" "Dodona {dodona.__version__}" "User Commands"',
        *(".SH NAME", f"dodona {escape('-')} {escape(about[0].lower() + about[1:])}"),
        *(".SH SYNOPSIS", ".B dodona", "VERB [OPTIONS] [ARGUMENTS]"),
        *(".SH DESCRIPTION", "A command is a verb with its options and arguments."),
        *_items((name_flag(p), explain_flag(p)) for p in parameters(program)),
        ".SH VERBS",
    ]
    for name in VERBS:
        lines += _describe(name, load_verb(name))
    lines += [".SH ENVIRONMENT", *_items(ENVIRONMENT.items())]
    lines += [".SH EXIT STATUS", *_items(EXIT_CODES.items())]
    return "\n".join(lines) + "\n"


def _describe(name: str, verb: Callable[..., Any]) -> Iterator[str]:
    """Yield the lines about a verb; --help and --debug, which all have, are described above."""
    known = [p for p in parameters(verb) if p.name not in ("help", "debug")]
    places = [p for p in known if p.flag.positional]
    yield f".SS dodona {name} [OPTIONS] {escape(' '.join(p.metavar for p in places))}".rstrip()
    for number, paragraph in enumerate((inspect.getdoc(verb) or "").split("\n\n")):
        yield from [".PP"] * bool(number)
        yield escape(" ".join(paragraph.split()))
    yield from _items((p.metavar, p.flag.help) for p in places)
    yield from _items((name_flag(p), explain_flag(p)) for p in known if not p.flag.positional)


def _items(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, about in rows:
        yield from (".TP", rf"\fB{escape(name)}\fR", escape(about))


def escape(text: str) -> str:
    """Return a text without anything that roff would interpret.

    >>> escape(".a --b")
    '\\\\&.a \\\\-\\\\-b'
    """
    plain = text.replace("\\", r"\e").replace("-", r"\-").replace("…", "...")
    return re.sub(r"^(?=[.'])", r"\&", plain)
