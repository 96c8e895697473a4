"""`dodona models`: list the models that can be loaded by name."""

import json as json_

from dodona.cli.errors import say
from dodona.cli.flags import Json
from dodona.models import INSTALLED, NOT_INSTALLED, SHIPPED
from dodona.models.cards import ModelListing, list_models

SCORES = {"UPOS": "upos", "LAS": "las", "text LAS": "text_las"}
WHERE = {SHIPPED: "ships", INSTALLED: "installed"}  # else the folder
UNKNOWN = "-"


def models(json: Json = False) -> None:
    """List the models that can be loaded by name.

    Lists included models, those in the folders of DODONA_MODELS and those of installed packages,
    with language, dev scores, size, licence and location. Models of Dodona's repository that are
    not installed are listed last.
    """
    found = list_models()
    if json:
        print(json_.dumps([one.to_dict() for one in found], ensure_ascii=False, indent=2))
        return
    from dodona.cli.tables import print_columns

    names = ("name", "language", *SCORES, "size", "licence", "where")
    print_columns(names, map(_row, found), words=("language", "licence", "where"))
    for one in found:
        if one.problem:
            say(f"{one.path or one.name}: {one.problem}")


def _row(one: ModelListing) -> list[str]:
    from dodona.cli.tables import n_bytes

    scores, card = one.scores or {}, one.card
    shown = [f"{scores[key]:.2f}" if key in scores else UNKNOWN for key in SCORES.values()]
    size = UNKNOWN if one.problem else n_bytes(one.n_bytes)
    row = [one.name, card.language or UNKNOWN, *shown, size, card.licence or UNKNOWN]
    folder = str(one.path.parent) if one.path else NOT_INSTALLED
    return [*row, WHERE.get(one.source, folder)]
