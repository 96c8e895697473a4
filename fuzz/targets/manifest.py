"""Manifests of runs over files, which people may have edited: read, or refused by file and line."""

from __future__ import annotations

import json
from functools import partial

from dodona.arrow.runs.manifest import COUNTS, REPAIR, Manifest, parse_record
from dodona.storage.steps import JournalFile, StepError
from fuzz.json_mutation import deep, json_values
from fuzz.mutation import BLIND, change_lines, words
from fuzz.scratch import named_on_disk
from fuzz.target import Target, promise
from fuzz.targets.jsonl import in_one_line, whole

NAME = "_dodona.jsonl"
HEADER = {"model": "oak", "format": "parquet", "level": "words"}
FIELDS = ["part", "inputs", "row_groups", "files", "output", "size", "mtime_ns", "sha256", "model"]
FIELDS += ["counts", "failures", "failed", *COUNTS]


def run(data: bytes) -> object:
    """Open the manifest as a resumed run does; a second time, since the first may repair it."""
    path = named_on_disk(NAME, data)
    read = partial(Manifest, parse=parse_record, header=HEADER, repair=REPAIR)
    try:
        steps = read(JournalFile(path, name=NAME)).steps
    except StepError as error:
        promise(NAME in str(error), f"the file is named: {error}")
        raise
    for name, step in steps.items():
        record = json.loads(json.dumps({"part": name, **step.as_json()}))
        promise(parse_record(record) == step, "a record that is written again reads the same")
    promise(read(JournalFile(path, name=NAME)).steps == steps, "opened again, it is the same")
    promise(path.read_bytes() == data[: path.stat().st_size], "only a torn line is cut off")
    return min(len(steps), 4), path.stat().st_size < len(data)


TARGET = Target(
    run=run,
    refuses=(StepError,),
    mutators=[
        *BLIND,
        *[change_lines] * 2,
        words(*FIELDS),
        *[in_one_line(json_values(*FIELDS, HEADER, part=whole))] * 6,
        in_one_line(deep(whole)),
    ],
    longest=1500,
)
