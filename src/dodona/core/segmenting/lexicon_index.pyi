from collections.abc import Mapping
from typing import Any

FIELDS: dict[str, int]
STATES: dict[str, int]
VERB: int

def string_number(hash: int) -> int: ...

class LexiconIndex:
    def __init__(
        self,
        hashes: Any,
        classes: Any,
        patterns: Mapping[str, str],
        tags: Any = None,
        strings: Any = None,
        entropies: Any = None,
    ) -> None: ...
