"""The contract of a corpus: one schema for the output of all files, fixed before the run.

The types of the kept columns are those that hold the values of all inputs: Parquet and Arrow files
declare them, and JSON lines are read once before the run, which takes less than a hundredth of the
time of parsing them. The contract is a file in the output folder, which all shards and every
resumed run share; a value that does not fit it is an error of its row.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any

import pyarrow as pa

from dodona.arrow.line_records import decompressed, infer_types, path_values
from dodona.arrow.locations import FoundFile, Location
from dodona.arrow.options import ParseOptions
from dodona.arrow.output_files import open_new_file
from dodona.arrow.runs.inputs import UNREADABLE
from dodona.arrow.runs.planning import Plan
from dodona.arrow.value_types import settle_type, unify_types
from dodona.storage.json_fields import read_field

CONTRACT = "_schema.json"
MANY_BYTES = 256 << 20  # of JSON lines, which several processes read


def fix_types(plan: Plan, options: ParseOptions, workers: int) -> pa.Schema:
    """Return the schema of the kept columns of all inputs of a plan.

    Files that cannot be read are found here, too; they are left to the part that reads them.
    """
    types = [*plan.types]
    if options.keep:
        types += _scan_all(plan.unread, options, workers)
    columns = zip(*types, strict=True) if types else [[] for _ in options.keep]
    names = [new for _, new in options.keep]
    kept = [settle_type(unify_types(column)) for column in columns]
    return pa.schema([*map(pa.field, names, kept)])


def _scan_all(
    files: list[FoundFile], options: ParseOptions, workers: int
) -> list[list[pa.DataType]]:
    scan = partial(_scan, options=options)
    if workers == 1 or sum(given.size for given in files) < MANY_BYTES:
        found = [*map(scan, files)]
    else:
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            found = [*pool.map(scan, files)]
    return [types for types in found if types is not None]


def _scan(given: FoundFile, options: ParseOptions) -> list[pa.DataType] | None:
    try:
        with decompressed(given.location, constants=path_values(given.below)) as file:
            return infer_types(file, options)
    except UNREADABLE:
        return None


@dataclass(frozen=True)
class Contract:
    """The kept columns of a run, and the settings for which they were fixed."""

    kept: pa.Schema
    settings: dict[str, Any]

    def as_json(self) -> bytes:
        """Return the content of the file; the types are given for people, too."""
        columns = {field.name: str(field.type) for field in self.kept}
        encoded = b64encode(self.kept.serialize()).decode()
        about = {"columns": columns, "settings": self.settings, "arrow": encoded}
        return json.dumps(about, indent=1).encode() + b"\n"


def settle_contract(
    folder: Location,
    settings: dict[str, Any],
    fix: Callable[[], pa.Schema],
    *,
    is_fixed: bool,
    is_new: bool,
) -> Contract:
    """Return the contract in a folder; if there is none, fix the kept columns and write it.

    With `is_fixed`, what is there stays, whatever its settings. Otherwise a contract with other
    settings is replaced, and with `is_new` any contract.
    """
    location = folder / CONTRACT
    before = _read(location)
    if before is not None and (is_fixed or (before.settings == settings and not is_new)):
        return before
    contract = Contract(fix(), settings)
    if before is not None:
        location.system.delete_file(location.path)
    try:
        with open_new_file(location) as file:
            file.write(contract.as_json())
    except FileExistsError:  # another shard was faster
        return settle_contract(folder, settings, fix, is_fixed=is_fixed, is_new=False)
    return contract


def _read(location: Location) -> Contract | None:
    try:
        with location.system.open_input_stream(location.path, compression=None) as stream:
            found = json.loads(bytes(stream.read()))
        schema = pa.ipc.read_schema(pa.py_buffer(b64decode(read_field(found, "arrow", str))))
        return Contract(schema, read_field(found, "settings", dict))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, OSError) as error:
        raise ValueError(
            f"{location.name}: not the schema of a run: {error}; remove it, and --resume fixes it "
            "again"
        ) from error
