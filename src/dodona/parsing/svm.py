"""Batch learners of scikit-learn, which imitate the static oracle; parsing does not need it.

Support vector machines of MaltParser (`--learner svm`) are those of Nivre et al. (2006, Labeled
pseudo-projective dependency parsing with support vector machines): a polynomial kernel of degree 2,
one decision for each pair of classes, and the training data divided by the tag of one word, with a
machine for each part. Maximum entropy (`--learner maxent`) is logistic regression, as in Sagae &
Tsujii (2008) and the static systems of Tokgöz & Eryiğit (2015): one weight for each feature and
class, packed like the weights of a perceptron.
"""

from __future__ import annotations

import warnings
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from dodona.core.features.corpus import Corpus
from dodona.core.features.features import Features
from dodona.core.learning.static_oracle import static_examples
from dodona.core.search.actions import Actions
from dodona.core.search.kernel_machines import KernelMachines
from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import PackedWeights
from dodona.core.weights.packing import pack
from dodona.extras import require

GAMMA, COEF0, COST, TOLERANCE = 0.2, 0.0, 0.5, 1.0  # as in the paper
LEAST_STATES = 500  # with the same tag, for a machine of its own
MANY_STATES = 20_000
SECONDS_PER_PAIR = 1e-7  # of two states in a machine; a rough figure, measured on one core
ITERATIONS = 100
LEAST_SEEN = 5  # states with a feature, for it to get weights: without a cutoff, 5x the memory
MANY_FOR_MAXENT = 50_000  # states

FeatureKeys = Sequence[int]  # of one state


def fit_svm(
    actions: Actions, features: Features, corpus: Corpus, order: Sequence[int]
) -> KernelMachines:
    """Return machines that imitate the static oracle in each state of these sentences."""
    keys, sizes, classes, tags = static_examples(actions, features, corpus, order)
    states = [keys[start:end] for start, end in pairwise(accumulate(sizes, initial=0))]
    parts = _parts(states, tags)
    _warn([len(members) for members in parts.values()])
    arrays = _Arrays()
    for split, members in parts.items():
        arrays.add(split, [states[i] for i in members], [classes[i] for i in members])
    return KernelMachines(actions.n_classes, GAMMA, COEF0, arrays.done())


def _parts(states: Sequence[FeatureKeys], tags: Sequence[int]) -> dict[int, list[int]]:
    """Return the states of each machine by the feature that selects it; 0 for the last machine."""
    with_tag: dict[int, list[int]] = defaultdict(list)
    for i, tag in enumerate(tags):
        with_tag[tag].append(i)
    n_states = Counter(key for state in states for key in state)
    parts, others = {}, []
    for members in with_tag.values():
        shared = Counter(key for i in members for key in states[i])
        # a feature of all these states and of no other: that of the template s0.tag, if any
        own = [key for key, n in shared.items() if n == len(members) == n_states[key]]
        if own and len(members) >= LEAST_STATES:
            parts[min(own)] = members
        else:
            others += members
    return {**parts, 0: others or [0]}


def _warn(sizes: Sequence[int]) -> None:
    if sum(sizes) > MANY_STATES:
        minutes = SECONDS_PER_PAIR * sum(n * n for n in sizes) / 60
        warnings.warn(
            f"support vector machines are slow: training on {sum(sizes):,} states will take some "
            f"{minutes:,.0f} minutes, and parsing is slow too; they are meant for small treebanks, "
            f"of up to {MANY_STATES:,} states",
            stacklevel=2,
        )


class _Arrays:
    """The arrays of `KernelMachines`, machine by machine."""

    def __init__(self) -> None:
        types = {"machines": "Q", "keys": "Q", "classes": "H", "class_of": "H"}
        types |= {"first_posting": "I", "postings": "I", "coefficients": "f", "intercepts": "f"}
        self.arrays: dict[str, array[Any]] = {name: array(type_) for name, type_ in types.items()}

    def add(self, split: int, states: Sequence[FeatureKeys], classes: Sequence[int]) -> None:
        """Train a machine and append it."""
        here = self.arrays
        known = sorted(set(classes))
        vectors, coefficients, intercepts = _train_svm(states, classes)
        postings: dict[int, list[int]] = defaultdict(list)
        for v, i in enumerate(vectors):
            for key in states[i]:
                postings[key].append(v)
        here["machines"].extend(
            [split, len(here["classes"]), len(known), len(here["class_of"]), len(vectors)]
        )
        here["machines"].extend([len(here["keys"]), len(postings)])
        here["machines"].extend([len(here["coefficients"]), len(here["intercepts"])])
        here["classes"].extend(known)
        here["class_of"].extend(known.index(classes[i]) for i in vectors)
        here["coefficients"].extend(coefficients)
        here["intercepts"].extend(intercepts)
        for key in sorted(postings):
            here["keys"].append(key)
            here["first_posting"].append(len(here["postings"]))
            here["postings"].extend(postings[key])

    def done(self) -> dict[str, memoryview]:
        """Return all arrays, after adding the end of the last postings."""
        self.arrays["first_posting"].append(len(self.arrays["postings"]))
        return {name: memoryview(values) for name, values in self.arrays.items()}


def _train_svm(
    states: Sequence[FeatureKeys], classes: Sequence[int]
) -> tuple[list[int], list[float], list[float]]:
    """Return the support vectors, their coefficients (a row for each vector) and the intercepts."""
    if len(set(classes)) == 1:
        return [], [], []
    svm = require("sklearn.svm", "svm")
    column = {key: c for c, key in enumerate(dict.fromkeys(k for state in states for k in state))}
    rows = _sparse_rows([[column[key] for key in state] for state in states], len(column))
    model = svm.SVC(
        C=COST, kernel="poly", degree=2, gamma=GAMMA, coef0=COEF0, tol=TOLERANCE, cache_size=500
    ).fit(rows, classes)
    # scikit-learn inverts the sign for two classes
    sign = -1 if len(model.classes_) == 2 else 1
    coefficients = (sign * model.dual_coef_.toarray()).T.ravel().tolist()
    return model.support_.tolist(), coefficients, (sign * model.intercept_).tolist()


def _sparse_rows(states: Sequence[Sequence[int]], n_columns: int) -> Any:
    """Return a sparse matrix with a row for each state, and ones in its columns."""
    ends = list(accumulate(map(len, states), initial=0))
    columns = [c for state in states for c in state]
    data = [1.0] * len(columns), columns, ends
    return require("scipy.sparse", "svm").csr_matrix(data, (len(states), n_columns))


def fit_maxent(
    actions: Actions, features: Features, corpus: Corpus, order: Sequence[int]
) -> PackedWeights:
    """Return weights that imitate the static oracle in each state of these sentences."""
    keys, sizes, classes, _ = static_examples(actions, features, corpus, order)
    if len(sizes) > MANY_FOR_MAXENT:
        warnings.warn(
            f"maximum entropy is slow and needs much memory: there are {len(sizes):,} states; "
            f"it is meant for small treebanks, of up to {MANY_FOR_MAXENT:,} states",
            stacklevel=2,
        )
    counts = Counter(keys)
    column = {key: c for c, key in enumerate(k for k, n in counts.items() if n >= LEAST_SEEN)}
    states = [
        [column[key] for key in keys[start:end] if key in column]
        for start, end in pairwise(accumulate(sizes, initial=0))
    ]
    known, table = _train_maxent(states, classes, len(column))
    return pack(_weights(actions.n_classes, list(column), known, table), 1)


def _weights(
    n_classes: int, keys: Sequence[int], known: Sequence[int], table: Sequence[Sequence[float]]
) -> Weights:
    """Return weights by feature and class in the form of online training, as their own average."""
    cells = array("H", [c for _ in keys for c in known])
    values = array("f", [value for row in table for value in row])
    sizes = array("H", [len(known)] * len(keys))
    totals = array("d", bytes(8 * len(values)))
    parts = [memoryview(part) for part in (array("Q", keys), sizes, cells, values, totals)]
    return Weights.restore(n_classes, *parts)


def _train_maxent(
    states: Sequence[Sequence[int]], classes: Sequence[int], n_columns: int
) -> tuple[list[int], list[list[float]]]:
    """Return the classes that occur, ascending, and a row of their weights for each column."""
    known = sorted(set(classes))
    if len(known) == 1:
        return known, [[1.0]] * n_columns
    linear_model = require("sklearn.linear_model", "svm")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about convergence to the last digit
        model = linear_model.LogisticRegression(C=1.0, fit_intercept=False, max_iter=ITERATIONS)
        model.fit(_sparse_rows(states, n_columns), classes)
    table = model.coef_.T.tolist()
    # for two classes scikit-learn returns the weights of the second only
    return known, [[-row[0], row[0]] for row in table] if len(known) == 2 else table
