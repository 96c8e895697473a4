"""Read language, name and licence of a treebank from the files of its folder.

Releases of Universal Dependencies have a README with lines such as "License: CC BY-SA 4.0" and a
LICENSE.txt. Other collections have one README for all, with a table.
"""

from __future__ import annotations

import re
from pathlib import Path

from dodona.models.cards import Card
from dodona.server.languages import LANGUAGES, language_of

UNKNOWN = "not stated by the treebank"
_SAID = re.compile(r"^\s*licen[sc]e\s*:\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)
_TITLE = re.compile(r"\bUD_([A-Z][A-Za-z_]*)-[A-Za-z0-9]+")
_NAMED = re.compile(
    r"(CC[ -]BY(?:-NC)?(?:-SA|-ND)?[ -]\d\.\d|LGPL-?LR|L?GPL[ -]v?\d(?:\.\d)?|MIT)\b", re.IGNORECASE
)
_WORDS = {  # names in the texts of Creative Commons licences
    "attribution": "BY",
    "noncommercial": "NC",
    "non-commercial": "NC",
    "sharealike": "SA",
    "share-alike": "SA",
    "noderivs": "ND",
    "noderivatives": "ND",
}


def read_card(folder: Path, version: str = "") -> Card:
    """Return language, name and licence of a treebank; the licence may be `UNKNOWN`."""
    texts = [_text(path) for path in _find(folder, "README")]
    row = _row(folder)
    licence = _said(texts) or row.get("licence") or _recognised(folder) or UNKNOWN
    title = next((m[0] for text in texts if (m := _TITLE.search(text))), row.get("treebank"))
    named = _TITLE.search(title or "")
    code = language_of(folder.name)
    language = named[1] if named else LANGUAGES.get(code or "", "").title()
    treebank = (title or folder.name).partition(":")[0]
    return Card(language.replace("_", " "), treebank, licence, version)


def _find(folder: Path, name: str) -> list[Path]:
    return sorted(path for path in folder.glob(f"{name}*") if path.is_file())


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _said(texts: list[str]) -> str:
    return next((m[1] for text in texts if (m := _SAID.search(text))), "")


def _row(folder: Path) -> dict[str, str]:
    """Return the folder's row in a table of the parent folder's README, by column."""
    head: list[str] = []
    for path in _find(folder.parent, "README"):
        for line in _text(path).splitlines():
            cells = [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
            if "|" not in line:
                head = []
            elif not head:
                head = [cell.lower().replace("license", "licence") for cell in cells]
            elif cells[0] == folder.name:
                return dict(zip(head, cells, strict=False))
    return {}


def _recognised(folder: Path) -> str:
    """Return the licence whose text or name is in LICENSE.txt."""
    for path in [*_find(folder, "LICENSE"), *_find(folder, "LICENCE")]:
        text = _text(path)
        if found := _NAMED.search(text):
            return found[1]
        start = text[:2000].lower()
        kinds = dict.fromkeys(kind for word, kind in _WORDS.items() if word in start)
        number = re.search(r"\b[1-4]\.\d\b", start)
        if "BY" in kinds and number:
            return f"CC {'-'.join(kinds)} {number[0]}"
    return ""
