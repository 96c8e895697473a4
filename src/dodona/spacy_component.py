"""Dodona in a pipeline of spaCy: `nlp.add_pipe("dodona", config={"model": "my.dodona"})`.

spaCy finds this module by the entry point in pyproject.toml. It tokenises; whatever finds sentences
(`sentencizer`, `senter`) should come before, or else all of a text is one sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from dodona import load
from dodona.bridges.spacy import SPACE_LABEL, is_white_space, sentences_in
from dodona.extras import require
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

ASSIGNED = ["token.tag", "token.pos", "token.morph", "token.lemma", "token.dep", "token.head"]


class Component:
    """Tags and parses documents with a model; what the model does not give stays as it is."""

    def __init__(self, name: str, model: str) -> None:
        self.name = name
        self.model = model
        self.parser = load(model)

    def __call__(self, doc: Doc) -> Doc:
        """The document, tagged and parsed."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """The documents of a stream, parsed that many at a time."""
        for docs in require("spacy.util", "spacy").minibatch(stream, batch_size):
            found = [list(sentences_in(doc)) for doc in docs]
            parsed = self.parser.pipe(sentence for each in found for sentence, _ in each)
            for doc, each in zip(docs, found, strict=True):
                _annotate(doc, [(next(parsed), words) for _, words in each])
                yield doc


def make_component(nlp: Any, name: str, model: str) -> Component:
    """The component; `model` is a name or a path, as `dodona.load` takes it."""
    return Component(name, model)


require("spacy.language", "spacy").Language.factory("dodona", assigns=ASSIGNED, func=make_component)


def _annotate(doc: Doc, sentences: list[tuple[Sentence, list[Token]]]) -> None:
    """Write trees and tags into the document, all at once."""
    numpy, attributes = require("numpy", "spacy"), require("spacy.attrs", "spacy")
    strings, morphology = doc.vocab.strings, doc.vocab.morphology
    pos_ids = require("spacy.parts_of_speech", "spacy").IDS
    space = strings.add(SPACE_LABEL)
    columns: dict[str, list[int]] = {
        "HEAD": _hung_white_space(doc),
        "DEP": [space] * len(doc),
    }
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
            columns["DEP"][token.i] = strings.add(label)
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


def _hung_white_space(doc: Doc) -> list[int]:
    """Where heads are from each token: white space hangs on what is before it, or else after it."""
    is_space = [is_white_space(token) for token in doc]
    first = is_space.index(False) if False in is_space else 0
    return [1 if i < first else -int(space and i > 0) for i, space in enumerate(is_space)]
