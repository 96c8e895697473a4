from collections.abc import Callable

from dodona.treebank.block import Block
from dodona.treebank.sentence import Sentence

def json_lines(block: Block, draw: Callable[[Sentence], str]) -> bytes: ...
