from collections.abc import Sequence

LOOKAHEAD: int
LABELS: dict[str, int]

def make_pair_table(counts: Sequence[int], least: float) -> bytes: ...
def check_pair_table(table: bytes) -> None: ...
