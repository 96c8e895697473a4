from dodona.core.features.corpus import Corpus
from dodona.core.search.search import Search

def arc_signals(
    search: Search, corpus: Corpus, temperature: float
) -> list[list[tuple[float, float]]]: ...
