"""Documents as they come and go: words that are given as lists, sentences gathered by text."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, TypeGuard

from dodona.core.base.values import show
from dodona.doc import Doc
from dodona.records import record
from dodona.treebank.sentence import Sentence

Words: TypeAlias = Sequence[str] | Sequence[Sequence[str]]  # of a sentence, or of several


@record
class WaitingText:
    """A text whose sentences are in the parser."""

    text: str | None  # None if its words were given
    n_sentences: int
    is_strange: bool
    context: Any


Waiting: TypeAlias = deque[WaitingText]


def are_words(text: object) -> TypeGuard[Words]:
    """Return whether a text is given as a list of words or of sentences."""
    return isinstance(text, (list, tuple))


def sentences_of(words: Words) -> list[Sentence]:
    """Return the sentence of a list of words, or the sentences of a list of such lists.

    >>> sentences_of(["Oaks", "speak"]), len(sentences_of([["Oaks", "speak"], ["Listen", "!"]]))
    ([<Sentence of 2 words: 'Oaks speak'>], 2)
    """
    sentences = [words] if words and isinstance(words[0], str) else words
    return [*map(_sentence, sentences)]


def _sentence(words: object) -> Sentence:
    if not isinstance(words, (list, tuple)) or not words:
        raise TypeError(f"expected a list of words for each sentence, not {show(words)}")
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"expected a word, not {show(word)}")
        if word.split() != [word]:
            raise TypeError(
                f"a word has no white space, but one is {show(word)}; a list is a sentence of "
                "words: parser.docs(texts) parses several texts, parser(text) segments one"
            )
    return Sentence.from_columns(words, comments=[f"# text = {' '.join(words)}"])


def gather(parsed: Iterator[Sentence], waiting: Waiting, as_tuples: bool) -> Iterator[Any]:
    """Yield the document of each text as soon as all of its sentences are parsed."""

    def take(sentences: list[Sentence]) -> Any:
        first = waiting.popleft()
        doc = Doc(sentences, first.text, is_strange=first.is_strange)
        return (doc, first.context) if as_tuples else doc

    done: list[Sentence] = []
    for sentence in parsed:
        while waiting[0].n_sentences == 0:
            yield take([])
        done.append(sentence)
        if len(done) == waiting[0].n_sentences:
            yield take(done)
            done = []
    while waiting:  # texts without a sentence
        yield take([])
