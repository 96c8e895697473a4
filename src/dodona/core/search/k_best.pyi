from dodona.core.features.corpus import Corpus
from dodona.core.search.beam import Beam

Tree = tuple[float, tuple[int, ...], tuple[int, ...]]

def k_best(search: Beam, corpus: Corpus, sentence: int = 0) -> list[Tree]: ...
