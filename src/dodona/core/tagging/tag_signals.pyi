from dodona.core.features.corpus import Corpus
from dodona.core.tagging.tag_task import TagTask
from dodona.core.weights.packed import PackedWeights

def tag_signals(
    task: TagTask, weights: PackedWeights, corpus: Corpus, temperature: float
) -> list[list[float]]: ...
