"""Sentences with trees from CoNLL-U files and from the tables of `dodona parse`."""

from collections.abc import Iterator
from itertools import groupby

from dodona.cli.input_files import TREEBANK, find_files
from dodona.cli.inputs import read_treebanks
from dodona.extras import require
from dodona.treebank.sentence import Sentence

TABLE = ".parquet"


def read_trees(paths: list[str], format: str, *, task: str) -> Iterator[Sentence]:
    """Yield the sentences of all files and folders; invalid ones raise an error.

    >>> list(read_trees([], "conllu", task="reading"))
    []
    """
    files = find_files(paths, (*TREEBANK, TABLE))
    for is_table, group in groupby(files, lambda path: path.endswith(TABLE)):
        if is_table:
            require("pyarrow", "arrow")
            from dodona.arrow.trees import read_trees as read_table

            for path in group:
                yield from read_table(path)
        else:
            read = read_treebanks(list(group), format, "ignored", False, task=task)
            yield from (item for item in read if isinstance(item, Sentence))
