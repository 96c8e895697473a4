"""CSV with kept columns: nothing is swallowed, and values are as they stand in the file."""

from __future__ import annotations

import io
import re

from dodona.arrow.line_records import LineFile, check_csv, read_csv
from fuzz.kept_rows import KEPT, OPTIONS, parse_records
from fuzz.mutation import BLIND, change_lines, replace_word, words
from fuzz.target import Target, promise

PIECES = ['"', '""', ",", '","', '"\n"', "x,y,text\n", "Lemi vunint.", "\r\n", "\r", "\ufeff", "x"]
LINE_END = re.compile("\r\n|\r|\n")


def run(data: bytes) -> object:
    """Read the header and the records, and look for every kept value in the file."""
    check_csv(LineFile(io.BytesIO(data), "input"), OPTIONS)
    rows = parse_records(read_csv(LineFile(io.BytesIO(data), "input"), OPTIONS), data)
    text = data.decode(errors="surrogateescape")
    plain = text.replace('""', '"')
    lines = LINE_END.split(text.removeprefix("\ufeff"))[1:]
    if '"' not in text:
        promise(len(rows) == sum(map(bool, lines)), "a row for each line")
    promise(len(rows) <= len(lines), "a line or more for each row")
    for row in rows:
        for name in KEPT:
            value = row[name]
            if value is None:
                promise(bool(row["error"]), f"{name} is kept or an error")
            else:
                promise(value in plain or value in text, f"{name} stands in the file: {value!r}")
    return min(len(rows), 4), sum(bool(row["error"]) for row in rows), '"' in text


TARGET = Target(
    run=run,
    refuses=(ValueError,),
    mutators=[*BLIND, *[change_lines] * 3, *[words(*PIECES)] * 2, *[replace_word(b',\n"')] * 3],
    longest=300,
)
