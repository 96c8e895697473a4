"""Feature keys of the core beside the features of their slow twin."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import dodona
from dodona.core.features.features import Features
from dodona.treebank.encoding.encoding import Encoder
from reference.features import Feature, View

ATTRIBUTES = ["form", "lemma", "upos", "xpos", "tag", "feats", "feats:Case", "feats:Number"]


STATE_ATTRIBUTES = ["label", "n_left", "n_right", "left_labels", "right_labels"]


SLOTS = [f"{where}{depth}" for where in "sb" for depth in range(4)]


RELATED = [
    "s0.head", "s0.left", "s0.left2", "s0.right", "s0.right2", "s1.head", "s1.right", "b0.left",
    "b0.left2", "s0.head.head", "s0.head.left", "s0.head.right2", "s0.left.right", "s0.right.left2",
    "b0.left.left", "b0.left.right.head", "s2.head.head.left",
]  # fmt: skip


EVERYTHING = [f"{slot}.{attribute}" for slot in SLOTS for attribute in ATTRIBUTES] + [
    f"{slot}.{attribute}"
    for slot in ["s0", "s3", "b0", *RELATED]
    for attribute in ["tag", *STATE_ATTRIBUTES]
]


def random_sentence(n_words: int, random: Random) -> dodona.Sentence:
    feats = ["_", "Case=Nom", "Case=Acc", "Case=Nom|Number=Sing", "Number=Plur", "XCase=Nom"]
    return dodona.Sentence.from_columns(
        random.choices(["a", "b", "ab", "oak", "Oak", "_", *"cdefghijkl"], k=n_words),
        lemmas=random.choices(["a", "oak", "_"], k=n_words),
        upos=random.choices(["NOUN", "VERB", "N"], k=n_words),
        xpos=random.choices(["NN", "OUN", "_"], k=n_words),
        feats=random.choices(feats, k=n_words),
    )


def columns(sentence: dodona.Sentence) -> dict[str, list[str]]:
    return {
        "form": sentence.forms,
        "lemma": sentence.lemmas,
        "upos": sentence.upos,
        "xpos": sentence.xpos,
        "feats": sentence.feats,
    }


def walk(system: dodona.System, n_words: int, random: Random) -> Iterator[dodona.State]:
    """The states of a random derivation, all but the final one."""
    state = system.start(n_words)
    while not system.is_final(state):
        yield state
        state = system.step(state, random.choice(system.valid(state)))


def keys_and_features(
    templates: list[str],
    root: str,
    sentences: list[dodona.Sentence],
    states: list[list[dodona.State]],
) -> Iterator[tuple[list[int], list[Feature]]]:
    """For every state what the core gives and what its twin does."""
    core = Features("\n".join(templates))
    encoder = Encoder(core.columns)
    encoder.learn(sentences)
    corpus = encoder.encode(sentences)
    for i, sentence in enumerate(sentences):
        for state in states[i]:
            view = View(state.stack, state.buffer, state.arcs, columns(sentence), root)
            features = [view.feature(template) for template in templates]
            yield core.keys(state, corpus, i), [f for f in features if f is not None]


def is_one_to_one(pairs: list[tuple[object, object]]) -> bool:
    forth, back = dict(pairs), {right: left for left, right in pairs}
    return all(forth[left] == right and back[right] == left for left, right in pairs)
