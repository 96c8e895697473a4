"""Properties of a word that need no context: its shape, and what kind of thing its form is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from unicodedata import category

if TYPE_CHECKING:
    from dodona.treebank.word import Word

FUNCTION_WORDS = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})
MAX_RUN = 4  # equal characters of a shape
_SIGN = r"[+\-\u2212±~]?"
_DIGITS = r"\d+(?:[.,:'\u2019\u00a0\u202f ]\d+)*"
# compiled by `re` with the first word that asks: most programs never do
NUMBER = rf"(?i){_SIGN}(?:{_DIGITS}|[.,]\d+)(?:/{_DIGITS})?(?:st|nd|rd|th|%|‰|\.|º|ª)?"
_NAME = r"[^\W_](?:[\w-]*[^\W_])?"
_TOP = "com|org|net|edu|gov|mil|int|info|io|ai|app|dev|[a-z]{2}"
URL = rf"""(?ix)
    [a-z][a-z0-9+.-]*:// \S+                         # any scheme
    | www\.{_NAME}(?:\.{_NAME})+ (?:[:/?\#]\S*)?
    | {_NAME}(?:\.{_NAME})*\.(?-i:{_TOP}) (?:/\S*)?  # not "end.It"
"""
SHORT = r"(?i)[^\W\d_]{1,3}\.[a-z]{2}"  # rather an abbreviation: "e.g", "a.m"
EMAIL = rf"[\w.!#$%&*+/=?^`{{|}}~-]+@{_NAME}(?:\.{_NAME})+"


def shape(form: str) -> str:
    """Return the shape of a form: X and x for letters, d for digits, other characters as they are.

    >>> shape("Dodona-4"), shape("iPhones"), shape("дуб")
    ('Xxxxx-d', 'xXxxxx', 'xxx')
    """
    kinds = [
        "X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in form
    ]
    return "".join(
        kind for i, kind in enumerate(kinds) if kinds[max(i - MAX_RUN, 0) : i] != [kind] * MAX_RUN
    )


def is_alpha(form: str) -> bool:
    """Return whether a form consists of letters, with accents and vowel signs.

    >>> is_alpha("oak"), is_alpha("पेड़"), is_alpha("A4"), is_alpha("don't")
    (True, True, False, False)
    """
    return form[:1].isalpha() and all(c.isalpha() or category(c)[0] == "M" for c in form)


def is_punct(form: str) -> bool:
    """Return whether a form consists of punctuation.

    >>> is_punct("…"), is_punct("?!"), is_punct("$"), is_punct("o'")
    (True, True, False, False)
    """
    return bool(form) and all(category(c)[0] == "P" for c in form)


def like_num(form: str) -> bool:
    """Return whether a form looks like a number, written with digits.

    >>> [*map(like_num, ["10,000", "-3.5", "1/2", "½", "3rd", "A4", "Ⅻ"])]
    [True, True, True, True, True, False, True]
    """
    is_numeral = bool(form) and all(category(c)[0] == "N" for c in form)
    return is_numeral or re.fullmatch(NUMBER, form) is not None


def like_url(form: str) -> bool:
    """Return whether a form looks like the address of a page.

    >>> [*map(like_url, ["https://a.b/c?d", "www.oak.gr", "oak.org/x", "e.g", "end.Then"])]
    [True, True, True, False, False]
    """
    return re.fullmatch(URL, form) is not None and re.fullmatch(SHORT, form) is None


def like_email(form: str) -> bool:
    """Return whether a form looks like an e-mail address.

    >>> like_email("oak@dodona.gr"), like_email("@oak"), like_email("oak@dodona")
    (True, False, False)
    """
    return re.fullmatch(EMAIL, form) is not None


def is_stop(word: Word) -> bool:
    """Return whether the tag of a word is that of function words; raise ValueError without tags."""
    if word.upos == "_":
        sentence = word.sentence
        raise ValueError(
            f"{sentence.source}:{sentence.line}: {word!r} has no UPOS, by which function words are "
            'known; tag the sentence, or look its form up in dodona.stop_words("en")'
        )
    return word.upos in FUNCTION_WORDS
