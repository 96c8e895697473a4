"""What a verb accepts, declared once: the signature of its function, annotated with `Flag`.

Two readers understand it: `quick`, which starts at once, and `typed`, which hands it to Typer for
help, completion and the wording of usage errors.
"""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, get_args, get_origin

REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Flag:
    """How a parameter is given in the shell: as a flag or, if `positional`, by its place."""

    help: str
    short: str = ""
    choices: tuple[str, ...] = ()
    default: str = ""  # as help shows it, where the signature says None
    metavar: str = "FILE"  # what a string stands for
    positional: bool = False


@dataclass(frozen=True)
class Parameter:
    """One parameter of a verb: `--name` of that type, or several values of it."""

    name: str
    type: type[str] | type[int] | type[float] | type[bool]
    is_list: bool
    default: Any
    flag: Flag

    @property
    def long(self) -> str:
        """The flag in the shell.

        >>> Parameter("skip_bad", bool, False, False, Flag("…")).long
        '--skip-bad'
        """
        return "--" + self.name.rstrip("_").replace("_", "-")

    @property
    def negative(self) -> str:
        """The flag that says no, of what holds unless it is given; "" for all others.

        >>> Parameter("punctuation", bool, False, True, Flag("…")).negative
        '--no-punctuation'
        """
        holds = self.type is bool and (self.default or self.flag.default == str(True))
        return f"--no-{self.long[2:]}" if holds else ""


DEBUG = Parameter("debug", bool, False, False, Flag("show the traceback of an error"))


def parameters(verb: Callable[..., Any]) -> list[Parameter]:
    """Every parameter of a verb's function, and `debug`, which they all have.

    >>> from typing import Annotated
    >>> def greet(times: Annotated[int, Flag("how often")] = 1): ...
    >>> [parameter.long for parameter in parameters(greet)]
    ['--times', '--debug']
    """
    return [*_declared(verb), DEBUG]


def _declared(verb: Callable[..., Any]) -> Iterator[Parameter]:
    for name, given in inspect.signature(verb).parameters.items():
        hint, flag = get_args(given.annotation)
        if type(None) in get_args(hint):
            hint = get_args(hint)[0]
        is_list = get_origin(hint) is list
        kind = get_args(hint)[0] if is_list else hint
        yield Parameter(name, kind, is_list, given.default, flag)
