"""Patterns of paths, classes of labels, and the candidates that a compiled inventory finds."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from dodona import Sentence
from dodona.enhancing.inventory import (
    MOST_STEPS,
    NO_ARC,
    ArcClass,
    Inventory,
    Path,
    class_of,
    frequent_classes,
    frequent_patterns,
    gold_arcs,
    path_between,
)
from dodona.enhancing.path_walker import PathWalker
from dodona.synthetic.generator import random_tree

# "Ann and Bob try to sing", with "Ann" as the first conjunct
TREE = [0, 4, 3, 1, 0, 6, 4], ["", "nsubj", "cc", "conj", "root", "mark", "xcomp"]
LABELS = ("nsubj", "nsubj:pass", "obj", "conj", "xcomp", "acl:relcl")


@pytest.mark.parametrize(
    ("word", "head", "path"),
    [
        (1, 4, Path("↑nsubj", (1,))),
        (1, 6, Path("↑nsubj ↓xcomp", (1, 6))),
        (3, 4, Path("↑conj ↑nsubj", (3, 1))),
        (3, 6, Path("↑conj ↑nsubj ↓xcomp", (3, 1, 6))),
        (4, 1, Path("↓nsubj", (1,))),
        (2, 5, None),  # five steps
        (3, 0, Path("↑conj ↑nsubj ↑root", (3, 1, 4))),
        (1, 1, None),
    ],
)
def test_paths_lead_up_and_down_the_tree(word: int, head: int, path: Path | None) -> None:
    assert path_between(TREE, word, head) == path


def test_a_cycle_has_no_paths_out_of_it() -> None:
    cycle = [0, 2, 1, 0], ["", "obj", "obj", "root"]
    assert path_between(cycle, 1, 3) is None and path_between(cycle, 3, 1) is None


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["nsubj"], (0, "@")),
        (["nsubj:xsubj"], (0, "@:xsubj")),
        (["xcomp:{mark}"], (1, "@:{mark}")),
        (["ref"], (-1, "ref")),
        (["conj>nsubj"], (-1, "conj>nsubj")),
        (["nsubj", "xcomp"], (0, "@|xcomp")),
    ],
)
def test_labels_refer_to_steps(labels: list[str], expected: tuple[int, str]) -> None:
    path = path_between(TREE, 1, 6)
    assert path is not None and class_of(TREE, path, labels) == expected


def test_a_label_may_share_only_the_universal_part_of_a_step() -> None:
    tree = TREE[0], [label.replace("nsubj", "nsubj:pass") for label in TREE[1]]
    path = path_between(tree, 3, 4)
    assert path is not None and class_of(tree, path, ["nsubj"]) == (1, "~")
    assert class_of(tree, path, ["nsubj:pass"]) == (1, "@")


def test_rare_patterns_and_classes_are_left_out() -> None:
    arcs = {(1, 4): ("↑nsubj", ArcClass(0, "@")), (3, 4): ("↑conj ↑nsubj", ArcClass(1, "@"))}
    assert frequent_patterns([arcs], ["obj:x"]) == ["↑obj"]  # arcs of trees are always wanted
    assert frequent_patterns([arcs] * 3, []) == ["↑conj ↑nsubj", "↑nsubj"]
    counts = Counter({NO_ARC: 5, ArcClass(0, "@"): 9, ArcClass(-1, "ref"): 1})
    assert frequent_classes(counts) == [ArcClass(0, "@"), NO_ARC]


def test_arcs_too_far_apart_have_no_class() -> None:
    assert gold_arcs(TREE, [(5, "dep", 2), (6, "nsubj:xsubj", 1)]) == {
        (1, 6): ("↑nsubj ↓xcomp", ArcClass(0, "@:xsubj"))
    }


def test_only_arcs_from_the_root_are_roots() -> None:
    assert gold_arcs(TREE, [(4, "root", 1), (0, "dep", 4)]) == {}
    assert gold_arcs(TREE, [(0, "root", 4)]) == {(4, 0): ("↑root", ArcClass(0, "@"))}


def sentence_of(heads: list[int], labels: list[str]) -> Sentence:
    return Sentence.from_columns(["oak"] * len(heads), heads=heads, deprels=labels)


@pytest.mark.parametrize("seed", range(30))
def test_candidates_are_all_pairs_of_words_with_a_known_path(seed: int) -> None:
    """The compiled walk finds what comparing all pairs of nodes finds."""
    rng = Random(seed)
    heads, labels = random_tree(rng.randrange(1, 25), rng, labels=LABELS, single_root=False)
    tree = [0, *heads], ["", *labels]
    nodes = range(len(tree[0]))
    paths = {(d, h): path_between(tree, d, h) for d in nodes[1:] for h in nodes if d != h}
    known = sorted({path.pattern for path in paths.values() if path is not None})
    patterns = rng.sample(known, max(1, len(known) // 2))
    inventory = Inventory(patterns, [NO_ARC], [[0]] * len(patterns))
    walker = PathWalker(inventory.table(sorted({*labels}))[0])
    expected = {
        (d, h, patterns.index(path.pattern))
        for (d, h), path in paths.items()
        if path is not None and path.pattern in patterns
    }
    found = walker.candidates(sentence_of(heads, labels))
    assert len(found) == len(set(found)) and set(found) == expected
    assert [d for d, _, _ in found] == sorted(d for d, _, _ in found)
    assert max(len(path.words) for path in paths.values() if path) <= MOST_STEPS


GOOD: dict[str, Any] = {
    "patterns": ["↑obj", "↑conj ↑obj"],
    "classes": [[-1, ""], [0, "@"], [1, "@:{case}"]],
    "choices": [[1], [2, 0]],
}


def test_an_inventory_survives_its_data() -> None:
    inventory = Inventory.from_data(GOOD)
    assert inventory.to_data() == GOOD and inventory.n_rules == 1
    assert inventory.rules_only().choices == [[1], [2]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"patterns": ["↑obj"]},
        {"patterns": ["↑obj", "↑obj"]},
        {"patterns": ["↑obj", "obj"]},
        {"patterns": ["↑obj", ""]},
        {"patterns": ["↑obj", "↑"]},
        {"patterns": ["↑obj", " ".join(["↑conj"] * 5)]},
        {"classes": []},
        {"classes": [[0, "@"], [-1, ""], [1, "@"]]},
        {"classes": [[-1, ""], [0, "a\tb"], [1, "@"]]},
        {"classes": [[-1, ""], [-2, "@"], [1, "@"]]},
        {"classes": [[-1, ""], [0, "@"], [1, 2]]},
        {"choices": [[1], []]},
        {"choices": [[1], [3]]},
        {"choices": [[1], [-1]]},
        {"choices": [[2], [1]]},  # refers to a second step
        {"choices": "no"},
        {"classes": [[-1, ""], [0, "@"], [1, "@"], *[[-1, "x"]] * 1_000]},
        {"classes": [[-1, ""], [0, "\ud800"], [1, "@"]]},
        {"classes": [[-1, ""], [4, "@"], [1, "@"]]},
        {"patterns": [f"↑{i}" for i in range(600)], "choices": [[1]] * 600},
    ],
)
def test_inconsistent_data_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Inventory.from_data(GOOD | wrong)
