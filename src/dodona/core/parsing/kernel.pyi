from array import array
from collections.abc import Iterable, Mapping
from typing import Any

from dodona.core.features.corpus import Corpus
from dodona.core.features.features import Features
from dodona.core.parsing.actions import Actions
from dodona.core.weights.packed import Scorer

FIELDS: tuple[str, ...]

class KernelMachines(Scorer):
    def __init__(
        self, n_classes: int, gamma: float, coef0: float, arrays: Mapping[str, Any]
    ) -> None: ...
    @property
    def gamma(self) -> float: ...
    @property
    def coef0(self) -> float: ...
    @property
    def arrays(self) -> dict[str, Any]: ...
    @property
    def n_vectors(self) -> int: ...

def static_examples(
    actions: Actions, features: Features, corpus: Corpus, order: Iterable[int]
) -> tuple[array[int], array[int], array[int], array[int]]: ...
