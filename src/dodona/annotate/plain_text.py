"""Segmentation of plain text by rules, for languages that have no segmenter yet.

A sentence ends with its paragraph (a blank line), or after a full stop, question mark,
exclamation mark or their like in other scripts, unless the next word begins in lower case or the
full stop follows a single letter or a number. Words are separated by white space; punctuation at
their ends is split off, as are characters of scripts without spaces between words.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from dodona.treebank.sentence import Sentence

# the full stops, question and exclamation marks of Latin, Han, Devanagari and Arabic scripts, and
# the quotation marks and brackets that close after them
_END = re.compile(
    r"[.!?\u2026\u3002\uff01\uff1f\u0964\u0965\u061f\u06d4]+"
    r"[\"'\u00bb\u201d\u2019)\]\u300d\u300f]*"
)
_ALWAYS = re.compile(r"[\u3002\uff01\uff1f\u0964\u0965]")  # needs no space after it
_OPENING = " \"'\u00ab\u201c\u2018(["
_ABBREVIATION = re.compile(r"\w\.|\d+\.")
_WHOLE = re.compile(r"https?://\S*[\w/]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\.{2,}")  # addresses, ellipses
_JOINING = "'\u2019.,:-\u2013\u200c\u200d"  # between two letters or digits, part of a word
_UNSPACED = ("HIRAGANA", "KATAKANA", "CJK")  # scripts, by the names of their characters


def segment(text: str) -> list[Sentence]:
    """Return the sentences of a text, without tags and trees.

    >>> for sentence in segment("Did the oak speak? It did, at 3.15 p.m."):
    ...     print(" ".join(sentence.forms))
    Did the oak speak ?
    It did , at 3.15 p.m .
    """
    sentences: list[Sentence] = []
    for paragraph in re.split(r"\n\s*\n", unicodedata.normalize("NFC", text)):
        for number, part in enumerate(_sentences(" ".join(paragraph.split()))):
            comments = ["# newpar"] if number == 0 else []
            comments += [f"# sent_id = s{len(sentences) + 1}", f"# text = {part}"]
            sentences.append(_sentence(part, comments))
    return sentences


def _sentences(paragraph: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(paragraph):
        if _is_end(paragraph, start, end):
            yield paragraph[start : end.end()].strip()
            start = end.end()
    if paragraph[start:].strip():
        yield paragraph[start:].strip()


def _is_end(paragraph: str, start: int, found: re.Match[str]) -> bool:
    """Return whether a sentence ends with some punctuation."""
    rest = paragraph[found.end() :]
    if not rest or _ALWAYS.search(found[0]):
        return True
    before = paragraph[start : found.end()].rsplit(None, 1)[-1]
    if not rest.startswith(" ") or _ABBREVIATION.fullmatch(before):
        return False
    return not rest.lstrip(_OPENING)[:1].islower()


def _sentence(text: str, comments: list[str]) -> Sentence:
    spans = [*_tokens(text)]
    misc = ["_" if text[end : end + 1] in ("", " ") else "SpaceAfter=No" for _, end in spans]
    forms = [text[start:end] for start, end in spans]
    return Sentence.from_columns(forms, misc=misc, comments=comments)


def _tokens(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each token."""
    at = 0
    while at < len(text):
        start = at
        if whole := _WHOLE.match(text, at):
            at = whole.end()
        else:
            at += 1
            while at < len(text) and _is_inside(text, start, at):
                at += 1
        if not text[start].isspace():
            yield start, at


def _is_inside(text: str, start: int, at: int) -> bool:
    """Return whether a character belongs to the word that begins at `start`."""
    if not _is_letter(text[start]):
        return False
    if text[at] in _JOINING:
        return at + 1 < len(text) and _is_letter(text[at + 1]) and _is_letter(text[at - 1])
    return _is_letter(text[at])


@cache
def _is_letter(char: str) -> bool:
    """Return whether a character is a letter, a digit or a mark on one, in a script with spaces."""
    kind = unicodedata.category(char)[0]
    return kind in "LNM" and not unicodedata.name(char, "").startswith(_UNSPACED)
