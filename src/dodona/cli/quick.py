"""Reading a plain command line without waiting for Typer, whose import alone takes 100 ms.

Whatever is not plain (help, an unknown flag, a missing or ill-formed value) is left to Typer, which
explains it well: `read` then returns None.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from dodona.cli.flags import REQUIRED, Parameter


def read(arguments: Sequence[str], parameters: Iterable[Parameter]) -> dict[str, Any] | None:
    """The value of every parameter, or None if this needs a closer look.

    >>> from dodona.cli.flags import Flag
    >>> threads = Parameter("threads", int, False, 1, Flag("…"))
    >>> read(["--threads", "2"], [threads]), read([], [threads]), read(["--treads"], [threads])
    ({'threads': 2}, {'threads': 1}, None)
    """
    parameters = list(parameters)
    try:
        words, values = _flags(list(arguments), parameters)
        values |= _positionals(words, [p for p in parameters if p.flag.positional])
        return {p.name: _or_default(p, values) for p in parameters}
    except _NotPlain:
        return None


class _NotPlain(Exception):  # noqa: N818
    pass


def _flags(
    arguments: list[str], parameters: Sequence[Parameter]
) -> tuple[list[str], dict[str, Any]]:
    """The words that are no flags, and the values of the flags."""
    known = {p.long: (p, True) for p in parameters if not p.flag.positional}
    known |= {p.flag.short: (p, True) for p in parameters if p.flag.short}
    known |= {p.negative: (p, False) for p in parameters if p.negative}
    words: list[str] = []
    values: dict[str, Any] = {}
    while arguments:
        name, is_joined, value = arguments.pop(0).partition("=")
        if name == "--" and not is_joined:
            return words + arguments, values
        if not name.startswith("-") or name == "-":
            words.append(name + is_joined + value)
            continue
        if name not in known or (is_joined and not name.startswith("--")):
            raise _NotPlain
        parameter, switch = known[name]
        if parameter.type is bool:
            if is_joined:
                raise _NotPlain
            values[parameter.name] = switch
            continue
        if not is_joined:
            value = arguments.pop(0) if arguments else "--"
            if value.startswith("-") and value != "-":
                raise _NotPlain
        values[parameter.name] = _value(parameter, value)
    return words, values


def _positionals(words: list[str], parameters: Sequence[Parameter]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for parameter in parameters:
        if parameter.is_list:
            if words:
                values[parameter.name] = [_value(parameter, word) for word in words]
            words = []
        elif words:
            values[parameter.name] = _value(parameter, words[0])
            words = words[1:]
    if words:
        raise _NotPlain
    return values


def _value(parameter: Parameter, text: str) -> Any:
    if parameter.flag.choices and text not in parameter.flag.choices:
        raise _NotPlain
    try:
        return parameter.type(text)
    except ValueError:
        raise _NotPlain from None


def _or_default(parameter: Parameter, values: dict[str, Any]) -> Any:
    value = values.get(parameter.name, parameter.default)
    if value is REQUIRED:
        raise _NotPlain
    return value
