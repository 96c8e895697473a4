"""Files in CoNLL-U: lossless whatever is in them, and no tree that is none."""

from __future__ import annotations

from fuzz.mutation import BLIND, change_lines, columns
from fuzz.target import Target
from fuzz.treebanks import IDS, VALUES, read_treebank

DEPS = ["_", "0:root", "1:dep", "1.1:x|2:y", "2:a:b", "0:root|0:root", "3", ":", "1:a|1:b|9:c"]
MISC = ["_", "SpaceAfter=No", "SpacesAfter=\\n", "TokenRange=0:3", "TokenRange=9:", "=|=", "|"]


def run(data: bytes) -> object:
    """Read the file in every way there is."""
    return read_treebank(data, "conllu")


TARGET = Target(
    run=run,
    refuses=(),
    mutators=[*BLIND, change_lines, *[columns(IDS, *VALUES, DEPS, MISC)] * 6],
    longest=600,
)
