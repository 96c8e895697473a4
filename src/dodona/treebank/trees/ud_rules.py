"""The rules of Universal Dependencies for trees, as the official validator checks them at level 3.

Which relations a word of a tag may have, which relations go rightwards only, which words are leaves
(but for some dependents), and that a predicate has one subject and one object at the most. They are
given as data; `constraints_of` makes of them what keeps a search from breaking them, and `errors`
finds where a tree does. `mend` is for what a search cannot foresee: arcs that are moved once the
tree is built, and dead ends.

https://universaldependencies.org/validation-rules.html, as of UD 2.15.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dodona.core.transitions.constraints import Constraints
from dodona.treebank.trees.pseudoprojective import lifted, plain

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action
    from dodona.core.transitions.system import State
    from dodona.treebank.sentence import Sentence

TAGS = (
    "_", "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON",
    "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X",
)  # fmt: skip
NEGATES, POSSESSES = 32, 64  # of a kind of word, beside the place of its tag in TAGS
N_TAGS = 32

# the only tags that a word of this relation may have; and those that it may not have
ONLY_TAGS = {
    "det": {"DET", "PRON"},
    "nummod": {"NUM", "NOUN", "SYM"},
    "advmod": {"ADV", "ADJ", "CCONJ", "DET", "PART", "SYM"},
    "expl": {"PRON", "DET", "PART"},
    "aux": {"AUX"},
    "cop": {"AUX", "PRON", "DET", "SYM"},
    "punct": {"PUNCT"},
}
NOT_TAGS = {
    "case": {"PROPN", "ADJ", "PRON", "DET", "NUM", "AUX"},
    "mark": {"NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM", "AUX", "INTJ"},
    "cc": {"NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM", "VERB", "AUX", "INTJ"},
    "fixed": {"PROPN"},
}
PUNCTUATION, ROOT, ANY = "punct", "root", "dep"
RIGHTWARDS = {"conj", "fixed", "flat", "goeswith", "appos"}
SUBJECTS, OBJECTS = {"nsubj", "csubj"}, {"obj"}
OUTER = {"nsubj:outer", "csubj:outer"}  # subjects of a clause around the clause

_WORD_PARTS = {"goeswith", "fixed", "reparandum", "conj", "cc", "punct"}
# what may depend on words of a relation, where little may
LEAVES = {
    "mark": _WORD_PARTS | {"advmod", "obl"},
    "case": _WORD_PARTS | {"advmod", "obl"},
    "clf": _WORD_PARTS | {"advmod", "obl"},
    "aux": _WORD_PARTS,
    "cop": _WORD_PARTS,
    "cc": _WORD_PARTS - {"cc"},
    "fixed": _WORD_PARTS - {"cc", "fixed"},
    "goeswith": set(),
    "punct": {"punct"},
    "det": _WORD_PARTS
    | {"det", "case", "advmod", "obl", "clf", "flat", "compound", "discourse", "parataxis"},
}
OWNED, OWNER = {"appos", "acl", "nmod"}, "det"  # under a determiner with Poss=Yes
NEGATION = "advmod"  # under any leaf but punctuation, if it is a particle or an adverb that negates

WHY = {
    "tag": "UD does not allow this relation for a word of this tag",
    "direction": "in UD the head of this relation comes first",
    "head": "in UD the head of this arc is a leaf, which has no such dependent",
    "number": "in UD a word has one subject and one object at the most, and this one has it",
    "children": "the word has dependents that UD does not allow under this relation",
}


class Relation(NamedTuple):
    """What of a label the rules know; where it was lifted, its head is not the one it will have."""

    name: str
    is_lifted: bool


def relation_of(label: str) -> Relation:
    """The universal part of a label, but for the subjects that do not count.

    >>> relation_of("nsubj:pass").name, relation_of("nsubj:outer").name, relation_of("obl↑conj")
    ('nsubj', 'nsubj:outer', Relation(name='obl', is_lifted=True))
    """
    name = plain(label)
    return Relation(name if name in OUTER else name.partition(":")[0], lifted(label))


@lru_cache(maxsize=1 << 14)
def kind_of(tag: str, feats: str) -> int:
    """A word as the rules know it: its tag, or ExtPos instead, and whether it negates or owns.

    >>> TAGS[kind_of("ADV", "_")], kind_of("PART", "Polarity=Neg") & NEGATES
    ('ADV', 32)
    """
    found = dict(feature.partition("=")[::2] for feature in feats.split("|"))
    negates = tag in {"PART", "ADV"} and found.get("Polarity") == "Neg"
    known = found.get("ExtPos", tag)
    place = TAGS.index(known) if known in TAGS else 0
    return place + NEGATES * negates + POSSESSES * (found.get("Poss") == "Yes")


def kinds_of(sentence: Sentence) -> list[int]:
    """The kinds of a sentence's words."""
    return list(map(kind_of, sentence.upos, sentence.feats))


def tag_allows(tag: str, relation: str) -> bool:
    """Whether a word of the tag may have the relation, to another word than the root."""
    if tag == "_":
        return True
    if tag == "PUNCT" and relation != PUNCTUATION:
        return False
    return tag in ONLY_TAGS.get(relation, {tag}) and tag not in NOT_TAGS.get(relation, ())


def _under_tag(tag: str, relation: str) -> bool:
    """Whether a word of the tag may have such a dependent, whatever relation it will get itself."""
    return relation == PUNCTUATION if tag == "PUNCT" else (tag, relation) != ("PROPN", "fixed")


def constraints_of(labels: Sequence[str]) -> Constraints:
    """The rules for a parser with these labels."""
    relations = list(dict.fromkeys(map(relation_of, labels)))[:64]
    number = {relation: i for i, relation in enumerate(relations)}

    def mask(names: Iterable[str], *, also_lifted: bool = False) -> int:
        wanted = set(names)
        return sum(
            1 << i
            for relation, i in number.items()
            if relation.name in wanted and (also_lifted or not relation.is_lifted)
        )

    everything = (1 << 64) - 1
    moved = sum(1 << i for relation, i in number.items() if relation.is_lifted)

    def tagged(allows: object) -> list[int]:
        masks = []
        for tag in (*TAGS, *["_"] * (N_TAGS - len(TAGS))):
            banned = {r.name for r in relations if not allows(tag, r.name)}  # type: ignore[operator]
            masks.append(everything & ~mask(banned, also_lifted=True))
        return masks

    children = [
        everything & ~mask({r.name for r in relations} - LEAVES[relation.name])
        if relation.name in LEAVES
        else everything
        for relation in relations
    ]
    return Constraints(
        relation=[number.get(relation_of(label), 63) for label in labels],
        children=children,
        by_tag=tagged(tag_allows),
        under_tag=[under | moved for under in tagged(_under_tag)],
        rightwards=mask(RIGHTWARDS),
        single=[mask(SUBJECTS), mask(OBJECTS)],
        negation=mask({NEGATION}),
        not_negated=mask({PUNCTUATION}),
        owned=mask(OWNED),
        owner=mask({OWNER}),
    )


class Rules:
    """The rules for one sentence, in whatever state of its parse."""

    def __init__(self, labels: Sequence[str], sentence: Sentence) -> None:
        self.constraints = constraints_of(labels)
        self.kinds = kinds_of(sentence)

    def why_not(self, state: State, action: Action) -> str | None:
        """Why a valid action is forbidden; None if it is not."""
        rule = self.constraints.broken(state, self.kinds, action)
        return None if rule is None else WHY[rule]


class Broken(NamedTuple):
    """A rule that a word's arc breaks, by its name in `WHY`."""

    word: int
    rule: str


def errors(heads: Sequence[int], labels: Sequence[str], kinds: Sequence[int]) -> Iterator[Broken]:
    """Where a tree breaks the rules, word by word.

    >>> kinds = [kind_of(tag, "_") for tag in ("PRON", "VERB", "PUNCT", "NOUN")]
    >>> list(errors([2, 0, 2, 3], ["nsubj", "root", "punct", "nsubj"], kinds))
    [Broken(word=4, rule='head')]
    """
    names = [relation_of(label).name for label in labels]
    above = [ROOT if head == 0 else name for head, name in zip(heads, names, strict=True)]
    seen: set[tuple[int, str]] = set()
    for word, (head, name) in enumerate(zip(heads, names, strict=True), 1):
        if head == 0:
            continue
        tag = TAGS[kinds[word - 1] % N_TAGS]
        if not tag_allows(tag, name):
            yield Broken(word, "tag")
        if word < head and name in RIGHTWARDS:
            yield Broken(word, "direction")
        if name == "fixed" and TAGS[kinds[head - 1] % N_TAGS] == "PROPN":
            yield Broken(word, "tag")
        if not _may_be_under(above[head - 1], kinds[head - 1], name, kinds[word - 1]):
            yield Broken(word, "head")
        for group, members in (("subject", SUBJECTS), ("object", OBJECTS)):
            if name in members:
                if (head, group) in seen:
                    yield Broken(word, "number")
                seen.add((head, group))


def _may_be_under(above: str, above_kind: int, name: str, kind: int) -> bool:
    if above not in LEAVES or name in LEAVES[above]:
        return True
    if name == NEGATION and kind & NEGATES and above != PUNCTUATION:
        return True
    return above == OWNER and bool(above_kind & POSSESSES) and name in OWNED


def mend(
    heads: Sequence[int], labels: Sequence[str], kinds: Sequence[int]
) -> tuple[list[int], list[str]]:
    """The tree without errors: what hangs on a leaf moves up, other arcs get the label dep.

    It ends, since words only move up, and a label changes once.

    >>> kinds = [kind_of(tag, "_") for tag in ("PRON", "VERB", "PUNCT", "NOUN")]
    >>> mend([2, 0, 2, 3], ["nsubj", "root", "punct", "nsubj"], kinds)
    ([2, 0, 2, 2], ['nsubj', 'root', 'punct', 'dep'])
    """
    heads, labels = list(heads), list(labels)
    while found := next(errors(heads, labels, kinds), None):
        i = found.word - 1
        if found.rule == "head":
            heads[i] = heads[heads[i] - 1]
        else:
            labels[i] = PUNCTUATION if TAGS[kinds[i] % N_TAGS] == "PUNCT" else ANY
    return heads, labels
