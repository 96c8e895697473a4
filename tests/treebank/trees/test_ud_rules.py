"""The rules of Universal Dependencies: violations, repairs, and constraints of the search."""

from __future__ import annotations

from random import Random

import pytest

import dodona
from dodona.core.features.corpus import Corpus
from dodona.core.transitions.registry import SYSTEMS
from dodona.treebank.trees.ud_repair import repair_tree
from dodona.treebank.trees.ud_rules import (
    LEAVES,
    ONLY_TAGS,
    WHY,
    Broken,
    SentenceRules,
    errors,
    late_errors,
)
from dodona.treebank.trees.word_kinds import TAGS, kind_of, kinds_of, set_kinds
from dodona.treebank.universal import RELATIONS
from reference.trees import is_tree, random_tree
from support.feature_keys import walk

LABELS = [
    *LEAVES, "nsubj", "nsubj:pass", "nsubj:outer", "csubj", "obj", "iobj", "obl", "nmod", "amod",
    "conj", "flat", "appos", "acl", "advmod", "nummod", "expl", "discourse", "dep", "root",
]  # fmt: skip
FEATS = ["_", "Polarity=Neg", "Poss=Yes", "Case=Nom|ExtPos=ADP"]


@pytest.mark.parametrize(
    ("tags", "heads", "labels", "broken"),
    [
        ("PRON VERB NOUN", [2, 0, 2], ["nsubj", "root", "obj"], []),
        ("NOUN VERB NOUN", [2, 0, 2], ["nsubj", "root", "nsubj:pass"], [(3, "number")]),
        ("NOUN VERB NOUN", [2, 0, 2], ["nsubj", "root", "nsubj:outer"], []),
        ("NOUN VERB NOUN", [2, 0, 2], ["obj", "root", "obj"], [(3, "number")]),
        ("NOUN VERB NOUN", [2, 0, 2], ["conj", "root", "conj"], [(1, "direction")]),
        ("NOUN VERB", [2, 0], ["aux", "root"], [(1, "tag")]),
        ("PUNCT VERB", [2, 0], ["obj", "root"], [(1, "tag")]),
        ("NOUN VERB", [2, 0], ["punct", "root"], [(1, "tag")]),
        ("ADP ADV NOUN", [3, 1, 0], ["case", "advmod", "root"], []),
        ("ADP NOUN NOUN", [3, 1, 0], ["case", "nmod", "root"], [(2, "head")]),
        ("PUNCT PUNCT VERB", [2, 3, 0], ["punct", "punct", "root"], []),
        ("PROPN PROPN VERB", [3, 1, 0], ["nsubj", "fixed", "root"], [(2, "tag"), (2, "tag")]),
        ("PUNCT NOUN", [0, 1], ["root", "nmod"], []),
    ],
)
def test_each_rule(
    tags: str, heads: list[int], labels: list[str], broken: list[tuple[int, str]]
) -> None:
    kinds = [kind_of(tag, "_") for tag in tags.split()]
    assert list(errors(heads, labels, kinds)) == [Broken(*pair) for pair in broken]


def test_negation_and_possessives_are_exceptions() -> None:
    neg, plain = kind_of("PART", "Polarity=Neg"), kind_of("PART", "_")
    own = kind_of("DET", "Poss=Yes")
    verb, aux, det, noun = (kind_of(tag, "_") for tag in ("VERB", "AUX", "DET", "NOUN"))
    heads, labels = [2, 3, 0], ["advmod", "aux", "root"]
    assert not list(errors(heads, labels, [neg, aux, verb]))
    assert list(errors(heads, labels, [plain, aux, verb])) == [Broken(1, "head")]
    heads, labels = [3, 1, 0], ["det", "appos", "root"]
    assert not list(errors(heads, labels, [own, noun, noun]))
    assert list(errors(heads, labels, [det, noun, noun])) == [Broken(2, "head")]


def test_extpos_replaces_the_tag() -> None:
    assert kind_of("ADJ", "Degree=Cmp|ExtPos=ADP") == kind_of("ADP", "_") == TAGS.index("ADP")
    assert kind_of("NN", "_") == 0  # no tag of UD: no rule


def test_parts_of_a_word_are_neighbours_with_white_space_between_them() -> None:
    spaced, glued = kind_of("X", "_"), kind_of("X", "_", "SpaceAfter=No|Gloss=oak")
    heads, labels = [0, 1, 1], ["root", "goeswith", "goeswith"]
    assert not list(errors(heads, labels, [spaced, spaced, glued]))
    assert list(errors(heads, labels, [spaced, glued, spaced])) == [Broken(3, "span")]
    assert list(errors([0, 1, 1], ["root", "dep", "goeswith"], [spaced] * 3)) == [Broken(3, "span")]


def test_adjuncts_of_nouns_become_modifiers() -> None:
    kinds = [kind_of(tag, "_") for tag in ("VERB", "NOUN", "NOUN", "NOUN")]
    heads, labels = [0, 1, 2, 2], ["root", "obj", "obl:unmarked", "obl:agent"]
    assert list(late_errors(heads, labels, kinds)) == [Broken(3, "nominal"), Broken(4, "nominal")]
    found = repair_tree(heads, labels, kinds, {"nmod:unmarked"})
    assert found == (heads, ["root", "obj", "nmod:unmarked", "nmod"])


def test_punctuation_moves_to_where_it_crosses_nothing() -> None:
    """A crossing arc ends in a word behind the mark; it can stay with its head's ancestors."""
    kinds = [kind_of(tag, "_") for tag in ("VERB", "NOUN", "PUNCT", "VERB")]
    labels = ["root", "obj", "punct", "xcomp"]
    assert list(late_errors([0, 4, 1, 1], labels, kinds)) == [Broken(3, "punct")]
    assert repair_tree([0, 4, 1, 1], labels, kinds)[0] == [0, 4, 4, 1]


def test_a_corpus_gets_the_kinds_of_its_sentences() -> None:
    tags, feats = ["NOUN", "PART", "_"], ["_", "Polarity=Neg", "Poss=Yes"]
    sentence = dodona.Sentence.from_columns(["a", "b", "c"], upos=tags, feats=feats)
    assert kinds_of(sentence) == list(map(kind_of, tags, feats))
    with pytest.raises(ValueError, match="3 kinds for 0 words"):
        set_kinds(Corpus(1), [sentence])


def some_kinds(n: int, random: Random) -> list[int]:
    misc = ["_", "SpaceAfter=No"]
    return [
        kind_of(random.choice(TAGS), random.choice(FEATS), random.choice(misc)) for _ in range(n)
    ]


@pytest.mark.parametrize("seed", range(40))
def test_every_tree_can_be_repaired(seed: int) -> None:
    random = Random(seed)
    n = random.randint(1, 12)
    heads = random_tree(n, random)
    labels = ["root" if head == 0 else random.choice(LABELS[:-1]) for head in heads]
    kinds = some_kinds(n, random)
    mended, relabelled = repair_tree(heads, labels, kinds)
    assert not list(errors(mended, relabelled, kinds))
    assert not list(late_errors(mended, relabelled, kinds))
    assert is_tree(tuple(mended)) and mended.count(0) == heads.count(0)
    if not [*errors(heads, labels, kinds), *late_errors(heads, labels, kinds)]:
        assert (tuple(mended), relabelled) == (heads, labels)


@pytest.mark.parametrize("name", SYSTEMS)
def test_an_arc_is_forbidden_by_the_rule_that_it_would_break(name: str) -> None:
    """The constraints of the core agree with the rules applied to the partial tree."""
    random = Random(1)
    system = dodona.system(name, labels=LABELS)
    n_broken = n_allowed = 0
    for _ in range(60):
        n = random.randint(2, 9)
        tags = [random.choice(TAGS[1:]) for _ in range(n)]
        feats = [random.choice(FEATS) for _ in range(n)]
        sentence = dodona.Sentence.from_columns(["x"] * n, upos=tags, feats=feats)
        rules = SentenceRules(LABELS, sentence)
        for state in walk(system, n, random):
            before = set(broken_so_far(state, rules.kinds))
            for action in random.sample(system.valid(state), min(6, len(system.valid(state)))):
                why = rules.why_not(state, action)
                assert why is None or (action.label is not None and why in WHY.values())
                after = set(broken_so_far(system.step(state, action), rules.kinds))
                if after - before and action.label is not None:
                    assert why is not None
                    n_broken += 1
                n_allowed += why is None and action.label is not None
    assert n_broken > 10 < n_allowed


def test_rules_hold_however_many_labels_there_are() -> None:
    """Sets have room for 64 relations; lifted ones, which are repaired in the end, give way."""
    lifted = [f"{label}↑{other}" for label in sorted(RELATIONS) for other in ("conj", "obl")]
    system = dodona.system("arc-eager", labels=[*lifted, *LABELS])
    sentence = dodona.Sentence.from_columns(["x"] * 2, upos=["NOUN", "VERB"])
    rules = SentenceRules(system.labels, sentence)
    state = system.step(system.start(2), dodona.Action("SHIFT"))
    assert rules.why_not(state, dodona.Action("LEFT-ARC", "aux")) == WHY["tag"]
    assert rules.why_not(state, dodona.Action("LEFT-ARC", "nsubj")) is None


def broken_so_far(state: dodona.State, kinds: list[int]) -> list[Broken]:
    """Yield the errors of the existing arcs; a word without one may still get any relation."""
    heads = [head or 0 for head in state.heads]
    labels = [label or "root" for label in state.labels]
    return list(errors(heads, labels, kinds))


def test_every_rule_has_a_description() -> None:
    from dodona.core.transitions.constraints import RULES

    assert WHY.keys() == set(RULES)
    assert all(tags <= set(TAGS) for tags in ONLY_TAGS.values())
