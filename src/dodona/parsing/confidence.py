"""Confidences of arcs, labels and tags: signals of the search and the tagger, calibrated.

A signal is the log-odds of a decision at some temperature. The probability is a logistic function
of it (Platt 1999), fitted on a dev set by `calibration` and stored in the model. Without a
calibration the signals count as they are, at a temperature of 1.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import exp
from typing import Any

from dodona.core.features.corpus import Corpus
from dodona.core.search.arc_signals import arc_signals
from dodona.core.search.search import Search
from dodona.records import field, fields, record
from dodona.storage.json_fields import read_field
from dodona.tagging.tag_classes import TagSignals
from dodona.treebank.sentence import Sentence

TAGS = ("upos", "xpos", "feats")
COLUMNS = ("head", "deprel", *TAGS)
MOST = 20.0  # the limit of signals (`core/base/odds`): words with a fixed tag, for example
Signals = dict[str, list[list[float]]]  # by column: a list for each sentence


@record(frozen=True)
class Calibrator:
    """The probability that a prediction is right, as a logistic function of its signal."""

    temperature: float = 1.0  # of the scores; labels share that of arcs
    slope: float = 1.0
    offset: float = 0.0
    certain: float = 1.0  # the probability at the limit of signals

    def probability(self, signal: float) -> float:
        """Return the probability for a signal.

        >>> Calibrator().probability(0.0), round(Calibrator(slope=2).probability(1.0), 3)
        (0.5, 0.881)
        """
        if signal >= MOST:
            return self.certain
        x = self.slope * signal + self.offset
        return 1 / (1 + exp(-x)) if x >= 0 else 1 - 1 / (1 + exp(x))


PLAIN = Calibrator()
PARTS = tuple(part.name for part in fields(Calibrator))


@record(frozen=True)
class Calibration:
    """Calibrators by column, and how reliable they were on the data they were fitted on."""

    columns: dict[str, Calibrator]
    measured: dict[str, dict[str, Any]] = field(default_factory=dict)  # of `Reliability.to_dict`
    data: dict[str, Any] = field(default_factory=dict)  # file, sha256, words

    def serialise(self) -> dict[str, Any]:
        """Return JSON values for the file of the model."""
        columns = {
            name: {part: getattr(one, part) for part in PARTS} for name, one in self.columns.items()
        }
        return {"columns": columns, "measured": self.measured, "data": self.data}

    @classmethod
    def deserialise(cls, about: Mapping[str, Any]) -> Calibration:
        """Read what `serialise` returned, from a file that may not be trusted."""
        given: dict[str, Any] = read_field(about, "columns", dict)
        columns = {
            name: Calibrator(*(read_field(given[name], part, float) for part in PARTS))
            for name in COLUMNS
            if name in given
        }
        for name, one in columns.items():
            if one.temperature <= 0 or one.slope < 0 or not 0 <= one.certain <= 1:
                raise ValueError(f"the calibration of {name} gives no probabilities")
        measured = read_field(about, "measured", dict) if "measured" in about else {}
        return cls(columns, measured, read_field(about, "data", dict) if "data" in about else {})


def find_signals(
    search: Search,
    corpus: Corpus,
    tags: TagSignals | None,
    columns: Collection[str],
    temperatures: Mapping[str, float],
) -> Signals:
    """Return the signals of a parsed corpus, by column; `columns` are those of tags."""
    arcs = arc_signals(search, corpus, temperatures.get("head", 1.0))
    found: Signals = {
        "head": [[arc for arc, _ in sentence] for sentence in arcs],
        "deprel": [[label for _, label in sentence] for sentence in arcs],
    }
    if tags is not None:
        for column in (one for one in columns if one in TAGS):
            found[column] = tags(column, temperatures.get(column, 1.0))
    return found


def add_confidences(
    calibrators: Mapping[str, Calibrator],
    signals: Signals,
    sentences: list[Sentence],
    given: list[Sentence],
    keep: Collection[str],
) -> list[Sentence]:
    """Return parsed sentences with their confidences in MISC.

    Tags that a sentence had when it was `given`, and that were to be kept, have none.
    """
    # imported here, as most runs do not ask for confidences
    from dodona.treebank.confidence import with_confidences

    found = []
    for i, sentence in enumerate(sentences):
        columns: dict[str, list[float]] = {}
        for column, values in signals.items():
            if column in keep and {*getattr(given[i], column)} != {"_"}:
                continue
            calibrator = calibrators.get(column, PLAIN)
            name = "confidence" if column == "head" else f"{column}_confidence"
            columns[name] = [*map(calibrator.probability, values[i])]
        found.append(with_confidences(sentence, columns))
    return found
