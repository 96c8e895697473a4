"""What a run leaves beside its rows: its plan, and a list of what could not be parsed.

Both are made anew from the manifest whenever a run ends, so that no line occurs twice. Their names
begin with an underscore, as Spark and Arrow skip such files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from pyarrow import fs

from dodona.arrow.locations import Location
from dodona.arrow.runs.manifest import Manifest
from dodona.arrow.runs.part_writer import Part
from dodona.arrow.runs.planning import BadFile
from dodona.storage.atomic import atomic_write

PLAN = re.compile(r"_plan(-\d{5,}-of-\d{5,})?\.json")


def plan_name(label: str = "") -> str:
    """Return the name of the plan of a shard, or of a whole run."""
    return f"_plan{label}.json"


def failures_name(label: str = "") -> str:
    """Return the name of the list of failures of a shard, or of a whole run."""
    return f"_failures{label}.jsonl"


def write_plan(folder: Location, label: str, parts: list[Part]) -> None:
    """Write the names of all files that the run is to make."""
    above = folder.path.rstrip("/") + "/"
    files = [part.output.path.removeprefix(above) for part in parts]
    about = {"files": files, "bytes": sum(part.input.n_bytes for part in parts)}
    _write(folder / plan_name(label), [about])


def write_failures(
    folder: Location, label: str, bad: Iterable[BadFile], manifest: Manifest
) -> None:
    """Write a line for every file and every document that could not be parsed."""
    location = folder / failures_name(label)
    lines = [*_failures(bad, manifest)]
    if lines:
        _write(location, lines)
    elif location.system.get_file_info(location.path).type == fs.FileType.File:
        location.system.delete_file(location.path)


def _failures(bad: Iterable[BadFile], manifest: Manifest) -> Iterator[dict[str, Any]]:
    for file, why in bad:
        yield {"file": file, "row": None, "reason": why}
    for failed in manifest.failed.values():
        for file in failed.inputs:
            yield {"file": file, "row": None, "reason": failed.failed}
    for part, record in manifest.finished.items():
        for doc, why in record.failures:
            file, _, row = doc.rpartition("#")
            is_table = bool(file) and row.isdecimal()
            where = {"file": file, "row": int(row)} if is_table else {"file": doc, "row": None}
            yield {**where, "reason": why}
        if (n_more := record.counts.errors - len(record.failures)) > 0:
            why = f"{n_more:,} more documents: the column 'error' of {part} gives the reasons"
            yield {"file": record.inputs[0], "row": None, "reason": why}


def _write(location: Location, lines: Iterable[dict[str, Any]]) -> None:
    """Write JSON lines; an earlier file is replaced."""
    data = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    system = location.system
    system.create_dir(location.path.rpartition("/")[0], recursive=True)
    if not location.is_local:
        with system.open_output_stream(location.path, compression=None) as stream:
            stream.write(data.encode(errors="backslashreplace"))
        return
    with atomic_write(location.path) as file:
        file.write(data.encode(errors="backslashreplace"))
