"""Every public operation, one per line: name, inputs, preparation, and size.

The input of an operation is prepared beforehand; only the work of the operation itself is counted.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import dodona
from dodona.clustering.clusters import cluster
from dodona.drawing.svg import draw
from dodona.enhancing.enhancer import Enhancer
from dodona.enhancing.training import train_enhancer
from dodona.evaluation import evaluate_graphs
from dodona.explorer.explore import Explorer
from dodona.explorer.state_drawing import draw_best, draw_state
from dodona.explorer.typed import read_typed
from dodona.treebank.conllu.writer import Writer, to_conllu, to_conllx
from dodona.treebank.graphs.empty_nodes import with_empty_nodes
from dodona.treebank.graphs.enhanced import GraphArc, enhanced_graph, with_graph
from dodona.treebank.graphs.graphs import deplanarise, planarise, remove_cycles
from dodona.treebank.graphs.lexical_labels import delexicalise, lexicalise
from dodona.treebank.raw_text import gold_text, original_text, raw_text
from dodona.treebank.trees.projectivity import nonprojective_arcs
from dodona.treebank.trees.pseudoprojective import deprojectivise, projectivise
from growth.patterns import CONLLU, TEXTS, Pattern, pick
from support.small import enhanced, train, treebank

Sentences = list[dodona.Sentence]
Graph = tuple[dodona.Sentence, frozenset[GraphArc]]

TREES = pick(CONLLU, "ordinary", "long sentence", "chain", "star")
PROJECTIVE = {name: make for name, make in TREES.items() if "cross" not in name}
EXPLORED = {**TREES, **pick(CONLLU, "labels")}
GRAPHS = {**EXPLORED, **pick(CONLLU, "below all", "everywhere", "empty", "conjuncts")}
RANGES = pick(CONLLU, "ranges", "one token")
ONE_WORD = pick(CONLLU, "sentences of", "full stops", "features", "notes", "comments", "above each")


class Operation(NamedTuple):
    """`run(given(pattern(n)))`, for n and 2n.

    `power` is 2 where work may grow with the square of n, for the reason given beside it.
    """

    name: str
    patterns: Mapping[str, Pattern]
    given: Callable[[str], Any]
    run: Callable[[Any], object]
    n: int
    power: int = 1
    refused: Collection[str] = ()  # patterns that raise ValueError instead


# --- inputs


def sentences(text: str) -> Sentences:
    return list(dodona.read(io.BytesIO(text.encode())))


def plain_words(text: str) -> Sentences:
    return [dodona.Sentence.from_columns(one.forms) for one in sentences(text)]


def split_otherwise(text: str) -> tuple[Sentences, Sentences]:
    """Return the sentences, and the same text with every two words joined."""
    gold = sentences(text)
    forms = [token.form for one in gold for token in one.tokens]
    joined = ["".join(forms[i : i + 2]) for i in range(0, len(forms), 2)]
    heads: list[int | None] = [0] + [1] * (len(joined) - 1)
    return gold, [dodona.Sentence.from_columns(joined, heads=heads)]


def other_words(text: str) -> tuple[Sentences, Sentences]:
    """Return the sentences, and a copy with other words in their multiword tokens."""
    return sentences(text), sentences(text.replace("\toak\t", "\telm\t").replace("near", "at"))


def graphs(text: str) -> list[Graph]:
    return [(one, enhanced_graph(one)) for one in sentences(text)]


def planar_graphs(text: str) -> list[frozenset[GraphArc]]:
    return [planarise(arcs).arcs for _, arcs in graphs(text)]


def lifted_trees(text: str) -> list[tuple[list[int], list[str]]]:
    found = [projectivise(one.heads, one.deprels, "head+path") for one in sentences(text)]
    return [(tree.heads, tree.labels) for tree in found]


def system_and_golds(name: str, text: str) -> tuple[dodona.System, list[dodona.Gold]]:
    system = dodona.system(name, labels=["root", "obj", "nsubj", "obl"])
    golds = [dodona.Gold(heads=one.heads, labels=one.deprels) for one in sentences(text)]
    return system, golds


def middle_states(name: str, text: str) -> tuple[dodona.System, dodona.Gold, list[dodona.State]]:
    """Return some states of the derivation of the first tree."""
    system, golds = system_and_golds(name, text)
    state, states = system.start(len(golds[0])), []
    actions = system.derivation(golds[0])
    for i, action in enumerate(actions):
        state = system.step(state, action)
        if i % (len(actions) // 4) == 1:
            states.append(state)
    return system, golds[0], states


# --- operations


def each(work: Callable[[dodona.Sentence], object]) -> Callable[[Sentences], object]:
    return lambda given: [work(one) for one in given]


def each_graph(work: Callable[[frozenset[GraphArc]], object]) -> Callable[[list[Graph]], object]:
    return lambda given: [work(arcs) for _, arcs in given]


def write(given: Sentences) -> None:
    with Writer(io.BytesIO()) as writer:
        for one in given:
            writer.write(one)


def read_all(given: Sentences) -> None:
    """Read every attribute of a document and of its words."""
    document = dodona.Doc(given)
    document.to_json()
    for word in document.words:
        assert word.form and word.children is not None
    assert given[0][0].subtree and given[0][-1].subtree


def draw_graphs(given: list[Graph]) -> None:
    for one, arcs in given:
        draw(one.forms, [arc for arc in arcs if arc[0] != arc[2]])


def make_text(given: Sentences) -> None:
    "".join(raw_text(given))
    original_text(given)
    gold_text(given)


def derive(given: tuple[dodona.System, list[dodona.Gold]]) -> None:
    system, golds = given
    for gold in golds:
        system.derivation(gold)


def compute_costs(given: tuple[dodona.System, dodona.Gold, list[dodona.State]]) -> None:
    system, gold, states = given
    for state in states:
        system.costs(state, gold)
        system.optimal(state, gold)


@cache
def tree_parser(beam: int) -> dodona.Parser:
    return train(treebank(40, 1, 0.3), beam=beam)


@cache
def enhancer() -> Enhancer:
    return train_enhancer([enhanced(one) for one in treebank(60, 1)])


@cache
def graph_parser() -> dodona.Parser:
    return train([enhanced(one) for one in treebank(40, 1)], graph="enhanced")


@cache
def tagger() -> dodona.Tagger:
    return dodona.train_tagger(treebank(40, 1), epochs=1)


@cache
def segmenter() -> dodona.Segmenter:
    return dodona.train_segmenter(treebank(200, 1), epochs=2)


def parse(given: Sentences, beam: int = 1) -> None:
    list(tree_parser(beam).pipe(given))


def train_one_epoch(given: Sentences, **settings: Any) -> None:
    train(given, epochs=1, explore_after=0, **settings)


def explore(given: Sentences, system: str) -> None:
    """Draw the first state, as on the explorer's page."""
    explorer = Explorer(given[0], system)
    view = explorer.view(explorer.start())
    draw_state(explorer, view, 800)
    if view.reach is not None:
        draw_best(explorer, view.arcs, view.reach, 800)


def operations_of(system: str) -> list[Operation]:
    """Return derivations and costs of actions, for which some systems visit all words."""
    given, middle = partial(system_and_golds, system), partial(middle_states, system)
    patterns = TREES if system == "swap" else PROJECTIVE
    slow = 1 if system in ("arc-hybrid", "graph-eager", "graph-standard") else 2
    cubic = 3 if system in ("arc-standard", "swap") else slow
    return [
        Operation(f"derive by {system}", patterns, given, derive, 200, power=slow),
        Operation(f"costs by {system}", PROJECTIVE, middle, compute_costs, 50, power=cubic),
    ]


OPERATIONS = [
    Operation("read", CONLLU, str.encode, lambda data: list(dodona.read(io.BytesIO(data))), 4000),
    Operation("write", CONLLU, sentences, write, 4000),
    Operation("read attributes", CONLLU, sentences, read_all, 300),
    Operation("convert", CONLLU, sentences, each(lambda s: to_conllu(to_conllx(s))), 1000),
    Operation("restore the text", CONLLU, sentences, make_text, 500),
    Operation("read typed sentences", CONLLU, str, read_typed, 1000),
    Operation("segment", TEXTS, str, lambda text: segmenter().segment(text), 5000),
    Operation("tag", CONLLU, plain_words, lambda given: list(tagger().pipe(given)), 500),
    Operation("parse greedily", CONLLU, sentences, parse, 1000),
    # a state is copied for each surviving hypothesis
    Operation("parse with a beam", CONLLU, sentences, partial(parse, beam=4), 300, power=2),
    Operation("parse to graphs", CONLLU, sentences, lambda s: list(graph_parser().pipe(s)), 500),
    Operation("make graphs", TREES, sentences, lambda s: list(enhancer().pipe(s)), 500),
    Operation("train", TREES, sentences, train_one_epoch, 300),
    Operation("train graphs", GRAPHS, sentences, partial(train_one_epoch, graph="enhanced"), 50),
    Operation("score trees", CONLLU, sentences, lambda s: dodona.evaluate(s, s).table(), 300),
    Operation("score text", CONLLU, sentences, lambda s: dodona.evaluate_text(s, s), 300),
    Operation(
        "align texts", CONLLU, split_otherwise, lambda both: dodona.evaluate_text(*both), 200
    ),
    # the words of a multiword token are compared with each other
    Operation(
        "align words", RANGES, other_words, lambda both: dodona.evaluate_text(*both), 100, power=2
    ),
    Operation("train to make graphs", GRAPHS, sentences, train_enhancer, 50),
    Operation("score graphs", CONLLU, sentences, lambda s: evaluate_graphs(s, s), 300),
    Operation(
        "score graphs of text", CONLLU, sentences, lambda s: evaluate_graphs(s, s, text=True), 300
    ),
    Operation(
        "find crossing arcs", TREES, sentences, each(lambda s: nonprojective_arcs(s.heads)), 2000
    ),
    # where all arcs cross, each lift renumbers the words below
    Operation(
        "projectivise",
        TREES,
        sentences,
        each(lambda s: projectivise(s.heads, s.deprels)),
        1000,
        power=2,
    ),
    Operation(
        "deprojectivise",
        TREES,
        lifted_trees,
        lambda trees: [deprojectivise(*tree, "head+path") for tree in trees],
        1000,
        power=2,
    ),
    Operation("read graphs", GRAPHS, sentences, each(enhanced_graph), 1000),
    Operation(
        "write graphs", GRAPHS, graphs, lambda given: [with_graph(*one) for one in given], 1000
    ),
    Operation(
        "make empty nodes",
        GRAPHS,
        graphs,
        lambda given: [with_empty_nodes(with_graph(*one)) for one in given],
        300,
    ),
    # each arc on a cycle is searched for a path back
    Operation("remove cycles", GRAPHS, graphs, each_graph(remove_cycles), 200, power=2),
    # each arc visits the words below it
    Operation("planarise", GRAPHS, graphs, each_graph(planarise), 75, power=2),
    Operation(
        "deplanarise",
        GRAPHS,
        planar_graphs,
        lambda given: [deplanarise(arcs) for arcs in given],
        100,
    ),
    Operation(
        "lexicalise labels",
        GRAPHS,
        graphs,
        lambda given: [lexicalise(s, delexicalise(s, arcs)) for s, arcs in given],
        500,
    ),
    # the arcs of a row are compared with each other; the server draws up to 250 words
    Operation("draw graphs", GRAPHS, graphs, draw_graphs, 60, power=2),
    Operation(
        "draw in a line", CONLLU, sentences, each(lambda s: s.to_svg(width=None)), 60, power=2
    ),
    Operation("draw in rows", TREES, sentences, lambda s: dodona.Doc(s).to_html(), 60, power=2),
    # as many lines as words, as wide as the tree is high
    Operation("draw as text", CONLLU, sentences, each(lambda s: s.tree(width=80)), 50, power=2),
    Operation(
        "explore trees", EXPLORED, sentences, partial(explore, system="arc-hybrid"), 50, power=2
    ),
    Operation(
        "explore graphs", GRAPHS, sentences, partial(explore, system="graph-eager"), 50, power=2
    ),
    Operation(
        "cluster",
        CONLLU,
        lambda text: [s.forms for s in sentences(text)],
        lambda words: cluster(words, clusters=20),
        1000,
        refused=ONE_WORD,
    ),
    *(operation for name in dodona.systems() for operation in operations_of(name)),
]
