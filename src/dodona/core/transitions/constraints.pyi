from collections.abc import Sequence

from dodona.core.transitions.action import Action
from dodona.core.transitions.system import State

RULES: tuple[str, ...]

class Constraints:
    def __init__(
        self,
        *,
        relation: Sequence[int],
        children: Sequence[int],
        by_tag: Sequence[int],
        under_tag: Sequence[int],
        rightwards: int,
        spanning: int,
        single: Sequence[int],
        negation: int,
        not_negated: int,
        owned: int,
        owner: int,
        oblique: int,
        argument: int,
    ) -> None: ...
    def broken(self, state: State, kinds: Sequence[int], action: Action) -> str | None: ...
