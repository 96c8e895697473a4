from dodona.core.actions import Actions
from dodona.core.corpus import Corpus
from dodona.core.features import Features
from dodona.core.packed import Scorer
from dodona.core.system import System

class Workspace: ...

class Greedy:
    def __init__(
        self,
        features: Features,
        actions: Actions,
        weights: Scorer,
        *,
        one_root: bool = True,
        root_label: int = 0,
    ) -> None: ...
    @property
    def system(self) -> System: ...
    @property
    def features(self) -> Features: ...
    @property
    def actions(self) -> Actions: ...
    @property
    def weights(self) -> Scorer: ...
    @property
    def one_root(self) -> bool: ...
    def parse(self, corpus: Corpus, start: int = 0, end: int = -1) -> int: ...
