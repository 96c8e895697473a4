"""The text of a treebank, as the CoNLL 2018 shared task gave it to its systems, and back again.

Sentences follow each other with a space between them, or none where the last token says
`SpaceAfter=No`; a blank line stands where `# newpar` or `# newdoc` begins a paragraph. Where a
treebank has no such marks, its text is one long paragraph.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from random import Random

from dodona.treebank.sentence import Sentence
from dodona.treebank.tokens import unescape_spaces

PARAGRAPH = "\n\n"
LINES, WRAPPED = 0.5, 0.25  # shares of the paragraphs that `in_lines` ends by a line end, and wraps
WIDTHS = 40, 100  # of lines that are wrapped
_NEW_PARAGRAPH = re.compile(r"#\s*new(par|doc)\b")
_TEXT = re.compile(r"#\s*text\s*=\s*(.*)")


@dataclass(frozen=True)
class Token:
    """What stands in the text as one piece, and the words it is made of."""

    form: str
    words: tuple[str, ...]
    misc: str

    def attribute(self, name: str) -> str | None:
        """A value of MISC."""
        for part in self.misc.split("|"):
            key, equals, value = part.partition("=")
            if equals and key == name:
                return value
        return None

    @property
    def space_after(self) -> str:
        """The white space between this token and the next."""
        if self.misc == "_":
            return " "
        if self.attribute("SpaceAfter") == "No":
            return ""
        spaces = self.attribute("SpacesAfter")
        return " " if spaces is None else unescape_spaces(spaces)


def tokens_of(sentence: Sentence) -> list[Token]:
    """The tokens of a sentence: its words, those of a range as one; empty nodes are left out.

    >>> [token.form for token in tokens_of(Sentence.from_columns(["Oaks", "speak"]))]
    ['Oaks', 'speak']
    """
    tokens: list[Token] = []
    last = 0  # number of the last word of the range
    words: list[str] = []
    for line in bytes(sentence).decode().removeprefix("\ufeff").split("\n"):
        fields = line.split("\t")
        if len(fields) < 10 or line.startswith("#") or "." in fields[0]:
            continue
        number, form, misc = fields[0], fields[1], fields[9].removesuffix("\r")
        if "-" in number:
            last, words = int(number.partition("-")[2]), []
            tokens.append(Token(form, (), misc))
        elif int(number) <= last:
            words.append(form)
            tokens[-1] = Token(tokens[-1].form, tuple(words), tokens[-1].misc)
        else:
            tokens.append(Token(form, (form,), misc))
    return tokens


@dataclass
class GoldText:
    """The text of a treebank and where its sentences, tokens and words are in it."""

    text: str = ""
    spans: list[tuple[int, int, bool]] = field(default_factory=list)  # start, end, new sentence?
    words: list[tuple[str, ...]] = field(default_factory=list)  # of each token
    paragraphs: list[int] = field(default_factory=list)  # where each begins

    def without_paragraphs(self) -> GoldText:
        """The same as one paragraph: a space stands where a blank line stood.

        >>> oak = Sentence.from_columns(["Oak"], comments=["# newpar"])
        >>> gold_text([oak, oak]).without_paragraphs().text
        'Oak Oak'
        """
        less = len(PARAGRAPH) - 1
        spans = []
        for start, end, begins in self.spans:
            shift = less * (bisect_right(self.paragraphs, start) - 1)
            spans.append((start - shift, end - shift, begins))
        ends = [at - len(PARAGRAPH) for at in self.paragraphs[1:]] + [len(self.text)]
        pieces = [self.text[a:b] for a, b in zip(self.paragraphs, ends, strict=True)]
        return GoldText(" ".join(pieces), spans, self.words, self.paragraphs[:1])

    def in_lines(self, seed: int) -> GoldText:
        """The same as one paragraph, some of it in lines as texts have them elsewhere.

        A paragraph may be a line, or several where it is wrapped; others follow after a space.
        """
        rng = Random(seed)
        whole = self.without_paragraphs()
        text = list(whole.text)
        less = len(PARAGRAPH) - 1
        starts = [at - less * i for i, at in enumerate(self.paragraphs)]
        inner: set[int] = set()  # spaces that are within a token stay
        for start, end, _ in whole.spans:
            inner.update(i for i in range(start, end) if text[i] == " ")
        for start, end in zip(starts, [*starts[1:], len(text) + 1], strict=True):
            if rng.random() < LINES and end <= len(text):
                text[end - 1] = "\n"
            if rng.random() < WRAPPED:
                _wrap(text, start, end - 1, rng.randint(*WIDTHS), inner)
        return replace(whole, text="".join(text))

    def __add__(self, other: GoldText) -> GoldText:
        """This text and then the other, as a new paragraph."""
        if not other.text:
            return self
        n = len(self.text) + len(PARAGRAPH)
        return GoldText(
            self.text + PARAGRAPH + other.text,
            self.spans + [(start + n, end + n, begins) for start, end, begins in other.spans],
            self.words + other.words,
            self.paragraphs + [at + n for at in other.paragraphs],
        )


def _wrap(text: list[str], start: int, end: int, width: int, kept: set[int]) -> None:
    """Make line ends of spaces, so that no line from start to end is longer than the width."""
    last = None
    for i in range(start, end):
        if text[i] == " " and i not in kept:
            last = i
        if i - start >= width and last is not None:
            text[last] = "\n"
            start, last = last + 1, None


def raw_text(sentences: Iterable[Sentence]) -> Iterator[str]:
    """The text of the sentences, piece by piece.

    >>> oaks = Sentence.from_columns(["Oaks", "speak", "."], misc=["_", "SpaceAfter=No", "_"])
    >>> "".join(raw_text([oaks, oaks]))
    'Oaks speak. Oaks speak.'
    """
    for gap, text, _ in _pieces(sentences):
        yield gap + text


def gold_text(sentences: Iterable[Sentence]) -> GoldText:
    """The text of the sentences, with what a segmenter should find in it."""
    gold, at = GoldText(), 0
    pieces: list[str] = []
    for gap, text, tokens in _pieces(sentences):
        at += len(gap)
        if not pieces or gap == PARAGRAPH:
            gold.paragraphs.append(at)
        spans = _spans(text, [token.form for token in tokens])
        assert spans is not None, "a text that does not fit was made anew from its tokens"
        for i, (start, end) in enumerate(spans):
            gold.spans.append((at + start, at + end, i == 0))
        gold.words.extend(token.words for token in tokens)
        at += len(text)
        pieces += [gap, text]
    gold.text = "".join(pieces)
    return gold


def original_text(sentences: Iterable[Sentence]) -> str:
    """The text that a segmenter made the sentences of, rebuilt from MISC.

    Lone surrogates, which no file can hold, have become U+FFFD.

    >>> oaks = Sentence.from_columns(["Oaks", "speak"], misc=["_", r"SpacesAfter=\\n\\n"])
    >>> original_text([oaks])
    'Oaks speak\\n\\n'
    """
    pieces = []
    for sentence in sentences:
        for token in tokens_of(sentence):
            pieces.append(unescape_spaces(token.attribute("SpacesBefore") or ""))
            pieces += [token.form, token.space_after]
    return "".join(pieces)


def _pieces(sentences: Iterable[Sentence]) -> Iterator[tuple[str, str, list[Token]]]:
    """What stands before each sentence, its text, and its tokens."""
    gap = None
    for sentence in sentences:
        tokens = tokens_of(sentence)
        if gap is None:
            gap = ""
        elif any(map(_NEW_PARAGRAPH.match, sentence.comments)):
            gap = PARAGRAPH
        yield gap, _text_of(sentence, tokens), tokens
        gap = " " if tokens[-1].attribute("SpaceAfter") != "No" else ""


def _text_of(sentence: Sentence, tokens: list[Token]) -> str:
    """What `# text` says, if the tokens are in it; else the tokens, as SpaceAfter joins them."""
    for comment in sentence.comments:
        if found := _TEXT.match(comment):
            text = found[1].strip()
            if _spans(text, [token.form for token in tokens]) is not None:
                return text
    joined = [
        token.form + (" " if token.attribute("SpaceAfter") != "No" else "") for token in tokens
    ]
    return "".join(joined).rstrip(" ")


def _spans(text: str, forms: list[str]) -> list[tuple[int, int]] | None:
    """Where the forms stand in the text, if they and white space are all that is there."""
    spans, at = [], 0
    for form in forms:
        while text[at : at + 1].isspace():
            at += 1
        if not text.startswith(form, at):
            return None
        spans.append((at, at + len(form)))
        at += len(form)
    return spans if not text[at:].strip() else None
