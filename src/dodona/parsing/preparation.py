"""Preparation of trees and graphs for training: encoding, and lifting of crossing arcs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from dodona.core.features.corpus import Corpus
from dodona.core.features.templates import (
    cluster_columns,
    forms_for_lemmas,
    load_templates,
    with_cluster_templates,
)
from dodona.core.transitions.registry import find_system
from dodona.settings import Settings, SettingsError
from dodona.training.treebanks import Treebank, load, nothing_to_learn
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.graphs.enhanced import enhanced_graph
from dodona.treebank.graphs.graphs import AND, BACK, UP, Planar, planarise
from dodona.treebank.graphs.lexical_labels import delexicalise
from dodona.treebank.sentence import Sentence
from dodona.treebank.trees.projectivity import is_projective
from dodona.treebank.trees.pseudoprojective import projectivise
from dodona.treebank.universal import UNANNOTATED

# Rarer labels are simplified. In en_ewt 97% of the arcs keep their label with 92 labels; with 505
# it would be 99%, for +0.3 ELAS on dev after two epochs, at half the speed.
LEAST, LEAST_SHARE = 3, 2_500


@dataclass
class TrainingData:
    """An encoded treebank, and counts for the record of a model."""

    encoder: Encoder
    corpus: Corpus
    n_words: int
    root_label: str  # the most frequent label under the root
    n_nonprojective: int = 0
    n_lifted: int = 0
    n_unannotated: int = 0  # words without a head
    order: list[int] = field(default_factory=list)


def load_trees(treebank: Treebank) -> list[Sentence]:
    """Return the sentences of a treebank, at least one of which has an arc."""
    sentences = load(treebank, trees="optional")
    if all(head is None for sentence in sentences for head in sentence.heads):
        raise nothing_to_learn(treebank, "no word has a head")
    return sentences


def choose_templates(settings: Settings, sentences: Iterable[Sentence]) -> str:
    """Return the templates of these settings, extended by those for clusters if there are any.

    If lemmas are to be predicted, but the sentences have none to learn from, forms replace them in
    the templates: without any word there LAS falls by 1.
    """
    text = load_templates(settings.features)
    named = cluster_columns(text, settings.features)
    if named and not settings.linear.clusters:
        raise SettingsError(
            f"{settings.features}: the templates name {named[0]!r}, but there are no clusters: "
            "give a file of clusters with --clusters (`dodona cluster` makes one)"
        )
    if settings.linear.clusters and not named:
        # for graphs, those of arcs between the top of the stack and the front of the buffer
        suited = find_system(settings.system).default_templates
        text = with_cluster_templates(text, suited if suited.startswith("rich") else "rich")
    if settings.tags == "gold" or any({*s.lemmas} - {UNANNOTATED} for s in sentences):
        return text
    return forms_for_lemmas(text)


def prepare(sentences: list[Sentence], encoder: Encoder, settings: Settings) -> TrainingData:
    """Encode trees, and lift crossing arcs or leave out what cannot be derived."""
    encoder.learn(sentences)
    # all labels, without "_" unless the treebank has no other
    found = {label for sentence in sentences for label in sentence.deprels}
    known = found - {UNANNOTATED} or {UNANNOTATED}
    root_label = _root_label(
        label
        for sentence in sentences
        for head, label in zip(sentence.heads, sentence.deprels, strict=True)
        if head == 0 and label in known
    )
    for label in sorted(known | {root_label}):
        encoder.add_label(label.encode())
    corpus = encoder.encode(sentences, trees=True)
    data = TrainingData(encoder, corpus, sum(map(len, sentences)), root_label)
    is_static = "static" in (settings.training, settings.search.oracle)
    keep_out = (
        settings.projectivise == "none"
        and is_static
        and find_system(settings.system).projective_only
    )
    for i, sentence in enumerate(sentences):
        _check_length(sentence, settings.system)
        if None in corpus.heads(i) or None in corpus.labels(i):
            _check_partial(sentence, i + 1, is_static, settings.system)
            data.n_unannotated += sentence.heads.count(None)
            data.order.append(i)  # unchanged: partial trees cannot be lifted
            continue
        heads = [head or 0 for head in sentence.heads]  # none is missing
        projective = is_projective(heads)
        data.n_nonprojective += not projective
        if not projective and settings.projectivise != "none":
            tree = projectivise(heads, sentence.deprels, settings.projectivise)
            data.n_lifted += tree.n_lifted
            labels = [encoder.add_label(label.encode()) for label in tree.labels]
            data.corpus.set_tree(i, tree.heads, labels)
        if projective or not keep_out:
            data.order.append(i)
    if not data.order:
        raise SettingsError(
            "static training left no sentence: every tree is non-projective; use projectivise"
        )
    return data


def _check_length(sentence: Sentence, system: str) -> None:
    """Refuse a sentence that is too long for the oracle of the system."""
    most = find_system(system).most_words
    if 0 < most < len(sentence):
        raise TreebankError(
            sentence.source,
            sentence.line,
            f"{system} learns from sentences of at most {most:,} words, and this one has "
            f"{len(sentence):,}: leave it out, or train another system, such as arc-hybrid",
        )


def _check_partial(sentence: Sentence, number: int, is_static: bool, system: str) -> None:
    """Refuse a partial tree if only complete ones can be learned from."""
    if is_static or not find_system(system).takes_partial:
        word = next(
            i
            for i, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True), 1)
            if head is None or label == UNANNOTATED
        )
        what = "static training" if is_static else f"the {system} system"
        instead = "with a dynamic oracle" if is_static else "with another system"
        raise TreebankError(
            sentence.source,
            sentence.line,
            f"sentence {number}: word {word} has no head or no label, but {what} needs complete "
            f"trees; leave it out, or train {instead}",
        )


def _root_label(labels: Iterable[str]) -> str:
    """Return the most frequent of the labels under the root."""
    counts = Counter(labels)
    return max(counts, key=lambda label: (counts[label], label), default="root")


def prepare_graphs(sentences: list[Sentence], encoder: Encoder) -> TrainingData:
    """Encode graphs, and make them planar for systems whose arcs do not cross."""
    encoder.learn(sentences)
    planar = [_planar(s) for s in sentences]
    if not any(graph.arcs for graph in planar):
        raise TreebankError(
            sentences[0].source,
            None,
            "the DEPS column is empty throughout: there is no graph to learn from; use a treebank "
            "with enhanced dependencies",
        )
    counts = Counter(label for graph in planar for _, label, _ in graph.arcs)
    least = max(LEAST, counts.total() // LEAST_SHARE)
    graphs = [[(h, _simplify(label, counts, least), d) for h, label, d in g.arcs] for g in planar]
    root_label = _root_label(label for arcs in graphs for head, label, _ in arcs if head == 0)
    for label in sorted({label for arcs in graphs for _, label, _ in arcs} | {root_label}):
        encoder.add_label(label.encode())
    data = TrainingData(encoder, encoder.encode(sentences), sum(map(len, sentences)), root_label)
    for i, arcs in enumerate(graphs):
        numbered = [(h, encoder.add_label(label.encode()), d) for h, label, d in sorted(arcs)]
        data.corpus.set_graph(i, numbered)
        data.n_nonprojective += planar[i].n_lifted > 0
        data.n_lifted += planar[i].n_lifted
        data.n_unannotated += len(sentences[i]) - len({d for _, _, d in arcs})
        if arcs:
            data.order.append(i)
    return data


def _planar(sentence: Sentence) -> Planar:
    try:
        return planarise(delexicalise(sentence, enhanced_graph(sentence)))
    except TreebankError:
        raise
    except ValueError as error:
        raise TreebankError(sentence.source, sentence.line, str(error)) from error


def _simplify(label: str, counts: Counter[str], least: int) -> str:
    """Return the label or, if it is rare, the most similar frequent one."""
    for mark in (BACK, AND, UP, ":"):
        while counts[label] < least and mark in label:
            label = label.rpartition(mark)[0]
    return label
