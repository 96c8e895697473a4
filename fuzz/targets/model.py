"""Model files of every kind, as recipes: what is opened parses, whatever else it may be."""

from __future__ import annotations

import json
from functools import cache
from zlib import crc32

import dodona
from dodona.storage.container import ContainerError
from dodona.storage.serialisable import Serialisable
from fuzz import samples
from fuzz.mutation import BLIND, change_lines
from fuzz.parses import check_parses, check_readable
from fuzz.recipe_mutation import RecipeMutator
from fuzz.recipes import Whole, cook, name_sample
from fuzz.target import Target, promise

NAMES = list(samples.MAKERS)
TEXT = "Lemi vunint. Min lern\n\nstakilar! lemi"


@cache
def whole(name: str) -> Whole:
    """What a sample is made of, as JSON gives it back."""
    saved = samples.sample(name)
    about, arrays = saved._with_parts()
    about = json.loads(json.dumps(about))
    return Whole(saved.FORMAT.kind, saved.FORMAT.version, about, arrays)


@cache
def sentences() -> list[dodona.Sentence]:
    """Longer ones and shorter ones than the samples know, with and without tags."""
    known = samples.treebank()
    one = dodona.Sentence.from_columns(["vunint"])
    strange = dodona.Sentence.from_columns(["oak"] * 9, upos=["X"] * 9)
    return [known[0], known[-1], one, strange]


def run(data: bytes) -> object:
    """Open the model and use it."""
    name = name_sample(data, NAMES)
    kind = type(samples.sample(name))
    model = kind.from_bytes(cook(whole(name).copy(), data))
    if crc32(data) % 8 == 0:
        saved = model.to_bytes()
        promise(kind.from_bytes(saved).to_bytes() == saved, "what is saved again is the same")
    return name, _use(model)


def _use(model: Serialisable) -> object:
    if isinstance(model, dodona.Parser):
        return _parse(model)
    if isinstance(model, dodona.Tagger):
        tagged = [model.tag(sentence) for sentence in sentences()]
        check_readable(tagged, "optional")
        return tuple(tagged[1].upos)
    assert isinstance(model, dodona.Segmenter)
    found = model.segment(TEXT)
    check_readable(found, "ignored")
    return len(found)


def _parse(parser: dodona.Parser) -> object:
    if parser.system.builds_graphs:
        parsed = list(parser.pipe(sentences()))
        check_readable(parsed, "optional")
        return tuple(parsed[1].deps)
    parsed = list(parser.pipe(sentences()))
    check_parses(sentences(), parsed)
    sure = list(parser.pipe(sentences(), graph=parser.has_graphs, confidence=True))
    promise([s.heads for s in sure] == [s.heads for s in parsed], "confidence changes no tree")
    check_readable(sure, "optional")
    if parser.segmenter is not None:
        check_readable(list(parser(TEXT)))
    parser.trace(sentences()[1])
    return tuple(parsed[1].heads)


TARGET = Target(
    run=run,
    refuses=(ContainerError,),
    mutators=[*[RecipeMutator(whole, NAMES)] * 30, *BLIND, change_lines],
    longest=3000,
    seeds=lambda: [name.encode() for name in NAMES],
)
