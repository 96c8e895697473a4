"""Every public operation, each a line: its name, what it is done to, how, and to how much.

What an operation is given is made beforehand; only what it does then is timed.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import dodona
from dodona.clustering.clusters import cluster
from dodona.drawing.html import figure
from dodona.evaluation import evaluate_graphs
from dodona.explorer.explore import Explorer
from dodona.explorer.picture import draw_best, draw_state
from dodona.explorer.typed import read_typed
from dodona.treebank.conllu.writer import Writer, to_conllu, to_conllx
from dodona.treebank.graphs.empty_nodes import with_empty_nodes
from dodona.treebank.graphs.enhanced import Arc, enhanced_graph, with_graph
from dodona.treebank.graphs.graphs import deplanarise, planarise, remove_cycles
from dodona.treebank.graphs.lexical_labels import delexicalise, lexicalise
from dodona.treebank.raw_text import gold_text, original_text, raw_text
from dodona.treebank.trees.projectivity import nonprojective_arcs
from dodona.treebank.trees.pseudoprojective import SCHEMES, deprojectivise, projectivise
from growth.patterns import CONLLU, TEXTS, Pattern
from support.small import enhanced, train, treebank

Sentences = list[dodona.Sentence]
Graph = tuple[dodona.Sentence, frozenset[Arc]]


class Operation(NamedTuple):
    """`run(given(pattern(n)))`, and the same for 2n and 4n."""

    name: str
    patterns: Mapping[str, Pattern]
    given: Callable[[str], Any]
    run: Callable[[Any], object]
    n: int
    refused: Collection[str] = ()  # patterns for which a clear error comes instead, soon


# --- what operations are given


def sentences(text: str) -> Sentences:
    return list(dodona.read(io.BytesIO(text.encode())))


def graphs(text: str) -> list[Graph]:
    return [(one, enhanced_graph(one)) for one in sentences(text)]


def planar_graphs(text: str) -> list[frozenset[Arc]]:
    return [planarise(arcs).arcs for _, arcs in graphs(text)]


def plain_words(text: str) -> Sentences:
    return [dodona.Sentence.from_columns(one.forms) for one in sentences(text)]


def lifted(text: str) -> list[tuple[list[int], list[str]]]:
    trees = [projectivise(one.heads, one.deprels, "head+path") for one in sentences(text)]
    return [(tree.heads, tree.labels) for tree in trees]


def oracle(system: str, text: str) -> tuple[dodona.System, Sentences]:
    return dodona.system(system, labels=["root", "obj", "nsubj", "obl", "conj"]), sentences(text)


# --- what they do


def write(given: Sentences) -> None:
    with Writer(io.BytesIO()) as writer:
        for one in given:
            writer.write(one)


def view(given: Sentences) -> None:
    """All that a sentence tells of itself and of its words."""
    for one in given:
        one.to_dict()
        one.to_conllu()
        for word in one:
            assert word.form and word.children is not None and word.text is not None


def derive(given: tuple[dodona.System, Sentences]) -> None:
    system, trees = given
    for one in trees:
        system.derivation(dodona.Gold(heads=one.heads, labels=one.deprels))


@cache
def tree_parser(**settings: Any) -> dodona.Parser:
    return train(treebank(40, 1, 0.3), **settings)


@cache
def graph_parser() -> dodona.Parser:
    return train([enhanced(one) for one in treebank(40, 1)], graph="enhanced")


@cache
def tagger() -> dodona.Tagger:
    return dodona.train_tagger(treebank(40, 1), epochs=1)


@cache
def segmenter() -> dodona.Segmenter:
    return dodona.train_segmenter(treebank(200, 1), epochs=2)


def parse(given: Sentences, **settings: Any) -> Sentences:
    return list(tree_parser(**settings).pipe(given))


def parse_graphs(given: Sentences) -> Sentences:
    return list(graph_parser().pipe(given))


def explore(given: Sentences, system: str) -> None:
    for one in given:
        explorer = Explorer(one, system)
        view = explorer.view(explorer.start())
        draw_state(explorer, view, 800)
        draw_best(explorer, view, 800)


def to_text(gold: Sentences) -> None:
    "".join(raw_text(gold))
    original_text(gold)
    gold_text(gold)


def each(work: Callable[[dodona.Sentence], object]) -> Callable[[Sentences], object]:
    return lambda given: [work(one) for one in given]


def _system(name: str) -> list[Operation]:
    return [
        Operation(f"derive by {name}", CONLLU, partial(oracle, name), derive, 1000),
    ]


OPERATIONS = [
    Operation("read", CONLLU, str.encode, lambda data: list(dodona.read(io.BytesIO(data))), 4000),
    Operation("write", CONLLU, sentences, write, 4000),
    Operation("look at", CONLLU, sentences, view, 500),
    Operation("convert", CONLLU, sentences, each(lambda s: to_conllu(to_conllx(s))), 1000),
    Operation("text of", CONLLU, sentences, to_text, 1000),
    Operation("type", CONLLU, str, read_typed, 1000),
    Operation("parse greedily", CONLLU, sentences, parse, 2000),
    Operation("parse with a beam", CONLLU, sentences, partial(parse, beam=4), 500),
    Operation("parse into graphs", CONLLU, sentences, parse_graphs, 500),
    Operation("tag", CONLLU, plain_words, lambda given: list(tagger().pipe(given)), 1000),
    Operation("segment", TEXTS, str, lambda text: segmenter().segment(text), 3000),
    Operation("evaluate trees", CONLLU, sentences, lambda s: dodona.evaluate(s, s).table(), 500),
    Operation("evaluate text", CONLLU, sentences, lambda s: dodona.evaluate_text(s, s), 500),
    Operation("evaluate graphs", CONLLU, sentences, lambda s: evaluate_graphs(s, s), 500),
    Operation(
        "find crossing arcs", CONLLU, sentences, each(lambda s: nonprojective_arcs(s.heads)), 4000
    ),
    *(
        Operation(
            f"projectivise by {scheme}",
            CONLLU,
            sentences,
            each(lambda s, scheme=scheme: projectivise(s.heads, s.deprels, scheme)),
            4000,
        )
        for scheme in SCHEMES
    ),
    Operation(
        "deprojectivise",
        CONLLU,
        lifted,
        lambda trees: [deprojectivise(*tree, "head+path") for tree in trees],
        4000,
    ),
    Operation("read graphs", CONLLU, sentences, each(enhanced_graph), 1000),
    Operation(
        "write graphs", CONLLU, graphs, lambda found: [with_graph(*one) for one in found], 1000
    ),
    Operation(
        "make empty nodes",
        CONLLU,
        graphs,
        lambda found: [with_empty_nodes(with_graph(*one)) for one in found],
        500,
    ),
    Operation(
        "remove cycles",
        CONLLU,
        graphs,
        lambda found: [remove_cycles(arcs) for _, arcs in found],
        500,
    ),
    Operation(
        "planarise", CONLLU, graphs, lambda found: [planarise(arcs) for _, arcs in found], 200
    ),
    Operation(
        "deplanarise",
        CONLLU,
        planar_graphs,
        lambda found: [deplanarise(arcs) for arcs in found],
        200,
    ),
    Operation(
        "words out of labels",
        CONLLU,
        graphs,
        lambda found: [lexicalise(s, delexicalise(s, arcs)) for s, arcs in found],
        500,
    ),
    Operation("draw as SVG", CONLLU, sentences, each(lambda s: s.to_svg()), 100),
    Operation("draw in rows", CONLLU, sentences, each(lambda s: figure(s.to_svg(width=800))), 100),
    Operation("draw as text", CONLLU, sentences, each(lambda s: s.tree(width=80)), 100),
    Operation("explore trees", CONLLU, sentences, partial(explore, system="arc-hybrid"), 50),
    Operation("explore graphs", CONLLU, sentences, partial(explore, system="graph-eager"), 50),
    Operation(
        "cluster",
        CONLLU,
        lambda text: [s.forms for s in sentences(text)],
        lambda words: cluster(words, clusters=20),
        1000,
    ),
    Operation("train", CONLLU, sentences, lambda s: train(s, epochs=1), 500),
    *(line for name in dodona.systems() for line in _system(name)),
]
