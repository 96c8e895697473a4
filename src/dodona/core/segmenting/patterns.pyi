from dodona.core.segmenting.characters import CodePoints

PATTERNS: dict[str, int]

def pattern_at(
    text: CodePoints, start: int = 0, after_space: bool = True
) -> tuple[str, int] | None: ...
