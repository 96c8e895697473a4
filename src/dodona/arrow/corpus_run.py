"""Resumable runs over many files: each part is written completely or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from typing import Any

import pyarrow as pa

from dodona.arrow.batch_parser import BatchParser
from dodona.arrow.inputs import FILE, PARQUET, TEXT, InputPart, find_parts
from dodona.arrow.locations import Location, resolve_location
from dodona.arrow.manifest import is_done, open_manifest, record_of
from dodona.arrow.model_cache import model_bytes
from dodona.arrow.options import ParseOptions
from dodona.arrow.outputs import RowWriter, open_output, suffix_for
from dodona.arrow.schema import join_schemas

FREE = ("threads", "mapped", "model")  # options that may change on resume: the rows do not


@dataclass
class RunProgress:
    """The progress of a run. Bytes are those of the stored texts."""

    n_bytes_total: int
    n_bytes: float = 0
    n_bytes_before: float = 0  # of parts that were complete when the run started
    n_parts: int = 0
    n_documents: int = 0
    n_words: int = 0
    n_errors: int = 0


Report = Callable[[RunProgress], None]


def parse_files(
    names: Iterable[str],
    out: str,
    options: ParseOptions,
    *,
    format: str = "parquet",
    resume: bool = False,
    report: Report = lambda progress: None,
) -> RunProgress:
    """Parse all inputs into the folder `out`; `report` is called after each written batch."""
    folder, suffix = resolve_location(out), suffix_for(format)
    parts = [(part, _options_for(part, options)) for part in find_parts(names, options)]
    progress = RunProgress(sum(part.n_bytes for part, _ in parts))
    with open_manifest(folder, _header(options, format), resume) as manifest:
        if not manifest.steps and not resume:
            _refuse_to_replace([folder / f"{part.name}{suffix}" for part, _ in parts])
        for part, its_options in parts:
            output = folder / f"{part.name}{suffix}"
            before = progress.n_bytes
            if is_done(manifest, part, output):
                progress.n_bytes_before += part.n_bytes
            else:
                _parse_part(part, its_options, output, format, progress, report)
                manifest.add(part.name, record_of(part, output))
            progress.n_bytes, progress.n_parts = before + part.n_bytes, progress.n_parts + 1
            report(progress)
    return progress


def _parse_part(
    part: InputPart,
    options: ParseOptions,
    output: Location,
    format: str,
    progress: RunProgress,
    report: Report,
) -> None:
    parser = BatchParser(options)
    with ExitStack() as stack:
        writer: RowWriter | None = None
        end = progress.n_bytes + part.n_bytes
        for parsed in parser.parse_chunks(part.read(options)):
            if writer is None:
                writer = stack.enter_context(open_output(output, format, parsed.batch.schema))
            writer.write(parsed.batch)
            progress.n_documents += parsed.n_documents
            progress.n_words += parsed.n_words
            progress.n_errors += parsed.n_errors
            progress.n_bytes = min(progress.n_bytes + parsed.n_chars, end)
            report(progress)
        if writer is None:
            stack.enter_context(open_output(output, format, _empty_schema(part, options, parser)))


def _empty_schema(part: InputPart, options: ParseOptions, parser: BatchParser) -> pa.Schema:
    """Return the output schema of a part without rows."""
    given = part.schema()
    if given is not None:
        return parser.schema(given)
    kept = pa.schema([pa.field(new, pa.string()) for _, new in options.keep])
    return join_schemas(kept, options.level, parser.with_deps)


def _options_for(part: InputPart, options: ParseOptions) -> ParseOptions:
    """Return the options of one part: plain texts have one column to keep, the file name."""
    first = part.inputs[0]
    if options.tokens and first.suffix != PARQUET:
        raise ValueError(f"{first.location.name}: tokens are read from Parquet only")
    if first.suffix != TEXT:
        return options
    kept = options.keep or ((FILE, FILE),)
    if {old for old, _ in kept} != {FILE}:
        raise ValueError(
            f"{first.location.name}: a plain text has one column to keep, {FILE!r} (its name)"
        )
    return replace(options, keep=kept)


def _header(options: ParseOptions, format: str) -> dict[str, Any]:
    """Return the header of the manifest: what must be equal on resume."""
    settings = {name: value for name, value in asdict(options).items() if name not in FREE}
    return {
        "version": version("dodona"),
        "model": hashlib.sha256(model_bytes(options.model)).hexdigest(),
        "settings": settings | {"output": format},
    }


def _refuse_to_replace(outputs: list[Location]) -> None:
    for output in outputs:
        if output.system.get_file_info(output.path).type.name != "NotFound":
            raise ValueError(f"{output.name} exists already; choose another folder")
