"""`dodona` without a verb: its version, and completion for shells."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Flag
from dodona.cli.shells import SHELLS, find_shell, install
from dodona.cli.verbs import VERBS, load_verb

AUTO = "auto"


def program(
    *,
    version: Annotated[bool, Flag("show the version")] = False,
    install_completion: Annotated[
        str | None,
        Flag(
            "let a shell complete verbs and flags; auto is the shell of $SHELL",
            choices=(AUTO, *SHELLS),
            alone=AUTO,
        ),
    ] = None,
    show_completion: Annotated[
        str | None,
        Flag("print the script that completes them", choices=(AUTO, *SHELLS), alone=AUTO),
    ] = None,
) -> None:
    """Fast, exact, trainable transition-based dependency parsing with dynamic oracles."""
    if version:
        import dodona

        print(f"dodona {dodona.__version__}")
    elif install_completion:
        place = install(find_shell() if install_completion == AUTO else install_completion)
        say(f"{place} is there; a new shell completes what follows `dodona`")
    elif show_completion:
        shell = find_shell() if show_completion == AUTO else show_completion
        print(SHELLS[shell].script, end="")
    else:
        raise UsageError(f"which verb? There are: {', '.join(VERBS)}")


def choose(words: Sequence[str]) -> tuple[Callable[..., Any], Sequence[str]]:
    """The verb that the first word names, or the program itself, and the words for it.

    >>> verb, rest = choose(["info", "en"])
    >>> verb.__name__, rest
    ('info', ['en'])
    """
    if words and not words[0].startswith("-"):
        return load_verb(words[0]), words[1:]
    return program, words
