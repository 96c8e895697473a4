"""Unknown emoji and currency signs get the tags of their kind."""

from __future__ import annotations

import pytest

import dodona
from dodona.core.features.corpus import Corpus
from dodona.storage import container
from dodona.storage.container import ContainerError
from dodona.tagging.symbols import has_symbols, symbol_kind
from dodona.tagging.tagger import Tagger

EMOJI = ["😀", "👍🏽", "👩‍👩‍👧", "🇫🇷", "❤️", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "☕", "⭐", "🫠"]
CURRENCIES = ["$", "€", "£", "¥", "₹", "₿", "₩", "\uff04"]
NEITHER = ["oak", "", "!", "...", "5", "a😀", "US$", "%", "—", "§", "+", "한", "1️⃣ "]


def sentence(**columns: list[str]) -> dodona.Sentence:
    return dodona.Sentence.from_columns(**columns)


TREEBANK = [
    sentence(
        forms=["Oaks", "cost", "$", "5", "!"],
        upos=["NOUN", "VERB", "SYM", "NUM", "PUNCT"],
        xpos=["NNS", "VBP", "$", "CD", "."],
        lemmas=["oak", "cost", "$", "5", "!"],
    ),
    sentence(
        forms=["Elms", "cost", "+", ":-)"],
        upos=["NOUN", "VERB", "SYM", "SYM"],
        xpos=["NNS", "VBP", "SYM", "NFP"],
        lemmas=["elm", "cost", "+", ":-)"],
    ),
]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return dodona.train_tagger(TREEBANK * 5, epochs=3)


@pytest.mark.parametrize(
    ("forms", "kind"), [(EMOJI, "emoji"), (CURRENCIES, "currency"), (NEITHER, None)]
)
def test_kinds(forms: list[str], kind: str | None) -> None:
    assert [symbol_kind(form) for form in forms] == [kind] * len(forms)


@pytest.mark.parametrize(
    ("words", "has"), [("Oaks cost €", True), ("😀", True), ("Oaks cost $ !", False), ("x", False)]
)
def test_only_unknown_symbols_are_to_be_fixed(tagger: Tagger, words: str, has: bool) -> None:
    sentences = [sentence(forms=["Oaks"]), sentence(forms=words.split())]
    corpus = tagger.scorer.word_encoder.encode(sentences, 3)
    assert has_symbols(corpus, sentences) == has
    with pytest.raises(ValueError, match="not the sentences of the corpus"):
        has_symbols(corpus, [sentence(forms=["elms", "whisper"])])
    with pytest.raises(ValueError, match="has no column of known words"):
        has_symbols(Corpus(1), sentences)


def test_unknown_symbols_are_no_punctuation(tagger: Tagger) -> None:
    found = tagger.tag(sentence(forms=["Oaks", "cost", "€", "5", "😀", "👩‍👩‍👧"]))
    assert found.upos[2] == found.upos[4] == found.upos[5] == "SYM"
    assert (found.xpos[2], found.xpos[4]) == ("$", "NFP")
    assert found.lemmas[2:] == ["€", "5", "😀", "👩‍👩‍👧"]


def test_known_symbols_are_what_they_were(tagger: Tagger) -> None:
    odd = sentence(forms=["😀"], upos=["NOUN"], xpos=["NNS"], lemmas=["smile"])
    found = dodona.train_tagger([*TREEBANK * 5, *[odd] * 6], epochs=3)
    assert found.tag(sentence(forms=["😀", "😎"])).upos == ["NOUN", "NOUN"]


def test_tags_that_are_kept_stay(tagger: Tagger) -> None:
    given = sentence(forms=["😀"], upos=["X"])
    assert tagger.tag_batch([given], keep=["upos"])[0].upos == ["X"]


def test_a_treebank_without_symbols_leaves_them_to_the_model() -> None:
    plain = sentence(forms=["Oaks", "speak"], upos=["NOUN", "VERB"])
    assert dodona.train_tagger([plain] * 3, epochs=2).scorer.inventory.symbols == [(-1, -1)]


def test_a_saved_tagger_does_the_same(tagger: Tagger) -> None:
    again = Tagger.from_bytes(tagger.to_bytes())
    assert again.scorer.inventory.symbols == tagger.scorer.inventory.symbols
    assert again.to_bytes() == tagger.to_bytes()


def test_a_class_that_does_not_exist_is_refused(tagger: Tagger) -> None:
    about, arrays = tagger.serialise()
    about["tasks"][0]["symbols"] = [99, 0]
    data = container.to_bytes(Tagger.FORMAT.kind, Tagger.FORMAT.version, about, arrays)
    with pytest.raises(ContainerError, match="symbols have the classes"):
        Tagger.from_bytes(data)
