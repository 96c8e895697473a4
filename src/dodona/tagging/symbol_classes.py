"""Tags of emoji and currency signs: the most frequent ones in the treebank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dodona.core.tagging.tag_templates import LEMMA
from dodona.storage.json_fields import read_field
from dodona.tagging.lemma_scripts import lemma_script
from dodona.tagging.symbols import SYMBOL_KINDS, symbol_kind

FEW = 3  # occurrences of a kind below which UD's tag SYM is used
SYMBOL = "SYM"
USUAL = {"emoji": "NFP", "currency": "$"}  # Penn Treebank tags, used if the treebank has them
UNTOUCHED = -1  # the model decides
SAME = {LEMMA: lemma_script("$", "$")}

SymbolClasses = list[tuple[int, int]]  # for each task, the classes of SYMBOL_KINDS


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
