"""Training of segmenters: epochs, checkpoints, and F1 of tokens, words and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from dodona.core.segmenting.boundary_training import BoundaryTrainer, count_pairs, count_patterns
from dodona.core.segmenting.expansion_training import ExpansionTrainer
from dodona.core.segmenting.text_scanner import LABELS, make_pair_table
from dodona.core.segmenting.text_splitter import MAX_BIAS
from dodona.core.weights.packed import PackedWeights
from dodona.core.weights.shuffle import shuffle
from dodona.segmentation.augmentation import augmented, unspaced, with_rare_marks
from dodona.segmentation.expansion_rules import learn_rules
from dodona.segmentation.lexicon_learning import Sources, learn_lexicon
from dodona.segmentation.segmenter import Segmenter
from dodona.segmentation.sentence_writer import code_points
from dodona.segmentation.string_learning import is_unspaced
from dodona.segmentation.word_tags import learn_tags
from dodona.settings import MAX_CUTOFF, SegmenterSettings, SettingsError
from dodona.storage.json_fields import read_field
from dodona.training.checkpoint import TrainingState
from dodona.training.loop import Epoch, Learner, at_epochs, in_chunks
from dodona.training.packing import pack_within
from dodona.training.treebanks import Treebank, checksum, load
from dodona.treebank.raw_text import GoldText, gold_text, tokens_of
from dodona.treebank.sentence import Sentence

MARGIN = 12  # by which the gold label should win
# factor of the margin for augmented text, which sometimes contradicts the treebank: English dev,
# mean of three seeds: tokens 99.58 to 99.61, sentences 89.53 to 89.92
WIDER = 3
TOKEN, SENTENCE = LABELS["token"], LABELS["sentence"]
BIASES = (-1, -0.5, -0.25, 0.25, 0.5, 1, 1.5, 2, 3, 4)  # to try, in margins
UNIT = 10  # most sentences of a paragraph in a training unit
# an epoch shows one in so many of the altered units: with all of them, F1 of sentences falls from
# the second epoch on
ALTERED = 3
CHUNK = 64  # units between two checks of the clock and of Ctrl-C

Weights = tuple[PackedWeights, PackedWeights]  # of boundaries, and of multiword tokens


class SegmenterTrainer(Learner[Weights]):
    """A training run; `epochs()` runs it, `segmenter()` returns the best segmenter so far."""

    part = "segmenter"

    def __init__(
        self,
        train: Treebank,
        dev: Treebank | None,
        settings: SegmenterSettings,
        sources: Sources | None = None,
    ) -> None:
        super().__init__()
        self.settings: SegmenterSettings = settings
        self.sources = sources or Sources()
        sentences = load(train)
        self.gold, self.tags = gold_text(sentences), learn_tags(sentences)
        self.dev = gold_text(load(dev)) if dev is not None else None
        self.best_words_score = 0.0
        self._n_bytes = 0
        self._start_boundaries()
        self._start_words()
        self.n_pieces, self.n_words = len(self.units), sum(map(len, self.gold.words))
        self._n_bytes = self._bytes_of_weights()

    def _start_boundaries(self) -> None:
        """Make the trainer of sentence and token boundaries."""
        shown, cutoff, margin = self.gold, self.settings.cutoff, MARGIN
        counts = count_patterns(code_points(shown.text), _labels(shown))
        self.lexicon = learn_lexicon(shown, self.tags, counts, self.sources)
        index = self.lexicon.index()
        if len(shown.paragraphs) > 1:
            # a copy without blank lines, for texts that lack them: on en_ewt's dev set, F1 of
            # sentences rises by 3.2 without blank lines, and falls by 0.2 with them
            shown = shown + shown.in_lines(self.settings.seed)
            cutoff = min(2 * cutoff - 1, MAX_CUTOFF)  # most features occur in both
        if is_unspaced(self.gold) and (copy := unspaced(self.gold)).text:
            shown = shown + copy
            cutoff = min(2 * cutoff - 1, MAX_CUTOFF)
        if (copy := with_rare_marks(self.gold, self.settings.seed)).text:
            shown = shown + copy
        if self.sources.abbreviations:
            # without a list, augmentation costs el_gdt 0.8 F1
            shown = shown + augmented(
                self.gold, self.sources.listed, self.lexicon.abbreviations, self.settings.seed
            )
            margin *= WIDER
        text, labels = code_points(shown.text), _labels(shown)
        self.pair_table = make_pair_table(count_pairs(text, labels, index), self.settings.certain)
        self.boundaries = BoundaryTrainer(
            text, self.pair_table, labels, margin=margin, cutoff=cutoff, lexicon=index
        )
        self.units, self.n_original = _units(shown), len(_units(self.gold))
        for unit in self.units:
            self.boundaries.count(*unit)

    def _start_words(self) -> None:
        """Make the trainer of multiword tokens."""
        forms = [self.gold.text[start:end] for start, end, _ in self.gold.spans]
        self.rules, gold_rules = learn_rules(forms, self.gold.words)
        self.words = ExpansionTrainer(
            code_points(self.gold.text),
            self.gold.spans,
            self.rules.index(),
            gold_rules,
            margin=MARGIN,
            cutoff=self.settings.cutoff,
            lexicon=self.lexicon.index() if self.rules.reads_rests else None,
        )
        self.matching = self.words.matching()

    def _bytes_of_weights(self) -> int:
        """Return the bytes that the settings leave for weights, beside the lexicon; 0: any."""
        if not self.settings.size:
            return 0
        beside = len(self._segmenter(self.average()).to_bytes())
        left = 1000 * self.settings.size - beside
        if left <= 0:
            raise SettingsError(
                f"size is {self.settings.size} kB, but the lexicon alone takes {beside / 1000:.0f}"
            )
        return left

    def learn_epoch(self, number: int) -> Iterator[int]:
        seed = self.settings.seed + (number << 32)
        order = [
            unit
            for unit in shuffle(len(self.units), seed)
            if unit < self.n_original or (unit + number) % ALTERED == 0
        ]
        for some, n_done in in_chunks(order, CHUNK):
            for unit in some:
                self.boundaries.train(*self.units[unit])
            yield n_done
        self.words.train([self.matching[i] for i in shuffle(len(self.matching), seed)])

    def average(self) -> Weights:
        parts = [(part.weights, part.time) for part in (self.boundaries, self.words)]
        boundaries, words = pack_within(parts, self.settings.prune, self._n_bytes)
        return boundaries, words

    def score(self, learned: Weights) -> dict[str, float]:
        return self._scores(self._segmenter(learned))

    def _scores(self, segmenter: Segmenter) -> dict[str, float]:
        if self.dev is None:
            return {}
        return segmentation_scores(self.dev, segmenter.segment(self.dev.text))

    def _segmenter(self, weights: Weights, bias: int = 0) -> Segmenter:
        boundaries, words = weights
        return Segmenter(
            *(self.settings, self.pair_table, boundaries, self.rules, words, bias),
            lexicon=self.lexicon,
        )

    def keep(self, learned: Weights, epoch: Epoch) -> None:
        """Keep the best weights; those of words, which learn longer, have their own best epoch."""
        boundaries, words = self.best or learned
        if epoch.is_best:
            boundaries = learned[0]
        if epoch.scores.get("words", 0) >= self.best_words_score:
            words, self.best_words_score = learned[1], epoch.scores.get("words", 0)
        self.best = boundaries, words

    @property
    def n_updates(self) -> int:
        return self.boundaries.n_updates + self.words.n_updates

    def state(self) -> TrainingState:
        learning = {"places": self.boundaries, "words": self.words}  # names in checkpoints
        return TrainingState(
            numbers={
                "times": {name: (part.time, part.n_updates) for name, part in learning.items()},
                "best_words_score": self.best_words_score,
            },
            weights={name: part.weights for name, part in learning.items()},
            best=dict(zip(learning, self.best, strict=True)) if self.best else {},
        )

    def load_state(self, state: TrainingState) -> None:
        times = state.numbers["times"]
        self.boundaries.resume(state.weights["places"], *times["places"])
        self.words.resume(state.weights["words"], *times["words"])
        self.best_words_score = read_field(state.numbers, "best_words_score", float)
        if state.best:
            self.best = (
                state.best_of("places", self.boundaries.weights.n_classes),
                state.best_of("words", self.words.weights.n_classes),
            )

    def segmenter(self) -> Segmenter:
        """Return the segmenter of the best epoch so far, with the best bias on the dev set.

        A perceptron maximises accuracy, not F1: without punctuation it would find few sentences
        (F1 on got_proiel: 20 without a bias, 25 with it).
        """
        if self.best is None:
            raise ValueError("there is no segmenter before the first epoch is complete")
        best = self._segmenter(self.best)
        scores = self._scores(best)
        unit = MARGIN / self.best[0].step
        for share in BIASES if scores else ():
            bias = max(-MAX_BIAS, min(round(share * unit), MAX_BIAS))
            other = self._segmenter(self.best, bias)
            found = self._scores(other)
            if sum(found.values()) > sum(scores.values()):
                best, scores = other, found
        return replace(best, record=self.record(scores))

    def checksum_data(self) -> dict[str, str]:
        texts = {"train": self.gold} | ({"dev": self.dev} if self.dev is not None else {})
        found = {name: _checksum(gold) for name, gold in texts.items()}
        return found | self.sources.checksums()

    def record(self, scores: dict[str, float]) -> dict[str, Any]:
        """Return the record of this training run; no times, which differ between runs."""
        return {
            "checksums": self.checksum_data(),
            "n_sentences": sum(begins for _, _, begins in self.gold.spans),
            "n_tokens": len(self.gold.spans),
            "n_words": self.n_words,
            "best_epoch": self.best_epoch.number if self.best_epoch else None,
            "dev": scores,
        }


def train_segmenter(
    train: Treebank,
    dev: Treebank | None = None,
    *,
    raw: Sequence[str | Path] = (),
    abbreviations: str | Path = "",
    report: Callable[[Epoch], None] | None = None,
    checkpoint: str | Path | None = None,
    resume: str | Path | None = None,
    **settings: Any,
) -> Segmenter:
    """Train a segmenter on a treebank (a path or sentences) and return the best on `dev`.

    `raw` are text files in the same language, `abbreviations` is a file with one abbreviation in
    each line; both add words that the treebank does not have (docs/how-to/segmenter.md).

    Every setting of `dodona.settings.SegmenterSettings` is a keyword. After every epoch the state
    is written to the file `checkpoint`; `resume` continues from such a file.

    >>> from dodona.treebank.sentence import Sentence
    >>> oaks = Sentence.from_columns(["Oaks", "speak", "."], misc=["_", "SpaceAfter=No", "_"])
    >>> hark = Sentence.from_columns(["Hark", "!"], misc=["SpaceAfter=No", "_"])
    >>> segmenter = train_segmenter([oaks, hark] * 10, epochs=3)
    >>> [sentence.forms for sentence in segmenter.segment("Oaks speak. Oaks speak.")]
    [['Oaks', 'speak', '.'], ['Oaks', 'speak', '.']]
    """
    sources = Sources(tuple(map(str, raw)), str(abbreviations))
    trainer = SegmenterTrainer(train, dev, replace(SegmenterSettings(), **settings), sources)
    return trainer.complete(at_epochs(report), checkpoint, resume).segmenter()


def _labels(gold: GoldText) -> bytes:
    """Return the boundary label before every character."""
    labels = bytearray(len(gold.text))
    for start, _, begins in gold.spans:
        labels[start] = SENTENCE if begins else TOKEN
    return bytes(labels)


def _units(gold: GoldText) -> list[tuple[int, int]]:
    """Split a text into training units: spans of some sentences of one paragraph."""
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


def _checksum(gold: GoldText) -> str:
    text = gold.text.encode(errors="surrogatepass")
    return checksum([text, repr((gold.spans, gold.words)).encode()])


def segmentation_scores(gold: GoldText, found: Iterable[Sentence]) -> dict[str, float]:
    """Return F1 of tokens, words and sentences, in percent.

    A token or sentence is correct if its start and end are. A word that is a whole token counts as
    the token; words of a multiword token must have the right form and position in the right token.
    """
    spans, words = [], []
    for sentence in found:
        for i, token in enumerate(tokens_of(sentence)):
            start, _, end = (token.attribute("TokenRange") or "").partition(":")
            spans.append((int(start), int(end), i == 0))
            words.append(token.words)
    expected, predicted = _scored_units(gold.spans, gold.words), _scored_units(spans, words)
    return {name: _f1(expected[name], predicted[name]) for name in expected}


def _scored_units(
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


def _f1(expected: list[tuple[Any, ...]], predicted: list[tuple[Any, ...]]) -> float:
    n_right = (Counter(expected) & Counter(predicted)).total()
    return 200 * n_right / max(len(expected) + len(predicted), 1)
