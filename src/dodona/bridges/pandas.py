"""Conversion of documents to pandas data frames with one row per word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dodona.bridges.arrow import NUMBERS, word_columns
from dodona.extras import require

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence


def to_pandas(sentences: Iterable[Sentence]) -> Any:
    """Return a data frame of all words, with the columns of `bridges.arrow.to_arrow`.

    Integers are of the nullable type Int32.
    """
    pandas = require("pandas", "pandas")
    columns = {
        name: pandas.array(values, dtype="Int32" if name in NUMBERS else "object")
        for name, values in word_columns(sentences).items()
    }
    return pandas.DataFrame(columns)
