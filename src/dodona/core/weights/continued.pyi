from collections.abc import Iterable

from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import PackedWeights

class ContinuedWeights(Weights):
    def __init__(
        self,
        n_classes: int,
        base: PackedWeights,
        learned: Weights | None = None,
        like: Iterable[tuple[int, int]] = (),
    ) -> None: ...
    @property
    def base(self) -> PackedWeights: ...

def pack_continued(
    weights: ContinuedWeights, time: float, *, least: float = 1
) -> PackedWeights: ...
