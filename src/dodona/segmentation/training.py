"""Training a segmenter from a treebank: its text, epochs, the choice of the best on a dev set."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from dodona.core.base.shuffle import shuffle as shuffled
from dodona.core.segmenting.expansion_training import ExpansionTrainer
from dodona.core.segmenting.place_training import PlaceTrainer, count_pairs
from dodona.core.segmenting.places import LABELS, certain_pairs
from dodona.core.segmenting.segmenting import MAX_BIAS
from dodona.core.weights.packed import PackedWeights, pack
from dodona.segmentation.rules import learn_rules
from dodona.segmentation.segmented import code_points
from dodona.segmentation.segmenter import Segmenter
from dodona.settings import MAX_CUTOFF, SegmenterSettings
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.reader import read
from dodona.treebank.raw_text import GoldText, gold_text, tokens_of
from dodona.treebank.sentence import Sentence

Treebank = str | Path | Iterable[Sentence]

MARGIN = 12  # by which the right label should win
TOKEN, SENTENCE = LABELS["token"], LABELS["sentence"]
BIASES = (-1, -0.5, -0.25, 0.25, 0.5, 1, 1.5, 2, 3, 4)  # to try, in margins
UNIT = 10  # sentences of a paragraph that are learned from in one go
CHUNK = 64  # units between two looks at the clock and at Ctrl-C


@dataclass(frozen=True)
class SegmenterEpoch:
    """What one pass over the training data brought; the scores are F1 on the dev set."""

    number: int
    n_updates: int
    seconds: float
    scores: dict[str, float]

    @property
    def mean(self) -> float:
        """What the best epoch is chosen by."""
        return sum(self.scores.values()) / max(len(self.scores), 1)


class SegmenterTrainer:
    """One training run. `epochs()` runs it; `segmenter()` gives the best segmenter so far."""

    def __init__(self, train: Treebank, dev: Treebank | None, settings: SegmenterSettings) -> None:
        self.settings = settings
        self.gold = _load(train)
        self.dev = _load(dev) if dev is not None else None
        shown, cutoff = self.gold, settings.cutoff
        if len(shown.paragraphs) > 1:
            # the same without its blank lines, for texts that lack them: on en_ewt's dev set, F1 of
            # sentences is 3.2 higher where blank lines are taken out, 0.2 lower where they are not
            shown = shown + shown.without_paragraphs()
            cutoff = min(2 * cutoff - 1, MAX_CUTOFF)  # most features occur in both
        text, labels = code_points(shown.text), _labels(shown)
        self.certain = certain_pairs(count_pairs(text, labels), settings.certain)
        self.places = PlaceTrainer(text, self.certain, labels, margin=MARGIN, cutoff=cutoff)
        forms = [self.gold.text[start:end] for start, end, _ in self.gold.spans]
        self.rules, gold_rules = learn_rules(forms, self.gold.words)
        self.words = ExpansionTrainer(
            code_points(self.gold.text),
            self.gold.spans,
            self.rules.index(),
            gold_rules,
            margin=MARGIN,
            cutoff=settings.cutoff,
        )
        self.met = self.words.met()
        self.units = _units(shown)
        for unit in self.units:
            self.places.count(*unit)
        self.history: list[SegmenterEpoch] = []
        self.best: PackedWeights | None = None
        self.best_epoch: SegmenterEpoch | None = None
        self.best_words: PackedWeights | None = None  # of an epoch of its own: they learn longer
        self.best_words_score = 0.0

    def epochs(self, report: Callable[[int], None] | None = None) -> Iterator[SegmenterEpoch]:
        """Run the epochs that are left; `report` is told how many units of one are done."""
        while len(self.history) < self.settings.epochs:
            epoch = self._epoch(len(self.history) + 1, report or (lambda _: None))
            self.history.append(epoch)
            yield epoch

    def _epoch(self, number: int, report: Callable[[int], None]) -> SegmenterEpoch:
        start, before = time.perf_counter(), self._n_updates()
        seed = self.settings.seed + (number << 32)
        order = shuffled(len(self.units), seed)
        for i in range(0, len(order), CHUNK):
            for unit in order[i : i + CHUNK]:
                self.places.train(*self.units[unit])
            report(min(i + CHUNK, len(order)))
        self.words.train([self.met[i] for i in shuffled(len(self.met), seed)])
        seconds = time.perf_counter() - start
        weights = self._average()
        scores = self._scores(self._segmenter(*weights))
        epoch = SegmenterEpoch(number, self._n_updates() - before, seconds, scores)
        if self.best_epoch is None or not scores or epoch.mean > self.best_epoch.mean:
            self.best, self.best_epoch = weights[0], epoch
        if self.best_words is None or scores.get("words", 0) >= self.best_words_score:
            self.best_words, self.best_words_score = weights[1], scores.get("words", 0)
        return epoch

    def _average(self) -> tuple[PackedWeights, PackedWeights]:
        least = self.settings.prune
        return (
            pack(self.places.weights, self.places.time, least=least),
            pack(self.words.weights, self.words.time, least=least),
        )

    def _n_updates(self) -> int:
        return self.places.n_updates + self.words.n_updates

    def _segmenter(self, places: PackedWeights, words: PackedWeights, bias: int = 0) -> Segmenter:
        return Segmenter(self.settings, self.certain, places, self.rules, words, bias)

    def _scores(self, segmenter: Segmenter) -> dict[str, float]:
        if self.dev is None:
            return {}
        return segmentation_scores(self.dev, segmenter.segment(self.dev.text))

    def segmenter(self) -> Segmenter:
        """The segmenter of the best epoch so far, with the bias that is best on the dev set.

        A perceptron is right as often as it can be, which is not where F1 is best: in a treebank
        without punctuation it would hardly find a sentence (got_proiel: 20 without, 25 with).
        """
        if self.best is None or self.best_words is None:
            raise ValueError("no epoch has been completed: there is no segmenter yet")
        best = self._segmenter(self.best, self.best_words)
        scores = self._scores(best)
        unit = MARGIN / self.best.step
        for share in BIASES if scores else ():
            bias = max(-MAX_BIAS, min(round(share * unit), MAX_BIAS))
            other = self._segmenter(self.best, self.best_words, bias)
            found = self._scores(other)
            if sum(found.values()) > sum(scores.values()):
                best, scores = other, found
        return replace(best, record=self.record(scores))

    def record(self, scores: dict[str, float]) -> dict[str, Any]:
        """How this segmenter came to be; no times, which differ between runs."""
        texts = {"train": self.gold} | ({"dev": self.dev} if self.dev is not None else {})
        return {
            "checksums": {name: _checksum(gold) for name, gold in texts.items()},
            "n_sentences": sum(begins for _, _, begins in self.gold.spans),
            "n_tokens": len(self.gold.spans),
            "n_words": sum(map(len, self.gold.words)),
            "best_epoch": self.best_epoch.number if self.best_epoch else None,
            "dev": scores,
        }


def train_segmenter(
    train: Treebank,
    dev: Treebank | None = None,
    *,
    report: Callable[[SegmenterEpoch], None] | None = None,
    **settings: Any,
) -> Segmenter:
    """Train a segmenter on a treebank (a path or sentences) and return the best on `dev`.

    Every setting of `dodona.settings.SegmenterSettings` is a keyword.

    >>> oaks = Sentence.from_columns(["Oaks", "speak", "."], misc=["_", "SpaceAfter=No", "_"])
    >>> segmenter = train_segmenter([oaks] * 10, epochs=3)
    >>> [sentence.forms for sentence in segmenter.segment("Oaks speak. Oaks speak.")]
    [['Oaks', 'speak', '.'], ['Oaks', 'speak', '.']]
    """
    trainer = SegmenterTrainer(train, dev, replace(SegmenterSettings(), **settings))
    for epoch in trainer.epochs():
        if report:
            report(epoch)
    return trainer.segmenter()


def segmentation_scores(gold: GoldText, found: Iterable[Sentence]) -> dict[str, float]:
    """F1 of tokens, words and sentences, in percent, for the sentences found in the gold text.

    A token counts if it has the right beginning and end, a sentence likewise. A word that is a
    token counts as one; others if they are the same, in the same place of the same token.
    """
    spans, words = [], []
    for sentence in found:
        for i, token in enumerate(tokens_of(sentence)):
            start, _, end = (token.attribute("TokenRange") or "").partition(":")
            spans.append((int(start), int(end), i == 0))
            words.append(token.words)
    expected = _units_to_find(gold.spans, gold.words)
    answered = _units_to_find(spans, words)
    return {name: _f1(expected[name], answered[name]) for name in expected}


def _units_to_find(
    spans: list[tuple[int, int, bool]], words: list[tuple[str, ...]]
) -> dict[str, list[tuple[Any, ...]]]:
    tokens: list[tuple[Any, ...]] = [(start, end) for start, end, _ in spans]
    parts: list[tuple[Any, ...]] = []
    for token, forms in zip(tokens, words, strict=True):
        if len(forms) == 1:
            parts.append(token)
        else:
            parts += [(*token, i, form.lower()) for i, form in enumerate(forms)]
    firsts = [i for i, span in enumerate(spans) if span[2]] + [len(spans)]
    sentences: list[tuple[Any, ...]] = [(spans[a][0], spans[b - 1][1]) for a, b in pairwise(firsts)]
    return {"tokens": tokens, "words": parts, "sentences": sentences}


def _f1(expected: list[tuple[Any, ...]], answered: list[tuple[Any, ...]]) -> float:
    n_right = (Counter(expected) & Counter(answered)).total()
    return 200 * n_right / max(len(expected) + len(answered), 1)


def _labels(gold: GoldText) -> bytes:
    """For every character, what begins there."""
    labels = bytearray(len(gold.text))
    for start, _, begins in gold.spans:
        labels[start] = SENTENCE if begins else TOKEN
    return bytes(labels)


def _units(gold: GoldText) -> list[tuple[int, int]]:
    """Pieces of the text to learn from: some sentences of one paragraph."""
    new_paragraph = set(gold.paragraphs)
    starts: list[int] = []
    n_sentences = 0
    for start, _, begins in gold.spans:
        if begins:
            if start in new_paragraph or n_sentences == UNIT:
                starts.append(start)
                n_sentences = 0
            n_sentences += 1
    return list(zip(starts, [*starts[1:], len(gold.text)], strict=True))


def _load(treebank: Treebank) -> GoldText:
    if isinstance(treebank, str | Path):
        gold, source = gold_text(read(treebank, trees="ignored")), str(treebank)
    else:
        gold, source = gold_text(treebank), "the given sentences"
    if not gold.spans:
        raise TreebankError(source, None, "no sentence in it: there is nothing to learn from")
    return gold


def _checksum(gold: GoldText) -> str:
    digest = hashlib.sha256(gold.text.encode(errors="surrogatepass"))
    digest.update(repr((gold.spans, gold.words)).encode())
    return digest.hexdigest()
