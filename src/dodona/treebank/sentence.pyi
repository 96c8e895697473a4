from collections.abc import Iterable, Sequence
from typing import Literal, final

NAMES: tuple[str, ...]

@final
class Sentence:
    @property
    def source(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def format(self) -> Literal["conllu", "conllx"]: ...
    @property
    def forms(self) -> list[str]: ...
    @property
    def lemmas(self) -> list[str]: ...
    @property
    def upos(self) -> list[str]: ...
    @property
    def xpos(self) -> list[str]: ...
    @property
    def feats(self) -> list[str]: ...
    @property
    def heads(self) -> list[int | None]: ...
    @property
    def deprels(self) -> list[str]: ...
    @property
    def deps(self) -> list[str]: ...
    @property
    def misc(self) -> list[str]: ...
    @property
    def comments(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __bytes__(self) -> bytes: ...
    def replace(
        self,
        heads: Sequence[int | None] | None = None,
        deprels: Sequence[str | bytes] | None = None,
        upos: Sequence[str | bytes] | None = None,
        xpos: Sequence[str | bytes] | None = None,
        feats: Sequence[str | bytes] | None = None,
        lemmas: Sequence[str | bytes] | None = None,
        deps: Sequence[str | bytes] | None = None,
    ) -> Sentence: ...
    @staticmethod
    def from_columns(
        forms: Sequence[str | bytes],
        *,
        lemmas: Sequence[str | bytes] | None = None,
        upos: Sequence[str | bytes] | None = None,
        xpos: Sequence[str | bytes] | None = None,
        feats: Sequence[str | bytes] | None = None,
        heads: Sequence[int | None] | None = None,
        deprels: Sequence[str | bytes] | None = None,
        deps: Sequence[str | bytes] | None = None,
        misc: Sequence[str | bytes] | None = None,
        comments: Iterable[str] = (),
        format: Literal["conllu", "conllx"] = "conllu",
    ) -> Sentence: ...

def with_tree(
    sentence: Sentence, heads: Sequence[int], labels: list[bytes], label_ids: Sequence[int]
) -> Sentence: ...
