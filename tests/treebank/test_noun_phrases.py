"""Noun phrases: names and titles are whole, what follows the noun is not part of it."""

from __future__ import annotations

import pytest

from dodona import Doc, Sentence


def make(words: str) -> Sentence:
    """A sentence from FORM/UPOS/head/deprel, with spaces between words."""
    forms, upos, heads, deprels = zip(*(word.split("/") for word in words.split()), strict=True)
    return Sentence.from_columns(forms, upos=upos, heads=list(map(int, heads)), deprels=deprels)


@pytest.mark.parametrize(
    ("words", "phrases"),
    [
        (
            "Mr./PROPN/2/nmod:desc Smith/PROPN/3/nsubj slept/VERB/0/root",
            ["Mr. Smith"],
        ),
        (
            "Queen/PROPN/1/nmod:desc Ada/PROPN/4/nsubj Lovelace/PROPN/2/flat wrote/VERB/0/root",
            ["Ada Lovelace"],  # a word that is its own head has no phrase
        ),
        (
            "Doctor/NOUN/2/nmod:desc Ada/PROPN/4/nsubj Lovelace/PROPN/2/flat wrote/VERB/0/root",
            ["Doctor Ada Lovelace"],
        ),
        (
            "the/DET/3/det oak/NOUN/3/compound tree/NOUN/6/nsubj that/PRON/5/nsubj "
            "speaks/VERB/3/acl:relcl sleeps/VERB/0/root",
            ["the oak tree", "that"],
        ),
        (
            "Anna/PROPN/6/nsubj ,/PUNCT/4/punct my/PRON/4/nmod:poss aunt/NOUN/1/appos "
            ",/PUNCT/4/punct slept/VERB/0/root",
            ["Anna", "my aunt"],
        ),
        (
            "big/ADJ/4/amod ,/PUNCT/3/punct bad/ADJ/4/amod wolves/NOUN/0/root",
            ["big , bad wolves"],
        ),
        (
            "oaks/NOUN/0/root and/CCONJ/4/cc old/ADJ/4/amod elms/NOUN/1/conj",
            ["oaks", "old elms"],
        ),
        (
            "in/ADP/3/case the/DET/3/det garden/NOUN/0/root of/ADP/5/case Zeus/PROPN/3/nmod",
            ["the garden", "Zeus"],
        ),
        (
            "she/PRON/5/nsubj is/AUX/5/cop still/ADV/5/advmod a/DET/5/det teacher/NOUN/0/root",
            ["she", "a teacher"],
        ),
        (
            "only/ADV/3/advmod the/DET/3/det oaks/NOUN/4/nsubj sleep/VERB/0/root",
            ["only the oaks"],
        ),
        (
            "There/PRON/2/expl is/VERB/0/root hope/NOUN/2/nsubj",
            ["hope"],
        ),
        (
            "al/PROPN/0/root -/PUNCT/3/punct Qasr/PROPN/1/flat",
            ["al - Qasr"],
        ),
        (
            "Anna/PROPN/3/nmod:poss 's/PART/1/case car/NOUN/0/root",
            ["Anna 's car"],
        ),
    ],
)
def test_what_is_a_phrase(words: str, phrases: list[str]) -> None:
    sentence = make(words)
    assert [span.text for span in sentence.noun_phrases()] == phrases
    assert {span.label for span in sentence.noun_phrases()} == {"NP"}


def test_phrases_of_a_document_have_positions_in_it() -> None:
    one = make("Old/ADJ/2/amod oaks/NOUN/3/nsubj speak/VERB/0/root")
    phrases = Doc([one, one]).noun_phrases()
    assert [(span.word_start, span.word_end, span.start) for span in phrases] == [
        (0, 2, 0),
        (3, 5, 15),
    ]
    assert phrases[1].root == one[1]
