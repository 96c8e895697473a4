"""Feature templates as people write them."""

from __future__ import annotations

from functools import cache

import dodona
from dodona.core.features.corpus import Corpus
from dodona.core.features.features import Features
from dodona.core.features.templates import (
    ALONE,
    RELATIONS,
    STARTS,
    STATE_ATTRIBUTES,
    WORD_ATTRIBUTES,
    cluster_columns,
    forms_for_lemmas,
    parse_templates,
)
from dodona.treebank.encoding.encoding import Encoder
from fuzz import samples
from fuzz.mutation import BLIND, change_lines, replace_word, words
from fuzz.target import Target, promise

OTHERS = ["cluster", "cluster:4", "cluster:9999", "cluster:0", "feats:Case", "feats:", "#", " + "]


@cache
def states(name: str) -> list[dodona.State]:
    """Those on the way to the tree of a sentence."""
    system = dodona.system(name, labels=["nsubj", "root", "det"])
    found = [system.start(len(samples.treebank()[-1]))]
    while not system.is_final(found[-1]):
        valid = system.valid(found[-1])
        found.append(system.step(found[-1], valid[len(found) % len(valid)]))
    return found


@cache
def encode(columns: tuple[str, ...]) -> Corpus:
    """A sentence as these columns show it."""
    encoder = Encoder(columns, clusters=samples.clusters())
    encoder.learn(samples.treebank())
    return encoder.encode(samples.treebank()[-1:])


def run(data: bytes) -> object:
    """Read the templates and compute features by them."""
    text = data.decode()
    features = Features(text)
    promise(features.n_templates == len(parse_templates(text)), "each template counts")
    cluster_columns(text)
    Features(forms_for_lemmas(text))
    system = "graph-eager" if features.for_graphs else "arc-eager"
    corpus = encode(features.columns)
    keys = [features.keys(state, corpus) for state in states(system)]
    promise(all(len(row) <= features.n_templates for row in keys), "a key a template at most")
    promise(keys == [Features(text).keys(s, corpus) for s in states(system)], "always the same")
    return features.columns[:3], min(features.n_templates, 9), min(map(len, keys))


TARGET = Target(
    run=run,
    refuses=(ValueError,),  # among them templates that cannot be understood, and what is no UTF-8
    mutators=[
        *BLIND,
        change_lines,
        *[words(*STARTS, *RELATIONS, *STATE_ATTRIBUTES, *WORD_ATTRIBUTES, *ALONE, *OTHERS)] * 2,
        *[replace_word(b".+\n ")] * 4,
    ],
    longest=300,
)
