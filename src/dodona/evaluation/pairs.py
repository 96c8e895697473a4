"""Pairs of gold and system sentences, with the positions of the words to score."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from dodona.errors import DodonaError
from dodona.evaluation.parsed import Parsed
from dodona.evaluation.punctuation import find_rule

_NO_FILE = "<memory>"  # the source of sentences made in Python

ParsedSource: TypeAlias = str | os.PathLike[str] | Iterable[Parsed]
OnProgress: TypeAlias = Callable[[int], object]  # called with the number of words done


class EvaluationError(DodonaError, ValueError):
    """Two treebanks that cannot be compared; the message names the place and the reason."""


class Pair(NamedTuple):
    """A gold sentence, the system's, and the positions (from 0) of the words that are scored."""

    gold: Parsed
    system: Parsed
    words: list[int]


def load(treebank: ParsedSource) -> list[Parsed]:
    """Return the sentences of a CoNLL-U file, or of an iterable, as a list."""
    if isinstance(treebank, (str, os.PathLike)):
        from dodona.treebank.conllu.reader import read

        return list(read(treebank, trees="optional"))
    return list(treebank)


def pair(
    gold: Sequence[Parsed],
    system: Sequence[Parsed],
    *,
    punctuation: bool,
    punctuation_by: str = "auto",
    name: str = "system",
    progress: OnProgress | None = None,
) -> Iterator[Pair]:
    """Match the sentences one to one; `name` stands for a system without a file in messages.

    Words without a gold head are never scored. With `punctuation=False`, neither is punctuation,
    according to the rule `punctuation_by` (`punctuation.find_rule`).
    """
    if not gold:
        raise EvaluationError("the gold treebank has no sentences: there is nothing to evaluate")
    rule = None if punctuation else find_rule(gold, punctuation_by)
    for number, (expected, found) in enumerate(zip(gold, system, strict=False), start=1):
        _check_words(expected, found, number, name)
        words = [i for i, head in enumerate(expected.heads) if head is not None]
        if rule is not None:
            is_punct = rule.marks(expected)
            words = [i for i in words if not is_punct[i]]
        yield Pair(expected, found, words)
        if progress is not None:
            progress(len(expected.forms))
    if len(gold) != len(system):
        raise EvaluationError(_missing_sentence(gold, system, name))


def _check_words(gold: Parsed, system: Parsed, number: int, name: str) -> None:
    """Check that both sentences have the same words, and heads within the sentence."""
    expected, found = list(gold.forms), list(system.forms)
    if expected != found:
        shared = min(len(expected), len(found))
        i = next((i for i in range(shared) if expected[i] != found[i]), shared)
        raise EvaluationError(
            f"{location(gold, 'gold', number, str(i + 1))} has {_word(expected, i)}, but "
            f"{location(system, name, number, str(i + 1))} has {_word(found, i)}: gold and system "
            "must have the same words; if the system segmented the text itself, use "
            "dodona.evaluate_text or, in the shell, dodona evaluate --text"
        )
    check_heads(gold, "gold", number)
    check_heads(system, name, number)


def check_heads(sentence: Parsed, name: str, number: int) -> None:
    """Check that each head is a word of the sentence, the root, or None."""
    n = len(sentence.forms)
    for word, head in enumerate(sentence.heads, start=1):
        if head is not None and not 0 <= head <= n:
            raise EvaluationError(
                f"{location(sentence, name, number, str(word))}: word {word} has head {head}, "
                f"but the sentence has {n} words"
            )


def _missing_sentence(gold: Sequence[Parsed], system: Sequence[Parsed], name: str) -> str:
    n = min(len(gold), len(system))
    (long, long_name), (short, short_name) = sorted(
        [(gold, "gold"), (system, name)], key=lambda item: -len(item[0])
    )
    end = _source(short[-1], short_name) if short else short_name
    return (
        f"{end} ends after {n} sentences, but {_source(long[0], long_name)} has {len(long)}: "
        f"the first one missing starts at {location(long[n], long_name, n + 1, '1')}, "
        f"{_word(long[n].forms, 0)}"
    )


def _source(sentence: Parsed, name: str) -> str:
    source = str(getattr(sentence, "source", ""))
    return name if source in ("", _NO_FILE) else source


def location(sentence: Parsed, name: str, number: int, word: str) -> str:
    """Return `file:line` of the word or token with this id.

    For a sentence that does not come from a file, return `name` and the sentence's number.
    """
    source, first = _source(sentence, name), getattr(sentence, "line", None)
    if source == name or first is None:
        return f"{source}, sentence {number}"
    # not splitlines: a field may contain a line separator of Unicode
    lines = str(sentence).removeprefix("\ufeff").removesuffix("\n").split("\n")
    ids = [line.partition("\t")[0] for line in lines]
    # past the last word: the blank line that ends the sentence
    offset = ids.index(word) if word in ids else len(lines) - 1
    return f"{source}:{first + offset}"


def _word(forms: Sequence[str], i: int) -> str:
    return f"word {i + 1} {forms[i]!r}" if i < len(forms) else f"no word {i + 1}"
