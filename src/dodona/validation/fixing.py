"""Safe fixes: nothing is lost and nothing is guessed.

Line ends, byte order marks, blank lines, white space around fields, empty fields, normalisation of
characters, the order of features and of enhanced arcs, and comments that follow from the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import normalize

from dodona.validation.column_checks import arc_key
from dodona.validation.metadata_checks import find_comments, join_tokens
from dodona.validation.sentence_blocks import NAMES, ConlluRow, SentenceBlock


def fix_blocks(blocks: Iterator[SentenceBlock], taken: set[str]) -> Iterator[str]:
    """Yield the fixed lines of all sentences, with a blank line after each.

    `taken` are the ids in the file; sentences without an id are numbered.
    """
    for number, block in enumerate(blocks, start=1):
        fixed = SentenceBlock(1, [_fix_line(line) for line in block.lines])
        yield from _new_comments(fixed, number, taken)
        yield from fixed.lines
        yield ""


def _fix_line(line: str) -> str:
    line = normalize("NFC", line)
    fields = line.split("\t")
    if line.startswith("#") or len(fields) != len(NAMES):
        return line.rstrip() if line.startswith("#") else line
    fields = [fields[0].strip() or fields[0], *(field.strip() or "_" for field in fields[1:])]
    row = ConlluRow(0, *fields)
    row = row._replace(misc=fix_misc(row.misc))
    if row.range is None:
        row = row._replace(feats=fix_features(row.feats), deps=fix_graph(row.deps))
    return "\t".join(row[1:])


def fix_features(features: str) -> str:
    """Return the features sorted and without duplicates, with sorted values.

    >>> fix_features("Number=Sing|Case=Nom,Acc|Number=Sing")
    'Case=Acc,Nom|Number=Sing'
    """
    if features == "_":
        return features
    parts = []
    for feature in dict.fromkeys(filter(None, features.split("|"))):
        name, sign, values = feature.partition("=")
        parts.append(name + sign + ",".join(sorted(set(values.split(",")), key=str.lower)))
    return "|".join(sorted(dict.fromkeys(parts), key=_name)) or "_"


def _name(feature: str) -> str:
    return feature.partition("=")[0].lower()


def fix_graph(arcs: str) -> str:
    """Return the enhanced arcs sorted and without duplicates; unchanged if one is invalid.

    >>> fix_graph("10:obj|2:nsubj|2:nsubj")
    '2:nsubj|10:obj'
    """
    try:
        return "|".join(sorted(set(arcs.split("|")), key=arc_key)) if arcs != "_" else arcs
    except ValueError:
        return arcs


def fix_misc(misc: str) -> str:
    """Return MISC without empty parts and without the default SpaceAfter=Yes.

    >>> fix_misc("Gloss=oak||SpaceAfter=Yes"), fix_misc("SpaceAfter=Yes")
    ('Gloss=oak', '_')
    """
    parts = [part for part in misc.split("|") if part]
    spaces = [part for part in parts if part.startswith("SpaceAfter=")]
    if spaces == ["SpaceAfter=Yes"]:
        parts.remove("SpaceAfter=Yes")
    return "|".join(parts) or "_"


def _new_comments(block: SentenceBlock, number: int, taken: set[str]) -> Iterator[str]:
    """Yield the comments for an id and a text if they are missing."""
    if next(find_comments(block, "sent_id"), None) is None and block.words:
        sent_id = next(name for name in _numbered(number) if name not in taken)
        taken.add(sent_id)
        yield f"# sent_id = {sent_id}"
    if next(find_comments(block, "text"), None) is None and block.words:
        yield f"# text = {join_tokens(block)}"


def _numbered(number: int) -> Iterator[str]:
    yield f"s{number}"
    more = 1
    while True:
        more += 1
        yield f"s{number}-{more}"
