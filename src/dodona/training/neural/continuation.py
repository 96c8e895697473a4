"""A trained network to continue from: its words, tags and parameters, extended by what is new.

A model file holds no state of the optimizer, no auxiliary loss, and weights that were folded and
mostly rounded to int8 (`export`). They are turned back into parameters that compute the same
scores. New words, tags and labels get rows after the old ones, which keep their numbers: a word
begins as an unknown word, a label as its universal part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from dodona.core.network.network import COMBINATIONS
from dodona.core.tagging.tag_templates import LEMMA
from dodona.parsing.network_scorer import NetworkParserScorer
from dodona.parsing.strategy import Pair, StartingPoint, similar_classes, similar_labels
from dodona.records import replace as replace_fields
from dodona.tagging.network_tagger import NetworkTags, NetworkWords
from dodona.tagging.tag_classes import TagClasses, without_certain
from dodona.tagging.word_learning import column_of, flatten
from dodona.training.neural.network import PIECES, Numbers, Parameters, Shape, new_parameters
from dodona.training.neural.tag_heads import LEAST, LEAST_TOGETHER, NO_CLASS, TagHeads
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED

LESS_LIKELY = 1.0  # what is subtracted from the bias of a new class, which begins as a copy


class Continuation:
    """The network of a model, and how training extends it."""

    def __init__(self, start: StartingPoint) -> None:
        assert isinstance(start.scorer, NetworkParserScorer)  # the caller has looked
        self.templates, self.pairs = start.scorer.templates, start.pairs
        self.labels: list[bytes] = list(start.scorer.encoder.labels)
        self.tags: NetworkTags = start.scorer.tagger.scorer
        self.lemmas: TagClasses | None = None
        self._tasks = list(self.tags.tag_classes)
        if self._tasks and self._tasks[-1].column == LEMMA:
            self.lemmas = self._tasks.pop()

    def tag_heads(self, sentences: Sequence[Sentence]) -> TagHeads:
        """Return the tag heads, with new classes last; a column without any tag is not learned."""
        heads = TagHeads()
        for task in self._tasks:
            values, names = flatten(column_of(sentences, task.column)), list(task.classes)
            number = {name.decode(): i for i, name in enumerate(names)}
            if {*values} == {UNANNOTATED}:
                number = {}
            else:
                new = sorted({*values} - number.keys() - {UNANNOTATED})
                number |= {name: len(names) + i for i, name in enumerate(new)}
                names += [name.encode() for name in new]
            heads.tag_classes.append(without_certain(task.column, names))
            heads.gold.append(np.array([number.get(v, NO_CLASS) for v in values], np.int32))
        if COMBINATIONS in self.tags.arrays:
            heads.combinations = self._combinations(heads.gold)
        return heads

    def _combinations(self, gold: Sequence[Numbers]) -> Numbers:
        """Return the combinations of tags of the model, then those that are new."""
        sizes = np.array([len(task.classes) for task in self._tasks])
        before = np.asarray(self.tags.arrays[COMBINATIONS]).reshape(-1, len(sizes))
        words = np.stack(gold, 1)
        rows, counts = np.unique(words[(words > NO_CLASS).all(1)], axis=0, return_counts=True)
        rows = rows[(counts >= LEAST_TOGETHER) | (rows >= sizes).any(1)]
        found = dict.fromkeys(map(tuple, [*before.tolist(), *rows.tolist()]))
        return np.array([*found], np.uint32).ravel()

    def words(self, sentences: Sequence[Sentence], most: int | None = None) -> NetworkWords:
        """Return the words of the model and those that occur more than once in new sentences; with
        `most`, of these the most frequent as long as there are no more words than that."""
        before = self.tags.words
        counts = Counter(form.lower() for form in flatten(column_of(sentences, "forms")))
        known = {*before.forms}
        frequent = ((n, form.encode()) for form, n in counts.items() if n >= LEAST)
        by_count = sorted(((-n, form) for n, form in frequent if form not in known))
        room = None if most is None else max(most - len(known), 0)
        new = sorted(form for _, form in by_count[:room])
        return replace_fields(before, forms=[*before.forms, *new])

    def shape(self, shape: Shape) -> Shape:
        """Return a shape with the sizes that the model determines."""
        about, n = self.tags.about, len(shape.table_sizes)
        return replace(
            shape,
            field_widths=tuple(about["fields"]),
            fed_back=tuple(about["back"]),
            fixed=() if self.tags.words.vectors is None else (n - 1,),
            parts=(),
            arcs=0,
        )

    def parameters(
        self,
        shape: Shape,
        seed: int,
        labels: Sequence[bytes],
        pairs: Sequence[Pair],
        atoms: Sequence[int],
    ) -> Parameters:
        """Return the parameters of the model, with rows for new words, tags, labels and classes."""
        old = unfold(self.tags.about, self.tags.arrays)
        vectors = old[f"word.{shape.fixed[0]}"] if shape.fixed else None
        new = new_parameters(shape, seed, vectors)
        tables = [old.pop(f"atom.{i}") for i in range(len(atoms))]
        for name, value in old.items():
            new[name][tuple(map(slice, value.shape))] = value
        new["word.0"][len(old["word.0"]) :] = old["word.0"][0]  # as an unknown word
        for i in range(len(shape.tag_sizes)):
            n, bias = len(old[f"tag.{i}"]), old[f"tag.{i}.bias"]
            new[f"tag.{i}"][n:], new[f"tag.{i}.bias"][n:] = 0, bias.min()
            if i in shape.fed_back:
                new[f"tag.{i}.back"][:, n:] = 0
        like = similar_labels(self.labels, labels)
        self._add_atoms(new["atom"], tables, atoms, like)
        models = similar_classes(self.pairs, pairs, like)
        for c in range(len(self.pairs), len(pairs)):
            model = models.get(c)
            new["class"][c] = 0 if model is None else old["class"][model]
            least = old["class.bias"].min() if model is None else old["class.bias"][model]
            new["class.bias"][c] = least - LESS_LIKELY
        return new

    def _add_atoms(
        self, rows: Numbers, old: Sequence[Numbers], sizes: Sequence[int], like: Mapping[int, int]
    ) -> None:
        """Put the old rows of atoms where they belong; those of new labels begin as copies."""
        ends = [0, *accumulate(sizes)]
        for table, (begin, end) in zip(old, pairwise(ends), strict=True):
            rows[begin : begin + len(table)] = table
            rows[begin + len(table) : end] = 0
            if len(table) == len(self.labels) + 1:  # an atom of a label, after "none"
                for label, model in like.items():
                    rows[begin + 1 + label] = table[1 + model]


def unfold(about: Mapping[str, Any], arrays: Mapping[str, memoryview]) -> Parameters:
    """Return parameters for which `export.fold` gives the arrays of a network; gains are 1.

    Atoms stay apart, as `atom.0`, `atom.1` and so on.
    """
    d, layers, hidden = about["width"], about["layers"], about["hidden"]
    widths, n_slots = about["fields"], about["slots"]

    def read(name: str, *shape: int) -> Numbers:
        values = np.array(arrays[name], np.float32).reshape(shape)
        if f"{name}.scale" in arrays:
            values *= np.asarray(arrays[f"{name}.scale"])[:, None]
        return values

    found = {f"word.{i}": read(f"word.{i}", -1, width) for i, width in enumerate(widths)}
    found["word.maxout"] = read("word.maxout", PIECES * d, sum(widths))
    found["word.maxout.bias"] = read("word.maxout.bias", -1)
    for i in range(layers):
        layer = f"layer.{i}"
        found[f"{layer}.gain"] = np.ones(d, np.float32)
        found[f"{layer}.conv"] = read(f"{layer}.conv", 3, d)
        for name in ("in", "out"):
            found[f"{layer}.{name}"] = read(f"{layer}.{name}", -1, d)
            found[f"{layer}.{name}.bias"] = read(f"{layer}.{name}.bias", -1)
        found[f"{layer}.in.bias"][d : 2 * d] -= 1  # bias of the forget gate
    found["gain"] = np.ones(d, np.float32)
    for i in range(len(about["tags"])):
        found[f"tag.{i}"] = read(f"tag.{i}", -1, d)
        found[f"tag.{i}.bias"] = read(f"tag.{i}.bias", -1)
    for i in about["back"]:
        found[f"tag.{i}.back"] = read(f"tag.{i}.back", d, -1)
    found["slot"] = read("slot", n_slots * hidden, d)
    for name in ("missing", "root"):  # the vectors whose products with the slots are known
        found[name] = np.linalg.lstsq(found["slot"], read(f"slot.{name}", -1), rcond=None)[0]
    for i in range(len(about["atoms"])):
        found[f"atom.{i}"] = read(f"atom.{i}", -1, hidden)
    found["hidden.bias"] = read("hidden.bias", -1)
    found["class"], found["class.bias"] = read("class", -1, hidden), read("class.bias", -1)
    return found
