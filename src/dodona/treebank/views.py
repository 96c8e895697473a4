"""Words, text, drawings and plain data of a sentence: the methods of Sentence are defined here."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from dodona.drawing.svg import Arc
from dodona.treebank.conllu.reader import restore_sentence
from dodona.treebank.conllu.writer import to_conllu
from dodona.treebank.lexical import (
    is_alpha,
    is_punct,
    is_stop,
    like_email,
    like_num,
    like_url,
    shape,
)
from dodona.treebank.navigation import common_ancestor, conjuncts, path
from dodona.treebank.noun_phrases import noun_phrases
from dodona.treebank.plain_data import as_data
from dodona.treebank.sentence import Sentence
from dodona.treebank.span import Span
from dodona.treebank.tokens import comment, text, tokens
from dodona.treebank.word import roots, word, words
from dodona.treebank.word_index import WordIndex

__all__ = ["arcs", "as_data", "comment", "common_ancestor", "conjuncts", "conllu", "facts"]
__all__ += ["is_alpha", "is_punct", "is_stop", "like_email", "like_num", "like_url", "match"]
__all__ += ["noun_phrases", "path", "restore_sentence", "roots", "shape", "span", "summary", "svg"]
__all__ += ["text", "tokens", "tree", "word", "words"]

SHOWN = 40  # characters of the text in the representation of a sentence


def summary(sentence: Sentence) -> str:
    """Return the number of words, where the sentence is from, and how its text begins.

    >>> summary(Sentence.from_columns(["Oaks", "speak"]))
    "<Sentence of 2 words: 'Oaks speak'>"
    """
    n_words = f"{len(sentence)} word{'s' if len(sentence) != 1 else ''}"
    is_file = not sentence.source.startswith("<")
    where = f", {sentence.source}:{sentence.line}" if is_file else ""
    shown = text(sentence)
    shown = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"
    return f"<Sentence of {n_words}{where}: {shown!r}>"


def span(sentence: Sentence, start: int, end: int, label: str) -> Span:
    """Return the words from index `start` up to `end` of a sentence."""
    return Span(WordIndex([sentence]), start, end, label)


def match(sentence: Sentence, pattern: Any) -> Any:
    """Return the matches of a pattern; the search is imported by name, as it is a layer above."""
    return import_module("dodona.query.pattern").compile_pattern(pattern).matches(sentence)


def facts() -> ModuleType:
    """Return the module that finds clauses and triples, which is a layer above."""
    return import_module("dodona.facts.extraction")


def arcs(sentence: Sentence) -> list[Arc]:
    """Return the arcs of the tree for a drawing; words without a head have none.

    >>> arcs(Sentence.from_columns(["Oaks", "speak"], heads=[2, None], deprels=["nsubj", "_"]))
    [Arc(head=2, label='nsubj', dependent=1, kind='')]
    """
    columns = zip(sentence.heads, sentence.deprels, strict=True)
    return [
        Arc(head, "" if label == "_" else label, word)
        for word, (head, label) in enumerate(columns, start=1)
        if head is not None and head != word
    ]


def tree(sentence: Sentence, width: int | None, colour: bool) -> str:
    """Return the tree as lines of text."""
    from dodona.drawing.terminal import TooWideError, draw

    heads = [-1 if head is None else head for head in sentence.heads]
    try:
        upos = show_column(sentence.upos)
        return draw(sentence.forms, heads, sentence.deprels, upos=upos, width=width, colour=colour)
    except TooWideError as error:
        raise ValueError(f"{sentence.source}:{sentence.line}: {error}; try to_svg") from None
    except ValueError:
        n_missing = sentence.heads.count(None)
        missing = f": {n_missing} words have no head" if n_missing else ""
        raise ValueError(
            f"{sentence.source}:{sentence.line}: no tree to draw{missing}; try to_svg"
        ) from None


def svg(sentence: Sentence, *, tags: str | None, **options: Any) -> str:
    """Return the tree as an SVG picture."""
    from dodona.drawing.svg import draw

    if tags not in ("upos", "xpos", None):
        raise ValueError(f"tags is 'upos', 'xpos' or None; found {tags!r}")
    beneath = show_column(getattr(sentence, tags)) if tags else None
    return draw(sentence.forms, arcs(sentence), tags=beneath, **options)


def show_column(column: list[str]) -> list[str] | None:
    """Return a column with "" for "_"; None if the whole column is empty."""
    return ["" if value == "_" else value for value in column] if set(column) != {"_"} else None


def conllu(sentence: Sentence) -> str:
    """Return the sentence in CoNLL-U, with its blank line."""
    lines = bytes(to_conllu(sentence)).decode().removeprefix("\ufeff")
    return lines.rstrip("\r\n") + "\n\n" if not lines.endswith(("\n\n", "\n\r\n")) else lines
