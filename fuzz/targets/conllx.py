"""Files in CoNLL-X, which knows neither ranges nor empty nodes."""

from __future__ import annotations

from fuzz.mutation import BLIND, change_lines, columns
from fuzz.target import Target
from fuzz.treebanks import IDS, VALUES, read_treebank

HEADS = ["_", "0", "1", "2", "9", "-1"]
LABELS = ["_", "root", "dep", ""]


def run(data: bytes) -> object:
    """Read the file in every way there is, and turn it into CoNLL-U."""
    return read_treebank(data, "conllx")


TARGET = Target(
    run=run,
    refuses=(),
    mutators=[*BLIND, change_lines, *[columns(IDS, *VALUES, HEADS, LABELS)] * 6],
    longest=600,
)
