from typing_extensions import Buffer

from dodona.treebank.sentence import Sentence

TEXT_NAMES: tuple[str, ...]
LEVELS: dict[str, int]

class Bits:
    size: int
    n_missing: int
    def buffer(self) -> Buffer | None: ...

class Numbers:
    def buffer(self) -> Buffer: ...
    def __len__(self) -> int: ...

class Texts:
    def buffers(self) -> tuple[Buffer, Buffer]: ...

class Columns:
    is_word: Bits
    is_sentence: Bits
    is_document: Bits
    has_head: Bits
    has_place: Bits
    spans_text: Bits
    word_rows: Numbers
    sent_ids: Numbers
    ids: Numbers
    heads: Numbers
    starts: Numbers
    ends: Numbers
    sentence_rows: Numbers
    sentence_ids: Numbers
    first_words: Numbers
    sentence_starts: Numbers
    sentence_ends: Numbers
    first_sentences: Numbers
    sentence_texts: Texts
    texts: list[Texts]
    def __init__(self, level: str) -> None: ...
    @property
    def n_words(self) -> int: ...
    @property
    def n_sentences(self) -> int: ...
    @property
    def n_documents(self) -> int: ...
    def add(self, row: int, number: int, sentences: list[Sentence]) -> None: ...
    def end_document(self) -> None: ...
    def add_nothing(self, row: int) -> None: ...
