"""Confidences of words: in MISC, as `Confidence=0.9731`, and as columns of numbers.

MISC is where CoNLL-U has room for them, so they go wherever a sentence goes: through files, pickles
and conversions. `Confidence` is that of the arc; each other one is named after its column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dodona.treebank.conllu.writer import to_conllu
from dodona.treebank.sentence import Sentence
from dodona.treebank.word import CONFIDENCES, named_values, read_confidence

Column = Sequence[float | None]


def with_confidences(sentence: Sentence, columns: Mapping[str, Column]) -> Sentence:
    """Return the sentence with confidences in MISC, by attribute of words, in CoNLL-U.

    Those that were there before are removed; where a value is None, there is none.

    >>> oaks = Sentence.from_columns(["Oaks", "speak"], misc=["_", "SpaceAfter=No"])
    >>> with_confidences(oaks, {"confidence": [0.97312, 1.0]}).misc
    ['Confidence=0.9731', 'SpaceAfter=No|Confidence=1.0000']
    """
    misc = []
    for i, old in enumerate(
        sentence.misc if sentence.format == "conllu" else ["_"] * len(sentence)
    ):
        parts = [] if old == "_" else old.split("|")
        kept = [part for part in parts if part.partition("=")[0] not in CONFIDENCES.values()]
        for attribute, column in columns.items():
            value = column[i]
            if value is not None:
                kept.append(f"{CONFIDENCES[attribute]}={value:.4f}")
        misc.append("|".join(kept) or "_")
    return to_conllu(sentence).replace(misc=misc)


def confidence_columns(sentence: Sentence) -> dict[str, list[float | None]]:
    """Return the confidences of all words, by attribute; {} if no word has any.

    >>> oaks = Sentence.from_columns(["Oaks", "speak"], misc=["_", "Confidence=0.75"])
    >>> confidence_columns(oaks)["confidence"]
    [None, 0.75]
    """
    if b"Confidence=" not in bytes(sentence):
        return {}
    words = [named_values(misc) for misc in sentence.misc]
    columns = {
        attribute: [read_confidence(word.get(name, "")) for word in words]
        for attribute, name in CONFIDENCES.items()
    }
    return columns if any(one is not None for one in columns["confidence"]) else {}
