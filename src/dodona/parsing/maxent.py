"""Maximum entropy (`--learner maxent`): logistic regression by scikit-learn.

Sagae & Tsujii (2008) and the static systems of Tokgöz & Eryiğit (2015) choose actions with such a
model. It has one weight for each feature and class, so that it is packed like the weights of a
perceptron: parsing needs no scikit-learn.
"""

from __future__ import annotations

import warnings
from array import array
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise

from dodona.core.features.corpus import Corpus
from dodona.core.features.features import Features
from dodona.core.learning.static_oracle import static_examples
from dodona.core.search.actions import Actions
from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import PackedWeights
from dodona.core.weights.packing import pack
from dodona.extras import require

COST = 1.0
ITERATIONS = 100
LEAST_STATES = 5  # with a feature, for it to get weights: without a cutoff, 5x the memory
MANY_STATES = 50_000


def fit(
    actions: Actions, features: Features, corpus: Corpus, order: Sequence[int]
) -> PackedWeights:
    """Return weights that imitate the static oracle in each state of these sentences."""
    keys, sizes, classes, _ = static_examples(actions, features, corpus, order)
    if len(sizes) > MANY_STATES:
        warnings.warn(
            f"maximum entropy is slow and needs much memory: there are {len(sizes):,} states; "
            f"it is meant for small treebanks, of up to {MANY_STATES:,} states",
            stacklevel=2,
        )
    counts = Counter(keys)
    column = {key: c for c, key in enumerate(k for k, n in counts.items() if n >= LEAST_STATES)}
    states = [
        [column[key] for key in keys[start:end] if key in column]
        for start, end in pairwise(accumulate(sizes, initial=0))
    ]
    known, table = _train(states, classes, len(column))
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


def _train(
    states: Sequence[Sequence[int]], classes: Sequence[int], n_columns: int
) -> tuple[list[int], list[list[float]]]:
    """Return the classes that occur, ascending, and a row of their weights for each column."""
    known = sorted(set(classes))
    if len(known) == 1:
        return known, [[1.0]] * n_columns
    linear_model, sparse = require("sklearn.linear_model", "svm"), require("scipy.sparse", "svm")
    ends = list(accumulate(map(len, states), initial=0))
    columns = [c for state in states for c in state]
    rows = sparse.csr_matrix(([1.0] * len(columns), columns, ends), (len(states), n_columns))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about convergence to the last digit
        model = linear_model.LogisticRegression(
            C=COST, fit_intercept=False, max_iter=ITERATIONS
        ).fit(rows, classes)
    table = model.coef_.T.tolist()
    # for two classes scikit-learn returns the weights of the second only
    return known, [[-row[0], row[0]] for row in table] if len(known) == 2 else table
