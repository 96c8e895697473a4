"""Feature keys against their slow twin: equal keys for equal features, and for no others."""

from __future__ import annotations

from random import Random

import pytest

import dodona
from dodona.core.features.features import Features
from dodona.core.features.templates import (
    load_templates,
    names_graphs,
    parse_templates,
    template_names,
)
from dodona.treebank.encoding.encoding import Encoder
from reference.features import template_lines
from support.feature_keys import (
    EVERYTHING,
    SLOTS,
    is_one_to_one,
    keys_and_features,
    random_sentence,
    walk,
)

LABELS = ["root", "nsubj", "obj", "det", "obl"]
JOINED = [
    "distance",
    "s0.form + distance",
    "stack_distance",
    "b0.tag + buffer_distance",
    "distance + b0.tag + s1.form",
    "s0.form + s0.tag + b0.form + b0.tag + s1.tag + b1.tag + s0.label + distance",
    "s0.left_labels + b0.left_labels",
    "s0.form + b0.form",
    "b0.form + s0.form",
]


def sentences_and_states(
    root: str, n_sentences: int
) -> tuple[list[dodona.Sentence], list[list[dodona.State]]]:
    random = Random(n_sentences)
    system = dodona.system("arc-eager", labels=LABELS, root=root)
    sentences = [random_sentence(random.randint(1, 20), random) for _ in range(n_sentences)]
    return sentences, [list(walk(system, len(sentence), random)) for sentence in sentences]


@pytest.mark.thorough
@pytest.mark.parametrize("root", ["first", "last", "none"])
def test_a_template_alone_gives_equal_keys_exactly_for_equal_values(root: str) -> None:
    sample = sentences_and_states(root, n_sentences=12)
    for template in EVERYTHING + JOINED:
        found = list(keys_and_features([template], root, *sample))
        assert all(len(keys) == len(features) <= 1 for keys, features in found), template
        pairs = [(keys[0], features[0]) for keys, features in found if keys]
        assert is_one_to_one(list(pairs)), template


OF_TREES = [n for n in template_names() if not names_graphs(parse_templates(load_templates(n)))]


@pytest.mark.thorough
@pytest.mark.parametrize("root", ["first", "last", "none"])
@pytest.mark.parametrize("name", OF_TREES)
def test_shipped_templates_give_a_key_for_each_feature_and_no_key_twice(
    name: str, root: str
) -> None:
    sample = sentences_and_states(root, n_sentences=100)
    found = list(keys_and_features(template_lines(load_templates(name)), root, *sample))
    assert all(len(keys) == len(features) for keys, features in found)
    assert is_one_to_one([(frozenset(keys), frozenset(features)) for keys, features in found])
    all_keys = {key for keys, _ in found for key in keys}
    all_features = {feature for _, features in found for feature in features}
    # templates of one part each find few
    assert len(all_keys) == len(all_features) > (200 if name == "atoms" else 5000)


def test_keys_are_odd() -> None:
    """Zero marks an empty place in the tables of weights, and the lowest bit is never looked at."""
    sample = sentences_and_states("last", n_sentences=10)
    found = keys_and_features(template_lines(load_templates("zn11")), "last", *sample)
    assert all(key % 2 == 1 for keys, _ in found for key in keys)


def keys_of(template: str, state: dodona.State, sentence: dodona.Sentence) -> list[int]:
    features = Features(template)
    encoder = Encoder(features.columns)
    encoder.learn([sentence])
    return features.keys(state, encoder.encode([sentence]))


def follow(system: dodona.System, n_words: int, *moves: str) -> dodona.State:
    state = system.start(n_words)
    for move in moves:
        label = "obj" if "ARC" in move else None
        state = system.step(state, dodona.Action(move, label))
    return state


def test_distances_are_told_apart_up_to_five_and_then_in_two_classes() -> None:
    n_words = 16
    system = dodona.system("arc-eager", labels=LABELS, root="none")
    sentence = dodona.Sentence.from_columns(["word"] * n_words)
    by_distance = {
        d: keys_of("distance", follow(system, n_words, "SHIFT", *["SHIFT", "LEFT-ARC"] * (d - 1)),
                   sentence)
        for d in range(1, 15)
    }  # fmt: skip
    assert all(len(keys) == 1 for keys in by_distance.values())
    classes = [{1}, {2}, {3}, {4}, {5}, {6, 7, 8, 9, 10}, {11, 12, 13, 14}]
    for one in by_distance:
        for other in by_distance:
            together = any({one, other} <= members for members in classes)
            assert (by_distance[one] == by_distance[other]) == together, (one, other)


def test_an_empty_slot_gives_no_feature() -> None:
    system = dodona.system("arc-eager", labels=LABELS, root="none")
    sentence = dodona.Sentence.from_columns(["one", "two"])
    start = system.start(2)
    for template in ["s1.form", "b2.form", "s0.head.form", "b0.left.form", "stack_distance"]:
        assert keys_of(template, start, sentence) == []
        assert keys_of(f"b0.form + {template}", start, sentence) == []
    assert len(keys_of("b0.form + b1.form", start, sentence)) == 1


def test_a_root_that_is_no_node_lies_below_the_stack() -> None:
    sentence = dodona.Sentence.from_columns(["one", "two"])
    without, with_root = (
        dodona.system("arc-eager", labels=LABELS, root=root).start(2) for root in ("none", "first")
    )
    for template in ["s0.form", "s0.form + b0.form", "distance", "b0.form + s0.n_left"]:
        found = keys_of(template, without, sentence)
        assert len(found) == 1 and found == keys_of(template, with_root, sentence)


def test_a_word_without_a_head_still_has_a_label_feature() -> None:
    """That it has none yet is worth knowing."""
    system = dodona.system("arc-eager", labels=LABELS)
    sentence = dodona.Sentence.from_columns(["one", "two"])
    bare = keys_of("s0.label", follow(system, 2, "SHIFT"), sentence)
    labelled = keys_of("s0.label", follow(system, 2, "RIGHT-ARC"), sentence)
    assert len(bare) == len(labelled) == 1 and bare != labelled


def test_words_that_training_has_not_seen_share_one_feature() -> None:
    features = Features("b0.form")
    encoder = Encoder(features.columns)
    known, *unknown = [dodona.Sentence.from_columns([form]) for form in ("oak", "elm", "ash")]
    encoder.learn([known])
    start = dodona.system("arc-eager", labels=LABELS).start(1)
    corpus = encoder.encode([known, *unknown])
    keys = [features.keys(start, corpus, i) for i in range(3)]
    assert keys[0] != keys[1] == keys[2]


def test_a_state_of_another_sentence_is_refused() -> None:
    features = Features("b0.form")
    encoder = Encoder(features.columns)
    corpus = encoder.encode([dodona.Sentence.from_columns(["one", "two"])])
    system = dodona.system("arc-eager", labels=LABELS)
    with pytest.raises(ValueError, match="a state of 3 words"):
        features.keys(system.start(3), corpus)
    with pytest.raises(IndexError, match="no sentence 1"):
        features.keys(system.start(2), corpus, 1)
    with pytest.raises(ValueError, match="2 columns"):
        Features("b0.form + b0.lemma").keys(system.start(2), corpus)


def test_slots_and_atoms_beyond_the_limits_are_refused() -> None:
    depth = [".".join(["s0"] + ["head"] * i) + ".form" for i in range(70)]
    with pytest.raises(ValueError, match=r"mine\.txt: more than 64 slots"):
        Features("\n".join(depth), "mine.txt")
    many = [f"{slot}.feats:F{i}" for slot in SLOTS for i in range(33)]
    with pytest.raises(ValueError, match=r"mine\.txt: more than .* 256 atoms"):
        Features("\n".join(" + ".join(many[i : i + 8]) for i in range(0, len(many), 8)), "mine.txt")
