from collections.abc import Mapping
from typing import Any

from dodona.core.weights.packed import FeatureScorer

FIELDS: tuple[str, ...]

class KernelMachines(FeatureScorer):
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
