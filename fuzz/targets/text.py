"""Raw text, from its bytes to trees: nothing of it is lost, and offsets say where words are."""

from __future__ import annotations

from zlib import crc32

import dodona
from dodona.treebank.raw_text import original_text
from fuzz import samples
from fuzz.mutation import BLIND, change_lines, replace_word, words
from fuzz.parses import check_parses
from fuzz.target import Target, promise

PIECES = [
    "Lemi",
    "lemi",
    "vunint.",
    "12",
    "3.50",
    "\n\n",
    " \n ",
    "...",
    "e.g.",
    "LEMI",
    "http://a.b",
]


BESIDE = "Lemi \ufffd\ufffd vunint. \U0001f600 12"  # a text that is parsed together with others


def run(data: bytes) -> object:
    """Segment, tag and parse, all at once and in pieces."""
    text = data.decode(errors="surrogateescape")
    parser = samples.parser("pipeline")
    assert parser.segmenter is not None
    doc = parser(text)
    check_parses(parser.segmenter.segment(text), list(doc))
    promise(_is_kept(text, doc), "the text can be put together again")
    n_tokens = _check_offsets(text, doc)
    number = crc32(data)
    if number % 4 == 0:
        size = 1 + number // 4 % 7
        pieces = [text[i : i + size] for i in range(0, len(text), size)]
        again = list(parser.pipe_text(iter(pieces)))
        promise(list(map(bytes, again)) == list(map(bytes, doc)), "pieces change nothing")
        lines = parser.segmenter.segment(text, sentences="lines")
        promise(len(lines) <= len(text.splitlines()), "a sentence a line at the most")
    elif number % 4 == 1:
        together = [[*map(bytes, one)] for one in parser.docs([BESIDE, text, text])]
        promise(together[1:] == [[*map(bytes, doc)]] * 2, "other texts in the call change nothing")
    n_words = sum(map(len, doc))
    return min(len(doc), 6), min(n_words, 12), n_words > n_tokens


def _is_kept(text: str, doc: dodona.Doc) -> bool:
    """Lone surrogates have become another character, and white space alone is no sentence."""
    kept = original_text(doc)
    lost = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return not doc or kept == lost


def _check_offsets(text: str, doc: dodona.Doc) -> int:
    n_tokens, at = 0, 0
    for sentence in doc:
        for token in sentence.tokens:
            n_tokens += 1
            start, end = token.start, token.end
            promise(start is not None and end is not None, "every token has its place")
            assert start is not None and end is not None
            promise(at <= start < end <= len(text), "one after the other, within the text")
            at = end
    return n_tokens


TARGET = Target(
    run=run,
    refuses=(),
    mutators=[*BLIND, change_lines, words(*PIECES), *[replace_word(b" \n")] * 2],
    longest=160,
)
