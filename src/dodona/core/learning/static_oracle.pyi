from array import array
from collections.abc import Iterable

from dodona.core.features.corpus import Corpus
from dodona.core.features.features import Features
from dodona.core.search.actions import Actions, Pair
from dodona.core.transitions.system import System

def seen_actions(system: System, corpus: Corpus, order: Iterable[int]) -> list[Pair]: ...
def static_examples(
    actions: Actions, features: Features, corpus: Corpus, order: Iterable[int]
) -> tuple[array[int], array[int], array[int], array[int]]: ...
