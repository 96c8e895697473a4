"""Pairs of gold and system sentences, and the words to score, with or without punctuation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, SupportsBytes, TypeAlias
from unicodedata import category

from dodona.errors import DodonaError
from dodona.treebank.universal import UNANNOTATED, UPOS

RULES = ("auto", "upos", "xpos", "characters")
MOST_NAMED = 8  # tags
_NO_FILE = "<memory>"  # the source of sentences made in Python
OnProgress: TypeAlias = Callable[[int], object]  # called with the number of words done


class Parsed(Protocol):
    """A sentence that can be scored, such as `dodona.Sentence`."""

    @property
    def forms(self) -> Sequence[str]: ...
    @property
    def upos(self) -> Sequence[str]: ...
    @property
    def heads(self) -> Sequence[int | None]: ...
    @property
    def deprels(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Punctuation:
    """A rule that decides whether words are punctuation."""

    column: str  # "upos" or "xpos"; "" to decide by characters
    tags: frozenset[str] = frozenset()

    def marks(self, sentence: Parsed) -> list[bool]:
        """Return for each word whether it is punctuation."""
        if not self.column:
            return [is_punctuation(form) for form in sentence.forms]
        return [tag in self.tags for tag in getattr(sentence, self.column)]

    def __str__(self) -> str:
        """Describe the rule."""
        if not self.column:
            return "by characters"
        named = sorted(self.tags)
        more = " …" if len(named) > MOST_NAMED else ""
        return f"by {self.column.upper()} {' '.join(named[:MOST_NAMED])}{more}".rstrip()


def is_punctuation(form: str) -> bool:
    """Return whether all characters are of Unicode category P.

    >>> is_punctuation("..."), is_punctuation("a.")
    (True, False)
    """
    return all(category(char)[0] == "P" for char in form)


def find_rule(gold: Sequence[Parsed], rule: str = "auto") -> Punctuation:
    """Return the rule of a name; "auto" is the first one that the treebank has tags for.

    "upos": the tag PUNCT. "xpos": the tags in XPOS, or else in a UPOS column with tags that are not
    universal (such as CPOS), whose words all consist of punctuation characters.
    """
    if rule not in RULES:
        raise ValueError(f"punctuation_by={rule!r}: expected one of {', '.join(RULES)}")
    upos = {tag for sentence in gold for tag in sentence.upos} - {UNANNOTATED}
    if rule == "upos" or (rule == "auto" and upos and upos <= UPOS):
        return Punctuation("upos", frozenset({"PUNCT"}))
    if rule == "xpos" or rule == "auto":
        for column in ("xpos", "upos"):
            if tags := _punctuation_tags(gold, column):
                return Punctuation(column, tags)
        if rule == "xpos":
            return Punctuation("xpos")  # no tag marks punctuation
    return Punctuation("")


def _punctuation_tags(gold: Sequence[Parsed], column: str) -> frozenset[str]:
    """Return the tags of a column whose words are all punctuation."""
    found: dict[str, bool] = {}
    for sentence in gold:
        tags: Sequence[str] = getattr(sentence, column, ())
        for tag, form in zip(tags, sentence.forms, strict=False):
            if tag != UNANNOTATED and found.get(tag, True):
                found[tag] = is_punctuation(form)
    return frozenset(tag for tag, is_punct in found.items() if is_punct)


ParsedSource: TypeAlias = str | os.PathLike[str] | Iterable[Parsed]


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
    according to the rule `punctuation_by` (`find_rule`).
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
    lines = conllu_lines(sentence)
    ids = [line.partition("\t")[0] for line in lines]
    # past the last word: the blank line that ends the sentence
    offset = ids.index(word) if word in ids else len(lines) - 1
    return f"{source}:{first + offset}"


def conllu_lines(sentence: Parsed) -> list[str]:
    """Return the lines of a sentence in CoNLL-U: its `bytes`, or its `str` where it has none."""
    # not splitlines: a field may contain a line separator of Unicode
    text = bytes(sentence).decode() if isinstance(sentence, SupportsBytes) else str(sentence)
    return text.removeprefix("\ufeff").removesuffix("\n").split("\n")


def _word(forms: Sequence[str], i: int) -> str:
    return f"word {i + 1} {forms[i]!r}" if i < len(forms) else f"no word {i + 1}"
