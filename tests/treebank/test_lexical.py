"""Flags of words that follow from their form or their tag."""

from __future__ import annotations

import pytest

from dodona import Sentence

FLAGS = ("is_alpha", "is_digit", "is_punct", "like_num", "like_url", "like_email")
KINDS = {
    "is_alpha": ["oak", "Ärger", "पेड़", "木", "e\u0301"],
    "is_digit like_num": ["42", "٤٢"],
    "is_punct": [".", "…", "«", "--", "?!"],
    "like_num": ["3.5", "10,000", "10 000", "-7", "1/2", "½", "3rd", "50%", "Ⅻ", "12:30"],
    "like_url": ["http://a.gr", "https://a.b/c?d=e#f", "www.oak.gr", "oak.org/x", "a-b.co.uk"],
    "like_email": ["oak@dodona.gr", "a.b+c@d-e.org"],
    "": ["$", "don't", "A4", "e.g.", "e.g", "a.m", "@oak", "a@b", "end.Then", "speak.It", "3a", "#5"],
}


@pytest.mark.parametrize(
    ("form", "expected"), [(form, kinds) for kinds, forms in KINDS.items() for form in forms]
)
def test_flags_follow_from_the_form(form: str, expected: str) -> None:
    [word] = Sentence.from_columns([form])
    assert [flag for flag in FLAGS if getattr(word, flag)] == expected.split()


def test_a_number_in_words_is_known_by_its_tag() -> None:
    ten, oaks = Sentence.from_columns(["ten", "oaks"], upos=["NUM", "NOUN"])
    assert ten.like_num and not oaks.like_num


def test_case_and_shape() -> None:
    [word] = Sentence.from_columns(["DODONA-2026s"])
    assert (word.lower, word.shape) == ("dodona-2026s", "XXXX-ddddx")
    assert Sentence.from_columns(["Σ"])[0].shape == "X"


def test_function_words_are_stop_words() -> None:
    tagged = Sentence.from_columns(
        ["He", "can", "open", "the", "can", "!"],
        upos=["PRON", "AUX", "VERB", "DET", "NOUN", "PUNCT"],
    )
    assert [word.is_stop for word in tagged] == [True, True, False, True, False, False]
    with pytest.raises(ValueError, match=r"<memory>:1: <Word 1 oak> has no UPOS.*stop_words"):
        _ = Sentence.from_columns(["oak"])[0].is_stop
