"""What Universal Dependencies allow in a label of an enhanced graph.

A relation of lower-case ASCII letters, then up to three parts behind colons: a subtype, a word such
as a preposition, and a case. The word may have letters of any script and underscores between them;
the others are of lower-case ASCII letters again. A conjunction such as "&" has no letters, so that
nothing is left of it: conj:& is conj, which is also what treebanks have there.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from dodona.treebank.graphs.empty_nodes import THROUGH

LETTERS = {"Ll", "Lm", "Lo", "Mn", "Mc", "Me"}  # no capitals; marks belong to letters
MOST_PARTS = 4
PLAIN = re.compile("[a-z]+")


@lru_cache(maxsize=1 << 14)
def legal_label(label: str) -> str:
    """The label without what UD does not allow; one that is not of UD's kind stays as it is.

    >>> legal_label("conj:&"), legal_label("obl:vis-à-vis:Dat"), legal_label("ARG1")
    ('conj', 'obl:vis_à_vis:dat', 'ARG1')
    """
    return THROUGH.join(map(_legal, label.split(THROUGH)))


def _legal(label: str) -> str:
    relation, *parts = label.split(":")
    if not PLAIN.fullmatch(relation):
        return label
    kept = [relation]
    for part in filter(None, map(_letters, parts)):
        if _may_follow(kept, part):
            kept.append(part)
    return ":".join(kept)


def _letters(part: str) -> str:
    """The letters of a part in lower case, with one underscore for whatever lies between them."""
    lower = part.lower()
    spaced = "".join(c if unicodedata.category(c) in LETTERS else " " for c in lower)
    return "_".join(spaced.split())


def _may_follow(kept: list[str], part: str) -> bool:
    """Whether one part at the most is a word: the second, or the third of all."""
    parts = [*kept, part]
    words = [i for i, each in enumerate(parts) if not PLAIN.fullmatch(each)]
    if len(parts) > MOST_PARTS or len(words) > 1:
        return False
    return not words or words[0] == 2 or (words[0] == 1 and len(parts) < MOST_PARTS)
