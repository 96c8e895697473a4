"""The standoff format of brat: a text with a sentence per line, and annotations by offsets.

Every word is an entity with its UPOS, and every arc between words a relation from head to
dependent; lemma, XPOS and FEATS are in a note. Names in brat have no colon: nsubj:pass becomes
nsubj-pass. The words of a multiword token share its characters. Roots have no arc.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dodona.treebank.sentence import Sentence
from dodona.treebank.tokens import tokens

UNTAGGED = "Word"  # the entity of a word without UPOS
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")


class BratPages:
    """The two parts of a document, to which sentences are added."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.annotations: list[str] = []
        self._n_characters = self._n_words = self._n_arcs = 0

    def add(self, sentence: Sentence) -> None:
        """Add a sentence as a line of the text, and its annotations."""
        line, spans = "", dict[int, tuple[int, int]]()
        parts = tokens(sentence)
        for token in parts:
            start = self._n_characters + len(line)
            end = start + len(token.form)
            spans |= dict.fromkeys(range(token.first, token.last + 1), (start, end))
            line += token.form + " " * (token.space_after and token is not parts[-1])
        for i, (start, end) in spans.items():
            tag, form = sentence.upos[i - 1], line[start - self._n_characters :][: end - start]
            name = f"T{self._n_words + i}"
            kind = UNTAGGED if tag == "_" else _name(tag)
            self.annotations.append(f"{name}\t{kind} {start} {end}\t{form}\n")
            columns = (sentence.lemmas, sentence.xpos, sentence.feats)
            about = " ".join(column[i - 1] for column in columns)
            if about != "_ _ _":
                number = self._n_words + i
                self.annotations.append(f"#{number}\tAnnotatorNotes {name}\t{about}\n")
        self._add_arcs(sentence)
        self._n_words += len(sentence)
        self._n_characters += len(line) + 1
        self.text.append(f"{line}\n")

    def _add_arcs(self, sentence: Sentence) -> None:
        for i, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True), 1):
            if head:
                self._n_arcs += 1
                ends = f"Arg1:T{self._n_words + head} Arg2:T{self._n_words + i}"
                self.annotations.append(f"R{self._n_arcs}\t{_name(label)} {ends}\t\n")


def to_brat(sentences: Iterable[Sentence]) -> tuple[str, str]:
    """Return the text (.txt) and the annotations (.ann) of sentences.

    >>> oaks = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> text, annotations = to_brat([oaks])
    >>> text, annotations.splitlines()[0]
    ('Oaks speak\\n', 'T1\\tWord 0 4\\tOaks')
    """
    pages = BratPages()
    for sentence in sentences:
        pages.add(sentence)
    return "".join(pages.text), "".join(pages.annotations)


def _name(label: str) -> str:
    return _NOT_IN_NAMES.sub("-", label)
