from dodona.core.weights.linear import Weights
from dodona.core.weights.packed import PackedWeights

def pack(weights: Weights, time: float, *, least: float = 1) -> PackedWeights: ...
