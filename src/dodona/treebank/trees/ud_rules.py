"""The rules of Universal Dependencies for trees, as the official validator checks them at level 3.

The rules say which relations a word of a tag may have, which relations go rightwards only, which
words are leaves (except for some dependents), that the parts of one word are neighbours, and that a
predicate has at most one subject and one object. They are given as data; `constraints_of` compiles
them into constraints for the search, and `errors` finds violations in a tree. `late_errors` finds
violations of rules about complete trees, which no search can foresee: `ud_repair` mends those.

https://universaldependencies.org/validation-rules.html, as of UD 2.17.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from dodona.core.transitions.constraints import Constraints
from dodona.treebank.trees.projectivity import nonprojective_arcs
from dodona.treebank.trees.pseudoprojective import lifted, plain
from dodona.treebank.trees.word_kinds import TAGS, kinds_of
from dodona.treebank.universal import universal_part

if TYPE_CHECKING:
    from dodona.core.transitions.action import Action
    from dodona.core.transitions.system import State
    from dodona.treebank.sentence import Sentence

NEGATES, POSSESSES, NOMINAL, GLUED = 32, 64, 128, 256  # flags of a kind of word (`word_kinds`)
N_TAGS = 32
FREE = 63  # the id of relations that no rule refers to

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
SPLIT = "goeswith"  # joins the parts of a word that are separated by white space
OBLIQUE, MODIFIER = "obl", "nmod"
# a noun in one of these relations is no predicate, and its dependents are no adjuncts of clauses
ARGUMENTS = {"nsubj", "obj", "iobj", "obl", "vocative", "dislocated", "expl", "nmod"}

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
    "span": "in UD this relation joins neighbouring words with white space between them",
    "head": "in UD the head of this arc is a leaf, which has no such dependent",
    "number": "in UD a word has at most one subject and one object, and this one has it",
    "children": "the word has dependents that UD does not allow under this relation",
}


class UniversalRelation(NamedTuple):
    """The part of a label that the rules refer to; a lifted word will get another head."""

    name: str
    is_lifted: bool


@lru_cache(maxsize=1 << 12)
def relation_of(label: str) -> UniversalRelation:
    """Return the universal part of a label, with the subtype of outer subjects.

    >>> relation_of("nsubj:pass").name, relation_of("nsubj:outer").name, relation_of("obl↑conj")
    ('nsubj', 'nsubj:outer', UniversalRelation(name='obl', is_lifted=True))
    """
    name = plain(label)
    return UniversalRelation(name if name in OUTER else universal_part(name), lifted(label))


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
    return _compile(tuple(labels))


@lru_cache(maxsize=8)
def _compile(labels: tuple[str, ...]) -> Constraints:
    # lifted ones come last: those without a number of their own are free, and repaired in the end
    relations = sorted(dict.fromkeys(map(relation_of, labels)), key=lambda r: r.is_lifted)[:FREE]
    number = {relation: i for i, relation in enumerate(relations)}

    def mask(wanted: set[str], *, also_lifted: bool = False) -> int:
        found = (
            i for (name, up), i in number.items() if name in wanted and (also_lifted or not up)
        )
        return sum(1 << i for i in found)

    everything = (1 << 64) - 1
    moved = sum(1 << i for relation, i in number.items() if relation.is_lifted)

    names = {relation.name for relation in relations}
    leaves = {name: everything & ~mask(names - below) for name, below in LEAVES.items()}

    def tagged(allows: Callable[[str, str], bool]) -> list[int]:
        banned = ({name for name in names if not allows(tag, name)} for tag in TAGS)
        known = [everything & ~mask(each, also_lifted=True) for each in banned]
        return [*known, *[everything] * (N_TAGS - len(TAGS))]

    return Constraints(
        relation=[number.get(relation_of(label), FREE) for label in labels],
        children=[leaves.get(name, everything) for name, _ in relations],
        by_tag=tagged(tag_allows),
        under_tag=[under | moved for under in tagged(_under_tag)],
        rightwards=mask(RIGHTWARDS),
        spanning=mask({SPLIT}),
        single=[mask(SUBJECTS), mask(OBJECTS)],
        negation=mask({NEGATION}),
        not_negated=mask({PUNCTUATION}),
        owned=mask(OWNED),
        owner=mask({OWNER}),
        oblique=mask({OBLIQUE}),
        argument=mask(ARGUMENTS),
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

    >>> from dodona.treebank.trees.word_kinds import kind_of
    >>> kinds = [kind_of(tag, "_") for tag in ("PRON", "VERB", "PUNCT", "NOUN")]
    >>> list(errors([2, 0, 2, 3], ["nsubj", "root", "punct", "nsubj"], kinds))
    [Broken(word=4, rule='head')]
    """
    names = [relation_of(label).name for label in labels]
    above = [ROOT if head == 0 else name for head, name in zip(heads, names, strict=True)]
    split = {head for head, name in zip(heads, names, strict=True) if name == SPLIT}
    seen: set[tuple[int, str]] = set()
    for word, (head, name) in enumerate(zip(heads, names, strict=True), 1):
        if head == 0:
            continue
        tag = TAGS[kinds[word - 1] % N_TAGS]
        if not tag_allows(tag, name) and not (name == NEGATION and word in split):
            yield Broken(word, "tag")
        if word < head and name in RIGHTWARDS:
            yield Broken(word, "direction")
        elif name == SPLIT and not _spans(head, word, heads, names, kinds):
            yield Broken(word, "span")
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


def _spans(
    head: int, word: int, heads: Sequence[int], names: Sequence[str], kinds: Sequence[int]
) -> bool:
    """Return whether all words from the head up to this one are separated parts of one word."""
    between = range(head, word - 1)
    return not any(kinds[i] & GLUED for i in (head - 1, *between)) and all(
        heads[i] == head and names[i] == SPLIT for i in between
    )


def late_errors(
    heads: Sequence[int], labels: Sequence[str], kinds: Sequence[int]
) -> Iterator[Broken]:
    """Yield what is wrong with a complete tree that breaks no other rule.

    A nominal that is an argument has a dependent obl ("nominal"), or the arc of a punctuation mark
    crosses others ("punct").

    >>> from dodona.treebank.trees.word_kinds import kind_of
    >>> kinds = [kind_of(tag, "_") for tag in ("VERB", "NOUN", "NOUN")]
    >>> list(late_errors([0, 1, 2], ["root", "obj", "obl"], kinds))
    [Broken(word=3, rule='nominal')]
    """
    names = [relation_of(label).name for label in labels]
    for word, (head, name) in enumerate(zip(heads, names, strict=True), 1):
        if name == OBLIQUE and head and kinds[head - 1] & NOMINAL and names[head - 1] in ARGUMENTS:
            yield Broken(word, "nominal")
    crossing = nonprojective_arcs(heads)
    for word, name in enumerate(names, 1) if crossing else ():
        if name == PUNCTUATION and heads[word - 1] and is_crossed(word, heads, crossing):
            yield Broken(word, "punct")


def is_crossed(word: int, heads: Sequence[int], nonprojective: Collection[int]) -> bool:
    """Return whether the arc of a punctuation mark is non-projective, or makes another one so.

    `nonprojective` are the words with non-projective arcs.

    >>> [is_crossed(3, heads, nonprojective_arcs(heads)) for heads in ([0, 4, 1, 1], [0, 4, 4, 1])]
    [True, False]
    """
    head = heads[word - 1]
    between = range(min(head, word) + 1, max(head, word))
    beyond = range(1, word) if head > word else range(word + 1, len(heads) + 1)
    return word in nonprojective or any(
        (other in between and heads[other - 1] in beyond)
        or (other in beyond and heads[other - 1] in between)
        for other in nonprojective
    )
