"""Calibration of a parser's confidences on a treebank that it was not trained on.

The parser tags and parses the words of the treebank. For each column, a logistic function is fitted
from the signal of a prediction to whether it is right (Platt 1999), at several temperatures of the
scores (Guo et al. 2017); the one with the highest likelihood counts. Labels are judged where the
head is right, since their probability is that of the label given the arc.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from hashlib import sha256
from math import log
from pathlib import Path
from typing import Any

from dodona.evaluation.reliability import Reliability, measure_reliability
from dodona.parsing.confidence import MOST, TAGS, Calibration, Calibrator
from dodona.parsing.logistic import Points, fit_line
from dodona.parsing.parser import Parser
from dodona.records import replace
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

BATCH = 256  # sentences
N_ROUNDS = 6  # of temperatures, each half or twice another


def calibrate(parser: Parser, dev: str | Path | Iterable[Sentence]) -> Parser:
    """Return the parser with confidences that are calibrated on a dev set, a file or sentences.

    Its words and sentences are given; tags are predicted if the parser has a tagger.
    """
    data: dict[str, Any] = {}
    if isinstance(dev, (str, Path)):
        data = {"file": Path(dev).name, "sha256": sha256(Path(dev).read_bytes()).hexdigest()}
        dev = read(dev)
    sentences = [*dev]
    data["words"] = sum(map(len, sentences))
    temperatures = fit_temperatures(parser, sentences)
    points = find_points(parser, sentences, temperatures)
    columns = {
        column: fit_calibrator(some, temperatures[column])[0] for column, some in points.items()
    }
    measured = {column: one.to_dict() for column, one in _compare_all(columns, points).items()}
    return replace(parser, calibration=Calibration(columns, measured, data))


def measure(parser: Parser, sentences: list[Sentence]) -> dict[str, Reliability]:
    """Return how reliable the confidences of a calibrated parser are on a treebank, by column."""
    if parser.calibration is None:
        raise ValueError("the parser is not calibrated: see dodona.calibrate")
    columns = parser.calibration.columns
    temperatures = {column: one.temperature for column, one in columns.items()}
    return _compare_all(columns, find_points(parser, sentences, temperatures))


def _compare_all(
    columns: Mapping[str, Calibrator], points: Mapping[str, Points]
) -> dict[str, Reliability]:
    return {
        column: measure_reliability((one.probability(x), right) for x, right in points[column])
        for column, one in columns.items()
        if column in points
    }


def fit_temperatures(parser: Parser, sentences: list[Sentence]) -> dict[str, float]:
    """Return for each column the temperature with the highest likelihood; labels have the arcs'."""
    losses: dict[str, dict[float, float]] = defaultdict(dict)  # by column and temperature
    now: dict[str, float] = {}
    for _ in range(N_ROUNDS):
        for column, points in find_points(parser, sentences, now).items():
            temperature = now.get(column, 1.0)
            losses[column][temperature] = fit_calibrator(points, temperature)[1]
        following = {column: _next_temperature(tried) for column, tried in losses.items()}
        if following == now:
            break
        now = following
    best = {column: min(tried, key=tried.__getitem__) for column, tried in losses.items()}
    return best | {"deprel": best["head"]}


def _next_temperature(losses: dict[float, float]) -> float:
    """Return a temperature to try: beyond the best so far, or the best if it has two neighbours."""
    best = min(losses, key=losses.__getitem__)
    return next((other for other in (best / 2, best * 2) if other not in losses), best)


def fit_calibrator(points: Points, temperature: float) -> tuple[Calibrator, float]:
    """Fit a calibrator; return also its loss. Predictions at the limit share one probability."""
    certain = [right for signal, right in points if signal >= MOST]
    line = fit_line([point for point in points if point[0] < MOST])
    share = (sum(certain) + 1) / (len(certain) + 1.1)  # a little doubt, however many are right
    loss = line.loss - sum(log(share if right else 1 - share) for right in certain)
    slope = max(line.slope, 0)  # below 0 only by chance, on very few words
    return Calibrator(temperature, slope, line.offset, share), loss


def find_points(
    parser: Parser, sentences: list[Sentence], temperatures: Mapping[str, float]
) -> dict[str, Points]:
    """Parse sentences, and return the signal of every prediction with whether it is right."""
    found: dict[str, Points] = defaultdict(list)
    for first in range(0, len(sentences), BATCH):
        batch = sentences[first : first + BATCH]
        parsed, signals = parser.parse_with_signals(batch, parser.search, (), temperatures)
        for i, (gold, predicted) in enumerate(zip(batch, parsed, strict=True)):
            judged = judge(gold, predicted, is_graph=parser.system.builds_graphs)
            for column in signals:
                pairs = zip(signals[column][i], judged[column], strict=True)
                found[column] += [(signal, right) for signal, right in pairs if right is not None]
    if not found["head"]:
        raise ValueError("no word of the data has a head, so there is nothing to calibrate on")
    return {column: points for column, points in found.items() if points}


def judge(gold: Sentence, predicted: Sentence, *, is_graph: bool) -> dict[str, list[bool | None]]:
    """Return whether the predictions of each column are right; None where that is unknown.

    >>> oaks = Sentence.from_columns(["Oaks", "speak"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> judge(oaks, oaks.replace(heads=[0, 0]), is_graph=False)["deprel"]
    [None, True]
    """
    judged = {column: _compare(gold, predicted, column) for column in TAGS}
    if is_graph:
        judged["head"] = judged["deprel"] = _compare(gold, predicted, "deps")
        return judged
    heads = zip(gold.heads, predicted.heads, strict=True)
    judged["head"] = [None if head is None else head == found for head, found in heads]
    labels = zip(judged["head"], gold.deprels, predicted.deprels, strict=True)
    judged["deprel"] = [label == found if right else None for right, label, found in labels]
    return judged


def _compare(gold: Sentence, predicted: Sentence, column: str) -> list[bool | None]:
    values, found = getattr(gold, column), getattr(predicted, column)
    if {*values} == {"_"}:  # not annotated
        return [None] * len(values)
    return [value == other for value, other in zip(values, found, strict=True)]
