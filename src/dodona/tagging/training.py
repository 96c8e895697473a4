"""Training a tagger: what it should know of words, epochs, the choice of the best on a dev set."""

from __future__ import annotations

import hashlib
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dodona.core.base.shuffle import shuffle as shuffled
from dodona.core.tagging.tag_templates import LEMMA
from dodona.core.tagging.tag_training import TagTrainer
from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import PackedWeights, pack
from dodona.settings import TaggerSettings
from dodona.tagging.lemma_learning import learn_lemmas
from dodona.tagging.tagger import Answers, Knowledge, Tagger
from dodona.tagging.tags import with_tags
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.reader import read
from dodona.treebank.encoding.clusters import Clusters
from dodona.treebank.sentence import Sentence

Treebank = str | Path | Iterable[Sentence]
EMPTY = "_"
SMALL_TAGSET = 100  # classes; XPOS comes first if it has no more, else last
MARGIN = 12  # by which the right class should win
FIRST_AMBIGUITY = 3  # numbers below are reserved; 2 stands for what is not known
UNKNOWN = 2
CHUNK = 256  # sentences between two looks at the clock and at Ctrl-C


@dataclass(frozen=True)
class TaggerEpoch:
    """What one pass over the training data brought; accuracies are those on the dev set."""

    number: int
    n_updates: int
    seconds: float
    accuracy: dict[str, float]

    @property
    def mean(self) -> float:
        """What the best epoch is chosen by."""
        return sum(self.accuracy.values()) / max(len(self.accuracy), 1)


class TaggerTrainer:
    """One training run. `epochs()` runs it; `tagger()` gives the best tagger so far.

    `clusters` are those of the file that the settings name, where it has been read already.
    """

    def __init__(
        self,
        train: Treebank,
        dev: Treebank | None,
        settings: TaggerSettings,
        clusters: Clusters | None = None,
    ) -> None:
        if settings.clusters and clusters is None:
            clusters = Clusters.read(settings.clusters)
        # clusters go into the model, but not the folder they were read from
        self.settings = replace(settings, clusters=Path(settings.clusters).name)
        self.sentences = _load(train)
        self.dev = _load(dev) if dev is not None else []
        self.columns = tag_columns(self.sentences, lemmas=settings.lemmas)
        tags = {name: _column(self.sentences, name) for name in self.columns if name != LEMMA}
        words, self.gold = learn_words(_column(self.sentences, "forms"), tags, settings)
        self.knowledge = self.in_training = replace(words, clusters=clusters)
        if LEMMA in self.columns:
            self._add_lemmas()
        self.corpus = self.knowledge.speller().encode(self.sentences, len(self.columns))
        self.start([Weights(answers.n_classes) for answers in self.knowledge.answers])
        self.history: list[TaggerEpoch] = []
        self.best: list[PackedWeights] | None = None
        self.best_epoch: TaggerEpoch | None = None

    def _add_lemmas(self) -> None:
        """Make lemmas the last task; some words that have theirs for certain are learned from."""
        forms, values = (_flat(_column(self.sentences, name)) for name in ("forms", LEMMA))
        lemmas = learn_lemmas(forms, values, self.gold, self.settings.certain)
        before = self.knowledge.answers
        self.knowledge = replace(self.knowledge, answers=[*before, lemmas.answers])
        self.in_training = replace(self.knowledge, answers=[*before, lemmas.in_training])
        self.gold.append(lemmas.gold)

    def start(self, weights: Sequence[Weights]) -> None:
        """Go on from these weights, one for each task."""
        settings = self.settings
        parts = zip(self.in_training.tasks(), weights, self.gold, strict=True)
        self.trainers = [
            TagTrainer(
                self.corpus,
                *part,
                width=settings.width_of(column),
                margin=MARGIN,
                cutoff=settings.cutoff,
            )
            for column, part in zip(self.columns, parts, strict=True)
        ]

    def epochs(self, report: Callable[[int], None] | None = None) -> Iterator[TaggerEpoch]:
        """Run the epochs that are left; `report` is told how many sentences of one are done."""
        while len(self.history) < self.settings.epochs:
            epoch = self._epoch(len(self.history) + 1, report or (lambda _: None))
            self.history.append(epoch)
            yield epoch

    def _epoch(self, number: int, report: Callable[[int], None]) -> TaggerEpoch:
        start, before = time.perf_counter(), self._n_updates()
        order = shuffled(len(self.sentences), self.settings.seed + (number << 32))
        for i in range(0, len(order), CHUNK):
            for sentence in order[i : i + CHUNK]:
                self.learn(sentence)
            report(min(i + CHUNK, len(order)))
        seconds = time.perf_counter() - start
        weights = self.average()
        accuracy = self._accuracy(weights)
        epoch = TaggerEpoch(number, self._n_updates() - before, seconds, accuracy)
        if self.best_epoch is None or not accuracy or epoch.mean > self.best_epoch.mean:
            self.best, self.best_epoch = weights, epoch
        return epoch

    def learn(self, sentence: int) -> None:
        """One sentence, task after task; the predictions stay in the corpus."""
        for trainer in self.trainers:
            trainer.train((sentence,))

    def tagged(self, sentence: int) -> Sentence:
        """A sentence with the tags that `learn` has predicted."""
        meanings = [answers.meanings for answers in self.knowledge.answers]
        found = [self.sentences[sentence]]
        return with_tags(self.corpus, found, self.columns, meanings, sentence)[0]

    def snapshot(self) -> Tagger:
        """The tagger of the averaged weights as they are now."""
        return Tagger(self.settings, self.knowledge, self.average())

    def average(self) -> list[PackedWeights]:
        """The averaged weights of each task, as they are now."""
        least = self.settings.prune
        return [pack(trainer.weights, trainer.time, least=least) for trainer in self.trainers]

    def _n_updates(self) -> int:
        return sum(trainer.n_updates for trainer in self.trainers)

    def _accuracy(self, weights: list[PackedWeights]) -> dict[str, float]:
        tagged = Tagger(self.settings, self.knowledge, weights).tag_batch(self.dev)
        return tag_accuracies(self.dev, tagged, self.columns)

    def tagger(self) -> Tagger:
        """The tagger of the best epoch so far."""
        if self.best is None:
            raise ValueError("no epoch has been completed: there is no tagger yet")
        return Tagger(self.settings, self.knowledge, self.best, self.record())

    def record(self) -> dict[str, Any]:
        """How this tagger came to be; no times, which differ between runs."""
        checksums = {
            "train": _checksum(map(bytes, self.sentences)),
            "dev": _checksum(map(bytes, self.dev)),
        }
        if self.knowledge.clusters is not None:
            checksums["clusters"] = _checksum(self.knowledge.clusters.save())
        return {
            "checksums": checksums,
            "n_sentences": len(self.sentences),
            "n_words": self.corpus.n_words_total,
            "best_epoch": self.best_epoch.number if self.best_epoch else None,
            "history": [
                {"number": e.number, "n_updates": e.n_updates, "accuracy": e.accuracy}
                for e in self.history
            ],
        }


def train_tagger(
    train: Treebank,
    dev: Treebank | None = None,
    *,
    report: Callable[[TaggerEpoch], None] | None = None,
    **settings: Any,
) -> Tagger:
    """Train a tagger on a treebank (a path or sentences) and return the best on `dev`.

    Every setting of `dodona.settings.TaggerSettings` is a keyword.

    >>> oaks = Sentence.from_columns(["Oaks", "speak"], upos=["NOUN", "VERB"])
    >>> train_tagger([oaks], epochs=2).tag(Sentence.from_columns(["Oaks"])).upos
    ['NOUN']
    """
    trainer = TaggerTrainer(train, dev, replace(TaggerSettings(), **settings))
    for epoch in trainer.epochs():
        if report:
            report(epoch)
    return trainer.tagger()


def tag_columns(sentences: Sequence[Sentence], *, lemmas: bool = True) -> list[str]:
    """The columns that hold tags, in the order in which to predict them; lemmas are the last.

    A tagset like that of the Penn Treebank tells most of the others; one that spells out all of
    morphology is easier to find once they are known (dev sets of en, ta, tr and ko).
    """
    values = {
        name: {value for column in _column(sentences, name) for value in column}
        for name in ("upos", "feats", "xpos")
    }
    names = [name for name, found in values.items() if found != {EMPTY}]
    if not names:
        raise ValueError("no UPOS, XPOS or FEATS in the training data: nothing to learn")
    if "xpos" in names and len(values["xpos"]) <= SMALL_TAGSET:
        names.insert(0, names.pop())
    has_lemmas = any(lemma != EMPTY for column in _column(sentences, LEMMA) for lemma in column)
    return [*names, LEMMA] if lemmas and has_lemmas else names


def learn_words(
    forms: list[list[str]], tags: dict[str, list[list[str]]], settings: TaggerSettings
) -> tuple[Knowledge, list[array[int]]]:
    """What is to be known of the words and tags of a treebank, and its tags as classes."""
    words = _flat(forms)
    counts = Counter(words)
    entry = {form: i for i, form in enumerate(sorted(counts))}
    entries = [entry[form] for form in words]
    answers, gold = [], []
    before = array("I", bytes(4 * len(words)))
    for column, values in tags.items():
        flat = _flat(values)
        frequency = Counter(flat)
        names = sorted(frequency, key=lambda name: (-frequency[name], name))
        number = {name: i for i, name in enumerate(names)}
        classes = array("I", [number[value] for value in flat])
        certain = _certain(entries, before, classes, settings.certain)
        answers.append(Answers(column, [name.encode() for name in names], *certain))
        gold.append(classes)
        before = classes
    ambiguity = _ambiguity(entries, gold[0], [counts[form] for form in entry], settings.rare)
    return Knowledge([form.encode() for form in entry], ambiguity, answers), gold


def _certain(
    entries: list[int], before: array[int], classes: array[int], least: int
) -> tuple[array[int], array[int], array[int]]:
    """The words seen often enough, given the class of the task before, and with one class only."""
    seen: defaultdict[tuple[int, int], Counter[int]] = defaultdict(Counter)
    for word, given, klass in zip(entries, before, classes, strict=True):
        seen[word, given][klass] += 1
    sure = sorted(
        (word, given, klass)
        for (word, given), found in seen.items()
        for klass, count in found.items()
        if len(found) == 1 and 0 < least <= count
    )
    rows = list(zip(*sure, strict=True)) or [(), (), ()]
    return array("I", rows[0]), array("I", rows[1]), array("I", rows[2])


def _ambiguity(
    entries: list[int], classes: array[int], counts: list[int], least: int
) -> array[int]:
    """For each word a number of its set of classes; rare words have none.

    A word seen once would always have the right set in training, and the tagger would rely on it.
    """
    seen: list[set[int]] = [set() for _ in counts]
    for word, klass in zip(entries, classes, strict=True):
        seen[word].add(klass)
    numbers: dict[frozenset[int], int] = {}
    return array(
        "I",
        [
            numbers.setdefault(frozenset(found), len(numbers) + FIRST_AMBIGUITY)
            if count >= least
            else UNKNOWN
            for found, count in zip(seen, counts, strict=True)
        ],
    )


def tag_accuracies(
    gold: Sequence[Sentence], guessed: Sequence[Sentence], columns: Sequence[str]
) -> dict[str, float]:
    """The percentage of right values in each of the columns; nothing where there is no sentence."""
    n_words = sum(map(len, gold))
    accuracies = {}
    for column in columns if n_words else ():
        pairs = zip(_column(gold, column), _column(guessed, column), strict=True)
        n_right = sum(
            right == guess
            for values, guesses in pairs
            for right, guess in zip(values, guesses, strict=True)
        )
        accuracies[column] = 100 * n_right / n_words
    return accuracies


def _column(sentences: Sequence[Sentence], name: str) -> list[list[str]]:
    attribute = "lemmas" if name == LEMMA else name
    return [getattr(sentence, attribute) for sentence in sentences]


def _flat(column: list[list[str]]) -> list[str]:
    return [value for sentence in column for value in sentence]


def _load(treebank: Treebank) -> list[Sentence]:
    if isinstance(treebank, str | Path):
        sentences = list(read(treebank, trees="ignored"))
        source = str(treebank)
    else:
        sentences, source = list(treebank), "the given sentences"
    if not sentences:
        raise TreebankError(source, None, "no sentence in it: there is nothing to learn from")
    return sentences


def _checksum(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
