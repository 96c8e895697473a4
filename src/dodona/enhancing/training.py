"""Training of enhancers on the graphs of a treebank, against its trees."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable

from dodona.core.weights.linear import Weights
from dodona.core.weights.packing import pack
from dodona.core.weights.shuffle import shuffle
from dodona.enhancing.arc_training import ArcTrainer
from dodona.enhancing.enhancer import Enhancer
from dodona.enhancing.inventory import (
    NO_ARC,
    ArcClass,
    Inventory,
    KnownArcs,
    Tree,
    frequent_classes,
    frequent_patterns,
    gold_arcs,
)
from dodona.enhancing.path_walker import PathWalker
from dodona.training.treebanks import Treebank, checksum, load
from dodona.treebank.graphs.enhanced import enhanced_graph
from dodona.treebank.graphs.lexical_labels import delexicalise
from dodona.treebank.sentence import Sentence

EPOCHS = 5
MARGIN = 1  # by which the score of the right class should exceed all others
CUTOFF = 3  # candidates with a feature that is learned
UNLEARNED = -1  # a class that no candidate may choose


def train_enhancer(
    train: Treebank,
    *,
    epochs: int = EPOCHS,
    seed: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Enhancer:
    """Learn to make enhanced graphs from trees; the result can be added to any parser.

    `train` has trees and graphs (DEPS); sentences without a graph are left out. `progress` is
    called with the number of each epoch that is done.

    >>> forms, heads, labels = ["Oaks", "try", "to", "speak"], [2, 0, 4, 2], ["nsubj", "root"]
    >>> deps = ["2:nsubj|4:nsubj:xsubj", "0:root", "4:mark", "2:xcomp"]
    >>> oaks = Sentence.from_columns(
    ...     forms, heads=heads, deprels=[*labels, "mark", "xcomp"], deps=deps
    ... )
    >>> train_enhancer([oaks] * 5).enhance([oaks.replace(deps=["_"] * 4)])[0].deps == deps
    True
    """
    every = load(train, trees="optional")
    sentences = [each for each in every if set(each.deps) != {"_"} and None not in each.heads]
    if not sentences:
        raise ValueError(
            "no sentence has both a tree and a graph to learn from (columns HEAD and DEPS)"
        )
    labels = sorted({label for sentence in sentences for label in sentence.deprels})
    inventory, gold = learn_inventory(sentences, labels)
    table, _ = inventory.table(labels)
    weights = Weights(len(inventory.classes))
    trainer = ArcTrainer(table, weights, sentences, gold, margin=MARGIN, cutoff=CUTOFF)
    for epoch in range(epochs):
        trainer.train(shuffle(len(sentences), seed + epoch))
        if progress is not None:
            progress(epoch + 1)
    record = {"train": checksum(map(bytes, every)), "n_sentences": len(sentences), "epochs": epochs}
    packed = pack(trainer.weights, trainer.time)
    return Enhancer(inventory, labels, packed, record | {"seed": seed})


def learn_inventory(
    sentences: list[Sentence], labels: list[str]
) -> tuple[Inventory, list[list[int]]]:
    """Return the patterns and classes of graphs, and the class of every candidate."""
    arcs = [_gold(sentence) for sentence in sentences]
    patterns = frequent_patterns(arcs, labels)
    bare = Inventory(patterns, [NO_ARC], [[0]] * len(patterns))
    walker = PathWalker(bare.table(labels)[0])
    counts: dict[int, Counter[ArcClass]] = defaultdict(Counter)
    found: list[list[tuple[int, ArcClass]]] = []  # per sentence and candidate: pattern and class
    for sentence, known in zip(sentences, arcs, strict=True):
        found.append(
            [
                (pattern, known.get((word, head), ("", NO_ARC))[1])
                for word, head, pattern in walker.candidates(sentence)
            ]
        )
        for pattern, klass in found[-1]:
            counts[pattern][klass] += 1
    chosen = [frequent_classes(counts[pattern]) for pattern in range(len(patterns))]
    classes = [NO_ARC, *sorted({each for some in chosen for each in some} - {NO_ARC})]
    numbers = {klass: number for number, klass in enumerate(classes)}
    choices = [[numbers[each] for each in some] for some in chosen]
    gold = [
        [numbers[klass] if klass in chosen[pattern] else UNLEARNED for pattern, klass in each]
        for each in found
    ]
    inventory = Inventory(patterns, classes, choices)
    inventory.check_size()
    return inventory, gold


def _gold(sentence: Sentence) -> KnownArcs:
    tree: Tree = [0, *(head or 0 for head in sentence.heads)], ["", *sentence.deprels]
    return gold_arcs(tree, delexicalise(sentence, enhanced_graph(sentence)))
