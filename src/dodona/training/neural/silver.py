"""Silver: sentences that a teacher has annotated, as a training set for a network.

Files are CoNLL-U; beside `NAME.conllu.gz` may be `NAME.soft.npz` with the teacher's probabilities.
There may be millions of words, so that only arrays are kept, not sentences: some 40 bytes a word,
and some 80 more with probabilities.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from dodona.core.features.corpus import Corpus
from dodona.core.learning.rollouts import MAX_TREES
from dodona.settings import Settings
from dodona.tagging.word_types import WordTypes
from dodona.training.neural.batching import WordTable
from dodona.training.neural.network import Numbers
from dodona.training.neural.tag_heads import NO_CLASS, TagHeads
from dodona.training.neural.training_sets import SoftTargets, TrainingSet, corpus_heads
from dodona.training.neural.variants import Variants, kept_words, variant, without_words
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.reader import read
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.sentence import Sentence
from dodona.treebank.trees.projectivity import is_projective
from dodona.treebank.trees.pseudoprojective import projectivise

CHUNK = 2000  # sentences in memory at a time
N_CHOICES = 4  # weighted heads and tags of a word, at most
FORMS = 5000  # encoded at a time


@dataclass(frozen=True)
class SilverFiles:
    """The files of silver, its share of an epoch, and what to learn beside its trees."""

    paths: tuple[Path, ...]
    per_gold: float = 2.0  # silver sentences for each gold one
    soft: bool = False  # probabilities of heads and tags
    votes: bool = False  # optimal actions by the tree of each teacher
    variants: float = 0.0  # share of sentences that are replaced by variants

    def __post_init__(self) -> None:
        if not self.paths:
            raise ValueError("silver without a file: there is nothing to learn from")
        if not self.per_gold > 0:
            raise ValueError(
                f"silver sentences per gold sentence must be above 0, not {self.per_gold}"
            )

    def learned(self) -> dict[str, float]:
        """Return what is learned beside trees."""
        varied = {"variants": self.variants} if self.variants else {}
        return {"soft": self.soft, "votes": self.votes, **varied}

    def contents(self) -> Iterator[bytes]:
        """Yield the bytes of all files, and of the weights beside them if these are learned."""
        some = [soft_path(path) for path in self.paths if self.soft or self.votes]
        return (path.read_bytes() for path in (*self.paths, *some) if path.exists())


def soft_path(path: Path) -> Path:
    """Return the path of the teacher's weights for a file of silver.

    >>> soft_path(Path("part-1.conllu.gz")).name
    'part-1.soft.npz'
    """
    return path.with_name(path.name.partition(".conllu")[0] + ".soft.npz")


class SilverReader:
    """A reader of silver files, which counts `forms` and makes a training set."""

    def __init__(
        self, files: SilverFiles, encoder: Encoder, tags: TagHeads, settings: Settings
    ) -> None:
        """Read all files, with the labels and tag classes of the gold treebank."""
        self.files, self.encoder, self.tags, self.settings = files, encoder, tags, settings
        self.corpus = Corpus(len(encoder.columns))
        self.order: list[int] = []
        self._number: dict[str, int] = {}  # of a form
        self._forms = array("i")  # per word
        self._n_words = array("i")  # per sentence
        self._classes = [array("i") for _ in tags.tag_classes]
        self._class_of = [
            {name.decode(): i for i, name in enumerate(task.classes)} for task in tags.tag_classes
        ]
        self._variants = Variants(files.variants, settings.seed)
        self._soft: list[SoftTargets] = []
        self.others: list[Corpus] = []
        for path in files.paths:
            self._read(path)
        if not self.order:
            raise TreebankError(str(files.paths[0]), None, "no sentence that can be learned from")

    @property
    def forms(self) -> dict[str, int]:
        """The number of occurrences of each form."""
        counts = np.bincount(np.frombuffer(self._forms, np.int32), minlength=len(self._number))
        return {form: int(n) for form, n in zip(self._number, counts, strict=True)}

    @property
    def n_words(self) -> int:
        """The number of words in all sentences."""
        return len(self._forms)

    def training_set(self, types: WordTypes, bag: int) -> TrainingSet:
        """Return the training set, with words as numbered by these types."""
        sizes, order = np.frombuffer(self._n_words, np.int32).astype(np.int64), self.order
        forms = list(self._number)
        some = (forms[i : i + FORMS] for i in range(0, len(forms), FORMS))
        of_forms = b"".join(types.numbers([Sentence.from_columns(part)]) for part in some)
        numbers = np.frombuffer(of_forms, np.int32)[np.frombuffer(self._forms, np.int32)]
        words = WordTable.from_types(sizes, numbers, types, bag)
        n = self.n_words
        tags: Numbers = np.zeros((0, n), np.int32)
        if self._classes:
            tags = np.stack([np.frombuffer(some, np.int32) for some in self._classes])
        heads = corpus_heads(self.corpus, range(len(sizes)))
        soft = _joined(self._soft) if self.files.soft else None
        return TrainingSet(words, self.corpus, order, tags, heads, soft, tuple(self.others))

    def _read(self, path: Path) -> None:
        n_words, first, soft = self.n_words, len(self.corpus), None
        lengths, kept = array("i"), list[list[int] | None]()  # of the sentences as they are read
        if self.files.soft or self.files.votes:
            soft = read_soft_targets(soft_path(path), self.tags, self.encoder.labels)
        if soft is not None and self.files.votes:
            self._check_votes(path, len(soft.trees))
        sentences = iter(read(path, trees="optional"))
        while some := list(islice(sentences, CHUNK)):
            lengths.extend(map(len, some))
            kept.extend(self._vary(some))
            self._add(some)
        if soft is not None:
            if len(soft.heads) != sum(lengths):
                raise ValueError(f"{soft_path(path)}: these are not weights of {path.name}")
            if self.n_words - n_words < sum(lengths):
                soft = without_words(soft, lengths, kept)
            self._soft.append(soft)
            self._set_trees(first, soft)

    def _vary(self, sentences: list[Sentence]) -> list[list[int] | None]:
        """Replace some sentences by variants, and return the words that these have kept."""
        kept: list[list[int] | None] = [None] * len(sentences)
        for i, sentence in enumerate(sentences):
            kind = self._variants.draw()
            if kind is not None:
                sentences[i] = variant(sentence, kind)
                if len(sentences[i]) < len(sentence):
                    kept[i] = kept_words(sentence)
        return kept

    def _check_votes(self, path: Path, n_trees: int) -> None:
        """Make a corpus for the trees of each teacher; refuse another number of teachers."""
        if n_trees < 2:
            raise ValueError(f"{path}: made by one teacher: votes need at least two")
        if not len(self.corpus):
            self.others = [Corpus(len(self.encoder.columns)) for _ in range(n_trees)]
        if n_trees != len(self.others) or n_trees >= MAX_TREES:
            raise ValueError(
                f"{path}: made by {n_trees} teachers; votes need equally many for all files, and "
                f"at most {MAX_TREES - 1}"
            )

    def _set_trees(self, first: int, soft: SoftTargets) -> None:
        """Put the trees of teachers into their corpora, from sentence `first` on."""
        for corpus, heads, labels in zip(self.others, soft.trees, soft.tree_labels, strict=False):
            begin = 0
            for i in range(first, len(self.corpus)):
                some = slice(begin, begin + self._n_words[i])
                begin = some.stop
                known = [None if label < 0 else label for label in labels[some].tolist()]
                corpus.set_tree(i, heads[some].tolist(), known)

    def _add(self, sentences: list[Sentence]) -> None:
        first = len(self.corpus)
        self.encoder.encode(sentences, trees=True, into=self.corpus)
        for other in self.others:
            self.encoder.encode(sentences, into=other)
        for i, sentence in enumerate(sentences, first):
            self._n_words.append(len(sentence))
            number = self._number
            self._forms.extend([number.setdefault(form, len(number)) for form in sentence.forms])
            for found, classes, task in zip(
                self._classes, self._class_of, self.tags.tag_classes, strict=True
            ):
                named = getattr(sentence, task.column)
                found.extend([classes.get(name, NO_CLASS) for name in named])
            if self._is_derivable(i, sentence):
                self.order.append(i)

    def _is_derivable(self, number: int, sentence: Sentence) -> bool:
        """Return whether a tree can be learned from, after lifting crossing arcs if possible."""
        heads = [head for head in sentence.heads if head is not None]
        if not heads or len(heads) < len(sentence) or "_" in sentence.deprels:
            return False
        if self.settings.projectivise == "none" or is_projective(heads):
            return True
        tree = projectivise(heads, sentence.deprels, self.settings.projectivise)
        known = {label: i for i, label in enumerate(self.encoder.labels)}
        labels = [known.get(label.encode()) for label in tree.labels]
        if None in labels:
            return False
        self.corpus.set_tree(number, tree.heads, labels)
        return True


def write_soft_targets(
    path: Path,
    soft: SoftTargets,
    names: Sequence[tuple[str, Sequence[bytes]]],
    labels: Sequence[str] = (),
) -> None:
    """Write a file for `read_soft_targets`.

    `names` are the columns of tags with their classes, `labels` those of the trees.
    """
    from dodona.storage.atomic import atomic_write

    classes = {f"names.{column}": np.array([*some] or [b""]) for column, some in names}
    with atomic_write(path) as file:
        np.savez_compressed(
            file,
            heads=soft.heads.astype(np.int16),
            head_weights=soft.head_weights.astype(np.float16),
            columns=np.array([column.encode() for column, _ in names] or [b""]),
            tags=soft.tags.astype(np.int16),
            tag_weights=soft.tag_weights.astype(np.float16),
            trees=soft.trees.astype(np.int16),
            tree_labels=soft.tree_labels.astype(np.int16),
            labels=np.array([label.encode() for label in labels] or [b""]),
            **classes,
        )


def read_soft_targets(path: Path, tags: TagHeads, labels: Sequence[bytes]) -> SoftTargets:
    """Read soft targets, and renumber their classes and labels as in `tags` and `labels`.

    An unknown class gets the weight 0, an unknown label becomes negative.
    """
    if not path.exists():
        raise ValueError(
            f"{path}: no such file: the teacher's weights are missing; make silver with soft "
            "targets, or train without --soft and --votes"
        )
    with np.load(path, allow_pickle=False) as file:
        found = {name: file[name] for name in file.files}
    columns = [name.decode() for name in found["columns"]]
    wanted = [task.column for task in tags.tag_classes]
    if not {*wanted} <= {*columns}:
        missing = ", ".join(sorted({*wanted} - {*columns}))
        raise ValueError(f"{path}: there are no soft targets for {missing}")
    classes, weights = [], []
    for task in tags.tag_classes:
        index = columns.index(task.column)
        number = {name: i for i, name in enumerate(task.classes)}
        names = found[f"names.{task.column}"]
        to = np.array([number.get(bytes(name), NO_CLASS) for name in names], np.int16)
        here = to[found["tags"][index]]
        classes.append(np.maximum(here, 0))
        weights.append(_shares(np.where(here < 0, 0, found["tag_weights"][index])))
    shape = (0, len(found["heads"]), found["tags"].shape[2])
    of_labels = {label: i for i, label in enumerate(labels)}
    known = np.array([of_labels.get(bytes(label), NO_CLASS) for label in found["labels"]], np.int16)
    return SoftTargets(
        found["heads"],
        _shares(found["head_weights"]),
        np.stack(classes) if classes else np.zeros(shape, np.int16),
        np.stack(weights) if weights else np.zeros(shape, np.float16),
        found["trees"],
        known[found["tree_labels"]],
    )


def _shares(weights: Numbers) -> Numbers:
    """Return weights that sum to one for each word, unless all are zero."""
    whole = weights.astype(np.float32)
    return (whole / np.maximum(whole.sum(axis=-1, keepdims=True), 1e-6)).astype(np.float16)


def _joined(parts: list[SoftTargets]) -> SoftTargets:
    """Concatenate the soft targets of several files, padded to equally many choices."""

    def wide(x: Numbers, n: int) -> Numbers:
        return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, n - x.shape[-1])])

    n_heads = max(part.heads.shape[-1] for part in parts)
    n_tags = max(part.tags.shape[-1] for part in parts)
    return SoftTargets(
        np.concatenate([wide(part.heads, n_heads) for part in parts]),
        np.concatenate([wide(part.head_weights, n_heads) for part in parts]),
        np.concatenate([wide(part.tags, n_tags) for part in parts], axis=1),
        np.concatenate([wide(part.tag_weights, n_tags) for part in parts], axis=1),
        *[np.zeros((0, 0), np.int16)] * 2,  # trees are already in corpora
    )
