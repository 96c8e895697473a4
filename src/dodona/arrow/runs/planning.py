"""The plan of a run: which parts there are, and what their files say of the kept columns.

A large Parquet file is split into parts of some row groups each, so that a killed run repeats
little. Small plain texts are joined into one part; a run that is resumed joins them as it did.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

import pyarrow as pa

from dodona.arrow import line_records
from dodona.arrow.documents import check_type
from dodona.arrow.line_records import check_columns, decompressed, path_values
from dodona.arrow.locations import FoundFile, Listing
from dodona.arrow.options import ParseOptions
from dodona.arrow.runs.inputs import (
    ARROW,
    JSON_LINES,
    PARQUET,
    TABLES,
    TEXT,
    UNREADABLE,
    InputError,
    InputPart,
    PlannedVersion,
    open_arrow,
    open_parquet,
    strip_compression,
    suffix_of,
    text_size,
)
from dodona.arrow.runs.manifest import PartRecord

PART_BYTES = 64 << 20  # of text: about 12 million words, some minutes of parsing
READERS = 16  # threads that read footers, most of which wait for a disk or an object store
JOINED = "texts"  # how the names of parts of plain texts begin

T = TypeVar("T")


class Shard(NamedTuple):
    """One of `n` runs that share the parts of a corpus; `i` counts from 0."""

    i: int
    n: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read a shard as the shell writes it.

        >>> Shard.parse("3/100")
        Shard(i=3, n=100)
        """
        i, _, n = text.partition("/")
        if not (i.isdecimal() and n.isdecimal()) or not int(i) < int(n):
            raise ValueError(f"a shard is I/N, from 0/N to (N-1)/N, not {text!r}")
        return cls(int(i), int(n))

    @property
    def label(self) -> str:
        """Return a part of file names that tells shards apart; empty for one shard.

        >>> Shard(3, 100).label, Shard(0, 1).label
        ('-00003-of-00100', '')
        """
        return f"-{self.i:05}-of-{self.n:05}" if self.n > 1 else ""


WHOLE = Shard(0, 1)


class BadFile(NamedTuple):
    """An input that is left out, and why."""

    file: str
    why: str


@dataclass
class Plan:
    """The parts of a shard, the files that are left out, and the types of the kept columns.

    `types` are those of tables with a schema; the types of `unread` files are only known when all
    of their lines are read.
    """

    parts: list[InputPart]
    bad: list[BadFile] = field(default_factory=list)
    types: list[list[pa.DataType]] = field(default_factory=list)
    unread: list[FoundFile] = field(default_factory=list)


def make_plan(
    listings: Iterable[Listing],
    options: ParseOptions,
    recorded: Mapping[str, PartRecord],
    shard: Shard = WHOLE,
    max_errors: int = 0,
) -> Plan:
    """Plan a run over all inputs.

    `recorded` are the parts of the manifest. Up to `max_errors` files that cannot be read, or lack
    a column, are left out; with more, the first error is raised before anything is parsed.
    """
    plan = Plan([])
    texts: list[FoundFile] = []
    tables: list[FoundFile] = []
    for listing in listings:
        known = [given for given in listing.files if suffix_of(given.below) in (*TABLES, TEXT)]
        if not known:
            kinds = ", ".join((*TABLES, TEXT))
            raise ValueError(f"{listing.name}: expected files of {kinds} (tables with .gz, .zst)")
        tables += (given for given in known if suffix_of(given.below) != TEXT)
        texts += (given for given in known if suffix_of(given.below) == TEXT)
    _inspect_all(plan, tables, options, max_errors)
    _check_names(plan.parts, texts)
    plan.parts = plan.parts[shard.i :: shard.n]
    prefix = f"{JOINED}{shard.label}"
    others = (record for name, record in recorded.items() if not _is_joined(prefix, name))
    taken = {below for record in others for below in record.inputs}  # by a run in other shards
    mine = [text for text in texts if crc32(text.below.encode()) % shard.n == shard.i]
    plan.parts += _join([text for text in mine if text.below not in taken], recorded, prefix)
    return plan


def _is_joined(prefix: str, name: str) -> re.Match[str] | None:
    """Return the match of the name of a part of plain texts, with its number."""
    return re.fullmatch(rf"{prefix}-(\d{{5,}})", name)


def _inspect_all(
    plan: Plan, tables: list[FoundFile], options: ParseOptions, max_errors: int
) -> None:
    """Read all footers and headers, in threads."""
    with ThreadPoolExecutor(READERS) as pool:
        found = [*pool.map(lambda given: _try(_inspect, given, options), tables)]
    for given, result in zip(tables, found, strict=True):
        if isinstance(result, InputError):
            plan.bad.append(BadFile(given.location.name, str(result)))
        else:
            plan.parts += result.parts
            plan.types += [result.types] if result.types is not None else []
            plan.unread += [given] if result.types is None else []
    if not options.tokens and plan.unread:
        locations = (given.location for given in plan.unread)
        line_records.check_json_lines(locations, options)
    errors = [result for result in found if isinstance(result, InputError)]
    if len(errors) > max_errors or (errors and not plan.parts):
        advice = ""
        if plan.parts:
            advice = f"; correct it, or leave out such files: --max-errors {len(errors)}"
        raise ValueError(f"{errors[0]}{advice}") from errors[0]


class _Inspected(NamedTuple):
    """The parts of a table, and the types of its kept columns if they are known."""

    parts: list[InputPart]
    types: list[pa.DataType] | None


def _try(inspect: Callable[..., T], given: FoundFile, options: ParseOptions) -> T | InputError:
    try:
        return inspect(given, options)
    except UNREADABLE as error:
        name, why = given.location.name, str(error)
        return InputError(why if name in why else f"{name}: {why}")


def _inspect(given: FoundFile, options: ParseOptions) -> _Inspected:
    suffix = suffix_of(given.below)
    name = strip_compression(given.below)[: -len(suffix)]
    if suffix == PARQUET:
        return _inspect_parquet(given, name, options)
    parts = [InputPart(name, (given,), given.size)]
    if suffix == ARROW:
        with open_arrow(given) as (_, reader):
            return _Inspected(parts, _check_schema(given, reader.schema, options))
    if options.tokens:
        raise ValueError(f"{given.location.name}: tokens are read from Parquet and Arrow only")
    if suffix in JSON_LINES:
        return _Inspected(parts, None)
    with decompressed(given.location, constants=path_values(given.below)) as lines:
        HEADERS[suffix](lines, options)
    return _Inspected(parts, [pa.string()] * len(options.keep))


def _inspect_parquet(given: FoundFile, name: str, options: ParseOptions) -> _Inspected:
    with open_parquet(given) as (source, file):
        row_groups = [*map(file.metadata.row_group, range(file.num_row_groups))]
        sizes = [text_size(row_group, options) for row_group in row_groups]
        types = _check_schema(given, file.schema_arrow, options)
        version = PlannedVersion(source.state, source.checksum() if source.is_young else None)
    groups = _grouped(range(len(sizes)), sizes) or [[]]
    parts = []
    first_row = 1
    for number, group in enumerate(groups):
        called = name if len(groups) == 1 else f"{name}-{number:05}"
        size = sum(sizes[k] for k in group)
        parts.append(InputPart(called, (given,), size, tuple(group), first_row, version))
        first_row += sum(row_groups[k].num_rows for k in group)
    return _Inspected(parts, types)


def _check_schema(given: FoundFile, schema: pa.Schema, options: ParseOptions) -> list[pa.DataType]:
    """Check the columns that are needed, and return the types of the kept ones."""
    constants = path_values(given.below)
    check_columns(given.location.name, schema.names, options, constants)
    try:
        check_type(options, schema.field(options.source).type)
    except TypeError as error:
        raise ValueError(f"{given.location.name}: {error}") from error
    known = {*schema.names}
    return [schema.field(old).type if old in known else pa.string() for old, _ in options.keep]


def _check_names(parts: list[InputPart], texts: list[FoundFile]) -> None:
    """Raise ValueError if two inputs would become one file, or have one name."""
    owners: dict[str, FoundFile] = {}
    names = [(part.name, part.inputs[0]) for part in parts]
    for name, given in (*names, *((text.below, text) for text in texts)):
        if other := owners.get(name):
            one, two = other.location.name, given.location.name
            raise ValueError(f"{one} and {two} would become one file; give their common folder")
        owners[name] = given


def _join(
    texts: Iterable[FoundFile], recorded: Mapping[str, PartRecord], prefix: str
) -> Iterator[InputPart]:
    """Yield parts of many plain texts each: first those of the manifest, then the new ones."""
    left = {text.below: text for text in texts}
    numbers = [-1]
    for name, record in recorded.items():
        if (joined := _is_joined(prefix, name)) is None:
            continue
        numbers.append(int(joined[1]))
        there = [below for below in record.inputs if below in left]
        if gone := [below for below in record.inputs if there and below not in left]:
            raise ValueError(
                f"{gone[0]} is missing, which this run parsed together with {there[0]}; restore "
                "it, or start another run in another folder"
            )
        if there:
            yield _joined(name, [left.pop(below) for below in there])
    new = [*left.values()]
    groups = _grouped(new, [text.size for text in new])
    for number, group in enumerate(groups, start=max(numbers) + 1):
        yield _joined(f"{prefix}-{number:05}", group)


def _joined(name: str, texts: list[FoundFile]) -> InputPart:
    return InputPart(name, tuple(texts), sum(text.size for text in texts))


def _grouped(items: Iterable[T], sizes: list[int]) -> list[list[T]]:
    """Group neighbours up to the size of a part."""
    groups: list[list[T]] = []
    n_bytes = 0
    for item, size in zip(items, sizes, strict=True):
        if not groups or n_bytes + size > PART_BYTES:
            groups.append([])
            n_bytes = 0
        groups[-1].append(item)
        n_bytes += size
    return groups


HEADERS: dict[str, Any] = {".csv": line_records.check_csv, ".tsv": line_records.check_tsv}
