"""The same verbs for Typer: help, completion, and usage errors that say what was meant."""

import inspect
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Annotated, Any

import typer

from dodona.cli.flags import REQUIRED, Parameter, parameters

Run = Callable[[Callable[..., None], dict[str, Any]], int]


def app(verbs: dict[str, Callable[..., None]], run: Run) -> typer.Typer:
    """A Typer application of the verbs, which `run` is to call."""
    result = typer.Typer(
        name="dodona",
        help="Fast, exact, trainable transition-based dependency parsing with dynamic oracles.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name, verb in verbs.items():
        result.command(name, help=inspect.getdoc(verb))(_command(verb, run))
    result.callback()(_top)
    return result


def _top(
    version: Annotated[bool, typer.Option("--version", help="show the version")] = False,
) -> None:
    """Only declares the flag, which is answered before Typer is asked."""


def _command(verb: Callable[..., None], run: Run) -> Callable[..., None]:
    known = parameters(verb)

    def command(**values: Any) -> None:
        raise typer.Exit(run(verb, {name: _plain(value) for name, value in values.items()}))

    hints = {p.name: _hint(p) for p in known}
    keyword = inspect.Parameter.KEYWORD_ONLY
    command.__annotations__ = hints
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(p.name, keyword, default=p.default, annotation=hints[p.name])
            for p in known
        ]
    )
    return command


def _hint(parameter: Parameter) -> Any:
    kind = _kind(parameter)
    if parameter.flag.positional:
        name = parameter.name.removesuffix("s" if parameter.is_list else "").upper()
        about = parameter.flag.help
        return Annotated[kind, typer.Argument(metavar=name, help=about, show_default=False)]
    names, metavar, about = _names(parameter), _metavar(parameter), _help(parameter)
    return Annotated[kind, typer.Option(*names, metavar=metavar, help=about, show_default=False)]


def _kind(parameter: Parameter) -> Any:
    choices = {choice: choice for choice in parameter.flag.choices}
    kind: Any = Enum(parameter.name, choices, type=str) if choices else parameter.type
    if parameter.is_list:
        kind = list[kind]
    return kind if parameter.default is not None else kind | None


def _metavar(parameter: Parameter) -> str | None:
    if parameter.flag.choices:
        return "|".join(parameter.flag.choices)
    return {int: "N", float: "X", str: parameter.flag.metavar, bool: None}[parameter.type]


def _names(parameter: Parameter) -> Sequence[str]:
    names = [parameter.long]
    if parameter.negative:
        names = [f"{parameter.long}/{parameter.negative}"]
    return [*names, parameter.flag.short] if parameter.flag.short else names


def _help(parameter: Parameter) -> str:
    """What the flag is for and, in brackets, what holds without it."""
    default = parameter.flag.default
    if not default and parameter.type is not bool and parameter.default not in (None, REQUIRED):
        default = str(parameter.default)
    return f"{parameter.flag.help} [{default}]" if default else parameter.flag.help


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value
