"""Parts of a run: each is read from one or more input files and becomes one output file.

A large Parquet file is split into parts of some row groups each, so that a killed run repeats
little. Small plain texts are joined into one part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar

import pyarrow as pa
from pyarrow import parquet

from dodona.arrow import line_formats
from dodona.arrow.documents import Chunk, split_into_chunks
from dodona.arrow.locations import Location, list_files
from dodona.arrow.options import ParseOptions

PART_BYTES = 64 << 20  # of text: about 12 million words, some minutes of parsing
BATCH_BYTES = 4 << 20  # of text, read at a time
PARQUET, TEXT = ".parquet", ".txt"
LINES: dict[str, Any] = {
    ".jsonl": line_formats.read_json_lines,
    ".ndjson": line_formats.read_json_lines,
    ".csv": line_formats.read_csv,
    ".tsv": partial(line_formats.read_csv, delimiter="\t"),
}
TABLES = (PARQUET, *LINES)
FILE = "file"  # the column with the name of a plain text

T = TypeVar("T")


@dataclass(frozen=True)
class InputFile:
    """An input file, with its path relative to the given folder."""

    location: Location
    below: str
    size: int

    @cached_property
    def suffix(self) -> str:
        """Return the type of the file, by its name."""
        return suffix_of(self.below)


@dataclass(frozen=True)
class InputPart:
    """The inputs of one output file."""

    name: str  # path in the output folder, without a suffix
    inputs: tuple[InputFile, ...]
    n_bytes: int  # an estimate, for the progress
    row_groups: tuple[int, ...] = ()  # of a Parquet file

    def describe(self) -> dict[str, Any]:
        """Return the fields of the manifest that identify the inputs."""
        return {"inputs": [i.below for i in self.inputs], "row_groups": list(self.row_groups)}

    def read(self, options: ParseOptions) -> Iterator[Chunk]:
        """Read the documents."""
        first = self.inputs[0]
        if first.suffix == PARQUET:
            return split_into_chunks(options, _read_row_groups(first, options, self.row_groups))
        if first.suffix in LINES:
            records = LINES[first.suffix](first.location, options)
        else:
            files = ((given.location, given.below) for given in self.inputs)
            records = line_formats.read_texts(files, options)
        return line_formats.chunk_records(records, options, first.location.name)

    def schema(self, options: ParseOptions) -> pa.Schema:
        """Return the schema of the input; only that of Parquet has other types than text."""
        if self.inputs[0].suffix != PARQUET:
            return pa.schema(dict.fromkeys(options.columns, pa.string()))
        with _open_parquet(self.inputs[0]) as file:
            return file.schema_arrow


def suffix_of(name: str) -> str:
    """Return the suffix of a file, without the suffix of a compression.

    >>> suffix_of("a.b.jsonl.gz"), suffix_of("README"), suffix_of("part-0.zstd.parquet")
    ('.jsonl', '', '.parquet')
    """
    _, dot, last = _decompressed(name).rpartition("/")[2].rpartition(".")
    return f"{dot}{last}".lower() if dot else ""


def find_parts(names: Iterable[str], options: ParseOptions) -> list[InputPart]:
    """Return the parts of all inputs: files, glob patterns and folders, local or by URL."""
    parts: list[InputPart] = []
    for name in names:
        found = [InputFile(*file) for file in list_files(name)]
        known = [given for given in found if given.suffix in (*TABLES, TEXT)]
        if not known:
            kinds = ", ".join((*TABLES, TEXT))
            raise ValueError(f"{name}: expected files of {kinds} (tables with .gz, .zst)")
        tables = [given for given in known if given.suffix != TEXT]
        parts += (part for given in tables for part in _split(given, options))
        parts += _join(given for given in known if given.suffix == TEXT)
    owners: dict[str, InputPart] = {}
    for part in parts:
        if other := owners.get(part.name):
            one, two = other.inputs[0].location.name, part.inputs[0].location.name
            raise ValueError(f"{one} and {two} would become one file; give their common folder")
        owners[part.name] = part
    return parts


def _split(given: InputFile, options: ParseOptions) -> Iterator[InputPart]:
    """Yield the parts of a table: one, or several groups of Parquet row groups."""
    name = _decompressed(given.below)
    name = name[: -len(given.suffix)]
    if given.suffix != PARQUET:
        yield InputPart(name, (given,), given.size)
        return
    with _open_parquet(given) as file:
        row_groups = map(file.metadata.row_group, range(file.num_row_groups))
        sizes = [_text_size(row_group, options) for row_group in row_groups]
    groups = _grouped(range(len(sizes)), sizes) or [[]]
    for number, group in enumerate(groups):
        called = name if len(groups) == 1 else f"{name}-{number:05}"
        yield InputPart(called, (given,), sum(sizes[k] for k in group), tuple(group))


def _join(texts: Iterable[InputFile]) -> Iterator[InputPart]:
    """Yield parts of many plain texts each."""
    given = [*texts]
    for number, group in enumerate(_grouped(given, [text.size for text in given])):
        yield InputPart(f"texts-{number:05}", tuple(group), sum(text.size for text in group))


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


def _decompressed(name: str) -> str:
    """Return a file name without the suffix of a compression."""
    for compressed in line_formats.COMPRESSED:
        name = name.removesuffix(compressed)
    return name


def _open_parquet(given: InputFile) -> parquet.ParquetFile:
    """Open a Parquet file with a small buffer, so that no column is read as a whole."""
    try:
        source = given.location.system.open_input_file(given.location.path)
        return parquet.ParquetFile(source, buffer_size=1 << 20, pre_buffer=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ValueError(f"{given.location.name}: not Parquet, or damaged: {error}") from error


def _text_size(row_group: Any, options: ParseOptions) -> int:
    columns = map(row_group.column, range(row_group.num_columns))
    texts = (one for one in columns if one.path_in_schema.split(".")[0] == options.source)
    return sum(column.total_uncompressed_size for column in texts)


def _read_row_groups(
    given: InputFile, options: ParseOptions, groups: tuple[int, ...]
) -> Iterator[pa.RecordBatch]:
    where = given.location.name
    with _open_parquet(given) as file:
        known = file.schema_arrow.names
        for name in options.columns:
            if name not in known:
                raise ValueError(f"{where}: no column {name!r}; there are: {', '.join(known)}")
        metadata = [file.metadata.row_group(i) for i in groups]
        n_rows = sum(group.num_rows for group in metadata)
        size = sum(_text_size(group, options) for group in metadata)
        n_rows_at_once = max(1, min(4096, BATCH_BYTES * n_rows // max(size, 1)))
        try:
            yield from file.iter_batches(
                n_rows_at_once, row_groups=[*groups], columns=options.columns
            )
        except (pa.ArrowInvalid, OSError) as error:
            raise ValueError(f"{where}: damaged or unreadable: {error}") from error


def checksum(given: InputFile) -> str:
    """Return the SHA-256 of a file, not decompressed."""
    digest = hashlib.sha256()
    with given.location.system.open_input_stream(given.location.path, compression=None) as stream:
        while data := stream.read(1 << 20):
            digest.update(data)
    return digest.hexdigest()
