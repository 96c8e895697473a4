"""One model in many threads at once: every thread gets what it would get alone."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Barrier
from typing import Any

import pytest

import dodona
from dodona.core.transitions.registry import GRAPH_SYSTEMS
from support.small import enhanced, train, treebank
from support.systems import TREE_SYSTEMS

N_THREADS = 4
UNSEEN = treebank(24, 5)
TEXT = " ".join(" ".join(sentence.forms) + "." for sentence in UNSEEN)


@cache
def pipeline() -> dodona.Parser:
    return dodona.train(treebank(20, 1), pipeline="text", epochs=1)


@cache
def graphs() -> dodona.Parser:
    return dodona.train([enhanced(s) for s in treebank(12, 1)], system="graph-eager", epochs=1)


JOBS: dict[str, Callable[[], Any]] = {
    "parse": lambda: [bytes(s) for s in pipeline().pipe(UNSEEN)],
    "parse with a beam": lambda: [bytes(s) for s in pipeline().pipe(UNSEEN, beam=3)],
    "parse in threads of its own": lambda: [bytes(s) for s in pipeline().pipe(UNSEEN, threads=2)],
    "parse text": lambda: pipeline()(TEXT).to_conllu(),
    "parse into graphs": lambda: [bytes(s) for s in graphs().pipe(UNSEEN)],
    "trace": lambda: pipeline().trace(UNSEEN[0]),
    "train": lambda: train(treebank(8, 1), epochs=1).to_bytes(),
}


def at_once(jobs: list[Callable[[], Any]]) -> list[Any]:
    """What jobs give that begin at the same moment."""
    start = Barrier(len(jobs))

    def run(job: Callable[[], Any]) -> Any:
        start.wait(60)
        return job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(run, jobs))


@pytest.mark.parametrize("name", JOBS)
def test_threads_that_share_a_model_get_what_they_get_alone(name: str) -> None:
    alone = JOBS[name]()
    assert at_once([JOBS[name]] * N_THREADS) == [alone] * N_THREADS


def test_threads_that_do_different_things_with_a_model_do_not_disturb_each_other() -> None:
    alone = [job() for job in JOBS.values()]
    assert at_once(list(JOBS.values())) == alone


@pytest.mark.parametrize(("name", "root"), [*TREE_SYSTEMS, *((n, "first") for n in GRAPH_SYSTEMS)])
def test_threads_that_share_a_system_get_the_costs_of_their_own_trees(name: str, root: str) -> None:
    """The reference that was asked for last is kept: it must not be that of another thread."""
    system = dodona.system(name, labels=["root", "obj"], root=root)
    golds = [
        dodona.Gold(heads=heads, labels=["obj" if head else "root" for head in heads])
        for heads in ([0, 1, 2, 3], [2, 0, 2, 3], [2, 3, 0, 3], [4, 4, 4, 0])
    ]

    def costs(gold: dodona.Gold) -> list[dict[dodona.Action, int]]:
        found, state = [], system.start(4)
        for action in system.derivation(gold):
            for _ in range(20):
                found.append(system.costs(state, gold))
            state = system.step(state, action)
        return found

    alone = [costs(gold) for gold in golds]
    assert at_once([lambda gold=gold: costs(gold) for gold in golds]) == alone
