"""Parsing around what is given, and the k best trees of a beam."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from dodona.core.features.corpus import Corpus
from dodona.core.search.arc_signals import arc_signals
from dodona.core.search.beam import Beam
from dodona.core.search.k_best import k_best
from dodona.core.search.search import Search
from dodona.parsing.confidence import PLAIN, Calibrator
from dodona.parsing.given import Given, GivenError
from dodona.parsing.given_checks import TreeKind, checked
from dodona.parsing.given_trees import first_lost, tightened
from dodona.parsing.scorers import ParserScorer
from dodona.records import record, replace
from dodona.treebank.confidence import with_confidences
from dodona.treebank.sentence import Sentence
from dodona.treebank.trees.word_kinds import set_kinds

Decode = Callable[[list[Sentence], Corpus, Search, Sequence[Given]], list[Sentence]]


class Candidate(NamedTuple):
    """One of the k best trees of a sentence."""

    sentence: Sentence
    score: float


@record
class GivenParsing:
    """Parts of a parser whose search keeps given heads and labels."""

    scorer: ParserScorer
    labels: list[str]
    kind: TreeKind
    search: Search
    decode: Decode

    def check(self, batch: list[Sentence], known: Sequence[Given | None]) -> list[Given]:
        """Return what is known of each sentence with all that it implies; refuse contradictions."""
        return [checked(one or Given(), batch[i], self.kind) for i, one in enumerate(known)]

    def parse(
        self, batch: list[Sentence], keep: Collection[str] | None, known: Sequence[Given | None]
    ) -> list[Sentence]:
        """Return the sentences with trees that have all that is known of each."""
        found = self.check(batch, known)
        return self._settle(*self._read(batch, keep, found), found)

    def parse_with_confidence(
        self,
        batch: list[Sentence],
        keep: Collection[str] | None,
        known: Sequence[Given | None],
        calibrators: Mapping[str, Calibrator],
    ) -> list[Sentence]:
        """Return the sentences with trees, and confidences in what is not known of them."""
        found = self.check(batch, known)
        parsed = self._settle(*self._read(batch, keep, found), found)
        signals = self._signals(parsed, found, calibrators.get("head", PLAIN).temperature)
        return [
            with_confidences(sentence, _confidences(calibrators, signals[i], known[i] or Given()))
            for i, sentence in enumerate(parsed)
        ]

    def _signals(
        self, parsed: list[Sentence], known: list[Given], temperature: float
    ) -> list[list[tuple[float, float]]]:
        """Return the signals of arcs and labels, in a derivation that keeps what is known."""
        batch, corpus = self.scorer.read(parsed, None)
        self._fill(corpus, known)
        if self.search.constraints:
            set_kinds(corpus, batch)
        self.search.parse(corpus)
        trees = [(corpus.heads(i), corpus.labels(i)) for i in range(len(parsed))]
        self._fill(corpus, known)
        return arc_signals(self.search, corpus, temperature, trees)

    def candidates(
        self, sentence: Sentence, keep: Collection[str] | None, given: Given | None
    ) -> Iterator[Candidate]:
        """Yield the different trees that a beam finds, best first."""
        assert isinstance(self.search, Beam)
        known = [] if given is None else self.check([sentence], [given])
        batch, corpus = self._read([sentence], keep, known)
        if known:
            self._settle(batch, corpus, known)
            self._fill(corpus, known)
        if self.search.constraints:
            set_kinds(corpus, batch)
            corpus.broken.append(0)  # so that each of the trees is checked
        seen = set()
        for score, heads, labels in k_best(self.search, corpus):
            corpus.set_tree(0, heads, labels)
            found = self.decode(batch, corpus, self.search, known)[0]
            tree = tuple(found.heads), tuple(found.deprels)
            if tree not in seen and not (known and self._missing(known[0], found)):
                seen.add(tree)
                yield Candidate(found, score)

    def _read(
        self, batch: list[Sentence], keep: Collection[str] | None, known: list[Given]
    ) -> tuple[list[Sentence], Corpus]:
        """Tag and encode sentences; the tagger predicts other columns from the given tags."""
        if any(given.tags for given in known):
            if keep is not None:
                bare = [
                    one.replace(upos=["_"] * len(one)) if known[i].tags else one
                    for i, one in enumerate(batch)
                ]
                tagged, keep = self.scorer.read(bare, keep)[0], {*keep, "upos"}
            else:
                tagged = batch
            batch = [
                one.replace(upos=[given.tags.get(i, tag) for i, tag in enumerate(new.upos, 1)])
                for one, new, given in zip(batch, tagged, known, strict=True)
            ]
        return self.scorer.read(batch, keep)

    def _fill(self, corpus: Corpus, known: list[Given]) -> None:
        """Write given heads and labels into a corpus; labels that are unknown are set later."""
        ids = {label: i for i, label in enumerate(self.labels)}
        for i, given in enumerate(known):
            words = range(1, len(corpus.heads(i)) + 1)
            labels = [ids.get(given.labels.get(word, "")) for word in words]
            corpus.set_tree(i, [given.heads.get(word) for word in words], labels)

    def _settle(self, batch: list[Sentence], corpus: Corpus, known: list[Given]) -> list[Sentence]:
        """Parse until every tree keeps what is given; `known` then has the heads that do it."""
        self._fill(corpus, known)
        if self.search.constraints:
            set_kinds(corpus, batch)
        self.search.parse(corpus)
        parsed = self.decode(batch, corpus, self.search, known)
        again = []
        for i, (sentence, given) in enumerate(zip(parsed, known, strict=True)):
            if lost := first_lost(given, sentence):
                raise GivenError(
                    f"{sentence.forms[lost - 1]} (word {lost}) cannot be given this head: the "
                    f"model has learned no {self.kind.system} action that builds such an arc"
                )
            if missing := self._missing(given, sentence):
                known[i] = replace(given, heads={**given.heads, **missing})
                again.append(i)
        if again:
            some, more = [batch[i] for i in again], [known[i] for i in again]
            settled = self._settle(*self.scorer.read(some, None), more)
            for i, sentence, given in zip(again, settled, more, strict=True):
                parsed[i], known[i] = sentence, given
        return parsed

    def _missing(self, given: Given, sentence: Sentence) -> dict[int, int]:
        """Return heads that must be given as well, so that spans and labels are kept."""
        tree = [head or 0 for head in sentence.heads]
        return tightened(given, tree, self.kind)


def _confidences(
    calibrators: Mapping[str, Calibrator], signals: Sequence[tuple[float, float]], given: Given
) -> dict[str, list[float | None]]:
    """Return the confidences of arcs and labels; None where they are given."""
    arc, label = (calibrators.get(name, PLAIN).probability for name in ("head", "deprel"))
    rows = [*enumerate(signals, 1)]
    return {
        "confidence": [None if i in given.heads else arc(signal) for i, (signal, _) in rows],
        "deprel_confidence": [
            None if i in given.labels else label(signal) for i, (_, signal) in rows
        ],
    }
