from typing_extensions import Buffer

from dodona.treebank.sentence import Sentence

def sentence_of_tokens(
    ends: Buffer, data: Buffer, first: int, last: int, number: int
) -> Sentence: ...
