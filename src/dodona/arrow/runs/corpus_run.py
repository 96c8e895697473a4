"""Resumable runs over many files: each part is written completely or not at all.

A run keeps the model that it began with, records the checksums of the bytes that it parsed, writes
beside its input only, and replaces no file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from typing import Any

import pyarrow as pa
from pyarrow import fs

from dodona.arrow.kept_columns import DOC, with_doc
from dodona.arrow.line_records import FILE, path_values
from dodona.arrow.locations import Listing, Location, list_files, resolve_location
from dodona.arrow.model_cache import HeldModel, HeldModels
from dodona.arrow.options import ParseOptions
from dodona.arrow.outputs import suffix_for
from dodona.arrow.runs.contract import fix_types, settle_contract
from dodona.arrow.runs.inputs import TEXT, InputError, suffix_of
from dodona.arrow.runs.manifest import (
    FailedPart,
    Manifest,
    PartRecord,
    check_header,
    finished_parts,
    lock_manifest,
    read_manifest,
)
from dodona.arrow.runs.part_writer import ANOTHER, Part, PartWriter, describe, hold_model
from dodona.arrow.runs.planning import WHOLE, BadFile, Shard, make_plan
from dodona.arrow.runs.reports import write_failures, write_plan
from dodona.arrow.runs.separation import check_no_links, check_separate
from dodona.arrow.runs.workers import BatchCounts, Outcome, Pool, WorkerSetup, parse_part
from dodona.arrow.schema import NameTakenError, join_schemas, optional_columns
from dodona.parsing.parser import Parser
from dodona.storage.steps import as_json

# options that may change on resume, as the rows do not, or that are recorded in another form
FREE = ("threads", "mapped", "model", "rules")


@dataclass
class RunProgress:
    """The progress of a run. Bytes are those of the stored texts."""

    n_bytes_total: int
    n_bytes: float = 0
    n_bytes_before: float = 0  # of parts that were complete when the run started
    n_parts: int = 0
    n_documents: int = 0
    n_words: int = 0
    n_errors: int = 0  # documents that could not be parsed
    n_failed: int = 0  # files that could not be read


Report = Callable[[RunProgress], None]


@dataclass(frozen=True)
class RunSettings:
    """How a run does its work; only the format has an effect on the rows.

    Up to `max_errors` files that cannot be read are left out. With `plan_only`, the contract is
    written and nothing is parsed.
    """

    format: str = "parquet"
    resume: bool = False
    workers: int = 1
    shard: Shard = WHOLE
    max_errors: int = 0
    plan_only: bool = False

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ValueError(f"at least one worker is needed, not {self.workers}")
        if self.max_errors < 0:
            raise ValueError(f"max_errors is at least 0, not {self.max_errors}")


def parse_files(
    names: Iterable[str],
    out: str,
    options: ParseOptions,
    settings: RunSettings | None = None,
    *,
    report: Report = lambda progress: None,
) -> RunProgress:
    """Parse all inputs into the folder `out`; `report` is called after each written batch."""
    how = settings or RunSettings()
    folder = resolve_location(out)
    listings = [*map(list_files, names)]
    check_separate(folder, listings)
    options = _with_file(options, listings)
    with closing(hold_model(options)) as model, lock_manifest(folder, how.shard.label) as file:
        _check_columns(options, model)
        header = as_json(_header(options, how.format, model))
        check_header(file)
        before = finished_parts(folder)
        plan = make_plan(listings, options, before, how.shard, how.max_errors)
        suffix = suffix_for(how.format)
        parts = [Part(given, folder / f"{given.name}{suffix}") for given in plan.parts]
        _check_outputs(folder, parts, may_exist=how.resume or bool(before))
        contract = settle_contract(
            folder,
            header,
            lambda: fix_types(plan, options, how.workers),
            is_fixed=bool(before),
            is_new=how.shard == WHOLE and not how.resume,
        )
        columns = {field.name: str(field.type) for field in with_doc(contract.kept)}
        manifest = read_manifest(file, {**header, "columns": columns}, how.resume)
        if contract.settings != header:
            raise ValueError(f"{out}: another shard was made with other settings; {ANOTHER}")
        write_plan(folder, how.shard.label, parts)
        run = _Run(folder, model, manifest, options, how, report, contract.kept)
        run.skip_finished(parts, before)
        if not how.plan_only:
            run.parse(plan.bad)
        return run.progress


def _check_outputs(folder: Location, parts: list[Part], *, may_exist: bool) -> None:
    """Raise ValueError if an output file lies elsewhere, or is that of another run."""
    for part in parts:
        check_no_links(folder, part.output)
        if not may_exist and _exists(part.output):
            raise ValueError(f"{part.output.name} exists already; choose another folder")


def _with_file(options: ParseOptions, listings: list[Listing]) -> ParseOptions:
    """Keep the name of the file if there are plain texts, which have no columns."""
    files = (file for listing in listings for file in listing.files)
    text = next((file for file in files if suffix_of(file.below) == TEXT), None)
    if text is None:
        return options
    name = text.location.name
    if options.tokens:
        raise ValueError(f"{name}: tokens are read from Parquet and Arrow only")
    if options.text != ParseOptions.text:
        raise ValueError(f"{name}: a plain text has no columns, so --text does not apply to it")
    kept = options.keep or ((FILE, FILE),)
    if unknown := sorted({old for old, _ in kept} - {*path_values(text.below)}):
        raise ValueError(
            f"{name}: a plain text has no column {unknown[0]!r}; it has {FILE!r} (its name), and "
            "those of folders called COLUMN=VALUE"
        )
    return replace(options, keep=kept)


def _check_columns(options: ParseOptions, model: HeldModel | HeldModels) -> None:
    """Raise NameTakenError for a kept column with the name of an output column."""
    parser = model.parser if isinstance(model.parser, Parser) else None
    kept = pa.schema([(new, pa.null()) for _, new in options.keep])
    if DOC.name in kept.names:
        raise NameTakenError(DOC.name)
    join_schemas(kept, options.level, optional_columns(parser, options.graph, options.confidence))


class _Run:
    """A run over parts, which writes those that its manifest does not list."""

    def __init__(
        self,
        folder: Location,
        model: HeldModel | HeldModels,
        manifest: Manifest,
        options: ParseOptions,
        how: RunSettings,
        report: Report,
        kept: pa.Schema,
    ) -> None:
        self.folder, self.model, self.manifest = folder, model, manifest
        self.options, self.how, self.report, self.kept = options, how, report, kept
        self.progress, self._n_bytes_done = RunProgress(0), 0
        self.left: list[Part] = []

    def skip_finished(self, parts: list[Part], before: dict[str, PartRecord]) -> None:
        """Leave out the parts that are done; first check that they may stay as they are."""
        self.progress.n_bytes_total = sum(part.input.n_bytes for part in parts)
        elsewhere = before.keys() - self.manifest.finished.keys()  # in other shards
        for part in parts:
            is_elsewhere = part.input.name in elsewhere and _exists(part.output)
            if is_elsewhere or self._is_done(part):
                self.progress.n_bytes_before += part.input.n_bytes
                self._end_part(part)
            else:
                self.left.append(part)

    def parse(self, bad: list[BadFile]) -> None:
        """Parse what is left, parts that failed before last, until too many files have failed."""
        self.progress.n_failed = len(bad)
        failed_before = {*self.manifest.failed}
        parts = sorted(self.left, key=lambda part: part.input.name in failed_before)
        try:
            for part, outcome in self._outcomes(parts):
                self.manifest.add(part.input.name, outcome.as_json())
                self._end_part(part)
                if isinstance(outcome, FailedPart):
                    self.progress.n_failed += 1
                    is_last = part.input.name in failed_before
                    if self.progress.n_failed > self.how.max_errors and not is_last:
                        raise InputError(f"{outcome.failed}; {self._advise()}")
        finally:
            write_failures(self.folder, self.how.shard.label, bad, self.manifest)
        if self.progress.n_failed > self.how.max_errors:
            first = next(iter(self.manifest.failed.values()))
            raise InputError(f"{first.failed}; all other files are parsed; {self._advise()}")

    def _advise(self) -> str:
        return (
            "correct the file, or leave it alone, and continue with --resume; "
            f"--max-errors {self.progress.n_failed} continues at once"
        )

    def _outcomes(self, parts: list[Part]) -> Iterator[Outcome]:
        if self.how.workers > 1 and len(parts) > 1:
            setup = WorkerSetup(self.options, self.how.format, self.kept, self.model.sha256)
            yield from Pool(setup, self.how.workers, self._count).parse(parts)
            return
        writer = PartWriter(self.model, self.options, self.how.format, self.kept)
        for part in parts:
            yield part, parse_part(writer, part, self._count)

    def _count(self, part: Part, counts: BatchCounts) -> None:
        progress = self.progress
        progress.n_documents += counts.n_documents
        progress.n_words += counts.n_words
        progress.n_errors += counts.n_errors
        progress.n_bytes = min(progress.n_bytes + counts.n_chars, progress.n_bytes_total)
        self.report(progress)

    def _end_part(self, part: Part) -> None:
        self._n_bytes_done += part.input.n_bytes
        self.progress.n_bytes = max(self.progress.n_bytes, self._n_bytes_done)
        self.progress.n_parts += 1
        self.report(self.progress)

    def _is_done(self, part: Part) -> bool:
        """Return whether a part is complete; raise an error if its input or output has changed."""
        record = self.manifest.finished.get(part.input.name)
        if record is None:
            return False
        given = part.input.inputs
        is_same = (record.inputs, record.row_groups) == describe(part.input)
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


def _exists(location: Location) -> bool:
    """Return whether there is anything, be it a folder or a link that leads nowhere."""
    if location.is_local:
        return os.path.lexists(location.path)
    return bool(location.system.get_file_info(location.path).type != fs.FileType.NotFound)


def _header(options: ParseOptions, format: str, model: HeldModel | HeldModels) -> dict[str, Any]:
    """Return the header of the manifest: what must be equal on resume."""
    settings = {name: value for name, value in asdict(options).items() if name not in FREE}
    settings["output"] = format
    if model.rules is not None:
        settings["rules"] = model.rules.to_dict()
    return {"version": version("dodona"), "model": model.sha256, "settings": settings}
