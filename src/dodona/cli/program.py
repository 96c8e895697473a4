"""`dodona` without a verb: its version, completion for shells, and the completions themselves."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any

from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Flag, parameters
from dodona.cli.grammar import CommandLine
from dodona.cli.shells import SHELLS, find_shell, install
from dodona.cli.verbs import VERBS, load_verb, summaries

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


def complete(words: Sequence[str]) -> list[str]:
    """Return the completions of the last word, each followed by a tab and a description.

    >>> complete(["inf"]), complete(["parse", "--output", "j"])
    (['info\\tShow everything a model records.'], ['json'])

    There are none where a file is expected, or after an error.

    >>> complete(["parse", ""]), complete(["parse", "--treads", "-"])
    ([], [])
    """
    *before, last = words or [""]
    # undo the splitting of Bash, which takes `--output=json` for three words
    before, last = [word for word in before if word != "="], "" if last == "=" else last
    try:
        found = _list_all(before, last)
    except UsageError:
        return []
    return [
        f"{word}\t{about}".rstrip("\t") for word, about in found.items() if word.startswith(last)
    ]


def _list_all(before: Sequence[str], last: str) -> dict[str, str]:
    """Return all words that could follow, with their descriptions."""
    if not before and not last.startswith("-"):
        return summaries()
    verb, rest = choose(before)
    line = CommandLine(rest, parameters(verb))
    if line.waiting:
        return dict.fromkeys(line.waiting.flag.choices, "")
    if not line.takes_flags or not last.startswith("-"):
        return {}
    name, is_joined, _ = last.partition("=")
    if is_joined and name in line.flags:
        return {f"{name}={choice}": "" for choice in line.flags[name].flag.choices}
    return {name: parameter.flag.help for name, parameter in line.flags.items()}
