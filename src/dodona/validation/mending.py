"""What is safe to mend: nothing that is said is lost, and nothing is guessed.

Line ends, a byte order mark, blank lines, white space around fields, empty fields, composition of
characters, the order of features and of enhanced arcs, and comments that can be told from the rest.
"""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import normalize

from dodona.validation.blocks import (
    DEPS,
    FEATS,
    ID,
    MISC,
    N_COLUMNS,
    Block,
    Row,
)
from dodona.validation.column_checks import arc_key
from dodona.validation.metadata_checks import find_comments, join_tokens


def mend(blocks: Iterator[Block], taken: set[str]) -> Iterator[str]:
    """The lines of all sentences, mended, with a blank line after each.

    `taken` are the ids that sentences of the file have; those without one are numbered.
    """
    for number, block in enumerate(blocks, start=1):
        mended = Block(1, [_mend_line(line) for line in block.lines])
        yield from _new_comments(mended, number, taken)
        yield from mended.lines
        yield ""


def _mend_line(line: str) -> str:
    line = normalize("NFC", line)
    fields = line.split("\t")
    if line.startswith("#") or len(fields) != N_COLUMNS:
        return line.rstrip() if line.startswith("#") else line
    fields = [fields[ID]] + [field.strip() or "_" for field in fields[1:]]
    row = Row(0, [fields[ID].strip() or fields[ID], *fields[1:]])
    row.fields[MISC] = mend_misc(row.fields[MISC])
    if row.range is None:
        row.fields[FEATS] = mend_features(row.fields[FEATS])
        row.fields[DEPS] = mend_graph(row.fields[DEPS])
    return "\t".join(row.fields)


def mend_features(features: str) -> str:
    """Features in order, each once, their values in order.

    >>> mend_features("Number=Sing|Case=Nom,Acc|Number=Sing")
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


def mend_graph(arcs: str) -> str:
    """Enhanced arcs in order, each once; as they are where one is no arc.

    >>> mend_graph("10:obj|2:nsubj|2:nsubj")
    '2:nsubj|10:obj'
    """
    try:
        return "|".join(sorted(set(arcs.split("|")), key=arc_key)) if arcs != "_" else arcs
    except ValueError:
        return arcs


def mend_misc(misc: str) -> str:
    """MISC without empty parts, and without what holds anyway.

    >>> mend_misc("Gloss=oak||SpaceAfter=Yes"), mend_misc("SpaceAfter=Yes")
    ('Gloss=oak', '_')
    """
    parts = [part for part in misc.split("|") if part]
    spaces = [part for part in parts if part.startswith("SpaceAfter=")]
    if spaces == ["SpaceAfter=Yes"]:
        parts.remove("SpaceAfter=Yes")
    return "|".join(parts) or "_"


def _new_comments(block: Block, number: int, taken: set[str]) -> Iterator[str]:
    """An id and a text, where there is none."""
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
