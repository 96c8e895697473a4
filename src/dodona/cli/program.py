"""`dodona` without a verb: its version, and completion for shells."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Flag
from dodona.cli.shells import SHELLS, find_shell, install
from dodona.cli.verbs import VERBS, load_verb

AUTO = "auto"


def choose(words: Sequence[str]) -> tuple[Callable[..., Any], Sequence[str]]:
    """Return the verb that the first word names, or `program`, and the remaining words.

    >>> verb, rest = choose(["info", "en"])
    >>> verb.__name__, rest
    ('info', ['en'])
    """
    if words and not words[0].startswith("-"):
        return load_verb(words[0]), words[1:]
    return program, words


def program(
    *,
    version: Annotated[bool, Flag("print the version")] = False,
    install_completion: Annotated[
        str | None,
        Flag(
            "install completion of verbs and flags for a shell; auto: the shell in $SHELL",
            choices=(AUTO, *SHELLS),
            alone=AUTO,
        ),
    ] = None,
    show_completion: Annotated[
        str | None,
        Flag("print the completion script of a shell", choices=(AUTO, *SHELLS), alone=AUTO),
    ] = None,
) -> None:
    """Fast, exact, trainable transition-based dependency parsing with dynamic oracles."""
    if version:
        import dodona

        print(f"dodona {dodona.__version__}")
    elif install_completion:
        path = install(find_shell() if install_completion == AUTO else install_completion)
        say(f"installed {path}; completion works in new shells")
    elif show_completion:
        shell = find_shell() if show_completion == AUTO else show_completion
        print(SHELLS[shell].script, end="")
    else:
        raise UsageError(f"a verb is missing; the verbs are: {', '.join(VERBS)}")
