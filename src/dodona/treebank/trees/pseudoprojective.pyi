from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

Scheme: TypeAlias = Literal["baseline", "head", "path", "head+path"]
SCHEMES: tuple[Scheme, ...]

class Projectivised(NamedTuple):
    heads: list[int]
    labels: list[str]
    n_lifted: int

def lifted(label: str) -> bool: ...
def plain(label: str) -> str: ...
def projectivise(
    heads: Sequence[int], labels: Sequence[str], scheme: str = "head"
) -> Projectivised: ...
def deprojectivise(
    heads: Sequence[int], labels: Sequence[str], scheme: str = "head"
) -> tuple[list[int], list[str]]: ...
