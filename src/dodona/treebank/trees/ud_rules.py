"""The rules of Universal Dependencies for trees, as the official validator checks them at level 3.

The rules say which relations a word of a tag may have, which relations go rightwards only, which
words are leaves (except for some dependents), and that a predicate has at most one subject and one
object. They are given as data; `constraints_of` compiles them into constraints for the search, and
`errors` finds violations in a tree. `repair_tree` fixes what a search cannot foresee: arcs that
move after the tree is built, and dead ends.

https://universaldependencies.org/validation-rules.html, as of UD 2.15.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dodona.core.transitions.constraints import Constraints
from dodona.treebank.trees.pseudoprojective import lifted, plain
from dodona.treebank.universal import UPOS, universal_part

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action
    from dodona.core.transitions.system import State
    from dodona.treebank.sentence import Sentence

TAGS = ("_", *sorted(UPOS))
NEGATES, POSSESSES = 32, 64  # flags of a kind of word, added to the index of its tag in TAGS
N_TAGS = 32

# the only tags that words of a relation may have, and the tags they may not have
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
# the dependents that words of a relation may have, if they are restricted
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
    "number": "in UD a word has at most one subject and one object, and this one has it",
    "children": "the word has dependents that UD does not allow under this relation",
}


class UniversalRelation(NamedTuple):
    """The part of a label that the rules refer to; a lifted word will get another head."""

    name: str
    is_lifted: bool


def relation_of(label: str) -> UniversalRelation:
    """Return the universal part of a label, with the subtype of outer subjects.

    >>> relation_of("nsubj:pass").name, relation_of("nsubj:outer").name, relation_of("obl↑conj")
    ('nsubj', 'nsubj:outer', UniversalRelation(name='obl', is_lifted=True))
    """
    name = plain(label)
    return UniversalRelation(name if name in OUTER else universal_part(name), lifted(label))


@lru_cache(maxsize=1 << 14)
def kind_of(tag: str, feats: str) -> int:
    """Return the tag of a word, or its ExtPos, with flags for negation and possession.

    >>> TAGS[kind_of("ADV", "_")], kind_of("PART", "Polarity=Neg") & NEGATES
    ('ADV', 32)
    """
    found = dict(feature.partition("=")[::2] for feature in feats.split("|"))
    negates = tag in {"PART", "ADV"} and found.get("Polarity") == "Neg"
    known = found.get("ExtPos", tag)
    index = TAGS.index(known) if known in TAGS else 0
    return index + NEGATES * negates + POSSESSES * (found.get("Poss") == "Yes")


def kinds_of(sentence: Sentence) -> list[int]:
    """Return the kinds of a sentence's words."""
    return list(map(kind_of, sentence.upos, sentence.feats))


def tag_allows(tag: str, relation: str) -> bool:
    """Return whether a word of the tag may have the relation to another word."""
    if tag == "_":
        return True
    if tag == "PUNCT" and relation != PUNCTUATION:
        return False
    return tag in ONLY_TAGS.get(relation, {tag}) and tag not in NOT_TAGS.get(relation, ())


def _under_tag(tag: str, relation: str) -> bool:
    """Return whether a word of the tag may have such a dependent, whatever its own relation."""
    return relation == PUNCTUATION if tag == "PUNCT" else (tag, relation) != ("PROPN", "fixed")


def constraints_of(labels: Sequence[str]) -> Constraints:
    """Compile the rules for a parser with these labels."""
    relations = list(dict.fromkeys(map(relation_of, labels)))[:64]
    number = {relation: i for i, relation in enumerate(relations)}

    def mask(wanted: set[str], *, also_lifted: bool = False) -> int:
        found = (
            i for (name, up), i in number.items() if name in wanted and (also_lifted or not up)
        )
        return sum(1 << i for i in found)

    everything = (1 << 64) - 1
    moved = sum(1 << i for relation, i in number.items() if relation.is_lifted)

    names = {relation.name for relation in relations}

    def tagged(allows: Callable[[str, str], bool]) -> list[int]:
        tags = (*TAGS, *["_"] * (N_TAGS - len(TAGS)))
        banned = ({name for name in names if not allows(tag, name)} for tag in tags)
        return [everything & ~mask(each, also_lifted=True) for each in banned]

    return Constraints(
        relation=[number.get(relation_of(label), 63) for label in labels],
        children=[everything & ~mask(names - LEAVES.get(name, names)) for name, _ in relations],
        by_tag=tagged(tag_allows),
        under_tag=[under | moved for under in tagged(_under_tag)],
        rightwards=mask(RIGHTWARDS),
        single=[mask(SUBJECTS), mask(OBJECTS)],
        negation=mask({NEGATION}),
        not_negated=mask({PUNCTUATION}),
        owned=mask(OWNED),
        owner=mask({OWNER}),
    )


class SentenceRules:
    """The rules for the words of one sentence."""

    def __init__(self, labels: Sequence[str], sentence: Sentence) -> None:
        self.constraints = constraints_of(labels)
        self.kinds = kinds_of(sentence)

    def why_not(self, state: State, action: Action) -> str | None:
        """Return why a valid action is forbidden; None if it is allowed."""
        rule = self.constraints.broken(state, self.kinds, action)
        return None if rule is None else WHY[rule]


class Broken(NamedTuple):
    """A rule that the arc of a word breaks, by its name in `WHY`."""

    word: int
    rule: str


def errors(heads: Sequence[int], labels: Sequence[str], kinds: Sequence[int]) -> Iterator[Broken]:
    """Yield the rules that a tree breaks, word by word.

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


def repair_tree(
    heads: Sequence[int], labels: Sequence[str], kinds: Sequence[int]
) -> tuple[list[int], list[str]]:
    """Return the tree without errors: dependents of leaves move up, other arcs get the label dep.

    The loop ends because words only move up and a label changes once.

    >>> kinds = [kind_of(tag, "_") for tag in ("PRON", "VERB", "PUNCT", "NOUN")]
    >>> repair_tree([2, 0, 2, 3], ["nsubj", "root", "punct", "nsubj"], kinds)
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
