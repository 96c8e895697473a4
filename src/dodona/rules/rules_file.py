"""Rules in TOML files, whose errors name the file and the line."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from dodona.rules.checks import RulesError
from dodona.rules.rules import KEYS, Rules

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

AT_LINE = re.compile(r" \(at line (\d+), column \d+\)$")
HEADER = re.compile(r"\s*\[\[?\s*([\w-]+)\s*\]\]?")
KEY = re.compile(r"\s*(\w+)\s*=")


def read_rules(path: str | Path) -> Rules:
    """Read rules from a file; a `RulesError` names the file and the line.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "my.rules.toml")
    ...     _ = file.write_text('whole = ["c/o", "Q4"]')
    ...     read_rules(file)
    <Rules: 2 whole>
    """
    data = Path(path).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RulesError(f"{path}:{line}: this is not UTF-8; save the file as UTF-8") from None
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = AT_LINE.search(str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        what = AT_LINE.sub("", str(error)).removesuffix(" (at end of document)")
        raise RulesError(f"{path}:{line}: this is not TOML: {what}") from None
    except RecursionError:
        raise RulesError(f"{path}: values are nested too deeply") from None
    try:
        return _rules(given)
    except RulesError as error:
        line = _line_of(text.split("\n"), error.key, error.entry)
        raise RulesError(f"{path}:{line}: {error.problem}", error.key, error.entry) from None


def _rules(given: dict[str, Any]) -> Rules:
    for name in given:
        if name not in KEYS:
            raise RulesError(f"unknown rules {name!r}; there are: {', '.join(KEYS)}", name)
    return Rules(**given)


def _line_of(lines: list[str], key: str, entry: str | int | None) -> int:
    """Return the line of a rule: where its key or header is, or a later line with the entry."""
    headers = [i for i, line in enumerate(lines) if _name_in(line) == key]
    if not headers:
        return 1
    if isinstance(entry, int):  # the number of a table in a list of tables
        return headers[min(entry, len(headers) - 1)] + 1
    if entry is None:
        return headers[0] + 1
    spellings = (entry, entry.replace("\\", "\\\\"))  # a basic string has two backslashes for one
    quoted = f"(?:{'|'.join(map(re.escape, spellings))})"
    for i in range(headers[0], len(lines)):
        if re.search(rf"""(^|["'\s\[{{,]){quoted}(["'\s=]|$)""", lines[i]):
            return i + 1
    return headers[0] + 1


def _name_in(line: str) -> str:
    found = HEADER.match(line) or KEY.match(line)
    return found[1] if found else ""
