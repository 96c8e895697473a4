"""Parsing of one part into its output file: read, parse, compress, and give the file its name."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import pyarrow as pa
from pyarrow import compute

from dodona.arrow.batch_parser import BatchParser, ParsedChunk
from dodona.arrow.kept_columns import DOC, encode_texts, encoded_schema, with_doc
from dodona.arrow.locations import Location
from dodona.arrow.model_cache import HeldModel, HeldModels
from dodona.arrow.options import ParseOptions
from dodona.arrow.output_files import HashedFile, open_new_file
from dodona.arrow.outputs import open_output
from dodona.arrow.runs.inputs import InputPart
from dodona.arrow.runs.manifest import PartCounts, PartRecord
from dodona.arrow.schema import ERROR, join_schemas
from dodona.arrow.sources import Fingerprint, checksum, state_of
from dodona.models import AUTO
from dodona.pipeline.auto import AutoParser

ANOTHER = "start another run in another folder"
MAX_FAILURES = 1000  # of a part that are listed; the column `error` has all of them


@dataclass(frozen=True)
class Part:
    """A part of a run: what it reads, and the file that it becomes."""

    input: InputPart
    output: Location


Report = Callable[[ParsedChunk], None]


def hold_model(options: ParseOptions) -> HeldModel | HeldModels:
    """Load the model of a run, which must not change while it is in use."""
    if options.model == AUTO:
        return HeldModels(AutoParser(default=options.default, mapped=options.mapped))
    return HeldModel(options.model, mapped=options.mapped, rules=options.rules)


class PartWriter:
    """A writer of the parts of a run, with kept columns of the types in `kept`."""

    def __init__(
        self, model: HeldModel | HeldModels, options: ParseOptions, format: str, kept: pa.Schema
    ) -> None:
        self.model, self.options, self.format = model, options, format
        self.parser, self.kept = BatchParser(options, model.parser), kept
        given = encoded_schema(with_doc(kept))
        self.schema = join_schemas(given, options.level, self.parser.optional)

    def write(self, part: Part, report: Report = lambda parsed: None) -> PartRecord:
        """Parse a part into its output file, and return its record.

        `report` is called after each written batch.
        """
        found: list[Fingerprint] = []
        with ExitStack() as stack:
            file = HashedFile(stack.enter_context(open_new_file(part.output)))
            tally = self._parse(part, file, found, report)
            if not tally.counts.is_balanced:
                raise ValueError(f"{part.output.name}: documents are missing: {tally.counts}")
            self.model.check()
            mtime_ns = file.mtime_ns()  # of this file: another one may take its place
            try:
                stack.close()  # it appears, unless there is a file already
            except FileExistsError:
                _check_equal(part.output, file.sha256())
                mtime_ns = None
        if not part.output.is_local and (state := state_of(part.output)):
            mtime_ns = state.mtime_ns
        output = Fingerprint(file.size, mtime_ns, file.sha256())
        inputs, row_groups = describe(part.input)
        return PartRecord(inputs, row_groups, found, output, tally.counts, tally.failures)

    def _parse(
        self, part: Part, file: HashedFile, found: list[Fingerprint], report: Report
    ) -> Tally:
        tally = Tally()
        chunks = map(encode_texts, part.input.read(self.options, self.kept, found))
        with open_output(file, self.format, self.schema) as writer:
            for parsed in self.parser.parse_chunks(chunks):
                writer.write(parsed.batch)
                tally.add(parsed)
                report(parsed)
            writer.describe(self._describe(part, tally, found))
        return tally

    def _describe(self, part: Part, tally: Tally, found: list[Fingerprint]) -> dict[str, Any]:
        """Return what a Parquet footer says of its origin."""
        names = [given.below for given in part.input.inputs]
        hashes = [file.sha256 for file in found]
        about = {"version": version("dodona"), "model": self.model.sha256}
        inputs = {"inputs": dict(zip(names, hashes, strict=True))}
        return {**about, **tally.counts.as_json(), **inputs}


class Tally:
    """The counts of a part: documents as they were read, and as they were written."""

    def __init__(self) -> None:
        self.counts = PartCounts()
        self.failures: list[tuple[str, str]] = []

    def add(self, parsed: ParsedChunk) -> None:
        """Count the rows of a chunk."""
        batch = parsed.batch
        docs, errors = batch.column(DOC.name), batch.column(ERROR.name)
        n_written = compute.count_distinct(docs.indices).as_py()
        n_errors = len(errors) - errors.null_count
        if n_errors:
            is_bad = errors.is_valid()
            pairs = zip(docs.filter(is_bad).to_pylist(), errors.filter(is_bad), strict=True)
            n_left = MAX_FAILURES - len(self.failures)
            self.failures += [(doc, why.as_py()) for doc, why in pairs][:n_left]
        self.counts += PartCounts(
            parsed.n_documents, n_written - n_errors, n_errors, parsed.n_words, len(batch)
        )


def describe(part: InputPart) -> tuple[list[str], list[int]]:
    """Return the fields of a record that identify the inputs."""
    return [given.below for given in part.inputs], [*part.row_groups]


def _check_equal(output: Location, sha256: str) -> None:
    """Allow a file that a killed run has written but not recorded; refuse any other."""
    if state_of(output) is None or checksum(output) != sha256:
        raise ValueError(
            f"{output.name} exists, and this run has not written it; move it away and continue "
            f"with --resume, or {ANOTHER}"
        )
