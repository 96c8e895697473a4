"""Cross-validation of parsers into graphs: each fold of a train set parsed by a parser of the rest.

Each result is kept as a line of JSON as soon as it is there, so that what was interrupted goes on.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from dodona.core.features.templates import load_templates
from dodona.evaluation.counts import Arcs
from dodona.evaluation.significance import mcnemar
from dodona.experiments.running.data import TreebankFolder
from dodona.parsing.training import train
from dodona.settings import Settings
from dodona.treebank.conllu.reader import read
from dodona.treebank.graphs.enhanced import enhanced_graph
from dodona.treebank.sentence import Sentence

KINDS = ("labelled", "unlabelled")


@dataclass(frozen=True)
class Fold:
    """What a parser made of a fold: [gold arcs, arcs built, right ones] by kind.

    `found` has a character for each gold arc, in order: 1 if it was built, else 0.
    """

    key: str
    treebank: str
    variant: str
    number: int
    counts: dict[str, list[int]]
    found: dict[str, str]
    seconds: float


@dataclass(frozen=True)
class Task:
    """A parser to be trained on the other folds of a train set and scored on this one."""

    treebank: TreebankFolder
    variant: str
    settings: Settings
    number: int
    n_folds: int

    def key(self) -> str:
        """A digest of all that decides its result."""
        parts = {
            "version": version("dodona"),
            "treebank": self.treebank.name,
            "settings": asdict(self.settings),
            "templates": load_templates(self.settings.resolved().features),
            "data": self.treebank.checksum(),
            "fold": f"{self.number} of {self.n_folds}",
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def cross_validate(tasks: Sequence[Task], path: Path | None, *, n_processes: int = 1) -> list[Fold]:
    """The results of all tasks, in order; those in the file at `path` are not run again."""
    done = {fold.key: fold for fold in _kept(path)} if path else {}
    for fold in _run_all([task for task in tasks if task.key() not in done], n_processes):
        if path:
            with path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(json.dumps(asdict(fold)) + "\n")
        done[fold.key] = fold
        print(_line(fold), file=sys.stderr)
    return [done[task.key()] for task in tasks]


def _run_all(tasks: Sequence[Task], n_processes: int) -> Iterator[Fold]:
    if n_processes == 1 or len(tasks) < 2:
        yield from map(run_fold, tasks)
        return
    with ProcessPoolExecutor(n_processes, mp_context=get_context("spawn")) as pool:
        yield from pool.map(run_fold, tasks)


def run_fold(task: Task) -> Fold:
    """Train on the other folds, parse this one and count."""
    start = time.perf_counter()
    sentences = list(read(task.treebank.part("train"), trees="required"))
    others = [s for i, s in enumerate(sentences) if i % task.n_folds != task.number]
    parser = train(others, **asdict(task.settings))
    gold = sentences[task.number :: task.n_folds]
    counts = {kind: [0, 0, 0] for kind in KINDS}
    found = dict.fromkeys(KINDS, "")
    for expected, guess in zip(gold, parser.pipe(gold), strict=True):
        for kind in KINDS:
            right, built = _arcs(expected, kind), _arcs(guess, kind)
            for i, n in enumerate((len(right), len(built), len(right & built))):
                counts[kind][i] += n
            found[kind] += "".join("1" if arc in built else "0" for arc in sorted(right))
    seconds = time.perf_counter() - start
    name = task.treebank.name
    return Fold(task.key(), name, task.variant, task.number, counts, found, seconds)


def total(folds: Iterable[Fold], kind: str) -> Arcs:
    """The arcs of all these folds together."""
    sums = [sum(column) for column in zip(*(fold.counts[kind] for fold in folds), strict=True)]
    return Arcs(sums[0], sums[1], sums[2], sums[2])


def significance(a: Sequence[Fold], b: Sequence[Fold], kind: str) -> float:
    """Two-sided p of McNemar's test over the gold arcs of the same folds."""
    pairs = [
        pair
        for one, other in zip(a, b, strict=True)
        for pair in zip(one.found[kind], other.found[kind], strict=True)
    ]
    return mcnemar(pairs.count(("1", "0")), pairs.count(("0", "1")))[0]


def _arcs(sentence: Sentence, kind: str) -> set[Any]:
    graph = enhanced_graph(sentence)
    return set(graph) if kind == "labelled" else {(head, word) for head, _, word in graph}


def _kept(path: Path) -> list[Fold]:
    """The results in a file, none if there is no such file; half a line at its end is left out."""
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    return [Fold(**json.loads(line)) for line in text[: text.rfind("\n") + 1].splitlines()]


def _line(fold: Fold) -> str:
    f1 = {kind: total([fold], kind).f1 for kind in KINDS}
    return (
        f"{fold.treebank} {fold.variant} fold {fold.number + 1}: labelled F1 {f1['labelled']:.2f} "
        f"unlabelled {f1['unlabelled']:.2f} in {fold.seconds:.0f} s"
    )
