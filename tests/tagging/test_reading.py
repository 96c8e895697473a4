"""Words read by a network: the cache of word types does not show."""

from __future__ import annotations

from random import Random

from dodona.core.network.network import Network
from dodona.tagging.reading import WordReader
from dodona.tagging.tags import with_tags
from dodona.tagging.word_types import FIELDS, HASHED, WordTypes
from dodona.treebank.encoding.vocabulary import Vocabulary
from dodona.treebank.sentence import Sentence
from support.networks import Shape, random_arrays

N_ROWS = 11


def reader() -> WordReader:
    shape = Shape(fields=(4,) * len(FIELDS), n_rows=N_ROWS)
    network = Network(shape.about(), random_arrays(shape, Random(1), int8=True))
    forms = Vocabulary([str(i).encode() for i in range(N_ROWS - 1)])
    return WordReader(network, WordTypes(forms, [N_ROWS] * (len(HASHED) + 1)), network.n_heads)


def tags(read: WordReader, sentence: Sentence) -> bytes:
    """Return a sentence with the tags that the network gives its words."""
    classes = [[str(i).encode() for i in range(n)] for n in Shape().tags]
    return bytes(with_tags(read.read([sentence]), [sentence], ["upos", "xpos"], classes)[0])


def test_words_are_read_alike_after_thousands_of_others() -> None:
    read = reader()
    oaks = Sentence.from_columns([f"oak{i}" for i in range(300)])
    first = tags(read, oaks)
    for batch in range(40):
        forms = [f"w{batch}-{i}" * (1 + i % 9) for i in range(2_000)]
        read.read([Sentence.from_columns(forms)])
        assert tags(read, oaks) == first


def test_long_words_are_read_alike() -> None:
    read = reader()
    long = Sentence.from_columns(["oak" * 200_000, "elm", "oak" * 200_001])
    first = tags(read, long)
    for batch in range(10):  # 6 MB each, and the cache holds one
        read.read([Sentence.from_columns([f"w{batch}" * 3_000_000])])
        assert tags(read, long) == first
