"""Small models of every kind, learned in a moment from a few sentences of the invented language."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import dodona
from dodona.enhancing.training import train_enhancer
from dodona.storage.serialisable import Serialisable
from dodona.synthetic.generator import synthetic_treebank, to_conllu
from dodona.treebank.encoding.clusters import Clusters
from dodona.treebank.graphs.enhanced import with_graph

TEMPLATES = """
s0.form
s0.tag + b0.tag
b0.form + distance
s0.tag + s0.left.tag + s0.label
s0.feats:Case + b0.right_labels
"""
GRAPH_TEMPLATES = "s0.form\ns0.tag + b0.tag\nlink + action\ns0.n_heads + s0.head_labels\n"
CLUSTER_TEMPLATES = "s0.cluster\nb0.cluster:2 + s0.tag\n"
CLUSTERS = "0\tle\n10\tmin\n11\tlern\t3\n"
# tokens of several words, a paragraph, and no space where one might be
TOLD = """\
# newpar
# text = Lemi vunint.
1-2	Lemi	_	_	_	_	_	_	_	_
1	le	le	DET	det	Case=Nom	2	det	_	_
2	mi	mi	NOUN	noun	Case=Nom	3	nsubj	_	_
3	vunint	vunut	VERB	verb	_	0	root	_	SpaceAfter=No
4	.	.	PUNCT	punct	_	3	punct	_	_

# newpar
# text = Lemi vun!
1-2	Lemi	_	_	_	_	_	_	_	_
1	le	le	DET	det	Case=Nom	2	det	_	_
2	mi	mi	NOUN	noun	Case=Nom	3	nsubj	_	_
3	vun	vunut	VERB	verb	_	0	root	_	SpaceAfter=No
4	!	!	PUNCT	punct	_	3	punct	_	_

"""
TREE_SYSTEMS = [name for name in dodona.systems() if not name.startswith("graph-")]
GRAPH_SYSTEMS = [name for name in dodona.systems() if name.startswith("graph-")]


@cache
def treebank() -> list[dodona.Sentence]:
    """Trees, some of them with crossing arcs."""
    told = "".join(
        to_conllu(sentence, str(number))
        for number, sentence in enumerate(synthetic_treebank(10, 1, nonprojective=0.3))
    )
    return list(dodona.read(io.BytesIO((told + TOLD).encode())))


def one_word() -> list[dodona.Sentence]:
    """Sentences that show nothing of how words are joined."""
    return [dodona.Sentence.from_columns(["lern"], upos=["VERB"], heads=[0], deprels=["root"])] * 3


def few() -> list[dodona.Sentence]:
    """The last of them, those with tokens of several words."""
    return treebank()[-2:]


@cache
def graphs() -> list[dodona.Sentence]:
    """The trees as graphs, with an arc more where a word has a grandmother."""
    found = []
    for sentence in treebank():
        heads = [0, *(head or 0 for head in sentence.heads)]
        pairs = list(enumerate(zip(heads[1:], sentence.deprels, strict=True), 1))
        arcs = {(head, label, word) for word, (head, label) in pairs}
        arcs |= {(heads[head], "ref", word) for word, (head, _) in pairs if heads[head]}
        found.append(with_graph(sentence, arcs))
    return found


def train(
    data: Callable[[], list[dodona.Sentence]] = treebank,
    templates: str = TEMPLATES,
    clusters: str = "",
    **settings: Any,
) -> dodona.Parser:
    """A parser with templates of a few lines, after two epochs unless told otherwise."""
    if clusters:
        settings["clusters"] = _file("clusters", clusters)
    quick = {"features": _file("templates", templates), "epochs": 2}
    parser: dodona.Parser = dodona.train(data(), **{**quick, **settings})
    return parser


def small_templates() -> str:
    """A file of templates that are quickly computed."""
    return _file("templates", TEMPLATES)


@cache
def _file(name: str, text: str) -> str:
    """A file with that text, which stays until the process ends."""
    path = Path(_folder().name, f"{name}-{crc32(text.encode())}.txt")
    path.write_text(text, encoding="utf-8")
    return str(path)


@cache
def _folder() -> TemporaryDirectory[str]:
    return TemporaryDirectory()


def network(**settings: Any) -> dodona.Parser:
    """A parser with a network that has learned nothing but lemmas: there is nothing to compile."""
    from dodona.parsing.trainer import Trainer
    from dodona.training.neural.network import new_parameters
    from dodona.training.neural.strategy import NeuralStrategy

    small = {"scorer": "neural", "width": 32, "layers": 1, "hidden": 16, "rows": 64, "epochs": 1}
    data = graphs() if "graph" in settings else treebank()
    strategy = NeuralStrategy()
    trainer = Trainer(data, None, dodona.Settings(**{**small, **settings}), strategy)
    for stage in strategy.stages():
        stage.complete()
    trainer.best = strategy.learned(strategy.arrays_of(new_parameters(strategy.shape, 1)))
    return trainer.parser()


# networks need JAX to be made, though not to be used
NETWORKS: dict[str, Callable[[], Serialisable]] = {
    "network": partial(network),
    "network-floats": partial(network, precision="float32"),
    "network-swap": partial(network, system="swap"),
    "network-beam": partial(network, system="arc-hybrid", beam=3),
    "network-graphs": partial(network, graph="enhanced"),
    "network-constraints": partial(network, system="arc-hybrid", constraints="ud"),
}

MAKERS: dict[str, Callable[[], Serialisable]] = {
    **{name: partial(train, system=name) for name in TREE_SYSTEMS},
    **{
        name: partial(train, graphs, GRAPH_TEMPLATES, system=name, graph="enhanced")
        for name in GRAPH_SYSTEMS
    },
    **{f"{name}-beam": partial(train, system=name, beam=3) for name in TREE_SYSTEMS},
    **{f"{name}-one-word": partial(train, one_word, system=name) for name in TREE_SYSTEMS},
    "many-roots": partial(train, system="arc-hybrid", roots="many", root="last"),
    "clusters": partial(train, templates=TEMPLATES + CLUSTER_TEMPLATES, clusters=CLUSTERS),
    "tree-and-graph": partial(train, graphs, graph="basic+enhanced"),
    "pipeline": partial(train, pipeline="text"),
    "enhanced": lambda: train().with_enhancer(train_enhancer(graphs(), epochs=1)),
    "calibrated": lambda: dodona.calibrate(train(), treebank()),
    "tagger": partial(dodona.train_tagger, treebank(), epochs=2, cutoff=1),
    "tagger-beam": partial(
        dodona.train_tagger, treebank(), epochs=2, cutoff=1, search="beam", beam=2
    ),
    "segmenter": partial(dodona.train_segmenter, treebank(), epochs=2, cutoff=1),
    **(NETWORKS if find_spec("jax") else {}),
}


@cache
def sample(name: str) -> Serialisable:
    """The model of that name, always the same."""
    return MAKERS[name]()


@cache
def parser(name: str) -> dodona.Parser:
    """The same, where it is known to be a parser."""
    found = sample(name)
    assert isinstance(found, dodona.Parser)
    return found


def clusters() -> Clusters:
    """Those that the models above have."""
    return Clusters.read(io.BytesIO(CLUSTERS.encode()))
