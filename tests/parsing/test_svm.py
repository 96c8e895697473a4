"""Support vector machines: they decide as scikit-learn does, from a file as in memory."""

from __future__ import annotations

from array import array
from pathlib import Path
from random import Random
from typing import Any

import pytest

import dodona
from dodona import extras
from dodona.core.learning.static_oracle import static_examples
from dodona.core.search.kernel_machines import FIELDS, KernelMachines
from dodona.parsing import svm
from dodona.parsing.trainer import Trainer
from dodona.settings import Settings
from support.small import treebank


def train(**settings: Any) -> dodona.Parser:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    return dodona.train(treebank(60, 1, 0.2), learner="svm", **settings)


@pytest.mark.parametrize("name", ["arc-eager", "swap", "nonmonotonic"])
def test_a_parser_of_support_vectors_learns(name: str, tmp_path: Path) -> None:
    unseen = treebank(40, 5)
    parser = train(system=name)
    parsed = list(parser.pipe(unseen))
    assert dodona.evaluate(unseen, parsed).uas > 60
    assert parser.settings.training == "static"
    assert parser.settings.features == "atoms"
    parser.save(tmp_path / "svm.dodona")
    again = dodona.load(tmp_path / "svm.dodona")
    assert list(map(bytes, again.pipe(unseen))) == list(map(bytes, parsed))
    assert list(map(bytes, again.pipe(unseen, threads=2))) == list(map(bytes, parsed))


def states(n: int, n_classes: int, random: Random) -> tuple[list[array[int]], list[int]]:
    """Sets of features that say something about the class, with much noise."""
    found, classes = [], []
    for _ in range(n):
        c = random.randrange(n_classes)
        keys = {2 * k + 1 for k in random.sample(range(40), 8)} | {2 * random.choice([c, 39]) + 1}
        found.append(array("Q", sorted(keys)))
        classes.append(c)
    return found, classes


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7])
def test_the_best_class_is_the_one_that_scikit_learn_predicts(n_classes: int) -> None:
    sklearn_svm = pytest.importorskip("sklearn.svm", reason="scikit-learn is not installed")
    seen, classes = states(150, n_classes, Random(n_classes))
    arrays = svm._Arrays()
    arrays.add(0, seen, classes)
    machines = KernelMachines(n_classes, svm.GAMMA, svm.COEF0, arrays.done())
    unseen, _ = states(200, n_classes, Random(99))
    found = [machines.scores(state) for state in unseen]
    if n_classes == 1:
        assert {len(scores) for scores in found} == {1}
        return
    model = sklearn_svm.SVC(
        C=svm.COST, kernel="poly", degree=2, gamma=svm.GAMMA, coef0=svm.COEF0, tol=svm.TOLERANCE
    ).fit(rows(seen), classes)
    for scores, expected in zip(found, model.decision_function(rows(unseen)), strict=True):
        # votes and, where they are equal, margins; of two classes there is but one number
        wanted = [-expected, expected] if n_classes == 2 else list(expected)
        assert max(wanted) - wanted[scores.index(max(scores))] < 0.02


def rows(states: list[array[int]]) -> list[list[float]]:
    return [[float(2 * k + 1 in set(state)) for k in range(40)] for state in states]


def test_states_are_divided_by_a_feature_that_only_they_have() -> None:
    trainer = Trainer(treebank(60, 1), None, Settings(features="atoms"))
    flat, sizes, _, tags = static_examples(
        *(trainer.task.actions, trainer.strategy.features),
        *(trainer.task.data.corpus, trainer.task.data.order),
    )
    found, start = [], 0
    for size in sizes:
        found.append(flat[start : start + size])
        start += size
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(svm, "LEAST_STATES", 50)
        parts = svm._parts(found, tags)
    assert list(parts)[-1] == 0 and len(parts) > 2
    assert sorted(i for members in parts.values() for i in members) == list(range(len(found)))
    for split, members in list(parts.items())[:-1]:
        assert len(members) >= 50
        assert [i for i, state in enumerate(found) if split in state] == members
        assert len({tags[i] for i in members}) == 1


@pytest.mark.parametrize("training", ["ambiguity", "explore"])
def test_dynamic_oracles_are_refused(training: str) -> None:
    with pytest.raises(ValueError, match=f"static oracle alone, not training={training}"):
        Settings(learner="svm", training=training)


def test_many_states_are_warned_of() -> None:
    with pytest.warns(UserWarning, match=r"slow: training on 30,000 states will take some \d+ min"):
        svm._warn([10_000, 20_000])


@pytest.mark.parametrize("learner", ["svm", "maxent"])
def test_without_scikit_learn_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, learner: str
) -> None:
    def find_nothing(name: str) -> None:
        raise ModuleNotFoundError(name, name=name.partition(".")[0])

    monkeypatch.setattr(extras, "import_module", find_nothing)
    with pytest.raises(ImportError, match=r'this needs sklearn.*: pip install "dodona\[svm\]"'):
        dodona.train(treebank(20, seed=1), learner=learner, system="arc-eager", epochs=1)


@pytest.mark.parametrize("field", FIELDS[1:])
def test_arrays_that_do_not_fit_are_refused(field: str) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    seen, classes = states(50, 3, Random(1))
    arrays = svm._Arrays()
    arrays.add(0, seen, classes)
    given: dict[str, Any] = dict(arrays.done())
    machines = array("Q", given["machines"])
    machines[FIELDS.index(field)] += 10_000
    with pytest.raises(ValueError, match="do not fit together"):
        KernelMachines(3, svm.GAMMA, svm.COEF0, {**given, "machines": machines})
    with pytest.raises(ValueError, match="numbers each"):
        KernelMachines(3, svm.GAMMA, svm.COEF0, {**given, "machines": machines[:-1]})


def test_machines_that_share_their_arrays_are_refused() -> None:
    """Each would be looked through again: a small file could take hours to check."""
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    seen, classes = states(50, 3, Random(1))
    arrays = svm._Arrays()
    arrays.add(0, seen, classes)
    given: dict[str, Any] = dict(arrays.done())
    KernelMachines(3, svm.GAMMA, svm.COEF0, given)
    with pytest.raises(ValueError, match="do not fit together"):
        KernelMachines(
            3, svm.GAMMA, svm.COEF0, {**given, "machines": array("Q", [*given["machines"]] * 2)}
        )


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_none_are_refused(number: float) -> None:
    """What they are as scores depends on the processor."""
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    seen, classes = states(50, 3, Random(1))
    arrays = svm._Arrays()
    arrays.add(0, seen, classes)
    given: dict[str, Any] = dict(arrays.done())
    coefficients = array("f", given["coefficients"])
    coefficients[0] = number
    for gamma, changed in ((svm.GAMMA, {**given, "coefficients": coefficients}), (number, given)):
        with pytest.raises(ValueError, match="do not fit together"):
            KernelMachines(3, gamma, svm.COEF0, changed)
    with pytest.raises(ValueError, match="at least one class"):
        KernelMachines(0, svm.GAMMA, svm.COEF0, given)
