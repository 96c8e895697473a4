"""What a verb accepts, declared once: the signature of its function, annotated with `Flag`.

`grammar` reads command lines by it, `help` makes the pages of it, `completion` what a shell offers,
and `config` reads files with the same names.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, get_args, get_origin

REQUIRED: Any = object()  # where there is no default
KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}


class Flag(NamedTuple):
    """How a parameter is given in the shell: as a flag or, if `positional`, by its place."""

    help: str
    short: str = ""
    choices: tuple[str, ...] = ()
    default: str = ""  # as help shows it, where the signature says None
    metavar: str = ""  # what stands for the value; "" is FILE, or of a positional its name
    positional: bool = False
    alone: str = ""  # the value of a flag without one; "" where it must have one


class Parameter(NamedTuple):
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

    @property
    def spellings(self) -> dict[str, bool]:
        """Every way to write the flag, and what it says if it is a switch.

        >>> Parameter("quiet", bool, False, True, Flag("…", short="-q")).spellings
        {'-q': True, '--quiet': True, '--no-quiet': False}
        """
        if self.flag.positional:
            return {}
        names = {self.flag.short: True, self.long: True, self.negative: False}
        return {name: says for name, says in names.items() if name}

    @property
    def metavar(self) -> str:
        """What stands for the value in help and errors; nothing for a switch.

        >>> Parameter("inputs", str, True, None, Flag("…", positional=True)).metavar
        '[INPUT]...'
        """
        if self.flag.metavar or self.type is bool:
            return self.flag.metavar
        if self.flag.positional:
            name = self.name.removesuffix("s" if self.is_list else "").upper()
            name = name if self.default is REQUIRED else f"[{name}]"
            return f"{name}..." if self.is_list else name
        if self.flag.choices:
            return "|".join(self.flag.choices)
        return {int: "N", float: "X", str: "FILE"}[self.type]

    @property
    def title(self) -> str:
        """How an error calls it."""
        return self.metavar if self.flag.positional else self.long

    @property
    def expected(self) -> str:
        """What a value is to be, in words.

        >>> Parameter("to", str, False, "a", Flag("…", choices=("a", "b"))).expected
        'one of a, b'
        """
        choices = ", ".join(self.flag.choices)
        return f"one of {choices}" if choices else KINDS[self.type]

    def accepts(self, value: Any) -> bool:
        """Whether it is a value of the right type and, where there are choices, one of them."""
        return type(value) is self.type and value in (self.flag.choices or (value,))


DEBUG = Parameter("debug", bool, False, False, Flag("show the traceback of an error"))
HELP = Parameter("help", bool, False, False, Flag("show this page", short="-h"))
_MORE = "more_parameters"  # the attribute of a verb that has some


def parameters(verb: Callable[..., Any]) -> list[Parameter]:
    """Every parameter of a verb's function, and those that all verbs have.

    >>> from typing import Annotated
    >>> def greet(times: Annotated[int, Flag("how often")] = 1): ...
    >>> [parameter.long for parameter in parameters(greet)]
    ['--times', '--debug', '--help']
    """
    return [*_declare(verb), *getattr(verb, _MORE, ()), DEBUG, HELP]


def add_parameters(verb: Callable[..., Any], more: Iterable[Parameter]) -> None:
    """Let a verb that takes `**others` have these parameters, too.

    >>> def greet(**others): ...
    >>> add_parameters(greet, [Parameter("politely", bool, False, False, Flag("with a bow"))])
    >>> [parameter.long for parameter in parameters(greet)]
    ['--politely', '--debug', '--help']
    """
    setattr(verb, _MORE, list(more))


def _declare(verb: Any) -> Iterator[Parameter]:
    """What the signature declares; `inspect` would tell it, too, but takes long to be imported."""
    code = verb.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    last = names[: code.co_argcount][-len(verb.__defaults__ or ()) :]
    defaults = dict(zip(last, verb.__defaults__ or (), strict=False)) | (verb.__kwdefaults__ or {})
    for name in names:
        hint, flag = get_args(verb.__annotations__[name])
        if type(None) in get_args(hint):
            hint = get_args(hint)[0]
        is_list = get_origin(hint) is list
        kind = get_args(hint)[0] if is_list else hint
        yield Parameter(name, kind, is_list, defaults.get(name, REQUIRED), flag)
