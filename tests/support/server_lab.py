"""Small models behind the server, and a segmenter that is easy to predict."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

import dodona
from dodona.server.models import Model, Models
from support import small

TOKEN = re.compile(r"\w+|[^\w\s]")
SENTENCE = r"(?:[^.\n]|\n(?!\n))+\.?"
LINE = r"[^\n]+"


class Segmenter:
    """Sentences end at full stops and blank lines; words are letters, or one sign each."""

    def stream(
        self, chunks: Iterable[str], sentences: str = "learned"
    ) -> Iterator[list[dodona.Sentence]]:
        """Cut at blank lines, so that memory stays bounded."""
        pattern = LINE if sentences == "lines" else SENTENCE
        start, held = 0, ""
        for chunk in chunks:
            ready, end, held = (held + chunk).rpartition("\n\n")
            yield list(self._sentences(ready + end, pattern, start))
            start += len(ready + end)
        yield list(self._sentences(held, pattern, start))

    def _sentences(self, text: str, pattern: str, start: int) -> Iterator[dodona.Sentence]:
        for found in re.finditer(pattern, text):
            tokens = list(TOKEN.finditer(text, *found.span()))
            if not tokens:
                continue
            misc = []
            for token in tokens:
                after = re.compile(r"\s*").match(text, token.end())
                assert after is not None
                space = {"": "SpaceAfter=No|", " ": ""}.get(
                    after[0], f"SpacesAfter={after[0].encode('unicode_escape').decode()}|"
                )
                misc.append(f"{space}TokenRange={start + token.start()}:{start + token.end()}")
            written = " ".join(found[0].split())
            yield dodona.Sentence.from_columns(
                [token[0] for token in tokens], misc=misc, comments=[f"# text = {written}"]
            )


@cache
def whole_parser() -> dodona.Parser:
    """With a segmenter, a tagger and a parser."""
    parser = small.train(small.treebank(60, 1), small.treebank(20, 2), tags="predicted")
    parser.segmenter = Segmenter()  # type: ignore[assignment]
    return parser


@cache
def bare_parser() -> dodona.Parser:
    """A parser of tagged words, without a tagger."""
    return small.train(small.treebank(60, 1, 0.3), root="last", tags="gold")


@cache
def models() -> Models:
    """One that can do everything, and one that only parses."""
    return Models([Model("en-whole-251115", whole_parser()), Model("bare", bare_parser())])


@cache
def page_models() -> Models:
    """Two for the pages, which take raw text and whose root is first."""
    parser = small.train(small.treebank(80, 1, 0.0), root="first")
    other = small.train(small.treebank(20, 3, 0.0), root="first")
    parser.segmenter = other.segmenter = Segmenter()  # type: ignore[assignment]
    return Models([Model("invented", parser), Model("other", other)])


def columns(conllu: str) -> list[list[str]]:
    """The words of CoNLL-U as lists of fields."""
    return [line.split("\t") for line in conllu.splitlines() if line[:1].isdigit()]


@cache
def sentences(n: int = 8) -> list[dodona.Sentence]:
    """Sentences of the invented language, with their tags and trees."""
    return small.treebank(n, 5)


def text(n: int = 8) -> str:
    """Words of the invented language as running text."""
    return " ".join(" ".join(sentence.forms) for sentence in sentences(n))


def conllu(n: int = 8) -> str:
    """The same sentences in CoNLL-U."""
    return b"".join(map(bytes, sentences(n))).decode()
