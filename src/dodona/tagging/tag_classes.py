"""The classes of tag tasks, words and symbols with a fixed class, and their form in files."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from dodona.core.tagging.tag_features import TagFeatures
from dodona.core.tagging.tag_task import TagTask
from dodona.core.tagging.tag_templates import LEMMA, tag_templates
from dodona.records import field, fields, record
from dodona.storage.container import Array
from dodona.storage.json_fields import check_column_values, read_field
from dodona.tagging.lemma_correction import LemmaCorrection
from dodona.tagging.lemma_scripts import lemma_script
from dodona.tagging.symbols import SYMBOL_KINDS, symbol_kind
from dodona.treebank.sentence import check_field

Numbers: TypeAlias = "array[int] | memoryview"
FEW = 3  # occurrences of a kind below which UD's tag SYM is used
SYMBOL = "SYM"
USUAL = {"emoji": "NFP", "currency": "$"}  # Penn Treebank tags, used if the treebank has them
UNTOUCHED = -1  # the model decides
SAME = {LEMMA: lemma_script("$", "$")}
SymbolClasses = list[tuple[int, int]]  # for each task, the classes of SYMBOL_KINDS
CERTAIN = ("entries", "before", "fixed")
# from a column and a temperature to the log-odds of each word's tag, a list per sentence
TagSignals: TypeAlias = Callable[[str, float], list[list[float]]]


@record(frozen=True)
class UnknownLemmas:
    """Data for lemmas of unknown words: exceptions, lemmas, prefixes, usual scripts, casing."""

    endings: Numbers = field(default_factory=lambda: array("Q"))  # hashes of exceptions …
    tags: Numbers = field(default_factory=lambda: array("I"))  # … with these tags …
    scripts: Numbers = field(default_factory=lambda: array("I"))  # … have this script
    lemmas: Numbers = field(default_factory=lambda: array("Q"))
    prefixes: Numbers = field(default_factory=lambda: array("Q"))
    usual_tags: Numbers = field(default_factory=lambda: array("I"))  # tags …
    usual_scripts: Numbers = field(default_factory=lambda: array("I"))  # … and a script of theirs
    cut_endings: Numbers = field(default_factory=lambda: array("Q"))  # what is cut off …
    cut_scripts: Numbers = field(default_factory=lambda: array("I"))  # … by this script
    names: Numbers = field(default_factory=lambda: array("I"))  # tags whose lemmas have capitals


HASHES = (
    "endings",
    "lemmas",
    "prefixes",
    "cut_endings",
)  # fields of `UnknownLemmas` that hold uint64
UNKNOWN_TYPES = {
    part.name: "U64" if part.name in HASHES else "U32" for part in fields(UnknownLemmas)
}


@record(frozen=True)
class TagClasses:
    """The classes of one tag task, and the words whose class is certain."""

    column: str
    classes: list[bytes]
    entries: Numbers  # known words, ascending …
    before: Numbers  # … which, after this class of the preceding task (for lemmas: of all) …
    fixed: Numbers  # … have this class
    n_learned: int = 0  # classes beyond these belong to certain words only; 0: all are learned
    unknown: UnknownLemmas = field(default_factory=UnknownLemmas)
    meanings: list[bytes] | LemmaCorrection = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.n_learned <= len(self.classes):
            raise ValueError(
                f"{self.n_learned} of {len(self.classes)} classes of {self.column} are learned"
            )
        if self.column != LEMMA:
            for name in self.classes:
                check_field(name)
        meanings: list[bytes] | LemmaCorrection = self.classes
        if self.column == LEMMA:  # built eagerly, since threads share it
            known = self.unknown
            exceptions = zip(known.endings, known.tags, known.scripts, strict=True)
            usual = zip(known.usual_tags, known.usual_scripts, strict=True)
            cuts = zip(known.cut_endings, known.cut_scripts, strict=True)
            meanings = LemmaCorrection(
                self.classes, exceptions, known.lemmas, known.prefixes, usual, cuts, known.names
            )
        object.__setattr__(self, "meanings", meanings)

    @property
    def n_classes(self) -> int:
        """The number of classes that a model chooses among."""
        return self.n_learned or len(self.classes)

    def task(self, columns: Sequence[str], before: Sequence[str], n_known: int) -> TagTask:
        """Return the linear task of these classes, after the tasks that fill the columns `before`.

        A certain lemma depends on all preceding tags, any other certain tag on the last of them.
        """
        own = self.column
        return TagTask(
            TagFeatures(tag_templates(columns, own, before), columns, own),
            columns,
            own,
            before if own == LEMMA else before[-1:],
            self.n_classes,
            n_known,
            self.entries,
            self.before,
            self.fixed,
            len(self.classes),
        )


def without_certain(column: str, classes: list[bytes]) -> TagClasses:
    """Return the classes of a task in which no word is certain."""
    none = array("I")
    return TagClasses(column, classes, none, none, none)


def describe_tasks(
    tag_classes: Sequence[TagClasses], symbols: SymbolClasses
) -> list[dict[str, Any]]:
    """Return the metadata of tasks for a file; old files have neither symbols nor `unknown`."""
    found = []
    for i, task in enumerate(tag_classes):
        about: dict[str, Any] = {
            "column": task.column,
            "classes": [name.decode() for name in task.classes],
            "n_learned": task.n_learned,
        }
        about |= {"symbols": list(symbols[i])} if symbols else {}
        found.append(about | ({"unknown": True} if len(task.unknown.lemmas) else {}))
    return found


def class_arrays(prefix: str, task: TagClasses) -> dict[str, Array]:
    """Return the arrays of one task for a file, under `prefix` and the task's column."""
    name = f"{prefix}.{task.column}"
    arrays = {f"{name}.{part}": Array("U32", getattr(task, part).tobytes()) for part in CERTAIN}
    if len(task.unknown.lemmas):
        for part, type_ in UNKNOWN_TYPES.items():
            arrays[f"{name}.unknown.{part}"] = Array(type_, getattr(task.unknown, part).tobytes())
    return arrays


def read_classes(
    prefix: str, task: Mapping[str, Any], arrays: Mapping[str, memoryview]
) -> TagClasses:
    """Return the classes of one task from the metadata and arrays of a file."""
    column, classes = read_field(task, "column", str), read_field(task, "classes", list[str])
    if column != LEMMA:
        check_column_values(column, classes)
    name = f"{prefix}.{column}"
    entries, before, fixed = (arrays[f"{name}.{part}"] for part in CERTAIN)
    n_learned, unknown = read_field(task, "n_learned", int), UnknownLemmas()
    if "unknown" in task:  # older files lack some of its parts
        parts = {part: arrays.get(f"{name}.unknown.{part}") for part in UNKNOWN_TYPES}
        given = {part: numbers for part, numbers in parts.items() if numbers is not None}
        unknown = UnknownLemmas(**given)
    encoded = [*map(str.encode, classes)]
    return TagClasses(column, encoded, entries, before, fixed, n_learned, unknown)


def learn_symbols(
    forms: Sequence[str], tags: Mapping[str, Sequence[str]], classes: Mapping[str, Sequence[bytes]]
) -> SymbolClasses:
    """Return the classes of unknown emoji and currency signs, for each task.

    If the treebank has too few, they get the tags of its most frequent SYM, as UD prescribes.

    >>> tags = {"upos": ["NOUN", "SYM"]}
    >>> learn_symbols(["oak", "="], tags, {"upos": [b"NOUN", b"SYM"]})
    [(1, 1)]
    """
    chosen = [_choose(kind, forms, tags) for kind in SYMBOL_KINDS]
    fixed = []
    for column, names in classes.items():
        number = {name: i for i, name in enumerate(names)}
        emoji, currency = (
            number.get(found.get(column, "").encode(), UNTOUCHED) for found in chosen
        )
        fixed.append((emoji, currency))
    return fixed


def _choose(kind: str, forms: Sequence[str], tags: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Choose the values of all columns for a kind; the lemma is the form itself."""
    rows = list(zip(*tags.values(), strict=True))
    seen = Counter(row for form, row in zip(forms, rows, strict=True) if symbol_kind(form) == kind)
    if seen.total() >= FEW:
        return dict(zip(tags, seen.most_common(1)[0][0], strict=True)) | SAME
    upos = list(tags).index("upos") if "upos" in tags else None
    seen = Counter(row for row in rows if upos is not None and row[upos] == SYMBOL)
    if not seen:
        return {}
    found = dict(zip(tags, seen.most_common(1)[0][0], strict=True)) | SAME
    return found | ({"xpos": USUAL[kind]} if USUAL[kind] in tags.get("xpos", ()) else {})


def restore_symbols(tasks: Sequence[Mapping[str, Any]], n_classes: Sequence[int]) -> SymbolClasses:
    """Restore the classes from a file; empty for files older than this feature."""
    if not any("symbols" in task for task in tasks):
        return []
    fixed: SymbolClasses = []
    for task, n in zip(tasks, n_classes, strict=True):
        pair = read_field(task, "symbols", list[int])
        emoji, currency = pair
        if not (UNTOUCHED <= emoji < n and UNTOUCHED <= currency < n):
            raise ValueError(f"symbols have the classes {pair}, but there are {n} classes")
        fixed.append((emoji, currency))
    return fixed
