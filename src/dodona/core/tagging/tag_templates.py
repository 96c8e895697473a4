"""Feature templates of taggers: parts such as ``-1.suffix3`` joined by ``+``, one template a line.

A part is a place, counted from the word to be tagged, and an attribute: how the word there is
spelled, its `ambiguity` (the set of tags it had in training, of frequent words only), its `cluster`
(or the first bits of it: `cluster:4`), or its tag.
`own` is the tag that is to be found, known of words to the left; `given` stands for the tags that
tasks before this one have found, which are known everywhere, and `first` for those of the first.
"""

from __future__ import annotations

from collections.abc import Sequence

LEMMA = "lemma"  # the task that looks at other things
Part = tuple[int, str]

# The ambiguity of the words to the right does what their tags would: a second pass with the tags of
# both sides, or a beam, brings nothing on the dev set of en_ewt, nor do more affixes of neighbours.
FIRST_TASK = """
0.form
0.lower
0.prefix1
0.prefix2
0.prefix3
0.prefix4
0.suffix1
0.suffix2
0.suffix3
0.suffix4
0.suffix5
0.shape
0.ambiguity
0.shape + 0.suffix3

-2.lower
-1.lower
1.lower
2.lower
-1.suffix3
1.suffix3
1.ambiguity
2.ambiguity
0.ambiguity + 1.ambiguity
-1.lower + 0.lower
0.lower + 1.lower
-1.shape
1.shape
-1.shape + 0.shape
0.shape + 1.shape

-1.own
-2.own + -1.own
-1.own + 0.lower
-1.own + 0.suffix3
-1.own + 0.shape
-1.own + 0.ambiguity
-1.own + 1.ambiguity
-1.own + 1.lower
-1.own + 0.ambiguity + 1.ambiguity
-2.own + -1.own + 0.ambiguity
"""

LATER_TASK = """
0.form
0.lower
0.suffix2
0.suffix3
0.suffix4
0.given
0.given + 0.lower
0.given + 0.prefix1
0.given + 0.prefix2
0.given + 0.suffix1
0.given + 0.suffix2
0.given + 0.suffix3
0.given + 0.suffix4
0.given + 0.suffix5
0.given + 0.shape

-1.given + 0.given
0.given + 1.given
-1.given + 0.given + 1.given
-1.lower + 0.given
0.given + 1.lower
-1.suffix2 + 0.given
0.given + 1.suffix2
-1.given + 0.given + 0.lower
0.given + 0.lower + 1.given

-1.own + 0.given
-2.own + -1.own + 0.given
-1.own + 0.given + 0.suffix2
-1.own + 0.given + 0.lower
"""

# A rare word is learned from as if it had never been seen, so that nothing names the word alone:
# its lemma is in the dictionary. The last two are for words whose lemma depends on those around.
# On the dev sets of hu, tr, ta, eu and en more of the neighbours bring nothing.
LEMMA_TASK = """
0.shape
0.suffix1
0.suffix2
0.suffix3
0.suffix4
0.suffix5
0.given
0.given + 0.shape
0.given + 0.prefix1
0.given + 0.prefix2
0.given + 0.suffix1
0.given + 0.suffix2
0.given + 0.suffix3
0.given + 0.suffix4
0.given + 0.suffix5
0.first + 0.shape
0.first + 0.prefix3
0.first + 0.suffix3
0.first + 0.suffix4

-1.first + 0.lower + 0.given
0.lower + 0.given + 1.first
"""

# of any task but that of lemmas, after the others, where there are clusters
CLUSTERS = """
0.cluster
0.cluster:4
0.cluster:6
-1.cluster
1.cluster
-1.own + 0.cluster
"""


def tag_templates(columns: Sequence[str], own: str, given: Sequence[str]) -> list[list[Part]]:
    """The templates of a task that fills the column `own` after those of `given`."""
    text = LEMMA_TASK if own == LEMMA else LATER_TASK if given else FIRST_TASK
    if "cluster" in columns and own != LEMMA:
        text += CLUSTERS
    return parse_tag_templates(text, columns, own, given)


def parse_tag_templates(
    text: str, columns: Sequence[str], own: str, given: Sequence[str]
) -> list[list[Part]]:
    """The templates in a text, as places and columns.

    >>> parse_tag_templates("-1.own + 0.given", ["upos", "feats"], "feats", ["upos"])
    [[(-1, 'feats'), (0, 'upos')]]
    """
    meant = {"own": [own], "given": list(given), "first": list(given[:1])}
    templates = []
    for line in filter(None, text.splitlines()):
        parts: list[Part] = []
        for piece in line.split(" + "):
            place, _, attribute = piece.partition(".")
            names = meant.get(attribute, [attribute])
            parts += [(int(place), _known(name, piece, columns)) for name in names]
        templates.append(parts)
    return templates


def _known(name: str, piece: str, columns: Sequence[str]) -> str:
    if name not in columns:
        raise ValueError(f"no attribute {name!r} in {piece!r}; there are: {', '.join(columns)}")
    return name
