"""The parameters of a verb: the signature of its function, annotated with `Flag`.

`grammar` parses command lines, `help` formats pages, `completion` offers words to a shell, and
`config` reads files, all by these declarations.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, NamedTuple, get_args, get_origin

from dodona.settings import CONSTRAINTS

REQUIRED: Any = object()  # the default of a parameter without one
KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}


class Flag(NamedTuple):
    """How a parameter is given in the shell: as a flag, or by position."""

    help: str
    short: str = ""
    choices: tuple[str, ...] = ()
    default: str = ""  # shown in help, where the default in the signature is None
    metavar: str = ""  # name of the value in help; "": FILE, or the name of a positional
    positional: bool = False
    alone: str = ""  # the value if the flag is given without one; "": a value is required
    fits: str = ""  # what the next word must match to be the value; "": anything but a flag


# parameters that several verbs have
ModelName = Annotated[str, Flag("model file or name", positional=True)]
Treebanks = Annotated[
    list[str] | None, Flag("CoNLL-U files or folders ('-': stdin, the default)", positional=True)
]
OutputFile = Annotated[str, Flag("file to write ('-': stdout)", short="-o")]
ModelFile = Annotated[str | None, Flag("model file to write", short="-o", default="required")]
Encoding = Annotated[str, Flag("encoding of the input, such as latin-1 or utf-16", metavar="NAME")]
SkipBad = Annotated[bool, Flag("pass invalid sentences through instead of stopping")]
Threads = Annotated[int, Flag("number of threads")]
Mapped = Annotated[
    bool,
    Flag(
        "map the model file into memory, where processes share it; results are undefined if the "
        "file changes while in use"
    ),
]
Constraints = Annotated[
    str | None,
    Flag(
        "ud: enforce the rules of Universal Dependencies for relations and tags",
        choices=CONSTRAINTS,
        default="as trained",
    ),
]
RulesFile = Annotated[
    str | None,
    Flag(
        "TOML file with rules of your own for tokens, sentences and tags",
        default="MODEL.rules.toml beside the model, if there is one",
    ),
]
DevFile = Annotated[
    str | None, Flag("CoNLL-U file that decides the best epoch", default="keep the last epoch")
]
Resume = Annotated[bool, Flag("continue an interrupted run from its checkpoint")]
Checkpoint = Annotated[bool, Flag("write OUT.checkpoint during training")]
Json = Annotated[bool, Flag("print JSON")]


class Parameter(NamedTuple):
    """A parameter of a verb: `--name`, with one value of this type or a list of them."""

    name: str
    type: type[str] | type[int] | type[float] | type[bool]
    is_list: bool
    default: Any
    flag: Flag

    @property
    def long(self) -> str:
        """The name of the flag in the shell.

        >>> Parameter("skip_bad", bool, False, False, Flag("…")).long
        '--skip-bad'
        """
        return "--" + self.name.rstrip("_").replace("_", "-")

    @property
    def negative(self) -> str:
        """The flag that switches off what is on by default; "" for other parameters.

        >>> Parameter("punctuation", bool, False, True, Flag("…")).negative
        '--no-punctuation'
        """
        is_on = self.type is bool and (self.default or self.flag.default == str(True))
        return f"--no-{self.long[2:]}" if is_on else ""

    @property
    def spellings(self) -> dict[str, bool]:
        """Every spelling of the flag, with its value if it is a switch.

        >>> Parameter("quiet", bool, False, True, Flag("…", short="-q")).spellings
        {'-q': True, '--quiet': True, '--no-quiet': False}
        """
        if self.flag.positional:
            return {}
        names = {self.flag.short: True, self.long: True, self.negative: False}
        return {name: value for name, value in names.items() if name}

    @property
    def metavar(self) -> str:
        """The name of the value in help and errors; "" for a switch.

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
        """The name of the parameter in errors."""
        return self.metavar if self.flag.positional else self.long

    @property
    def expected(self) -> str:
        """A description of valid values.

        >>> Parameter("to", str, False, "a", Flag("…", choices=("a", "b"))).expected
        'one of a, b'
        """
        choices = ", ".join(self.flag.choices)
        return f"one of {choices}" if choices else KINDS[self.type]

    def accepts(self, value: Any) -> bool:
        """Return whether a value has the right type and is among the choices, if any."""
        return type(value) is self.type and value in (self.flag.choices or (value,))


DEBUG = Parameter("debug", bool, False, False, Flag("show the traceback of errors"))
HELP = Parameter("help", bool, False, False, Flag("show this help", short="-h"))
_MORE = "more_parameters"  # the attribute of a verb that holds computed parameters


def parameters(verb: Callable[..., Any]) -> list[Parameter]:
    """Return the parameters of a verb, including those that all verbs have.

    >>> from typing import Annotated
    >>> def greet(times: Annotated[int, Flag("how often")] = 1): ...
    >>> [parameter.long for parameter in parameters(greet)]
    ['--times', '--debug', '--help']
    """
    return [*_declare(verb), *getattr(verb, _MORE, ()), DEBUG, HELP]


def add_parameters(verb: Callable[..., Any], more: Iterable[Parameter]) -> None:
    """Add parameters to a verb that takes `**others`.

    >>> def greet(**others): ...
    >>> add_parameters(greet, [Parameter("politely", bool, False, False, Flag("with a bow"))])
    >>> [parameter.long for parameter in parameters(greet)]
    ['--politely', '--debug', '--help']
    """
    setattr(verb, _MORE, list(more))


def _declare(verb: Any) -> Iterator[Parameter]:
    """Yield the parameters of the signature; `inspect` would find them, but is slow to import."""
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
