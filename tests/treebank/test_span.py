"""Spans, and the offsets of words in the text of a document."""

from __future__ import annotations

import pickle
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dodona
from dodona import Doc, Sentence, Span
from dodona.segmentation.segmenter import Segmenter
from dodona.treebank.raw_text import original_text
from dodona.treebank.word_index import Alignment

OAKS = Sentence.from_columns(
    ["Old", "oaks", "speak", "."],
    heads=[2, 3, 0, 3],
    deprels=["amod", "nsubj", "root", "punct"],
    misc=["_", "_", "SpaceAfter=No", "_"],
)
LISTEN = Sentence.from_columns(
    ["Listen", "!"], heads=[0, 1], deprels=["root", "punct"], misc=["SpaceAfter=No", "_"]
)
DU = """\
# text = Ombre du chêne
1\tOmbre\t_\t_\t_\t_\t0\troot\t_\t_
2-3\tdu\t_\t_\t_\t_\t_\t_\t_\t_
2\tde\t_\t_\t_\t_\t4\tcase\t_\t_
3\tle\t_\t_\t_\t_\t4\tdet\t_\t_
4\tchêne\t_\t_\t_\t_\t1\tnmod\t_\t_

"""
# pieces of text that are hard to keep track of
ODD = [
    *(
        "oak",
        "Zeus",
        "didn't",
        "cannot",
        "Mr.",
        "3.5",
        "e\u0301",
        "дуб",
        "樫の木",
        "👩\u200d🌾",
        "\ud800",
    ),
    *(".", "!", "…", "(", '"', "\ufeff", "\u200b", "a@b.gr", "https://x.gr/y", "-", "\x00"),
    *(" ", "  ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\u2028", "\u3000", "|", "\\"),
]
TEXTS = st.lists(st.sampled_from(ODD), max_size=30).map("".join)


@cache
def segmenter() -> Segmenter:
    found = dodona.load("en").segmenter
    assert found is not None
    return found


def test_a_span_is_a_sequence_of_words() -> None:
    doc = Doc([OAKS, LISTEN])
    span = doc.span(1, 5, "odd")
    assert isinstance(span, dodona.Span) and len(span) == 4
    assert [word.form for word in span] == ["oaks", "speak", ".", "Listen"]
    assert span.words == list(span) and span[0] == OAKS[1] and span[-1] == LISTEN[0]
    assert OAKS[1] in span and OAKS[0] not in span
    assert span.text == str(span) == "oaks speak. Listen"
    assert (span.start, span.end, span.word_start, span.word_end) == (4, 22, 1, 5)
    assert span.label == "odd" and repr(span) == "<Span odd 'oaks speak. Listen'>"
    assert span.sentences == [OAKS, LISTEN] and span.sentence is OAKS


def test_names_of_other_libraries_are_translated() -> None:
    with pytest.raises(AttributeError, match="a span has no attribute 'start_char'; here that is"):
        _ = Doc([OAKS]).words.start_char
    with pytest.raises(AttributeError, match=r"doc\.position\(word\)"):
        _ = OAKS[0].i


def test_slices_of_spans_are_spans() -> None:
    words = Doc([OAKS, LISTEN]).words
    assert isinstance(words, Span) and len(words) == 6 and words[4] == LISTEN[0]
    assert words[1:3].text == "oaks speak" and words[1:3][1:].text == "speak"
    assert words[-2:].text == "Listen!" and words[4:].word_start == 4
    assert words[3:1] == words[2:2] and words[2:2].text == ""
    assert (words[2:2].start, words[2:2].end) == (9, 9) and words[2:2].root is None
    assert (words[6:].start, words[6:].end) == (23, 23)
    assert (Doc([]).words.start, Doc([]).words.text) == (0, "")
    with pytest.raises(ValueError, match="a span has no gaps"):
        words[::2]
    with pytest.raises(IndexError, match="no word at 6, the span has 6 words"):
        words[6]


def test_spans_compare_by_words_and_label() -> None:
    doc, same = Doc([OAKS]), Doc([OAKS])
    assert doc.span(0, 2) == same.span(0, 2) and hash(doc.span(0, 2)) == hash(same.span(0, 2))
    assert doc.span(0, 2) != doc.span(0, 3) and doc.span(0, 2) != doc.span(0, 2, "NP")
    assert doc.span(0, 2) != [*OAKS[:2]]


@pytest.mark.parametrize(("start", "end"), [(0, 5), (-1, 2), (3, 2)])
def test_a_span_outside_the_document_is_refused(start: int, end: int) -> None:
    with pytest.raises(IndexError, match="there are 4 words"):
        Doc([OAKS]).span(start, end)


def test_the_root_of_a_span() -> None:
    doc = Doc([OAKS, LISTEN])
    assert doc.span(0, 2).root == OAKS[1] and doc.span(0, 4).root == OAKS[2]
    assert doc.span(1, 5).roots == [OAKS[2], LISTEN[0]]
    assert doc.span(3, 5).root == LISTEN[0]  # not the punctuation before it
    assert doc.span(3, 4).root == OAKS[3]


def test_a_sentence_makes_spans_of_its_own_words() -> None:
    span = OAKS.span(0, 2, "NP")
    assert (span.text, span.label, span.root) == ("Old oaks", "NP", OAKS[1])


def test_words_of_one_token_share_its_text() -> None:
    doc = Doc.from_conllu(DU)
    assert [(span.start, span.end) for span in map(doc.span, range(4), range(1, 5))] == [
        (0, 5),
        (6, 8),
        (6, 8),
        (9, 14),
    ]
    assert doc.span(2, 4).text == "du chêne" and doc.span(2, 3).text == "du"
    found = doc.char_span(6, 8)
    assert found is not None and [word.form for word in found] == ["de", "le"]


def test_offsets_without_token_ranges_are_those_of_the_text() -> None:
    doc = Doc([OAKS, LISTEN], "Old\toaks  speak.\n\nListen!")
    assert [doc.text[s.start : s.end] for s in map(doc.span, range(6), range(1, 7))] == [
        *OAKS.forms,
        *LISTEN.forms,
    ]
    assert doc.span(1, 5).text == "oaks  speak.\n\nListen"
    with pytest.raises(ValueError, match="<memory>:1: the token 'Old' is not in the text"):
        _ = Doc([OAKS], "Young oaks speak.").words.text


def test_token_ranges_of_several_texts_are_not_mixed_up() -> None:
    one, two = segmenter().segment("Oaks speak."), segmenter().segment("  Listen!")
    both = Doc([*two, *one])  # the second begins before the first
    assert both.text == "Listen!Oaks speak."
    assert [both.span(i, i + 1).start for i in range(5)] == [0, 6, 7, 12, 17]


def test_parts_of_a_document_keep_its_offsets() -> None:
    text = "Oaks  speak.\n\nListen  to them!"
    doc = Doc(segmenter().segment(text), text)
    part = doc[1:]
    assert part[0].start == part.words.start == 14 and part.words.end == len(text)
    assert part.char_span(14, 20) == doc.char_span(14, 20)
    assert part.words.text == part.text == "Listen to them!"


def test_documents_are_pickled_with_or_without_an_index() -> None:
    doc = Doc([OAKS, LISTEN])
    span = doc.span(1, 5)
    assert doc.position(LISTEN[0]) == 4
    for thing in (doc, span):
        assert pickle.loads(pickle.dumps(thing)) == thing
    again = pickle.loads(pickle.dumps(doc))
    assert again.position(LISTEN[1]) == 5 and again.position(again[1][1]) == 5
    with pytest.raises(ValueError, match="is not a word of this document"):
        Doc([OAKS]).position(LISTEN[0])


def test_equal_sentences_have_positions_of_their_own() -> None:
    first, second = (Sentence.from_columns(["Speak"]) for _ in range(2))
    doc = Doc([first, second])
    assert [doc.position(word) for word in doc.words] == [0, 1]


def test_alignment_is_one_of_three() -> None:
    wrong: Any = "outside"
    with pytest.raises(ValueError, match="alignment is 'strict', 'contract' or 'expand'"):
        Doc([OAKS]).char_span(0, 3, alignment=wrong)


@settings(max_examples=150)
@given(text=TEXTS)
def test_every_word_of_any_text_is_where_it_says(text: str) -> None:
    doc = Doc(segmenter().segment(text), text)
    for i, word in enumerate(doc.words):
        span = doc.span(i, i + 1)
        assert doc.words[i] == word and doc.position(word) == i
        assert (span.start, span.end) == (word.start, word.end)
        assert span.text == text[span.start : span.end] != ""
    for sentence in doc:
        assert (sentence.start, sentence.end) == (sentence[0].start, sentence[-1].end)
    borders = [at for s in doc for at in (s.start, s.end)]
    outside = [0, *borders, len(text)]
    assert all(text[a:b].strip() == "" for a, b in list(pairwise(outside))[::2] if a is not None)
    if len(doc) and "\ud800" not in text:
        assert "".join(original_text(doc)) == text


@settings(max_examples=150)
@given(text=TEXTS, data=st.data())
def test_character_spans_are_those_of_the_definition(text: str, data: st.DataObject) -> None:
    doc = Doc(segmenter().segment(text), text)
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    words = [(w.start or 0, w.end or 0) for w in doc.words]
    within = [i for i, (a, b) in enumerate(words) if start <= a and b <= end]
    touched = [i for i, (a, b) in enumerate(words) if a < end and b > start]
    is_exact = within and words[within[0]][0] == start and words[within[-1]][1] == end
    expected: dict[Alignment, list[int]] = {
        "strict": within if is_exact else [],
        "contract": within,
        "expand": touched,
    }
    for alignment, positions in expected.items():
        found = doc.char_span(start, end, alignment=alignment)
        if not positions:
            assert found is None
        else:
            assert found is not None
            assert [*range(found.word_start, found.word_end)] == positions
