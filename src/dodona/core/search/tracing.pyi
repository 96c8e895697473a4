from dodona.core.features.corpus import Corpus
from dodona.core.search.beam import Beam
from dodona.core.search.search import Search
from dodona.core.transitions.action import Action
from dodona.core.transitions.system import State

def state_scores(
    search: Search, state: State, corpus: Corpus, sentence: int = 0
) -> dict[Action, int]: ...
def noted_state(search: Search, state: State, corpus: Corpus, sentence: int = 0) -> State: ...
def trace(
    search: Search, corpus: Corpus, sentence: int = 0
) -> list[tuple[State, Action | None]]: ...
def derivations(
    search: Beam, corpus: Corpus, sentence: int = 0
) -> list[tuple[float, list[int]]]: ...
def beam_steps(
    search: Beam, corpus: Corpus, sentence: int = 0
) -> list[list[tuple[float, int, Action | None]]]: ...
