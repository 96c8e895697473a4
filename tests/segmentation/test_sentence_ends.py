"""Sentence ends without full stops: by lines, and by the grammar of the words around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

import dodona
from dodona.core.segmenting.lexicon_index import VERB
from dodona.segmentation.augmentation import with_rare_marks
from dodona.segmentation.segmenter import Segmenter
from dodona.segmentation.segmenter_training import segmentation_scores, train_segmenter
from dodona.segmentation.word_tags import learn_tags
from dodona.storage import container
from dodona.treebank.raw_text import gold_text

SUBJECTS = ["Zeus", "Dione", "The priest", "A dove", "The old man of the river"]
VERBS = ["hears", "sees", "remembers", "has never forgotten", "wants to ask about"]
OBJECTS = ["the oak", "the elm", "the leaves on the ground", "a storm", "what the others said"]
ENDINGS = ["today", "in the evening", "when the wind comes from the sea", "with a smile"]
ITEMS = ["oak", "elm", "ash", "three doves", "Leaves of the old oak", "river water (cold)", "wind"]


def prose(n: int, seed: int) -> list[dodona.Sentence]:
    """Make sentences in paragraphs, with headlines between them."""
    rng = Random(seed)
    made = []
    for i in range(n):
        if i % 6 == 0:
            made.append(line(rng.choice(OBJECTS).split(), "# newpar"))
        pieces = (rng.choice(some) for some in (SUBJECTS, VERBS, OBJECTS, ENDINGS))
        made.append(line([*" ".join(pieces).split(), "."], *["# newpar"] * (i % 6 == 0)))
    return made


def line(forms: list[str], *comments: str) -> dodona.Sentence:
    """Make a sentence; a full stop follows its word directly."""
    misc = ["SpaceAfter=No" if after == "." else "_" for after in [*forms[1:], ""]]
    return dodona.Sentence.from_columns(forms, misc=misc, comments=[*comments])


@pytest.fixture(scope="module")
def segmenter() -> Segmenter:
    return train_segmenter(prose(300, 1), epochs=5)


def texts(segmenter: Segmenter, text: str) -> list[str]:
    return [found.text for found in segmenter.segment(text)]


def wrapped(words: list[str], width: int) -> str:
    """Break lines where the next word would exceed the width."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += " " * bool(lines[-1]) + word
    return "\n".join(lines)


def lists() -> Iterator[list[str]]:
    """Yield lists of different lengths, also in lower case and in capitals."""
    rng = Random(3)
    for n in (3, 4, 9, 40):
        for convert in (str, str.lower, str.upper):
            yield [convert(rng.choice(ITEMS)) for _ in range(n)]


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n "], ids=repr)
def test_short_lines_without_full_stops_are_items(segmenter: Segmenter, end: str) -> None:
    for items in lists():
        assert [found.replace(" ", "") for found in texts(segmenter, end.join(items))] == [
            item.replace(" ", "") for item in items
        ]


def test_a_list_between_paragraphs_is_one_of_items(segmenter: Segmenter) -> None:
    text = "Zeus sees the oak today.\n\noak\nelm\nash\n\nDione hears the elm\nwith a smile."
    assert texts(segmenter, text) == [
        *("Zeus sees the oak today.", "oak", "elm", "ash"),
        "Dione hears the elm with a smile.",
    ]


@pytest.mark.parametrize("width", [36, 40, 60, 72, 100])
def test_wrapped_prose_is_joined(segmenter: Segmenter, width: int) -> None:
    gold = gold_text(found for found in prose(120, 7) if not found.comments)
    text = wrapped(gold.text.split(), width)
    assert text.count("\n") > 20
    assert [found.replace("\n", " ") for found in texts(segmenter, text)] == texts(
        segmenter, gold.text
    )


def test_two_lines_are_no_list(segmenter: Segmenter) -> None:
    assert len(texts(segmenter, "Zeus sees the oak\nwith a smile")) == 1


def test_a_list_in_pieces_is_the_list(
    segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last two lines are items because of lines before them, in an earlier piece."""
    monkeypatch.setattr("dodona.segmentation.segmenter.PIECE", 50)
    text = "\n".join(["oak leaves", "the river"] * 900)
    pieces = [text[i : i + 70] for i in range(0, len(text), 70)]
    streamed = [bytes(found) for batch in segmenter.stream(pieces) for found in batch]
    assert len(streamed) == 1800
    assert streamed == [bytes(found) for found in segmenter.segment(text)]


def test_a_segmenter_saved_before_tags_existed_is_as_before(segmenter: Segmenter) -> None:
    assert segmenter.lexicon is not None
    old = replace(segmenter, lexicon=replace(segmenter.lexicon, tags=None))
    about, arrays = old.serialise()
    assert "segmenter.lexicon.tags" not in arrays
    again = Segmenter.from_bytes(container.to_bytes("segmenter", 1, about, arrays))
    text = "oak\nelm\nash\nwind"
    assert texts(again, text) == texts(old, text) != texts(segmenter, text)


def test_a_file_with_too_few_tags_is_refused(segmenter: Segmenter) -> None:
    about, arrays = segmenter.serialise()
    arrays["segmenter.lexicon.tags"] = container.Array("U8", b"\1")
    data = container.to_bytes("segmenter", 2, about, arrays)
    with pytest.raises(container.ContainerError, match="1 tags"):
        Segmenter.from_bytes(data)


def test_the_tag_of_a_word_is_its_most_frequent_one() -> None:
    def tagged(*words: tuple[str, str, str]) -> dodona.Sentence:
        forms, upos, feats = (list(column) for column in zip(*words, strict=True))
        return dodona.Sentence.from_columns(forms, upos=upos, feats=feats)

    often = tagged(("Leaves", "NOUN", "Number=Plur"), ("fall", "VERB", "_"), ("!", "PUNCT", "_"))
    once = tagged(("leaves", "VERB", "_"), ("gently", "ADV", "_"), ("oaks", "NOUN", "Number=Plur"))
    tags = learn_tags([often, often, once, tagged(("oaks", "NOUN", "Number=Plur"))])
    assert tags["leaves"] == tags["oaks"] < VERB <= tags["fall"]
    assert tags["!"] not in (0, tags["oaks"])
    assert "gently" not in tags  # seen once


def test_many_tags_share_numbers_by_part_of_speech() -> None:
    forms = [f"w{'x' * i}" for i in range(1, 400)]
    upos = ["VERB" if i % 2 else "NOUN" for i in range(len(forms))]
    feats = [f"Case=C{i}" for i in range(len(forms))]
    one = dodona.Sentence.from_columns(forms, upos=upos, feats=feats)
    tags = learn_tags([one, one])
    for form, part in zip(forms, upos, strict=True):
        assert (tags[form] >= VERB) == (part == "VERB")
    assert max(tags.values()) < 256
    assert min(tags.values()) > 0


def clauses(n: int, seed: int, *, has_tags: bool) -> list[dodona.Sentence]:
    """Make clauses without punctuation of nouns and verbs that each occur rarely."""
    rng = Random(seed)
    nouns = [f"{a}{b}o" for a in ("br", "st", "kl", "m") for b in ("am", "el", "in", "or", "uk")]
    verbs = [f"{a}{b}o" for a in ("d", "fr", "sp", "tw") for b in ("am", "el", "in", "or", "uk")]
    made = []
    for _ in range(n):
        words = [(rng.choice(nouns), "NOUN"), (rng.choice(verbs), "VERB")]
        words += [(rng.choice(nouns), "NOUN")] * rng.randint(0, 1)
        forms, upos = zip(*words, strict=True)
        made.append(dodona.Sentence.from_columns(forms, upos=upos if has_tags else None))
    return made


def test_tags_find_sentence_ends_in_text_without_punctuation() -> None:
    """A clause ends before a noun and a verb, of which few pairs recur."""
    gold = gold_text(clauses(100, 2, has_tags=False))
    with_tags, without = (
        segmentation_scores(
            gold, train_segmenter(clauses(120, 1, has_tags=tags), epochs=4).segment(gold.text)
        )["sentences"]
        for tags in (True, False)
    )
    assert with_tags > 97
    assert with_tags > without + 5


def test_marks_that_the_treebank_lacks_end_sentences() -> None:
    """A treebank of news has no exclamations; texts have."""
    text = (
        "A dove sees the oak today! Zeus hears a storm with a smile? The priest sees the elm today."
    )
    expected = [text[:26], text[27:59], text[60:]]
    assert texts(train_segmenter(prose(300, 1), epochs=5), text) == expected
    made = with_rare_marks(gold_text(prose(300, 1)), 1)
    begins = [begins for _, _, begins in made.spans]
    forms = [made.text[start:end] for start, end, _ in made.spans]
    for mark in "!?":
        after = [i + 1 for i, form in enumerate(forms) if form == mark]
        assert len(after) == 40 and all(begins[i] for i in after)
    marked = [line(["A", "dove", "sees", "it", mark]) for mark in "!?" * 10]
    assert not with_rare_marks(gold_text([*prose(300, 1), *marked]), 1).text  # there are enough
