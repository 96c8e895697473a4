"""Feature templates of taggers, separated by white space: parts like -1.suffix3, joined by "+".

A part is the offset of a word from the current one, and an attribute: of its form, its `ambiguity`
(the set of tags it had in training, for frequent words only), its `cluster` (or the first bits of
it: `cluster:4`), or a tag. `own` is the task's own tag, available to the left; `given` stands for
the tags of all earlier tasks, available everywhere, and `first` for that of the first task.
"""

from __future__ import annotations

from collections.abc import Sequence

LEMMA = "lemma"  # a task with templates of its own
Part = tuple[int, str]

# The ambiguity of the words to the right replaces their tags: a second pass with the tags of both
# sides, a beam, or more affixes of neighbours gain nothing on the dev set of en_ewt.
FIRST_TASK = """
0.form 0.lower 0.prefix1 0.prefix2 0.prefix3 0.prefix4 0.suffix1 0.suffix2 0.suffix3 0.suffix4
0.suffix5 0.shape 0.ambiguity 0.shape+0.suffix3
-2.lower -1.lower 1.lower 2.lower -1.suffix3 1.suffix3 1.ambiguity 2.ambiguity
0.ambiguity+1.ambiguity -1.lower+0.lower 0.lower+1.lower -1.shape 1.shape -1.shape+0.shape
0.shape+1.shape
-1.own -2.own+-1.own -1.own+0.lower -1.own+0.suffix3 -1.own+0.shape -1.own+0.ambiguity
-1.own+1.ambiguity -1.own+1.lower -1.own+0.ambiguity+1.ambiguity -2.own+-1.own+0.ambiguity
"""

LATER_TASK = """
0.form 0.lower 0.suffix2 0.suffix3 0.suffix4 0.given 0.given+0.lower 0.given+0.prefix1
0.given+0.prefix2 0.given+0.suffix1 0.given+0.suffix2 0.given+0.suffix3 0.given+0.suffix4
0.given+0.suffix5 0.given+0.shape
-1.given+0.given 0.given+1.given -1.given+0.given+1.given -1.lower+0.given 0.given+1.lower
-1.suffix2+0.given 0.given+1.suffix2 -1.given+0.given+0.lower 0.given+0.lower+1.given
-1.own+0.given -2.own+-1.own+0.given -1.own+0.given+0.suffix2 -1.own+0.given+0.lower
"""

# Training treats a rare word as unknown, so no template has the word alone: known words have their
# lemmas in the dictionary. The last two are for lemmas that depend on the context; more of the
# neighbours gain nothing on the dev sets of hu, tr, ta, eu and en.
LEMMA_TASK = """
0.shape 0.suffix1 0.suffix2 0.suffix3 0.suffix4 0.suffix5 0.given 0.given+0.shape 0.given+0.prefix1
0.given+0.prefix2 0.given+0.suffix1 0.given+0.suffix2 0.given+0.suffix3 0.given+0.suffix4
0.given+0.suffix5 0.first+0.shape 0.first+0.prefix3 0.first+0.suffix3 0.first+0.suffix4
-1.first+0.lower+0.given 0.lower+0.given+1.first
"""

# appended for all tasks but lemmas, if clusters are used
CLUSTERS = """
0.cluster 0.cluster:4 0.cluster:6 -1.cluster 1.cluster -1.own+0.cluster
"""


def tag_templates(columns: Sequence[str], own: str, given: Sequence[str]) -> list[list[Part]]:
    """Return the templates of the task `own`, which comes after those of `given`."""
    text = LEMMA_TASK if own == LEMMA else LATER_TASK if given else FIRST_TASK
    if "cluster" in columns and own != LEMMA:
        text += CLUSTERS
    return parse_tag_templates(text, columns, own, given)


def parse_tag_templates(
    text: str, columns: Sequence[str], own: str, given: Sequence[str]
) -> list[list[Part]]:
    """Parse templates into lists of offsets and columns.

    >>> parse_tag_templates("-1.own+0.given", ["upos", "feats"], "feats", ["upos"])
    [[(-1, 'feats'), (0, 'upos')]]
    """
    tags = {"own": [own], "given": list(given), "first": list(given[:1])}
    templates = []
    for template in text.split():
        parts: list[Part] = []
        for part in template.split("+"):
            offset, _, attribute = part.partition(".")
            for name in tags.get(attribute, [attribute]):
                if name not in columns:
                    known = ", ".join(columns)
                    raise ValueError(f"unknown attribute {name!r} in {part!r}; there are: {known}")
                parts.append((int(offset), name))
        templates.append(parts)
    return templates
