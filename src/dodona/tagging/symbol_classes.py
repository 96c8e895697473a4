"""The tags of emoji and currencies, from a treebank: those that most of them have there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dodona.core.tagging.tag_templates import LEMMA
from dodona.storage.said import said
from dodona.tagging.lemma_scripts import lemma_script
from dodona.tagging.symbols import SYMBOL_KINDS, symbol_kind

FEW = 3  # words of a kind that tell nothing yet
SYMBOL = "SYM"
USUAL = {"emoji": "NFP", "currency": "$"}  # of the Penn Treebank's tags, where a treebank has them
UNTOUCHED = -1  # a class that is left to the model
SAME = {LEMMA: lemma_script("$", "$")}

SymbolClasses = list[tuple[int, int]]  # per task, the class of each of SYMBOL_KINDS


def learn_symbols(
    forms: Sequence[str], tags: Mapping[str, Sequence[str]], classes: Mapping[str, Sequence[bytes]]
) -> SymbolClasses:
    """The classes of unknown emoji and currencies, task by task.

    Where a treebank has too few of them, they are symbols by what Universal Dependencies say.

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
    """The values of all columns for a kind; lemmas are the forms themselves."""
    rows = list(zip(*tags.values(), strict=True))
    seen = Counter(row for form, row in zip(forms, rows, strict=True) if symbol_kind(form) == kind)
    if seen.total() >= FEW:
        return dict(zip(tags, seen.most_common(1)[0][0], strict=True)) | SAME
    place = list(tags).index("upos") if "upos" in tags else None
    seen = Counter(row for row in rows if place is not None and row[place] == SYMBOL)
    if not seen:
        return {}
    found = dict(zip(tags, seen.most_common(1)[0][0], strict=True)) | SAME
    return found | ({"xpos": USUAL[kind]} if USUAL[kind] in tags.get("xpos", ()) else {})


def restore_symbols(tasks: Sequence[Mapping[str, Any]], n_classes: Sequence[int]) -> SymbolClasses:
    """The classes in a file, for tasks of so many classes; none in files of old."""
    if not any("symbols" in task for task in tasks):
        return []
    fixed: SymbolClasses = []
    for task, n in zip(tasks, n_classes, strict=True):
        pair = said(task, "symbols", list[int])
        emoji, currency = pair
        if not (UNTOUCHED <= emoji < n and UNTOUCHED <= currency < n):
            raise ValueError(f"symbols have the classes {pair}, but there are {n}")
        fixed.append((emoji, currency))
    return fixed
