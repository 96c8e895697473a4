"""The words and the tag heads of a network, as a treebank determines them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dodona.core.network.network import COMBINATIONS
from dodona.settings import GRAM_ROWS
from dodona.tagging.network_tagger import NetworkWords
from dodona.tagging.tag_classes import TagClasses, without_certain
from dodona.tagging.word_learning import column_of, flatten, number_tags
from dodona.tagging.word_types import HASHED
from dodona.training.neural.network import Numbers, Parts
from dodona.treebank.sentence import Sentence

LEAST = 2  # occurrences of a form that has a vector of its own …
LEAST_SILVER = 20  # … or in silver
LEAST_TOGETHER = 2  # occurrences of a combination of tags …
LEAST_ELSEWHERE = 5  # … or in treebanks other than the first
HASHED_SHARE = 4  # the table of n-grams has so many times the rows of other hashed spellings
FED_BACK = ("upos", "xpos")  # tags that are inputs of the parser, if they are few
FEW = 100  # larger tagsets are composed of parts, as FEATS always are
NO_CLASS = -1


@dataclass
class TagHeads:
    """The tag heads of a network and their targets."""

    tag_classes: list[TagClasses] = field(default_factory=list)
    gold: list[Numbers] = field(default_factory=list)  # per word: its class, or NO_CLASS
    parts: Parts = field(default_factory=dict)
    combinations: Numbers | None = None  # of tags, one after the other; None for a single head

    @property
    def arrays(self) -> dict[str, memoryview]:
        """What a network needs besides its parameters to choose tags."""
        if self.combinations is None:
            return {}
        return {COMBINATIONS: memoryview(self.combinations).cast("B").cast("I")}

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of classes of each head."""
        return tuple(task.n_classes for task in self.tag_classes)

    @property
    def fed_back(self) -> tuple[int, ...]:
        """The heads whose tags are inputs of the parser."""
        return tuple(
            i
            for i, task in enumerate(self.tag_classes)
            if task.column in FED_BACK and task.n_classes <= FEW
        )


def learn_words(
    sentences: Sequence[Sentence],
    vectors: list[bytes] | None,
    silver: Mapping[str, int] | None = None,
    with_lemmas: Sequence[Sentence] | None = None,
    rows: int = GRAM_ROWS,
    most: int | None = None,
) -> NetworkWords:
    """Return the forms that have vectors of their own, and those whose lemmas are known.

    `silver` counts forms in text that a teacher has annotated; `with_lemmas` are the sentences that
    lemmas are learned from, if not all; `rows` is the size of the table of n-grams; no more than
    `most` forms, the most frequent ones, have vectors of their own.
    """
    forms = flatten(column_of(sentences, "forms"))
    counts = Counter(form.lower() for form in forms)
    lowered: Counter[str] = Counter()  # forms of silver
    for form, n in (silver or {}).items():
        lowered[form.lower()] += n
    own = {form for form, n in counts.items() if n >= LEAST}
    found = own | {form for form, n in lowered.items() if n >= LEAST_SILVER}

    def rarity(form: str) -> tuple[float, str]:
        return -counts[form] / LEAST - lowered[form] / LEAST_SILVER, form

    frequent = sorted(sorted(found, key=rarity)[:most])
    sizes = [rows // HASHED_SHARE] * len(HASHED) + [rows]
    known = set(forms if with_lemmas is None else flatten(column_of(with_lemmas, "forms")))
    encoded = [[form.encode() for form in some] for some in (frequent, sorted(known))]
    return NetworkWords(encoded[0], sizes, encoded[1], vectors)


def learn_tags(
    sentences: Sequence[Sentence], columns: Sequence[str], n_first: int | None = None
) -> TagHeads:
    """Return the heads for these columns.

    The first treebank, of `n_first` sentences, determines the tags: others are not learned, since
    the guidelines of their treebanks differ.
    """
    tags = TagHeads()
    n_first = len(sentences) if n_first is None else n_first
    for column in columns:
        names, classes = number_tags(flatten(column_of(sentences[:n_first], column)))
        number = {name: i for i, name in enumerate(names)}
        others = flatten(column_of(sentences[n_first:], column))
        unsure = [number.get(name, NO_CLASS) for name in others]
        if column == "feats" or len(names) > FEW:
            tags.parts[len(tags.tag_classes)] = _matrix(parts_of(column, names))
        tags.tag_classes.append(without_certain(column, [name.encode() for name in names]))
        tags.gold.append(np.array([*classes, *unsure], np.int32))
    if len(tags.gold) > 1:
        n_words = sum(map(len, sentences[:n_first]))
        tags.combinations = learn_combinations(tags.gold, n_words)
    return tags


def learn_combinations(gold: Sequence[Numbers], n_first: int) -> Numbers:
    """Return the combinations of the classes of words, one after the other, frequent ones first.

    In the first treebank, of `n_first` words, what occurs once is mostly an error of annotation (in
    en_ewt, an ADP with the XPOS of adverbs): it is left out, unless one of its classes occurs in
    nothing better. Others add what they have more often.

    >>> learn_combinations([np.array([0, 0, 0, 0, 1]), np.array([2, 2, 0, 2, 1])], 5).tolist()
    [0, 2, 0, 0, 1, 1]
    """
    words = np.stack(gold, 1)
    rows, counts = np.unique(words[:n_first], axis=0, return_counts=True)
    kept = counts >= LEAST_TOGETHER
    for classes in rows.T:
        most = np.zeros(classes.max() + 1, counts.dtype)
        np.maximum.at(most, classes, counts)
        kept |= counts == most[classes]
    known = words[n_first:][(words[n_first:] > NO_CLASS).all(1)]
    others, n_others = np.unique(known, axis=0, return_counts=True)
    others = others[n_others >= LEAST_ELSEWHERE]
    order = np.argsort(-counts[kept], kind="stable")
    found = dict.fromkeys(map(tuple, [*rows[kept][order].tolist(), *others.tolist()]))
    return np.array([*found], np.uint32).ravel()


def parts_of(column: str, names: Sequence[str]) -> list[list[str]]:
    """Return the parts of each tag.

    These are Name=Value in FEATS; characters with their positions if all tags are equally long;
    else the runs of letters and digits, and also marked as the first and the last.

    >>> parts_of("feats", ["Case=Nom|Number=Sing"]), parts_of("xpos", ["NNG+JKO", "NNG"])
    ([['Case=Nom', 'Number=Sing']], [['JKO', 'JKO$', 'NNG', '^NNG'], ['NNG', 'NNG$', '^NNG']])
    >>> parts_of("xpos", ["N3S", "V--"])
    [['0N', '13', '2S'], ['0V', '1-', '2-']]
    """
    if column == "feats":
        return [name.split("|") for name in names]
    if len({*map(len, names)}) == 1:
        return [[f"{i}{character}" for i, character in enumerate(name)] for name in names]
    pieces = [re.findall(r"\w+", name) or [name] for name in names]
    return [sorted({*some, f"^{some[0]}", f"{some[-1]}$"}) for some in pieces]


def _matrix(made_of: Sequence[Sequence[str]]) -> Numbers:
    """Return a matrix of tags and parts, with 1 for the parts of a tag."""
    number = {part: i for i, part in enumerate(sorted({p for some in made_of for p in some}))}
    found: Numbers = np.zeros((len(made_of), len(number)), np.float32)
    for i, some in enumerate(made_of):
        found[i, [number[part] for part in some]] = 1
    return found
