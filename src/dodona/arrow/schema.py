"""Schemas of the output at each level, for Arrow and for Spark."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from dodona.arrow.model_cache import load_cached
from dodona.errors import DodonaError
from dodona.extras import require
from dodona.models import AUTO
from dodona.treebank.word import CONFIDENCES

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from dodona.parsing.parser import Parser

LEVELS = ("word", "sentence", "document", "conllu")
INT, TEXT, NUMBER = pa.int32(), pa.string(), pa.float64()
LANGUAGE = pa.field("language", TEXT)  # of a text, where `auto` found it
ERROR = pa.field("error", TEXT)  # why a text could not be parsed, or null


class NameTakenError(DodonaError, ValueError):
    """A kept column that has the name of an output column."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.problem = f"the kept column {name!r} has the name of an output column; rename it"
        super().__init__(f'{self.problem}: keep={{"{name}": "doc_{name}"}}')


def schema(
    model: str | Path,
    *,
    level: str = LEVELS[0],
    keep: pa.Schema | None = None,
    graph: bool = False,
    confidence: bool = False,
) -> pa.Schema:
    """Return the schema of the output of `mapper`; `keep` is the schema of the kept columns.

    >>> schema("en").names
    ['sent_id', 'id', 'form', 'lemma', 'upos', 'xpos', 'feats', 'head', 'deprel', 'start', ...]
    >>> schema("en", level="conllu", keep=pa.schema({"doc_id": pa.int64()})).names
    ['doc_id', 'conllu', 'error']
    """
    check_level(level)
    parser = None if model == AUTO else load_cached(str(model))
    made = optional_columns(parser, graph, confidence)
    return join_schemas(keep or pa.schema([]), level, made)


def spark_schema(
    model: str | Path,
    *,
    level: str = LEVELS[0],
    keep: StructType | None = None,
    graph: bool = False,
    confidence: bool = False,
) -> StructType:
    """Return the schema for Spark's `mapInArrow`; `keep` is `df.select("doc_id").schema`."""
    types = require("pyspark.sql.types", "spark")
    kept = [] if keep is None else list(keep.fields)
    names = pa.schema([pa.field(field.name, pa.null()) for field in kept])
    made = schema(model, level=level, keep=names, graph=graph, confidence=confidence)
    fields = [*kept, *(_spark_field(types, made.field(i)) for i in range(len(kept), len(made)))]
    found: StructType = types.StructType(fields)
    return found


def check_level(level: str) -> None:
    """Raise ValueError if `level` is unknown."""
    if level not in LEVELS:
        raise ValueError(f"level is one of {', '.join(LEVELS)}, not {level!r}")


def optional_columns(parser: Parser | None, graph: bool, confidence: bool) -> tuple[str, ...]:
    """Return the columns beyond those of every output: DEPS of graphs, confidences, languages.

    `parser` is None for `auto`, whose columns do not depend on the models.
    """
    makes_graphs = parser and (parser.graphs is not None or parser.system.builds_graphs)
    has_deps = bool(graph or makes_graphs)
    languages = [LANGUAGE.name] if parser is None else []
    return (*["deps"] * has_deps, *(CONFIDENCES if confidence else ()), *languages)


def join_schemas(kept: pa.Schema, level: str, optional: Collection[str]) -> pa.Schema:
    """Join the kept columns and the new ones; a name in both is an error."""
    languages = [LANGUAGE] if LANGUAGE.name in optional else []
    made = [*fields_of(level, optional), *languages, ERROR]
    if twice := {field.name for field in made} & {*kept.names}:
        name = min(twice)
        raise NameTakenError(name)
    return pa.schema([*kept, *made])


def fields_of(level: str, optional: Collection[str]) -> list[pa.Field]:
    """Return the columns that parsing adds at a level."""
    words = word_fields(optional)
    if level == "word":
        return [*_fields(sent_id=INT), *words]
    sentences = _fields(sent_id=INT, text=TEXT, start=INT, end=INT, words=_rows(words))
    if level == "sentence":
        return sentences
    return _fields(sentences=_rows(sentences)) if level == "document" else _fields(conllu=TEXT)


def word_fields(optional: Collection[str]) -> list[pa.Field]:
    """Return the columns of a word, as in CoNLL-U; `start` and `end` are character offsets."""
    texts = _fields(id=INT, form=TEXT, lemma=TEXT, upos=TEXT, xpos=TEXT, feats=TEXT)
    arcs = _fields(head=INT, deprel=TEXT, **({"deps": TEXT} if "deps" in optional else {}))
    sure = {name: NUMBER for name in CONFIDENCES if name in optional}
    return [*texts, *arcs, *_fields(start=INT, end=INT, **sure)]


def _fields(**types: pa.DataType) -> list[pa.Field]:
    return [*map(pa.field, types, types.values())]


def _rows(fields: list[pa.Field]) -> pa.DataType:
    return pa.list_(pa.struct(fields))


def _spark_field(types: Any, field: pa.Field) -> Any:
    return types.StructField(field.name, _spark_type(types, field.type))


def _spark_type(types: Any, kind: pa.DataType) -> Any:
    if pa.types.is_list(kind):
        return types.ArrayType(_spark_type(types, kind.value_type))
    if pa.types.is_struct(kind):
        inside = map(kind.field, range(kind.num_fields))
        return types.StructType([_spark_field(types, field) for field in inside])
    if pa.types.is_float64(kind):
        return types.DoubleType()
    return types.IntegerType() if pa.types.is_int32(kind) else types.StringType()
