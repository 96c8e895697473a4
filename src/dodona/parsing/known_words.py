"""Whether a text looks like what a model has learned from: how many of its words it knows.

A text in the language of a model has some nine of ten of its words in the vocabulary (in languages
with many forms, fewer), one in a related language a quarter, one in another script none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dodona.parsing.parser import Parser
from dodona.tagging.neural_tagger import NeuralTagger
from dodona.treebank.sentence import Sentence

RECORDED = "dev_known"  # the share among the words of the dev set, in a model's record
UNRECORDED = 0.65  # where a model does not say it: less than most, so that no alarm is false
# Of any 30 words of its dev set, no model of ten treebanks knew less (of Korean, one in a hundred,
# of Turkish, one in three hundred times); of French and Dutch an English one knows 26%.
LEAST_OF_EXPECTED = 0.5
ENOUGH = 20  # words with letters, to judge by


def count_known(parser: Parser, sentences: Iterable[Sentence]) -> tuple[int, int]:
    """How many words with letters there are, and how many of them the model knows.

    >>> import dodona
    >>> text = [Sentence.from_columns(["The", "old", "oak", "xyzzyx", "."])]
    >>> count_known(dodona.load("en"), text)
    (4, 3)
    """
    knows, n_words, n_known = _knower(parser), 0, 0
    for sentence in sentences:
        for form in sentence.forms:
            if any(map(str.isalpha, form)):
                n_words += 1
                n_known += knows(form)
    return n_words, n_known


def looks_foreign(parser: Parser, n_words: int, n_known: int) -> bool:
    """Whether so few known words among so many are to be expected of another language only.

    >>> import dodona
    >>> english = dodona.load("en")
    >>> looks_foreign(english, 100, 85), looks_foreign(english, 100, 30)
    (False, True)
    """
    expected = parser.record.get(RECORDED)
    if not isinstance(expected, float):
        expected = UNRECORDED
    return n_words >= ENOUGH and n_known < LEAST_OF_EXPECTED * expected * n_words


def knows_words(parser: Parser) -> bool:
    """Whether the model has a vocabulary of words at all."""
    return isinstance(parser.tagger, NeuralTagger) or "form" in parser.encoder.columns


def _knower(parser: Parser) -> Callable[[str], bool]:
    """What tells whether a model knows a form, as it is or in lower case."""
    if isinstance(parser.tagger, NeuralTagger):
        lower = frozenset(parser.tagger.words.forms)
        return lambda form: form.lower().encode(errors="surrogatepass") in lower
    forms = frozenset(parser.encoder.vocabularies[parser.encoder.columns.index("form")].strings())
    return lambda form: (
        form.encode(errors="surrogatepass") in forms
        or form.lower().encode(errors="surrogatepass") in forms
    )
