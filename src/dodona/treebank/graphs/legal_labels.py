"""The labels that Universal Dependencies allow in enhanced graphs.

A label is a relation in lower-case ASCII letters, followed by up to three parts after colons: a
subtype, a word such as a preposition, and a case. The word may have letters of any script, with
underscores between them; the other parts have lower-case ASCII letters only. A conjunction such as
"&" has no letters and is dropped: conj:& becomes conj, as in treebanks.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from dodona.treebank.graphs.empty_nodes import THROUGH

LETTERS = {"Ll", "Lm", "Lo", "Mn", "Mc", "Me"}  # no capitals; combining marks belong to letters
MOST_PARTS = 4
PLAIN = re.compile("[a-z]+")


@lru_cache(maxsize=1 << 14)
def legal_label(label: str) -> str:
    """Return the label without the parts that UD does not allow; labels of other schemes stay.

    >>> legal_label("conj:&"), legal_label("obl:vis-à-vis:Dat"), legal_label("ARG1")
    ('conj', 'obl:vis_à_vis:dat', 'ARG1')
    """
    return THROUGH.join(map(_legal, label.split(THROUGH)))


def _legal(label: str) -> str:
    relation, *parts = label.split(":")
    if not PLAIN.fullmatch(relation):
        return label
    kept = [relation]
    for part in parts:
        # the letters in lower case, with one underscore between runs of letters
        letters = (c if unicodedata.category(c) in LETTERS else " " for c in part.lower())
        words = "_".join("".join(letters).split())
        if words and _may_follow(kept, words):
            kept.append(words)
    return ":".join(kept)


def _may_follow(kept: list[str], part: str) -> bool:
    """Return whether at most one part is a word, and it is the second or third part."""
    parts = [*kept, part]
    words = [i for i, each in enumerate(parts) if not PLAIN.fullmatch(each)]
    if len(parts) > MOST_PARTS or len(words) > 1:
        return False
    return not words or words[0] == 2 or (words[0] == 1 and len(parts) < MOST_PARTS)
