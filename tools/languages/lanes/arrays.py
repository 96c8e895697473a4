"""A language as arrays: word types, words with their trees and tags, and the states of an oracle.

Nothing in them depends on the position of a sentence in a batch: heads are distances, and the rows
of states count from the first word of the sentence. So a batch is a list of words, and all else
happens on the device.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dodona.core.learning.rollouts import N_SPECIAL_ROWS, RolloutRecorder
from dodona.storage.atomic import atomic_write
from dodona.tagging.word_types import FIELDS, WordTypes
from dodona.training.neural.rollouts import PER_WORD, padded, without_scores
from dodona.training.neural.sizes import BAG
from dodona.training.neural.strategy import NeuralStrategy
from dodona.training.neural.tag_heads import NO_CLASS
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence
from tools.languages.lanes.decks import are_trees
from tools.languages.lanes.lane import (
    COLUMNS,
    DEV,
    GOLD,
    LABELS,
    LONGEST,
    TEXT,
    UNKNOWN,
    UPOS_TAGS,
    places_after,
)

Numbers = Any  # an array of NumPy
Arrays = dict[str, Numbers]

MOST_GRAMS = 24  # rows of a type in the bag
SALT = 1


def save_arrays(
    path: Path,
    strategy: NeuralStrategy,
    dev: Sequence[Sentence],
    text: Sequence[Sentence],
    *,
    lends: bool,
    own_words: int,
) -> None:
    """Write the arrays and the sizes of a language, for `lane.Lane.load`; others learn from it only
    if it lends. The first `own_words` of gold are those of its own treebank."""
    about = lane_sizes(strategy) | {"lends": lends, "own_words": own_words}
    sizes = np.frombuffer(json.dumps(about).encode(), np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        np.savez(file, sizes=sizes, **lane_arrays(strategy, dev, text))


def read_text(parts: Sequence[Path], n_words: int) -> list[Sentence]:
    """Return sentences of a text, up to so many words, as many from each part."""
    share = n_words / max(len(parts), 1)
    return [sentence for path in parts for sentence in _first(path, share)]


def _first(path: Path, n_words: float) -> Iterator[Sentence]:
    for sentence in read(path, trees="ignored"):
        if (n_words := n_words - len(sentence)) < 0:
            return
        yield sentence


def lane_arrays(
    strategy: NeuralStrategy, dev: Sequence[Sentence], text: Sequence[Sentence]
) -> Arrays:
    """Return the arrays of the words of gold, text and dev set, of all types, and of states."""
    types, found = strategy.known.types(), dict[str, Numbers]()
    parts = {GOLD: strategy.task.sentences, TEXT: text, DEV: dev}
    forms: dict[str, None] = {}  # in the order of their types
    for part, sentences in parts.items():
        forms |= dict.fromkeys(form for sentence in sentences for form in sentence.forms)
        found[f"{part}.type"] = np.frombuffer(types.numbers(sentences), np.int32)
        found |= {f"{part}.{key}": x for key, x in places(sentences).items()}
        if part != TEXT:
            found |= {f"{part}.{key}": x for key, x in tree_arrays(strategy, sentences).items()}
    found["types.forms"] = np.frombuffer("\n".join(forms).encode(), np.uint8)
    found[f"{GOLD}.tags"] = _tags(strategy)
    return found | type_arrays(types) | state_arrays(strategy)


def lane_sizes(strategy: NeuralStrategy) -> dict[str, Any]:
    """Return the sizes of a language's network; of tags that it lacks, there is one class."""
    shape, heads = strategy.shape, {t.column: i for i, t in enumerate(strategy.tags.tag_classes)}
    parts = {column: strategy.tags.parts.get(heads.get(column, -1)) for column in COLUMNS[1:]}
    n_tags = {column: shape.tag_sizes[heads[column]] for column in COLUMNS if column in heads}
    n_tags["upos"] = max(upos_places(strategy), default=0) + 1
    return {
        "width": shape.width,
        "layers": shape.layers,
        "hidden": shape.hidden,
        "table_sizes": shape.table_sizes,
        "field_widths": shape.field_widths,
        "bag": shape.bag,
        "tag_sizes": [n_tags.get(column, 1) for column in COLUMNS],
        "n_slots": shape.n_slots,
        "n_atom_rows": shape.n_atom_rows,
        "n_classes": shape.n_classes,
        "arcs": shape.arcs,
        "n_labels": max(label_places(strategy).values()) + 1,
        "n_parts": [1 if matrix is None else matrix.shape[1] for matrix in parts.values()],
        "parts": [[] if matrix is None else _ones(matrix) for matrix in parts.values()],
    }


def upos_places(strategy: NeuralStrategy) -> list[int]:
    """Return the class in a lane of each class of UPOS."""
    (names,) = (t.classes for t in strategy.tags.tag_classes if t.column == "upos")
    return places_after(UPOS_TAGS, [name.decode() for name in names])


def label_places(strategy: NeuralStrategy) -> dict[str, int]:
    """Return the class in a lane of each label."""
    names = [name.decode() for name in strategy.task.data.encoder.labels]
    return dict(zip(names, places_after(LABELS, names), strict=True))


def _ones(matrix: Numbers) -> list[list[int]]:
    """Return the columns of the ones in each row."""
    return [np.flatnonzero(row).tolist() for row in matrix]


def type_arrays(types: WordTypes) -> Arrays:
    """Return the rows of each type: `single` of every field but the bag, and those in the bag; of
    more than MOST_GRAMS some, evenly chosen."""
    first, rows = (np.frombuffer(data, np.int32) for data in types.field_rows())
    starts = first[:-1].reshape(len(types), len(FIELDS))
    grams, n_grams = some_grams(first, rows, len(types))
    return {
        "types.single": rows[np.delete(starts, BAG, axis=1)].astype(np.uint16),
        "types.bag": grams.astype(np.uint16),
        "types.n_bag": n_grams,
    }


def some_grams(first: Numbers, rows: Numbers, n_types: int) -> tuple[Numbers, Numbers]:
    """Return the rows of the n-grams of each type, and their number; of more than MOST_GRAMS some,
    evenly chosen. `first` and `rows` are those of all fields (`WordTypes.field_rows`)."""
    starts, counts = (x.reshape(n_types, -1)[:, BAG, None] for x in (first[:-1], np.diff(first)))
    n, columns = np.minimum(counts, MOST_GRAMS), np.arange(MOST_GRAMS)
    chosen = np.where(columns < n, starts + columns * counts // np.maximum(n, 1), 0)
    return np.where(columns < n, rows[chosen], 0), n[:, 0].astype(np.uint8)


def places(sentences: Sequence[Sentence]) -> Arrays:
    """Return for each word its position in the sentence, and the length of that."""
    lengths = np.array([len(sentence) for sentence in sentences], np.int64)
    first = np.cumsum(lengths) - lengths
    position = np.arange(lengths.sum()) - np.repeat(first, lengths)
    return {
        "position": position.astype(np.int16),
        "length": np.repeat(lengths, lengths).astype(np.int16),
    }


def tree_arrays(strategy: NeuralStrategy, sentences: Sequence[Sentence]) -> Arrays:
    """Return for each word the distance to its head (0: the root), and its label."""
    labels = label_places(strategy)
    distances, numbers = [], []
    for sentence in sentences:
        for i, (head, label) in enumerate(zip(sentence.heads, sentence.deprels, strict=True), 1):
            distances.append(UNKNOWN if head is None else head - i if head else 0)
            numbers.append(NO_CLASS if head is None else labels.get(label, NO_CLASS))
    return {"head": np.array(distances, np.int16), "label": np.array(numbers, np.int16)}


def _tags(strategy: NeuralStrategy) -> Numbers:
    """Return the classes of every word of gold in all COLUMNS."""
    named = (task.column for task in strategy.tags.tag_classes)
    classes = dict(zip(named, strategy.tags.gold, strict=True))
    in_lane: Numbers = np.array([*upos_places(strategy), NO_CLASS])  # the last: of no class
    classes["upos"] = in_lane[classes["upos"]]
    nothing = np.full(strategy.task.data.n_words, NO_CLASS)
    return np.stack([classes.get(column, nothing) for column in COLUMNS]).astype(np.int16)


def voted(strategy: NeuralStrategy, text: Sequence[Sentence], votes: Arrays) -> Iterator[Sentence]:
    """Yield the sentences of a text whose votes are trees, with these and the tags voted for.

    Sentences with a label or a tag that the treebank does not have are left out.
    """
    names = {"deprels": {place: name for name, place in label_places(strategy).items()}}
    for task in strategy.tags.tag_classes:
        places = upos_places(strategy) if task.column == "upos" else range(len(task.classes))
        names[task.column] = {i: c.decode() for i, c in zip(places, task.classes, strict=True)}
    chosen = {"deprels": votes["label"]} | dict(zip(COLUMNS, votes["tags"], strict=True))
    lengths: Numbers = np.array([len(sentence) for sentence in text])
    is_known = np.all([np.isin(chosen[key], [*some]) for key, some in names.items()], axis=0)
    of_sentence = np.repeat(np.arange(len(text)), lengths)
    n_known = np.bincount(of_sentence, is_known, len(text))
    ends = np.cumsum(lengths)
    for i in np.flatnonzero(are_trees(lengths, votes["head"]) & (n_known == lengths)):
        words = slice(ends[i] - lengths[i], ends[i])
        distances = enumerate(votes["head"][words].tolist(), 1)
        yield text[i].replace(
            heads=[distance and word + distance for word, distance in distances],
            **{key: [some[x] for x in chosen[key][words].tolist()] for key, some in names.items()},
        )


def state_arrays(strategy: NeuralStrategy) -> Arrays:
    """Return PER_WORD states for each word of gold: those of rollouts that take optimal actions.

    `verdict` is a row of `verdicts`, since many states have the same; it is -1 where a sentence has
    fewer states.
    """
    task, slots = strategy.task, strategy.slots
    lengths = [len(sentence) for sentence in task.sentences]
    roll_out = _rollouts(strategy, max(lengths, default=0))
    n_states, learned = PER_WORD * sum(lengths), {*task.data.order}
    rows: Numbers = np.zeros((n_states, slots.n_slots), np.int16)
    atoms: Numbers = np.zeros((n_states, slots.n_atoms), np.int16)
    verdict: Numbers = np.full(n_states, -1, np.int32)
    number: dict[bytes, int] = {}
    first = 0
    for i, n in enumerate(lengths):
        if i in learned and n <= LONGEST:
            of_rows, of_atoms, judged = roll_out(i)
            some = slice(first, first + min(len(of_rows), PER_WORD * n))
            rows[some], atoms[some] = of_rows[: PER_WORD * n], of_atoms[: PER_WORD * n]
            verdict[some] = [number.setdefault(one, len(number)) for one in judged[: PER_WORD * n]]
        first += PER_WORD * n
    table = np.frombuffer(b"".join(number), np.uint8).reshape(-1, task.actions.n_classes)
    more = padded(task.actions.n_classes) - task.actions.n_classes
    return {
        "states.rows": rows,
        "states.atoms": atoms,
        "states.verdict": verdict,
        "verdicts": np.pad(table, ((0, 0), (0, more))),
    }


def _rollouts(strategy: NeuralStrategy, longest: int) -> Any:
    """Return a function that gives rows, atoms and verdicts of the states of a sentence."""
    task, slots = strategy.task, strategy.slots
    recorder = RolloutRecorder(task.data.corpus, task.actions, slots, mode="ambiguity")
    nothing = without_scores(recorder, task.actions, longest + N_SPECIAL_ROWS)
    width = task.actions.n_classes

    def roll_out(i: int) -> tuple[Numbers, Numbers, list[bytes]]:
        rows, atoms, judged = recorder.roll_out([i], [N_SPECIAL_ROWS], *nothing, SALT, False)
        return (
            np.frombuffer(rows, np.int32).reshape(-1, slots.n_slots),
            np.frombuffer(atoms, np.int32).reshape(-1, slots.n_atoms),
            [judged[k : k + width] for k in range(0, len(judged), width)],
        )

    return roll_out
