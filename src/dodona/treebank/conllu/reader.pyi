from collections.abc import Iterator
from typing import Generic, Literal, TypeVar, overload

from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.conllu.files import Source
from dodona.treebank.conllu.scanner import Scanner
from dodona.treebank.sentence import Sentence

FORMATS: tuple[str, ...]
TREES: tuple[str, ...]
BAD: tuple[str, ...]

_Item = TypeVar("_Item", covariant=True)

class Reader(Scanner, Generic[_Item]):
    @property
    def n_bad(self) -> int: ...
    @property
    def source(self) -> str: ...
    def __iter__(self) -> Iterator[_Item]: ...
    def __next__(self) -> _Item: ...
    def __enter__(self) -> Reader[_Item]: ...
    def __exit__(self, *_: object) -> None: ...
    def close(self) -> None: ...

@overload
def read(
    source: Source,
    *,
    format: Literal["conllu", "conllx"] = "conllu",
    trees: Literal["required", "optional", "ignored"] = "required",
    bad: Literal["raise"] = "raise",
    max_words: int = 1_000_000,
    name: str | None = None,
    chunk_size: int = ...,
) -> Reader[Sentence]: ...
@overload
def read(
    source: Source,
    *,
    format: Literal["conllu", "conllx"] = "conllu",
    trees: Literal["required", "optional", "ignored"] = "required",
    bad: Literal["pass"],
    max_words: int = 1_000_000,
    name: str | None = None,
    chunk_size: int = ...,
) -> Reader[Sentence | BadSentence]: ...
def restore_sentence(
    data: bytes, format: Literal["conllu", "conllx"], source: str, line: int
) -> Sentence: ...
