"""Raw text of treebanks, as in the CoNLL 2018 shared task, with the segmentation of it.

Sentences are separated by a space, or by nothing after a token with `SpaceAfter=No`; a blank line
precedes the paragraphs that begin with `# newpar` or `# newdoc`. The text of a treebank without
such comments is one paragraph.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from random import Random

from dodona.treebank.sentence import Sentence
from dodona.treebank.tokens import tokens, unescape_spaces

PARAGRAPH = "\n\n"
LINES, WRAPPED = 0.5, 0.25  # shares of paragraphs that `in_lines` ends with a line end, and wraps
WIDTHS = 40, 100  # of wrapped lines
_NEW_PARAGRAPH = re.compile(r"#\s*new(par|doc)\b")
_TEXT = re.compile(r"#\s*text\s*=\s*(.*)")


@dataclass(frozen=True)
class TextToken:
    """A token of the text and the words it consists of."""

    form: str
    words: tuple[str, ...]
    misc: str

    def attribute(self, name: str) -> str | None:
        """Return the value of a name in MISC, if any."""
        parts = (part.partition("=") for part in self.misc.split("|"))
        return next((value for key, equals, value in parts if equals and key == name), None)

    @property
    def space_after(self) -> str:
        """White space between this token and the next."""
        if self.misc == "_":
            return " "
        if self.attribute("SpaceAfter") == "No":
            return ""
        spaces = self.attribute("SpacesAfter")
        return " " if spaces is None else unescape_spaces(spaces)


def tokens_of(sentence: Sentence) -> list[TextToken]:
    """Return the tokens of a sentence: its words, and multiword tokens; without empty nodes.

    >>> [token.form for token in tokens_of(Sentence.from_columns(["Oaks", "speak"]))]
    ['Oaks', 'speak']
    """
    forms = sentence.forms
    return [
        TextToken(token.form, tuple(forms[token.first - 1 : token.last]), token.misc)
        for token in tokens(sentence)
    ]


@dataclass
class GoldText:
    """The text of a treebank, and the positions of its sentences, tokens and words."""

    text: str = ""
    spans: list[tuple[int, int, bool]] = field(default_factory=list)  # start, end, new sentence?
    words: list[tuple[str, ...]] = field(default_factory=list)  # of each token
    paragraphs: list[int] = field(default_factory=list)  # where each begins

    def without_paragraphs(self) -> GoldText:
        """Join all paragraphs into one, with spaces in place of blank lines.

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
        """Join all paragraphs into one, with random line ends and wrapped lines as in real texts.

        A paragraph may become a line, or several if it is wrapped; others follow after a space.
        """
        rng = Random(seed)
        whole = self.without_paragraphs()
        text = list(whole.text)
        less = len(PARAGRAPH) - 1
        starts = [at - less * i for i, at in enumerate(self.paragraphs)]
        inner: set[int] = set()  # spaces within tokens, which stay
        for start, end, _ in whole.spans:
            inner.update(i for i in range(start, end) if text[i] == " ")
        for start, end in zip(starts, [*starts[1:], len(text) + 1], strict=True):
            if rng.random() < LINES and end <= len(text):
                text[end - 1] = "\n"
            if rng.random() < WRAPPED:
                _wrap(text, start, end - 1, rng.randint(*WIDTHS), inner)
        return replace(whole, text="".join(text))

    def __add__(self, other: GoldText) -> GoldText:
        """Append another text as a new paragraph."""
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
    """Replace spaces by line ends, so that no line from start to end exceeds the width."""
    last = None
    for i in range(start, end):
        if text[i] == " " and i not in kept:
            last = i
        if i - start >= width and last is not None:
            text[last] = "\n"
            start, last = last + 1, None


def raw_text(sentences: Iterable[Sentence]) -> Iterator[str]:
    """Yield the text of the sentences, one by one.

    >>> oaks = Sentence.from_columns(["Oaks", "speak", "."], misc=["_", "SpaceAfter=No", "_"])
    >>> "".join(raw_text([oaks, oaks]))
    'Oaks speak. Oaks speak.'
    """
    for gap, text, _ in _pieces(sentences):
        yield gap + text


def gold_text(sentences: Iterable[Sentence]) -> GoldText:
    """Return the text of the sentences with its gold segmentation."""
    gold, at = GoldText(), 0
    pieces: list[str] = []
    for gap, text, found in _pieces(sentences):
        at += len(gap)
        if not pieces or gap == PARAGRAPH:
            gold.paragraphs.append(at)
        spans = _spans(text, [token.form for token in found])
        assert spans is not None, "a text that does not match is rebuilt from its tokens"
        for i, (start, end) in enumerate(spans):
            gold.spans.append((at + start, at + end, i == 0))
        gold.words.extend(token.words for token in found)
        at += len(text)
        pieces += [gap, text]
    gold.text = "".join(pieces)
    return gold


def original_text(sentences: Iterable[Sentence]) -> str:
    """Rebuild the text that a segmenter split into these sentences, from MISC.

    Lone surrogates, which UTF-8 cannot encode, have become U+FFFD.

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


def _pieces(sentences: Iterable[Sentence]) -> Iterator[tuple[str, str, list[TextToken]]]:
    """Yield the separator before each sentence, its text, and its tokens."""
    gap = None
    for sentence in sentences:
        found = tokens_of(sentence)
        if gap is None:
            gap = ""
        elif any(map(_NEW_PARAGRAPH.match, sentence.comments)):
            gap = PARAGRAPH
        yield gap, _text_of(sentence, found), found
        gap = " " if found[-1].attribute("SpaceAfter") != "No" else ""


def _text_of(sentence: Sentence, found: list[TextToken]) -> str:
    """Return `# text` if it consists of the tokens, else the tokens joined according to MISC."""
    for comment in sentence.comments:
        if match := _TEXT.match(comment):
            text = match[1].strip()
            if _spans(text, [token.form for token in found]) is not None:
                return text
    joined = (token.form + " " * (token.attribute("SpaceAfter") != "No") for token in found)
    return "".join(joined).rstrip(" ")


def _spans(text: str, forms: list[str]) -> list[tuple[int, int]] | None:
    """Return the positions of the forms; None if the text is not just forms and white space."""
    spans, at = [], 0
    for form in forms:
        while text[at : at + 1].isspace():
            at += 1
        if not text.startswith(form, at):
            return None
        spans.append((at, at + len(form)))
        at += len(form)
    return spans if not text[at:].strip() else None
