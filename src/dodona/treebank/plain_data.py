"""Sentences as lists and dictionaries, and back: the JSON of the shell, of Python and the server.

`bridges/json_schema` describes the shape. What CoNLL-U has is all there: comments, words, multiword
tokens and empty nodes. The text, offsets and confidences follow from these, and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from typing import Any

from dodona.core.base.values import show
from dodona.treebank.confidence import confidence_columns
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence
from dodona.treebank.token_ranges import word_offsets
from dodona.treebank.tokens import text, tokens
from dodona.treebank.word import named_values

EMPTY_NODE = re.compile(rb"^(\d+\.\d+)\t(.*)$", re.MULTILINE)
NODE_COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
PAIRED = ("feats", "misc")  # columns of Name=Value


class JsonError(ValueError):
    """Data that are not of the shape of a sentence."""


def as_data(sentence: Sentence, as_text: bool = False) -> dict[str, Any]:
    """Return a sentence as lists and dictionaries; with `as_text`, columns as in CoNLL-U."""
    columns: dict[str, Any] = {
        "id": range(1, len(sentence) + 1),
        "form": sentence.forms,
        "lemma": sentence.lemmas,
        "upos": sentence.upos,
        "xpos": sentence.xpos,
        "feats": sentence.feats if as_text else [*map(pairs_of, sentence.feats)],
        "head": sentence.heads,
        "deprel": sentence.deprels,
        "deps": sentence.deps,
        "misc": sentence.misc if as_text else [*map(pairs_of, sentence.misc)],
    }
    if not as_text:
        columns["start"], columns["end"] = word_offsets(sentence)
    columns |= confidence_columns(sentence)
    rows = zip(*columns.values(), strict=True)
    found: dict[str, Any] = {
        "comments": sentence.comments,
        "text": sentence.text,
        "words": [dict(zip(columns, values, strict=True)) for values in rows],
    }
    shown = str if as_text else pairs_of
    multiword = [token._asdict() for token in tokens(sentence) if token.is_multiword]
    if multiword:
        found["tokens"] = [token | {"misc": shown(token["misc"])} for token in multiword]
    if nodes := EMPTY_NODE.findall(bytes(sentence)) if sentence.format == "conllu" else []:
        found["empty_nodes"] = [_describe_node(*node, shown=shown) for node in nodes]
    return found


def _describe_node(number: bytes, rest: bytes, *, shown: Any) -> dict[str, Any]:
    row = dict(zip(NODE_COLUMNS, rest.decode().rstrip("\r").split("\t"), strict=True))
    del row["head"], row["deprel"]  # an empty node has none
    return {"id": number.decode(), **row} | {name: shown(row[name]) for name in PAIRED}


def pairs_of(column: str) -> dict[str, str] | str:
    """Return Name=Value|… as a dictionary, or unchanged if that would lose something.

    >>> pairs_of("Gender=Fem|Gloss"), pairs_of("_"), pairs_of("A=1|A=2")
    ({'Gender': 'Fem', 'Gloss': ''}, {}, 'A=1|A=2')
    """
    found = named_values(column)
    return found if join_pairs(found) == column else column


def join_pairs(pairs: Mapping[str, str] | str) -> str:
    """Return the column of CoNLL-U that `pairs_of` has made a dictionary of.

    >>> join_pairs({"Gender": "Fem", "Gloss": ""})
    'Gender=Fem|Gloss'
    """
    if isinstance(pairs, str):
        return pairs
    return "|".join(f"{name}={value}" if value else name for name, value in pairs.items()) or "_"


def from_data(data: Any, where: str = "sentence") -> Sentence:
    """Return the sentence of such lists and dictionaries; only forms are required.

    >>> oaks = from_data({"words": [{"form": "Oaks", "head": 2}, {"form": "speak", "head": 0}]})
    >>> oaks.forms, oaks.heads, from_data(as_data(oaks)) == oaks
    (['Oaks', 'speak'], [2, 0], True)
    """
    words = _list(_get(data, "words", list, where), f"{where}.words")
    if not words:
        raise JsonError(f"{where}.words is empty: a sentence has words")
    ranges = {
        _get(t, "first", int, at): _range_row(t, at) for t, at in _rows(data, "tokens", where)
    }
    nodes: dict[int, list[str]] = {}
    for node, at in _rows(data, "empty_nodes", where):
        number = _get(node, "id", str, at)
        nodes.setdefault(int(number.partition(".")[0] or 0), []).append(_row(number, node, at))
    rows = nodes.get(0, [])
    for i, (word, at) in enumerate(words, 1):
        rows += [ranges[i]] if i in ranges else []
        rows += [_row(str(i), word, at), *nodes.get(i, [])]
    comments = [
        _text(line, f"{where}.comments") for line in _get(data, "comments", list, where, [])
    ]
    sentence = _read([*comments, *rows], where)
    given = _get(data, "text", str, where, "")
    if given and given != text(sentence):  # a text that the tokens do not form
        sentence = _read([*comments, f"# text = {given}", *rows], where)
    return sentence


def _read(lines: Sequence[str], where: str) -> Sentence:
    for line in lines:
        if "\n" in line or not line:
            raise JsonError(f"{where}: a value with a line break, or an empty comment: {line!r}")
    data = "".join(f"{line}\n" for line in [*lines, ""]).encode()
    return next(iter(read(BytesIO(data), trees="optional", name=f"<JSON: {where}>")))


def _row(number: str, data: Any, where: str) -> str:
    """Return the line of a word or an empty node."""
    values = [number]
    for name in NODE_COLUMNS:
        if name == "head":
            head = _get(data, name, int | None, where, None)
            values.append("_" if head is None else str(head))
        elif name in PAIRED:
            values.append(_column(_get(data, name, dict | str, where, {}), f"{where}.{name}"))
        else:
            values.append(_get(data, name, str, where, None if name == "form" else "_"))
    for value in values:
        if "\t" in value:
            raise JsonError(f"{where}: a value with a tab: {value!r}")
    return "\t".join(values)


def _range_row(data: Any, where: str) -> str:
    first, last = (_get(data, name, int, where) for name in ("first", "last"))
    form, misc = _get(data, "form", str, where), _get(data, "misc", dict | str, where, {})
    return "\t".join([f"{first}-{last}", form, *"_" * 7, _column(misc, f"{where}.misc")])


def _column(pairs: dict[str, Any] | str, where: str) -> str:
    if isinstance(pairs, dict):
        pairs = {_text(name, where): _text(value, where) for name, value in pairs.items()}
    return join_pairs(pairs)


def _rows(data: Any, name: str, where: str) -> Iterable[tuple[Any, str]]:
    return _list(_get(data, name, list, where, []), f"{where}.{name}")


def _list(items: Iterable[Any], where: str) -> list[tuple[Any, str]]:
    return [(item, f"{where}[{i}]") for i, item in enumerate(items)]


def _get(data: Any, name: str, kind: Any, where: str, default: Any = None) -> Any:
    """Return a field of the right type, or the default if there is one."""
    if not isinstance(data, Mapping):
        raise JsonError(f"{where} must be an object, not {show(data)}")
    if name not in data and (default is not None or kind == int | None):
        return default
    value = data.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise JsonError(f"{where}.{name} must be {_expected(kind)}, not {show(value)}")
    return value


def _expected(kind: Any) -> str:
    names = {list: "a list", str: "a string", int: "a whole number"}
    return names.get(
        kind, "a whole number or null" if kind == int | None else "an object or a string"
    )


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise JsonError(f"{where} must contain strings, not {show(value)}")
    return value
