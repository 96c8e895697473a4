from collections.abc import Iterable
from typing import Any

from dodona.core.features.corpus import Corpus
from dodona.core.learning.oracle_guide import OracleGuide
from dodona.core.network.slots import Slots
from dodona.core.search.actions import Actions

BANNED: int
ALLOWED: int
OPTIMAL: int
N_SPECIAL_ROWS: int
ALLOWED_FLAG: int
MAX_TREES: int

class RolloutRecorder(OracleGuide):
    def __init__(
        self,
        corpus: Corpus,
        actions: Actions,
        slots: Slots,
        others: Iterable[Corpus] = (),
        *,
        mode: str = "explore",
        explore_rate: float = 0.9,
        seed: int = 1,
    ) -> None: ...
    @property
    def slots(self) -> Slots: ...
    @property
    def others(self) -> tuple[Corpus, ...]: ...
    @property
    def n_words(self) -> int: ...
    @property
    def n_attached(self) -> int: ...
    @property
    def n_labelled(self) -> int: ...
    @property
    def n_atom_rows(self) -> int: ...
    def roll_out(
        self,
        sentences: Iterable[int],
        first_rows: Iterable[int],
        *arguments: Any,  # products, atoms, bias, weights, class_bias, salt, exploring
    ) -> tuple[bytes, bytes, bytes]: ...
