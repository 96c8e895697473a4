"""Resumable runs over many files: each part is written completely or not at all.

A run keeps the model that it began with, records the checksums of the bytes that it parsed, writes
beside its input only, and replaces no file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from typing import Any

import pyarrow as pa
from pyarrow import fs

from dodona.arrow.batch_parser import BatchParser
from dodona.arrow.inputs import PARQUET, TEXT, InputPart, find_parts
from dodona.arrow.kept_columns import encode_texts, encoded_schema
from dodona.arrow.line_records import FILE
from dodona.arrow.locations import Location, list_files, resolve_location
from dodona.arrow.manifest import Manifest, PartRecord, open_manifest
from dodona.arrow.model_cache import HeldModel
from dodona.arrow.options import ParseOptions
from dodona.arrow.output_files import HashedFile, open_new_file
from dodona.arrow.outputs import RowWriter, open_output, suffix_for
from dodona.arrow.schema import join_schemas, optional_columns
from dodona.arrow.separation import check_no_links, check_separate
from dodona.arrow.sources import Fingerprint, checksum, state_of

# options that may change on resume, as the rows do not, or that are recorded in another form
FREE = ("threads", "mapped", "model", "rules")
ANOTHER = "start another run in another folder"


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


@dataclass(frozen=True)
class Part:
    """A part of a run: what it reads, how, and the file that it becomes."""

    input: InputPart
    options: ParseOptions
    output: Location


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
    listings = [*map(list_files, names)]
    check_separate(folder, listings)
    with closing(HeldModel(options.model, mapped=options.mapped, rules=options.rules)) as model:
        header = _header(options, format, model)
        with open_manifest(folder, header, resume) as manifest:
            parts = [
                Part(given, _options_for(given, options), folder / f"{given.name}{suffix}")
                for given in find_parts(listings, options, manifest.steps)
            ]
            for part in parts:
                check_no_links(folder, part.output)
                if not resume and _exists(part.output):
                    raise ValueError(f"{part.output.name} exists already; choose another folder")
            return _Run(model, manifest, format, report, parts).parse()


class _Run:
    """A run over parts, which writes those that its manifest does not list."""

    def __init__(
        self,
        model: HeldModel,
        manifest: Manifest,
        format: str,
        report: Report,
        parts: list[Part],
    ) -> None:
        self.model, self.manifest, self.format, self.report = model, manifest, format, report
        self.parts = parts
        self.progress = RunProgress(sum(part.input.n_bytes for part in parts))
        for options in {part.options for part in parts}:
            kept = pa.schema([(new, pa.null()) for _, new in options.keep])
            made = optional_columns(model.parser, options.graph, options.confidence)
            join_schemas(kept, options.level, made)  # checks the names

    def parse(self) -> RunProgress:
        """Parse what is missing; first check that what is there may stay."""
        done = {part.input.name for part in self.parts if self._is_done(part)}
        for part in self.parts:
            before = self.progress.n_bytes
            if part.input.name in done:
                self.progress.n_bytes_before += part.input.n_bytes
            else:
                self.manifest.add(part.input.name, self._write(part).as_json())
            self.progress.n_bytes = before + part.input.n_bytes
            self.progress.n_parts += 1
            self.report(self.progress)
        return self.progress

    def _is_done(self, part: Part) -> bool:
        """Return whether a part is complete; raise an error if its input or output has changed."""
        record = self.manifest.steps.get(part.input.name)
        if record is None:
            return False
        given = part.input.inputs
        is_same = (record.inputs, record.row_groups) == _described(part.input)
        files = zip(given, record.files, strict=False)
        changed = [file for file, before in files if not before.fits(file.location)]
        if changed or not is_same:
            name = (changed or given)[0].location.name
            raise ValueError(f"{name} has changed since the run began; {ANOTHER}")
        is_there = _exists(part.output)
        if is_there and not record.output.fits(part.output):
            raise ValueError(
                f"{part.output.name} is not as this run wrote it; move it away, and --resume "
                f"writes it again, or {ANOTHER}"
            )
        return is_there

    def _write(self, part: Part) -> PartRecord:
        """Parse a part into its output file, and return its record."""
        found: list[Fingerprint] = []
        with ExitStack() as stack:
            file = HashedFile(stack.enter_context(open_new_file(part.output)))
            self._parse(part, file, found)
            self.model.check()
            mtime_ns = file.mtime_ns()  # of this file: another one may take its place
            try:
                stack.close()  # it appears, unless there is a file already
            except FileExistsError:
                self._check_equal(part.output, file.sha256())
                mtime_ns = None
        if not part.output.is_local and (state := state_of(part.output)):
            mtime_ns = state.mtime_ns
        output = Fingerprint(file.size, mtime_ns, file.sha256())
        return PartRecord(*_described(part.input), found, output)

    def _check_equal(self, output: Location, sha256: str) -> None:
        """Allow a file that a killed run has written but not recorded; refuse any other."""
        if state_of(output) is None or checksum(output) != sha256:
            raise ValueError(
                f"{output.name} exists, and this run has not written it; move it away and continue "
                f"with --resume, or {ANOTHER}"
            )

    def _parse(self, part: Part, file: HashedFile, found: list[Fingerprint]) -> None:
        parser, progress = BatchParser(part.options, self.model.parser), self.progress
        chunks = map(encode_texts, part.input.read(part.options, found))
        with ExitStack() as stack:
            writer: RowWriter | None = None
            end = progress.n_bytes + part.input.n_bytes
            for parsed in parser.parse_chunks(chunks):
                if writer is None:
                    schema = parsed.batch.schema
                    writer = stack.enter_context(open_output(file, self.format, schema))
                writer.write(parsed.batch)
                progress.n_documents += parsed.n_documents
                progress.n_words += parsed.n_words
                progress.n_errors += parsed.n_errors
                progress.n_bytes = min(progress.n_bytes + parsed.n_chars, end)
                self.report(progress)
            if writer is None:
                given = encoded_schema(part.input.schema(part.options))
                schema = parser.schema(given)
                stack.enter_context(open_output(file, self.format, schema))


def _described(part: InputPart) -> tuple[list[str], list[int]]:
    """Return the fields of a record that identify the inputs."""
    return [given.below for given in part.inputs], [*part.row_groups]


def _exists(location: Location) -> bool:
    """Return whether there is anything, be it a folder or a link that leads nowhere."""
    if location.is_local:
        return os.path.lexists(location.path)
    return bool(location.system.get_file_info(location.path).type != fs.FileType.NotFound)


def _options_for(part: InputPart, options: ParseOptions) -> ParseOptions:
    """Return the options of one part: plain texts have one column to keep, the file name."""
    name = part.inputs[0].location.name
    if options.tokens and part.suffix != PARQUET:
        raise ValueError(f"{name}: tokens are read from Parquet only")
    if part.suffix != TEXT:
        return options
    if options.text != ParseOptions.text:
        raise ValueError(f"{name}: a plain text has no columns, so --text does not apply to it")
    kept = options.keep or ((FILE, FILE),)
    if {old for old, _ in kept} != {FILE}:
        raise ValueError(f"{name}: a plain text has one column to keep, {FILE!r} (its name)")
    return replace(options, keep=kept)


def _header(options: ParseOptions, format: str, model: HeldModel) -> dict[str, Any]:
    """Return the header of the manifest: what must be equal on resume."""
    settings = {name: value for name, value in asdict(options).items() if name not in FREE}
    settings["output"] = format
    if model.rules is not None:
        settings["rules"] = model.rules.to_dict()
    return {"version": version("dodona"), "model": model.sha256, "settings": settings}
