from typing_extensions import Buffer

from dodona.treebank.block import Block
from dodona.treebank.sentence import Sentence

TEXT_NAMES: tuple[str, ...]

class ValidityBitmap:
    size: int
    def buffer(self) -> Buffer | None: ...

class Int32Builder:
    def buffer(self) -> Buffer: ...
    def __len__(self) -> int: ...

class StringBuilder:
    def buffers(self) -> tuple[Buffer, Buffer]: ...

class TableBuilder:
    is_word: ValidityBitmap
    is_sentence: ValidityBitmap
    is_document: ValidityBitmap
    has_head: ValidityBitmap
    has_position: ValidityBitmap
    spans_text: ValidityBitmap
    word_rows: Int32Builder
    sent_ids: Int32Builder
    ids: Int32Builder
    heads: Int32Builder
    starts: Int32Builder
    ends: Int32Builder
    sentence_rows: Int32Builder
    sentence_ids: Int32Builder
    first_words: Int32Builder
    sentence_starts: Int32Builder
    sentence_ends: Int32Builder
    first_sentences: Int32Builder
    sentence_texts: StringBuilder
    texts: list[StringBuilder]
    has_text: list[ValidityBitmap]
    def __init__(self, level: str) -> None: ...
    @property
    def n_words(self) -> int: ...
    @property
    def n_sentences(self) -> int: ...
    @property
    def n_documents(self) -> int: ...
    def add(self, row: int, number: int, sentences: list[Sentence] | Block) -> None: ...
    def end_document(self) -> None: ...
    def add_nothing(self, row: int) -> None: ...
