"""The output of --help."""

import inspect
import sys
from collections.abc import Callable, Iterable
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

from dodona.cli.flags import REQUIRED, Parameter, parameters
from dodona.cli.program import program
from dodona.cli.verbs import summaries

LEAST_COLUMNS, MOST_COLUMNS = 50, 100
MOST_LEFT = 30  # columns for names, to the left of their descriptions
COLOURS = {
    r"(?m)^\w+:": "bold",  # titles
    r"(?m)^  (-\w, )?--[\w-]+( / --[\w-]+)?": "cyan",  # flags
}


def print_page(command: str, verb: Callable[..., Any]) -> None:
    """Print the help of a verb, in colours if stdout is a terminal."""
    width = min(max(get_terminal_size().columns, LEAST_COLUMNS), MOST_COLUMNS)
    page = make_page(command, verb, width)
    if not sys.stdout.isatty():
        print(page)
        return
    from rich.console import Console
    from rich.text import Text

    text = Text(page)
    for pattern, style in COLOURS.items():
        text.highlight_regex(pattern, style)
    Console(highlight=False).print(text, soft_wrap=True)


def make_page(command: str, verb: Callable[..., Any], width: int) -> str:
    """Return the help of a verb: its usage, description, arguments and options.

    >>> from typing import Annotated
    >>> from dodona.cli.flags import Flag
    >>> def greet(times: Annotated[int, Flag("how often")] = 1): "Be polite."
    >>> print(make_page("dodona greet", greet, 60))
    Usage: dodona greet [OPTIONS]
    <BLANKLINE>
      Be polite.
    <BLANKLINE>
    Options:
      --times N   how often [1]
      --debug     show the traceback of errors
      -h, --help  show this help
    """
    known = parameters(verb)
    places = [p for p in known if p.flag.positional]
    last = ["VERB ..."] if verb is program else [p.metavar for p in places]
    paragraphs = (inspect.getdoc(verb) or "").split("\n\n")
    blocks = [" ".join(["Usage:", command, "[OPTIONS]", *last])]
    blocks += ["\n".join(_indent(paragraph, width)) for paragraph in paragraphs]
    if places:
        blocks.append(_list("Arguments", ((p.metavar, p.flag.help) for p in places), width))
    flags = ((name_flag(p), explain_flag(p)) for p in known if not p.flag.positional)
    blocks.append(_list("Options", flags, width))
    if verb is program:
        blocks.append(_list("Verbs", summaries().items(), width))
    return "\n\n".join(blocks)


def _list(title: str, rows: Iterable[tuple[str, str]], width: int) -> str:
    """Return a list of names with their descriptions, to the right or below long names."""
    rows = list(rows)
    left = min(MOST_LEFT, max(len(name) for name, _ in rows) + 4)
    lines = [f"{title}:"]
    for name, about in rows:
        right = _indent(about, width, left)
        if len(name) + 4 <= left:
            right[0] = f"  {name}".ljust(left) + right[0].lstrip()
        else:
            choices = _indent(name.replace("|", "| "), width, hang=4)
            lines += [line.replace("| ", "|") for line in choices]
        lines += right
    return "\n".join(lines)


def _indent(text: str, width: int, by: int = 2, hang: int = 0) -> list[str]:
    """Wrap a text at blanks; lines after the first are indented by `hang` more."""
    first, rest = " " * by, " " * (by + hang)
    return wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def name_flag(parameter: Parameter) -> str:
    """Return the spellings of a flag: `-o, --out FILE`, `--checkpoint / --no-checkpoint`."""
    short = f"{parameter.flag.short}, " if parameter.flag.short else ""
    no = f" / {parameter.negative}" if parameter.negative else ""
    value = f"[{parameter.metavar}]" if parameter.flag.alone else parameter.metavar
    return f"{short}{parameter.long}{no} {value}".rstrip()


def explain_flag(parameter: Parameter) -> str:
    """Return the description of a flag with its default in brackets."""
    default = parameter.flag.default
    if not default and parameter.type is not bool and parameter.default not in (None, REQUIRED):
        default = str(parameter.default)
    return f"{parameter.flag.help} [{default}]" if default else parameter.flag.help
