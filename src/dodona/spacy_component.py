"""A spaCy pipeline component: `nlp.add_pipe("dodona")`, or with your own model.

    nlp = spacy.blank("en")
    nlp.add_pipe("dodona", config={"model": "my.dodona"})

spaCy finds this module by the entry point in pyproject.toml, and does the tokenisation. Sentence
boundaries of earlier components (`sentencizer`, `senter`) are kept; otherwise the segmenter of the
model finds them. Without a segmenter, a text is one sentence.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dodona import load
from dodona.bridges.spacy import ROOT, SPACE_LABEL, is_white_space, noun_chunks, sentences_in
from dodona.extras import require
from dodona.parsing.parser import Parser
from dodona.rules.rules import Rules
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_OF_TOKENS = ("tag", "pos", "morph", "lemma", "dep", "head", "is_sent_start")
ASSIGNED = [*(f"token.{name}" for name in _OF_TOKENS), "doc.sents"]
DEFAULTS = {
    **{"model": "en", "threads": 1, "sentences": True, "keep_tags": False},
    "constraints": None,  # as the model records
}
FILE, RULES = "model.dodona", "model.rules.toml"
RULED = b"rules = "  # no model begins so: that would be the size of its header


@dataclass(eq=False)
class Component:
    """A tagger and parser of spaCy documents; attributes the model does not predict are kept."""

    name: str
    model: str
    threads: int
    sentences: bool
    keep_tags: bool
    constraints: str | None = None

    @cached_property
    def parser(self) -> Parser:
        """Return the model, loaded on first use: a pipeline from disk has its own."""
        return load(self.model)

    def __call__(self, doc: Doc) -> Doc:
        """Tag and parse a document."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Tag and parse a stream of documents in batches."""
        for docs in require("spacy.util", "spacy").minibatch(stream, batch_size):
            found = [list(sentences_in(doc, self._starts(doc))) for doc in docs]
            parsed = self.parser.pipe(
                (sentence for each in found for sentence, _ in each),
                threads=self.threads,
                keep_tags=self.keep_tags,
                constraints=self.constraints,
            )
            for doc, each in zip(docs, found, strict=True):
                _annotate(doc, [(next(parsed), words) for _, words in each])
                yield doc

    def _starts(self, doc: Doc) -> list[int] | None:
        """Return the start of each sentence by the segmenter; None if it is not to be used."""
        segmenter = self.parser.segmenter
        if not self.sentences or segmenter is None or doc.has_annotation("SENT_START"):
            return None
        starts = (sentence.tokens[0].start for sentence in segmenter.segment(doc.text))
        return [start for start in starts if start is not None]

    def to_disk(self, path: Path, *, exclude: Iterable[str] = ()) -> None:
        """Save the model with the pipeline."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        self.parser.save(folder / FILE)
        if (rules := self.parser.user_rules) is not None:
            (folder / RULES).write_text(rules.to_toml(), encoding="utf-8")

    def from_disk(self, path: Path, *, exclude: Iterable[str] = ()) -> Component:
        """Load the model that was saved with the pipeline, if any."""
        if (file := Path(path) / FILE).exists():
            self.parser = load(file)
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the bytes of the model, with those of its rules in front, if it has any."""
        rules = self.parser.user_rules
        head = b"" if rules is None else RULED + json.dumps(rules.to_dict()).encode() + b"\n"
        return head + self.parser.to_bytes()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Component:
        """Load the model from the bytes of `to_bytes`."""
        if not data.startswith(RULED):
            self.parser = Parser.from_bytes(data)
            return self
        head, _, model = data.removeprefix(RULED).partition(b"\n")
        self.parser = Parser.from_bytes(model).with_rules(Rules(**json.loads(head)))
        return self


def make_component(
    nlp: Any,
    name: str,
    model: str,
    threads: int,
    sentences: bool,
    keep_tags: bool,
    constraints: str | None,
) -> Component:
    """Make the component; `model` is a name or a path for `dodona.load`."""
    nlp.vocab.get_noun_chunks = noun_chunks  # spaCy's own do not use the relations of UD
    return Component(name, model, threads, sentences, keep_tags, constraints)


require("spacy.language", "spacy").Language.factory(
    "dodona", assigns=ASSIGNED, default_config=DEFAULTS, func=make_component
)


def _annotate(doc: Doc, sentences: list[tuple[Sentence, list[Token]]]) -> None:
    """Write trees and tags into the document as one array."""
    numpy, attributes = require("numpy", "spacy"), require("spacy.attrs", "spacy")
    strings, morphology = doc.vocab.strings, doc.vocab.morphology
    pos_ids = require("spacy.parts_of_speech", "spacy").IDS
    space = strings.add(SPACE_LABEL)
    columns: dict[str, list[int]] = {"HEAD": _white_space_heads(doc), "DEP": [space] * len(doc)}
    makers = {
        "TAG": ("xpos", strings.add),
        "POS": ("upos", lambda tag: pos_ids.get(tag, pos_ids["X"])),
        "MORPH": ("feats", morphology.add),
        "LEMMA": ("lemmas", strings.add),
    }
    for name, (column, _) in makers.items():
        if any(value != "_" for sentence, _ in sentences for value in getattr(sentence, column)):
            columns[name] = [int(value) for value in doc.to_array(name)]
    for sentence, words in sentences:
        for token, head, label in zip(words, sentence.heads, sentence.deprels, strict=True):
            columns["HEAD"][token.i] = words[head - 1].i - token.i if head else 0
            columns["DEP"][token.i] = strings.add(ROOT if head == 0 else label)
        for name in columns.keys() & makers.keys():
            column, number = makers[name]
            for token, value in zip(words, getattr(sentence, column), strict=True):
                if value != "_":
                    columns[name][token.i] = number(value)
    table = numpy.array(list(columns.values()), dtype=numpy.object_).T
    doc.from_array(
        [getattr(attributes, name) for name in columns],
        (table % (1 << 64)).astype(numpy.uint64).reshape(len(doc), len(columns)),
    )


def _white_space_heads(doc: Doc) -> list[int]:
    """Return relative heads: white space depends on the token before it, or else after it."""
    is_space = [is_white_space(token) for token in doc]
    first = is_space.index(False) if False in is_space else 0
    return [1 if i < first else -int(space and i > 0) for i, space in enumerate(is_space)]
