"""Tables of models, for `dodona models` and `dodona get --list`."""

import json as json_
from collections.abc import Sequence
from pathlib import Path

from dodona.models import INSTALLED, NOT_INSTALLED, SHIPPED
from dodona.models.listing import AVAILABLE, ModelListing

SCORES = {"UPOS": "upos", "LAS": "las", "text LAS": "text_las"}
WHERE = {SHIPPED: "ships", INSTALLED: "installed", NOT_INSTALLED: NOT_INSTALLED}
UNKNOWN = "-"


def print_models(found: Sequence[ModelListing], *, json: bool = False) -> None:
    """Print a row for each model, or a JSON array."""
    if json:
        print(json_.dumps([one.to_dict() for one in found], ensure_ascii=False, indent=2))
        return
    from dodona.cli.tables import print_columns

    names = ("name", "language", "words", *SCORES, "size", "licence", "where")
    print_columns(names, map(_row, found), words=("language", "licence", "where"))


def _row(one: ModelListing) -> list[str]:
    from dodona.cli.tables import n_bytes

    card = one.card
    words = UNKNOWN if one.words is None else f"{one.words:,}"
    scores = [f"{one.scores[key]:.2f}" if key in one.scores else UNKNOWN for key in SCORES.values()]
    size = UNKNOWN if one.problem else n_bytes(one.n_bytes)
    row = [one.name, card.language or UNKNOWN, words, *scores, size, card.licence or UNKNOWN]
    return [*row, _where(one)]


def _where(one: ModelListing) -> str:
    if one.source == AVAILABLE:
        return f"{AVAILABLE}: dodona get {one.name}"
    return WHERE.get(one.source) or str(Path(str(one.path)).parent)
