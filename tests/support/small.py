"""A small treebank of the invented language and templates to match: training takes a moment."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import dodona
from dodona.synthetic.generator import synthetic_treebank
from dodona.treebank.graphs.enhanced import GraphArc, with_graph

# every kind of part is there
TEMPLATES = """
s0.form
s0.tag
b0.form
b0.tag
b1.tag
s0.tag + b0.tag
s0.form + b0.form
s0.tag + b0.tag + b1.tag
s0.tag + s0.left.tag + b0.tag
s0.tag + b0.tag + distance
s0.tag + s0.right_labels
s0.label
s0.feats:Case + b0.feats:Case + s0.tag + b0.tag
"""


@cache
def treebank(
    n_sentences: int, seed: int, nonprojective: float = 0.1, lemmas: bool = False
) -> list[dodona.Sentence]:
    """Sentences of the invented language."""
    return [
        dodona.Sentence.from_columns(
            sentence.forms,
            lemmas=sentence.lemmas if lemmas else None,
            upos=sentence.upos,
            feats=sentence.feats,
            heads=sentence.heads,
            deprels=sentence.deprels,
        )
        for sentence in synthetic_treebank(n_sentences, seed, nonprojective=nonprojective)
    ]


def train(*data: Any, **settings: Any) -> dodona.Parser:
    """`dodona.train` with the templates above, for two epochs unless told otherwise."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "small.txt")
        path.write_text(TEMPLATES, encoding="utf-8")
        quick = {"features": str(path), "epochs": 2, "explore_after": 1}
        return dodona.train(*data, **(quick | settings))


@cache
def parser(root: str = "last") -> dodona.Parser:
    """A parser that is neither good nor hopeless, the same for all tests."""
    return train(treebank(60, 1, 0.3), root=root)


def enhanced(sentence: dodona.Sentence) -> dodona.Sentence:
    """The tree as a graph: prepositions in labels, and verbs share their subjects with xcomps."""
    arcs: set[GraphArc] = set()
    pairs = list(zip(sentence.heads, sentence.deprels, strict=True))
    case = {
        head: sentence.forms[i].lower() for i, (head, label) in enumerate(pairs) if label == "case"
    }
    for word, (head, label) in enumerate(pairs, 1):
        assert head is not None
        arcs.add((head, f"{label}:{case[word]}" if word in case else label, word))
        if label == "nsubj":
            arcs |= {
                (lower, "nsubj:xsubj", word)
                for lower, (above, its) in enumerate(pairs, 1)
                if above == head and its in ("xcomp", "conj", "ccomp") and lower != word
            }
    return with_graph(sentence, arcs)
