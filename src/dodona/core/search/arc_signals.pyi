from collections.abc import Sequence

from dodona.core.features.corpus import Corpus
from dodona.core.search.search import Search

Tree = tuple[Sequence[int | None], Sequence[int | None]]

def arc_signals(
    search: Search, corpus: Corpus, temperature: float, trees: Sequence[Tree] | None = None
) -> list[list[tuple[float, float]]]: ...
