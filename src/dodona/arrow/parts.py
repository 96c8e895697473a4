"""What a run is made of: each part is read from some input and becomes one file.

A large file of Parquet is several parts, some of its row groups each, so that a run that was
killed has little to do twice. Small files of plain text are one part together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar

import pyarrow as pa
from pyarrow import parquet

from dodona.arrow.places import Place, find_files
from dodona.arrow.plan import Plan
from dodona.arrow.records import (
    COMPRESSED,
    read_csv,
    read_json_lines,
    read_texts,
    record_chunks,
)
from dodona.arrow.rows import Chunk, chunks

PART_BYTES = 64 << 20  # of text: about 12 million words, some minutes
BATCH_BYTES = 4 << 20  # of text, read at a time
PARQUET, TEXT = ".parquet", ".txt"
LINES: dict[str, Any] = {
    ".jsonl": read_json_lines,
    ".ndjson": read_json_lines,
    ".csv": read_csv,
    ".tsv": partial(read_csv, delimiter="\t"),
}
TABLES = (PARQUET, *LINES)
FILE = "file"  # what the name of a plain text is called

Item = TypeVar("Item")


@dataclass(frozen=True)
class Input:
    """A file, and what it is called below its folder."""

    place: Place
    below: str
    size: int

    @cached_property
    def suffix(self) -> str:
        """What kind of file it is, by its name."""
        return suffix_of(self.below)


@dataclass(frozen=True)
class Part:
    """Something to parse, and the name of what it becomes."""

    name: str  # below the folder of the output, without a suffix
    inputs: tuple[Input, ...]
    n_bytes: int  # as far as is known, for the time that is left
    row_groups: tuple[int, ...] = ()  # of a file of Parquet

    def describe(self) -> dict[str, Any]:
        """All of it but for checksums, as a manifest says it."""
        return {"inputs": [i.below for i in self.inputs], "row_groups": list(self.row_groups)}

    def read(self, plan: Plan) -> Iterator[Chunk]:
        """The documents."""
        first = self.inputs[0]
        if first.suffix == PARQUET:
            yield from chunks(plan, _read_row_groups(first, plan, self.row_groups))
        elif first.suffix in LINES:
            yield from record_chunks(LINES[first.suffix](first.place, plan), plan, first.place.name)
        else:
            files = ((given.place, given.below) for given in self.inputs)
            yield from record_chunks(read_texts(files, plan), plan, first.place.name)

    def schema(self, plan: Plan) -> pa.Schema | None:
        """The schema of what is read, where the file says it before anything is read."""
        if self.inputs[0].suffix != PARQUET:
            return None
        with _open_parquet(self.inputs[0]) as file:
            return file.schema_arrow


def suffix_of(name: str) -> str:
    """The kind of a file, behind which there may be a compression.

    >>> suffix_of("a.b.jsonl.gz"), suffix_of("README"), suffix_of("part-0.zstd.parquet")
    ('.jsonl', '', '.parquet')
    """
    for compressed in COMPRESSED:
        name = name.removesuffix(compressed)
    _, dot, last = name.rpartition("/")[2].rpartition(".")
    return f"{dot}{last}".lower() if dot else ""


def find_parts(names: Iterable[str], plan: Plan) -> list[Part]:
    """The parts of all inputs: files, patterns of names, folders, on this machine or by URL."""
    parts: list[Part] = []
    for name in names:
        found = [Input(*file) for file in find_files(name)]
        known = [given for given in found if given.suffix in (*TABLES, TEXT)]
        if not known:
            kinds = ", ".join((*TABLES, TEXT))
            raise ValueError(f"{name}: expected files of {kinds} (tables with .gz, .zst)")
        tables = [given for given in known if given.suffix != TEXT]
        parts += (part for given in tables for part in _split(given, plan))
        parts += _join(given for given in known if given.suffix == TEXT)
    owners: dict[str, Part] = {}
    for part in parts:
        if other := owners.get(part.name):
            one, two = other.inputs[0].place.name, part.inputs[0].place.name
            raise ValueError(f"{one} and {two} would become one file; give the folder they are in")
        owners[part.name] = part
    return parts


def _split(given: Input, plan: Plan) -> Iterator[Part]:
    """A table; one of Parquet by its row groups."""
    name = _without_suffixes(given.below)
    if given.suffix != PARQUET:
        yield Part(name, (given,), given.size)
        return
    with _open_parquet(given) as file:
        sizes = [_text_size(file.metadata.row_group(i), plan) for i in range(file.num_row_groups)]
    groups = _grouped(range(len(sizes)), sizes) or [[]]
    for number, group in enumerate(groups):
        called = name if len(groups) == 1 else f"{name}-{number:05}"
        yield Part(called, (given,), sum(sizes[k] for k in group), tuple(group))


def _join(texts: Iterable[Input]) -> Iterator[Part]:
    """Plain texts, many in a part."""
    given = [*texts]
    for number, group in enumerate(_grouped(given, [text.size for text in given])):
        yield Part(f"texts-{number:05}", tuple(group), sum(text.size for text in group))


def _grouped(items: Iterable[Item], sizes: list[int]) -> list[list[Item]]:
    """Neighbours together, as many as have the size of a part."""
    groups: list[list[Item]] = []
    n_bytes = 0
    for item, size in zip(items, sizes, strict=True):
        if not groups or n_bytes + size > PART_BYTES:
            groups.append([])
            n_bytes = 0
        groups[-1].append(item)
        n_bytes += size
    return groups


def _without_suffixes(name: str) -> str:
    for compressed in COMPRESSED:
        name = name.removesuffix(compressed)
    return name[: -len(suffix_of(name))]


def _open_parquet(given: Input) -> parquet.ParquetFile:
    """With a buffer, so that no column is read as a whole."""
    try:
        source = given.place.system.open_input_file(given.place.path)
        return parquet.ParquetFile(source, buffer_size=1 << 20, pre_buffer=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ValueError(f"{given.place.name}: not Parquet, or damaged: {error}") from error


def _text_size(row_group: Any, plan: Plan) -> int:
    columns = (row_group.column(k) for k in range(row_group.num_columns))
    sizes = [
        column.total_uncompressed_size
        for column in columns
        if column.path_in_schema.split(".")[0] == plan.source
    ]
    return sum(sizes)


def _read_row_groups(given: Input, plan: Plan, groups: tuple[int, ...]) -> Iterator[pa.RecordBatch]:
    names = [*dict.fromkeys((plan.source, *(old for old, _ in plan.keep)))]
    with _open_parquet(given) as file:
        known = file.schema_arrow.names
        for name in names:
            if name not in known:
                raise ValueError(
                    f"{given.place.name}: no column {name!r}; there are: {', '.join(known)}"
                )
        metadata = [file.metadata.row_group(i) for i in groups]
        n_rows = sum(group.num_rows for group in metadata)
        size = sum(_text_size(group, plan) for group in metadata)
        n_at_once = max(1, min(4096, BATCH_BYTES * n_rows // max(size, 1)))
        try:
            yield from file.iter_batches(n_at_once, row_groups=[*groups], columns=names)
        except (pa.ArrowInvalid, OSError) as error:
            raise ValueError(f"{given.place.name}: damaged, or cannot be read: {error}") from error


def checksum(given: Input) -> str:
    """SHA-256 of a file as it is."""
    import hashlib

    digest = hashlib.sha256()
    with given.place.system.open_input_stream(given.place.path, compression=None) as stream:
        while data := stream.read(1 << 20):
            digest.update(data)
    return digest.hexdigest()
