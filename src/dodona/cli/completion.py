"""Completions of an unfinished command line: verbs, flags, and the values of flags."""

from collections.abc import Sequence

from dodona.cli.errors import UsageError
from dodona.cli.flags import parameters
from dodona.cli.grammar import CommandLine
from dodona.cli.program import choose
from dodona.cli.verbs import summaries


def complete(words: Sequence[str]) -> list[str]:
    """Return the completions of the last word, each followed by a tab and a description.

    >>> complete(["inf"]), complete(["parse", "--output", "j"])
    (['info\\tShow everything a model records.'], ['json'])

    There are none where a file is expected, or after an error.

    >>> complete(["parse", ""]), complete(["parse", "--treads", "-"])
    ([], [])
    """
    *before, last = _join(words)
    try:
        found = _list_all(before, last)
    except UsageError:
        return []
    return [
        f"{word}\t{about}".rstrip("\t") for word, about in found.items() if word.startswith(last)
    ]


def _join(words: Sequence[str]) -> list[str]:
    """Undo the splitting of Bash, which takes `--output=json` for three words."""
    *before, last = words or [""]
    return [word for word in before if word != "="] + ["" if last == "=" else last]


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
