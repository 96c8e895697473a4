"""A run over many files: part by part, each as a whole or not at all, and on after a kill."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from typing import Any

import pyarrow as pa

from dodona.arrow.kernel import Kernel
from dodona.arrow.manifest import open_manifest
from dodona.arrow.models import model_bytes
from dodona.arrow.parts import FILE, PARQUET, TEXT, Part, find_parts
from dodona.arrow.places import Place, open_place
from dodona.arrow.plan import Plan
from dodona.arrow.schema import join_schemas
from dodona.arrow.targets import Target, open_target, suffix_for

# what does not change the rows
FREE = ("threads", "mapped", "model")


@dataclass
class Progress:
    """How far a run is. Bytes are those of texts as they are stored."""

    n_bytes_total: int
    n_bytes: float = 0
    n_bytes_before: float = 0  # of parts that were complete when it began
    n_parts: int = 0
    n_documents: int = 0
    n_words: int = 0
    n_errors: int = 0


def run(
    names: Iterable[str], out: str, plan: Plan, *, format: str = "parquet", resume: bool = False
) -> Iterator[Progress]:
    """Parse all inputs into the folder `out`, and say now and then how far it is."""
    folder = open_place(out)
    parts = [(part, _plan_of(part, plan)) for part in find_parts(names, plan)]
    suffix = suffix_for(format)
    progress = Progress(sum(part.n_bytes for part, _ in parts))
    with ExitStack() as stack:
        manifest = open_manifest(folder, _header(plan, format), resume)
        stack.callback(manifest.close)
        if not manifest.done and not resume:
            _refuse_to_replace([folder / f"{part.name}{suffix}" for part, _ in parts])
        for part, its_plan in parts:
            target = folder / f"{part.name}{suffix}"
            before = progress.n_bytes
            if manifest.is_done(part, target):
                progress.n_bytes_before += part.n_bytes
            else:
                yield from _run_part(part, its_plan, target, format, progress)
                size = target.system.get_file_info(target.path).size
                manifest.add(part, {"size": size})
            progress.n_bytes, progress.n_parts = before + part.n_bytes, progress.n_parts + 1
            yield progress


def _run_part(
    part: Part, plan: Plan, target: Place, format: str, progress: Progress
) -> Iterator[Progress]:
    kernel = Kernel(plan)
    with ExitStack() as stack:
        file: Target | None = None
        end = progress.n_bytes + part.n_bytes
        for made in kernel.run_chunks(part.read(plan)):
            if file is None:
                file = stack.enter_context(open_target(target, format, made.batch.schema))
            file.write(made.batch)
            progress.n_documents += made.n_documents
            progress.n_words += made.n_words
            progress.n_errors += made.n_errors
            progress.n_bytes = min(progress.n_bytes + made.n_chars, end)
            yield progress
        if file is None:
            stack.enter_context(open_target(target, format, _schema(part, plan, kernel)))


def _schema(part: Part, plan: Plan, kernel: Kernel) -> pa.Schema:
    """Of a part in which nothing is."""
    given = part.schema(plan)
    if given is not None:
        return kernel.schema(given)
    kept = pa.schema([pa.field(new, pa.string()) for _, new in plan.keep])
    return join_schemas(kept, plan.level, kernel.with_deps)


def _plan_of(part: Part, plan: Plan) -> Plan:
    """Plain texts have no columns: what is kept is the name of the file."""
    suffix = part.inputs[0].suffix
    if plan.tokens and suffix != PARQUET:
        raise ValueError(f"{part.inputs[0].place.name}: tokens are read from Parquet only")
    if suffix != TEXT:
        return plan
    kept = plan.keep or ((FILE, FILE),)
    if {old for old, _ in kept} != {FILE}:
        raise ValueError(
            f"{part.inputs[0].place.name}: of a plain text, {FILE!r} can be kept, its name"
        )
    return replace(plan, keep=kept)


def _header(plan: Plan, format: str) -> dict[str, Any]:
    """What must stay as it is for a run to go on."""
    settings = {name: value for name, value in asdict(plan).items() if name not in FREE}
    settings["keep"] = [list(pair) for pair in plan.keep]
    return {
        "version": version("dodona"),
        "model": hashlib.sha256(model_bytes(plan.model)).hexdigest(),
        "settings": settings | {"output": format},
    }


def _refuse_to_replace(targets: list[Place]) -> None:
    for target in targets:
        if target.system.get_file_info(target.path).type.name != "NotFound":
            raise ValueError(f"{target.name} is there already; choose another folder")
