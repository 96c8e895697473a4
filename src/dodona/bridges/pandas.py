"""A document as a data frame of pandas, one row per word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from dodona.bridges.arrow import NUMBERS, word_columns
from dodona.extras import require

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence


def to_pandas(sentences: Iterable[Sentence]) -> Any:
    """A data frame of the words of all sentences, with the columns of `bridges.arrow.to_arrow`.

    Numbers that may be missing (`head`, `start`, `end`) are of pandas' Int32, which knows <NA>.
    """
    pandas = require("pandas", "pandas")
    columns = word_columns(sentences)
    return pandas.DataFrame(
        {
            name: pandas.array(values, dtype="Int32" if name in NUMBERS else "object")
            for name, values in columns.items()
        }
    )
