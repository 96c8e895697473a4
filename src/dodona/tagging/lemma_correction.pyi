from collections.abc import Iterable, Sequence

from dodona.tagging.lemma_scripts import LemmaScripts

class LemmaCorrection:
    def __init__(
        self,
        scripts: Sequence[bytes],
        exceptions: Iterable[tuple[int, int, int]] = (),
        lemmas: Iterable[int] = (),
        prefixes: Iterable[int] = (),
        usual: Iterable[tuple[int, int]] = (),
        cuts: Iterable[tuple[int, int]] = (),
        names: Iterable[int] = (),
    ) -> None: ...
    @property
    def scripts(self) -> LemmaScripts: ...
    def script(self, chosen: int, form: str, tags: int, is_first: bool = False) -> int: ...

def lemma_hash(lemma: str) -> int: ...
