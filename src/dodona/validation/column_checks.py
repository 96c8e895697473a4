"""Level 2, line by line: what each column may hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dodona.treebank.universal import RELATIONS, universal_part
from dodona.treebank.universal import UPOS as TAGS
from dodona.validation.blocks import (
    DEPREL,
    DEPS,
    FEATS,
    FORM,
    HEAD,
    ID,
    MISC,
    NAMES,
    UPOS,
    Block,
    Row,
)
from dodona.validation.problems import Found

LEVEL = 2
FEATURE = re.compile(
    r"[A-Z][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(,[A-Z0-9][A-Za-z0-9]*)*"
)
_RELATION = re.compile(r"[a-z]+(:[a-z]+)?")
_ENHANCED = re.compile(r"[a-z]+(:[a-z]+)?(:[\w.~‿-]+)*", re.UNICODE)
_TYPO = "Typo=Yes"  # all that a range may say in FEATS


def check_columns(block: Block) -> Iterator[Found]:
    """What is wrong with the columns of words, ranges and empty nodes."""
    nodes = {row.fields[ID] for row in block.rows if row.is_word or row.empty_node} | {"0"}
    for row in block.rows:
        if row.range is not None:
            yield from _check_range(row)
            continue
        if row.is_word:
            yield from _check_word(row)
        yield from _check_features(row)
        yield from _check_graph(row, nodes)
        yield from _check_misc(row)
        if row.empty_node is not None and row.fields[HEAD : DEPREL + 1] != ["_", "_"]:
            said = "an empty node has no HEAD and DEPREL, only DEPS"
            yield Found(row.line, LEVEL, "empty-node", said)


def _check_word(row: Row) -> Iterator[Found]:
    tag, relation = row.fields[UPOS], row.fields[DEPREL]
    if tag not in TAGS:
        yield Found(row.line, LEVEL, "upos", f"UPOS is {tag!r}; universal tags: {_list(TAGS)}")
    if relation == "_":
        yield Found(row.line, LEVEL, "deprel", "DEPREL is '_'; expected a relation")
    elif not _RELATION.fullmatch(relation):
        said = f"DEPREL is {relation!r}; expected lower case, with one subtype: nsubj:pass"
        yield Found(row.line, LEVEL, "deprel", said)
    elif universal_part(relation) not in RELATIONS:
        said = f"DEPREL is {relation!r}; universal relations: {_list(RELATIONS)}"
        yield Found(row.line, LEVEL, "deprel", said)


def _check_range(row: Row) -> Iterator[Found]:
    for column in range(FORM + 1, MISC):
        value = row.fields[column]
        if value != "_" and not (column == FEATS and value == _TYPO):
            said = f"{NAMES[column]} of a range is {value!r}; expected '_'"
            yield Found(row.line, LEVEL, "range", said)


def _check_features(row: Row) -> Iterator[Found]:
    if row.fields[FEATS] == "_":
        return
    features = row.fields[FEATS].split("|")
    for feature in features:
        if not FEATURE.fullmatch(feature):
            said = f"FEATS has {feature!r}; expected Name=Value, such as Number=Sing"
            yield Found(row.line, LEVEL, "feats", said, can_mend=not feature)
    names = [feature.partition("=")[0] for feature in features]
    if names != sorted(names, key=str.lower):
        said = "FEATS are not in the order of their names"
        yield Found(row.line, LEVEL, "feats-order", said, can_mend=True)
    for name in sorted({name for name in names if name and names.count(name) > 1}):
        values = {feature for feature in features if feature.startswith(f"{name}=")}
        said = f"FEATS has {name} more than once"
        yield Found(row.line, LEVEL, "feats-twice", said, can_mend=len(values) == 1)
    for feature in features:
        values_of = feature.partition("=")[2].split(",")
        if values_of != sorted(set(values_of), key=str.lower):
            said = f"the values of {feature} are not in order, or one comes twice"
            yield Found(row.line, LEVEL, "feats-values", said, can_mend=True)


def _check_graph(row: Row, nodes: set[str]) -> Iterator[Found]:
    if row.fields[DEPS] == "_":
        if row.empty_node is not None:
            yield Found(row.line, LEVEL, "deps", "an empty node must have DEPS")
        return
    arcs = [arc.partition(":") for arc in row.fields[DEPS].split("|")]
    for head, colon, relation in arcs:
        arc = f"{head}{colon}{relation}"
        if head not in nodes or not relation:
            said = f"DEPS has {arc!r}; expected head:relation, the head a node of the sentence"
            yield Found(row.line, LEVEL, "deps", said)
        elif head == row.fields[ID]:
            yield Found(row.line, LEVEL, "deps", f"DEPS has {arc!r}: a node is its own head")
        elif not _ENHANCED.fullmatch(relation):
            yield Found(row.line, LEVEL, "deps", f"DEPS has {arc!r}; that is no relation")
        elif (head == "0") != (universal_part(relation) == "root"):
            said = f"DEPS has {arc!r}; what hangs on 0, and that only, is root"
            yield Found(row.line, LEVEL, "deps", said)
    if all(head in nodes for head, *_ in arcs):
        keys = [arc_key(f"{head}:{relation}") for head, _, relation in arcs]
        if keys != sorted(set(keys)):
            said = "DEPS are not in the order of their heads, or one comes twice"
            yield Found(row.line, LEVEL, "deps-order", said, can_mend=True)


def arc_key(arc: str) -> tuple[float, float, str]:
    """What DEPS are ordered by.

    >>> arc_key("8.1:nsubj")
    (8, 1, 'nsubj')
    """
    head, _, relation = arc.partition(":")
    word, _, number = head.partition(".")
    return int(word), int(number or 0), relation


def _check_misc(row: Row) -> Iterator[Found]:
    misc = row.fields[MISC]
    if misc == "_":
        return
    if "" in misc.split("|"):
        said = "MISC has an empty part; expected Name=Value|Name=Value"
        yield Found(row.line, LEVEL, "misc", said, can_mend=True)
    values = [part for part in misc.split("|") if part.startswith("SpaceAfter=")]
    if any(value != "SpaceAfter=No" for value in values):
        said = f"MISC has {values[0]!r}; only SpaceAfter=No is known"
        yield Found(row.line, LEVEL, "misc", said, can_mend=values == ["SpaceAfter=Yes"])


def _list(names: frozenset[str]) -> str:
    return " ".join(sorted(names))
