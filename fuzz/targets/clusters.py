"""Files of word clusters, and texts that clusters are made of."""

from __future__ import annotations

import io
from zlib import crc32

from dodona.clustering.clusters import cluster, read_words, write_clusters
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.encoding.clusters import Clusters
from fuzz.mutation import BLIND, change_lines, columns, replace_word
from fuzz.target import Target, promise

PATHS = ["0", "1", "01", "110", "", "2", "0" * 100, "0 1"]
WORDS = ["oak", "Oak", "elm", "", " ", "\u2028", "a b", "İ", "\ufeff"]


def run(data: bytes) -> object:
    """Read clusters, save them, find words; of every fourth input make clusters."""
    if crc32(data) % 4 == 0:
        return _learn(data)
    clusters = Clusters.read(io.BytesIO(data))
    words, paths, path_of_word = clusters.save()
    again = Clusters.restore(
        memoryview(words), memoryview(paths), memoryview(path_of_word).cast("I")
    )
    promise(again.save() == clusters.save(), "what is saved is restored")
    for word in words.decode().split("\n"):
        path = clusters[word]
        promise(path == again[word] and not path.strip("01"), "a word is in the cluster it was in")
    clusters["not there"]
    return min(len(clusters), 8), min(clusters.n_clusters, 8)


def _learn(data: bytes) -> object:
    sentences = list(read_words(io.BytesIO(data)))
    try:
        words = cluster(sentences, clusters=2 + len(data) % 5)
    except ValueError as error:
        promise("word" in str(error), "only too few words are too few")
        return "too few"
    promise(len({word.word for word in words}) == len(words), "each word is in one cluster")
    written = io.BytesIO()
    write_clusters(words, written)
    written.seek(0)
    promise(len(Clusters.read(written)) == len(words), "what is written is read")
    return "learned", min(len(words), 10)


TARGET = Target(
    run=run,
    refuses=(TreebankError,),
    mutators=[*BLIND, change_lines, *[columns(PATHS, WORDS, ["1", "", "x"])] * 3,
              replace_word(b"\t\n ")],
    longest=400,
)  # fmt: skip
