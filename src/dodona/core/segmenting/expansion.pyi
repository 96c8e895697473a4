from collections.abc import Sequence
from typing import Any

from dodona.core.weights.packed import PackedWeights

SIDES: dict[str, int]

def string_hash(text: str, side: str = "whole") -> int: ...

class RuleIndex:
    def __init__(
        self,
        rules: Sequence[tuple[str, str]],
        hashes: Any,
        fixed_rules: Any,
        n_chosen: int | None = None,
        *,
        reads_rests: bool = False,
    ) -> None: ...
    @property
    def n_rules(self) -> int: ...
    @property
    def n_chosen(self) -> int: ...
    @property
    def reads_rests(self) -> bool: ...

class TokenExpander:
    def __init__(self, index: RuleIndex, weights: PackedWeights) -> None: ...
    @property
    def index(self) -> RuleIndex: ...
    @property
    def weights(self) -> PackedWeights: ...
