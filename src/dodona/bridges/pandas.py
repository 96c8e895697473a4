"""Conversion of documents to pandas data frames with one row per word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dodona.bridges.arrow import NUMBERS, word_columns
from dodona.extras import require
from dodona.treebank.word import CONFIDENCES

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence


def to_pandas(sentences: Iterable[Sentence]) -> Any:
    """Return a data frame of all words, with the columns of `bridges.arrow.to_arrow`.

    Integers are of the nullable type Int32, confidences of Float64.
    """
    pandas = require("pandas", "pandas")
    types = dict.fromkeys(NUMBERS, "Int32") | dict.fromkeys(CONFIDENCES, "Float64")
    columns = {
        name: pandas.array(values, dtype=types.get(name, "object"))
        for name, values in word_columns(sentences).items()
    }
    return pandas.DataFrame(columns)
