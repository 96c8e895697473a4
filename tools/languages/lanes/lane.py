"""A lane: a language among those that are trained side by side, and the sizes that all share."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dodona.training.neural.network import Parts, Shape
from dodona.training.neural.tag_heads import NO_CLASS
from dodona.treebank.universal import RELATIONS, UPOS

Numbers = Any  # an array of NumPy or JAX
Arrays = dict[str, Numbers]

COLUMNS = "upos", "xpos", "feats"  # of the tag heads of every lane; the last two may have parts
UPOS_TAGS, LABELS = sorted(UPOS), sorted(RELATIONS)  # they have the same numbers in all lanes
WITH_PARTS = 1, 2
FED_BACK = (0,)  # heads whose tags are inputs of the parser
PARTS = GOLD, TEXT, DEV = "gold", "text", "dev"  # of the words, in this order
LARGEST = "n_atom_rows", "n_classes"  # sizes that are those of the largest lane …
LARGEST_OF_EACH = "table_sizes", "tag_sizes"  # … table by table
OF_SHAPE = {*Shape.__dataclass_fields__} - {"fed_back", "parts"}
OF_WORDS = "type", "position", "length"
TIMED = 20  # steps, from which the time of all follows
LONGEST = 100  # words of a sentence that is learned from
UNKNOWN = -(1 << 14)  # distance of an unknown head; that of the root is 0
LIKELIEST = {"head": 4, "label": 2, "tags": 2}  # classes of a word that are kept, with shares
TEACHER, VOTED = "teacher_", "voted_"  # before the names of their likeliest classes


@dataclass
class Lane:
    """The arrays of a language (`arrays`); votes on the text are added to them."""

    name: str
    arrays: Arrays
    sizes: dict[str, Any]

    @classmethod
    def load(cls, path: Path) -> Lane:
        """Read the arrays of a language."""
        with np.load(path, allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
        return cls(path.stem, found, json.loads(bytes(found.pop("sizes"))))

    @property
    def shape(self) -> Shape:
        """The sizes of the network of this language."""
        known = {name: value for name, value in self.sizes.items() if name in OF_SHAPE}
        sizes = {name: tuple(x) if isinstance(x, list) else x for name, x in known.items()}
        parts = tuple(zip(WITH_PARTS, self.sizes["n_parts"], strict=True))
        return Shape(**sizes, fed_back=FED_BACK, parts=parts)

    @property
    def forms(self) -> list[str]:
        """The forms of the word types."""
        return bytes(self.arrays["types.forms"]).decode().split("\n")

    def learn(self, found: Arrays, part: str) -> None:
        """Take votes or opinions on the words of a part."""
        self.arrays |= {f"{part}.{key}": x for key, x in found.items()}

    def learn_votes(self, found: Arrays) -> None:
        """Take the likeliest classes of the words of the text, and the first ones as annotation."""
        self.learn(first_of(found) | prefixed(VOTED, found), TEXT)

    def without_votes(self) -> Lane:
        """Return the lane as it was before its text was annotated."""
        votes = {f"{TEXT}.{key}" for key in (*LIKELIEST, *prefixed(VOTED, no_opinions(0)))}
        kept = {name: x for name, x in self.arrays.items() if name not in votes}
        return replace(self, arrays=kept)

    @property
    def has_votes(self) -> bool:
        """Whether the text has got votes."""
        return f"{TEXT}.head" in self.arrays

    @property
    def has_teacher(self) -> bool:
        """Whether the opinions of a teacher are known."""
        return f"{TEXT}.{TEACHER}head" in self.arrays

    def teacher_votes(self, part: str) -> Arrays:
        """Return what the teacher finds likeliest of the words of a part."""
        return first_of({key: self.arrays[f"{part}.{TEACHER}{key}"] for key in LIKELIEST})

    def parts(self, shape: Shape) -> Parts:
        """Return the matrices of classes and parts, as large as in `shape`."""
        found: Parts = {}
        for (head, n_parts), rows in zip(shape.parts, self.sizes["parts"], strict=True):
            found[head] = np.zeros((shape.tag_sizes[head], n_parts), np.float32)
            for i, ones in enumerate(rows):
                found[head][i, ones] = 1
        return found

    def n_words(self, part: str) -> int:
        """Return the number of words of a part."""
        return len(self.arrays[f"{part}.type"])

    def first(self, part: str) -> int:
        """Return the number of the first word of a part."""
        return sum(self.n_words(before) for before in PARTS[: PARTS.index(part)])

    def words(self, key: str) -> Numbers:
        """Return an array of all words; what is unknown of the text is filled in."""
        return np.concatenate([self._of_part(part, key) for part in PARTS], axis=-1)

    def _of_part(self, part: str, key: str) -> Numbers:
        if (found := self.arrays.get(f"{part}.{key}")) is not None:
            return found
        n = self.n_words(part)
        if key.startswith(TEACHER):
            return no_opinions(n)[key.removeprefix(TEACHER)]
        if key.startswith(VOTED):
            return certain(*(self._of_part(part, x) for x in LIKELIEST))[key.removeprefix(VOTED)]
        return nothing(n)[key]

    def sentences(self, part: str) -> tuple[Numbers, Numbers]:
        """Return the first words and the lengths of the sentences of a part."""
        first = np.flatnonzero(self.arrays[f"{part}.position"] == 0)
        lengths = self.arrays[f"{part}.length"][first].astype(np.int64)
        return first + self.first(part), lengths

    def own_sentences(self) -> tuple[Numbers, Numbers]:
        """Return the first words and the lengths of the sentences of its own treebank."""
        first, lengths = self.sentences(GOLD)
        is_own = first < self.sizes["own_words"]
        return first[is_own], lengths[is_own]


def places_after(known: Sequence[str], names: Sequence[str]) -> list[int]:
    """Return a number for each name: that among the known ones, or one after them.

    >>> places_after(["acl", "amod"], ["det:poss", "amod", "x"])
    [2, 1, 3]
    """
    own = [name for name in names if name not in known]
    place = {name: i for i, name in enumerate([*known, *own])}
    return [place[name] for name in names]


def nothing(n: int) -> Arrays:
    """Return the annotation of words of which nothing is known, as those of long sentences."""
    unknown = {"head": (UNKNOWN, n), "label": (NO_CLASS, n), "tags": (NO_CLASS, (len(COLUMNS), n))}
    return {key: np.full(size, value, np.int16) for key, (value, size) in unknown.items()}


def no_opinions(n: int) -> Arrays:
    """Return the likeliest classes of words, and their shares, where there are none."""
    sizes = {key: (k, n) for key, k in LIKELIEST.items()}
    sizes["tags"] = (len(COLUMNS), *sizes["tags"])
    found = {key: np.zeros(size, np.int16) for key, size in sizes.items()}
    return found | {f"{key}_share": np.zeros(size, np.float16) for key, size in sizes.items()}


def certain(heads: Numbers, labels: Numbers, tags: Numbers) -> Arrays:
    """Return an annotation as likeliest classes: what is known has a share of 1."""
    found = no_opinions(len(heads))
    found["head"][0], found["head_share"][0] = heads, heads != UNKNOWN
    found["label"][0], found["label_share"][0] = labels, labels != NO_CLASS
    found["tags"][:, 0], found["tags_share"][:, 0] = tags, tags != NO_CLASS
    return found


def with_shares(found: dict[str, tuple[Numbers, Numbers]]) -> Arrays:
    """Return likeliest classes and their shares, in pairs, as a lane keeps them."""
    classes = {key: x.astype(np.int16) for key, (x, _) in found.items()}
    return classes | {f"{key}_share": x.astype(np.float16) for key, (_, x) in found.items()}


def first_of(found: Arrays) -> Arrays:
    """Return the likeliest head, label and tags."""
    return {key: found[key][..., 0, :] for key in LIKELIEST}


def prefixed(name: str, found: Arrays) -> Arrays:
    """Return the arrays with a name before each of theirs."""
    return {f"{name}{key}": x for key, x in found.items()}


def dev_scores(lane: Lane, votes: Arrays) -> dict[str, float]:
    """Return UAS and LAS of votes on the dev set, without sentences that are too long."""
    short = lane.arrays[f"{DEV}.length"] <= LONGEST
    heads, labels = (votes[x] == lane.arrays[f"{DEV}.{x}"] for x in ("head", "label"))
    scores = {"uas": heads[short], "las": (heads & labels)[short]}
    return {name: round(100 * float(right.mean()), 2) for name, right in scores.items()}


def report(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)


def steps_within(seconds: float, steps: int, begun: float, name: str) -> int:
    """Return how many steps fit into so many seconds, as the TIMED steps since `begun` tell."""
    each = (time.monotonic() - begun) / TIMED
    found = min(steps, max(int(seconds / each), 2 * TIMED))
    report(f"{name}: {each * 1000:.0f} ms a step, {found} steps")
    return found


def common_shape(lanes: Sequence[Lane]) -> Shape:
    """Return the sizes of a network that is large enough for every lane."""
    shapes = [lane.shape for lane in lanes]
    most: dict[str, Any] = {name: max(getattr(s, name) for s in shapes) for name in LARGEST}
    for name in LARGEST_OF_EACH:
        most[name] = tuple(map(max, zip(*(getattr(s, name) for s in shapes), strict=True)))
    most["parts"] = tuple(map(max, zip(*(s.parts for s in shapes), strict=True)))
    found = replace(shapes[0], **most)
    for lane, shape in zip(lanes, shapes, strict=True):
        if replace(shape, **most) != found:
            raise ValueError(f"{lane.name}: its network has another width, depth or features")
    return found


def stacked(arrays: Sequence[Numbers], fill: int = 0) -> Numbers:
    """Stack arrays of different sizes, padded at their ends.

    >>> stacked([np.array([1, 2]), np.array([3])], -1).tolist()
    [[1, 2], [3, -1]]
    """
    sizes = [max(x.shape[axis] for x in arrays) for axis in range(arrays[0].ndim)]
    found: Numbers = np.full((len(arrays), *sizes), fill, arrays[0].dtype)
    for row, x in zip(found, arrays, strict=True):
        row[tuple(map(slice, x.shape))] = x
    return found


def fixed_arrays(lanes: Sequence[Lane]) -> Arrays:
    """Return the arrays of all lanes that no vote changes."""
    of_types = {"single": "types.single", "bag": "types.bag", "n_bag": "types.n_bag"}
    of_states = {"rows": "states.rows", "atoms": "states.atoms", "verdict": "states.verdict"}
    named = of_types | of_states | {"verdicts": "verdicts"}
    found = {key: stacked([lane.words(key) for lane in lanes]) for key in OF_WORDS}
    return found | {key: stacked([x.arrays[name] for x in lanes]) for key, name in named.items()}


def targets(lanes: Sequence[Lane]) -> Arrays:
    """Return heads, labels and tags of all words."""
    return {key: stacked([lane.words(key) for lane in lanes]) for key in LIKELIEST}


def likeliest(lanes: Sequence[Lane], whose: str) -> Arrays:
    """Return the likeliest classes of all words, and their shares: those of a teacher or those
    voted for, which are certain where there is gold."""
    return {key: stacked([lane.words(whose + key) for lane in lanes]) for key in no_opinions(0)}
