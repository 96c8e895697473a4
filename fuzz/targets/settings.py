"""Files of settings, in TOML."""

from __future__ import annotations

from functools import cache

from dodona.cli.config import read_config
from dodona.cli.flags import Parameter, parameters
from dodona.cli.verbs.train import train
from dodona.records import flat_fields
from dodona.settings import Settings
from fuzz.mutation import BLIND, NUMBERS, change_lines, replace_word, words
from fuzz.scratch import on_disk
from fuzz.target import Target, promise

SETTINGS = [field.name for field in flat_fields(Settings)]
CHOICES = [
    f'"{choice}"' for field in flat_fields(Settings) for choice in field.metadata["choices"] or ()
]
SIGNS = ["=", "[", "]", "[[", '"""', "'''", "{", "}", "\\", "\\u", "\\U0010FFFF", "\r\n", "true"]
DEEP = ["x = " + "[" * 600, "seed = " + "{a=" * 400, "a." * 700]  # beyond what Python descends


@cache
def known() -> list[Parameter]:
    """What a file for `dodona train` may set."""
    return [p for p in parameters(train) if p.default is None and p.name != "config"]


def run(data: bytes) -> object:
    """Read the file, and make settings of it as training does."""
    found = read_config(on_disk(data), known())
    settings = Settings(**{name: value for name, value in found.items() if name in SETTINGS})
    resolved = settings.resolved()
    promise(resolved.resolved() == resolved, "what is resolved stays as it is")
    return tuple(sorted(found))[:4], resolved.system, resolved.search.beam > 1


TARGET = Target(
    run=run,
    refuses=(ValueError,),
    mutators=[
        *BLIND,
        *[change_lines] * 2,
        words(*SETTINGS, *CHOICES, *SIGNS, *DEEP, *(number.decode() for number in NUMBERS)),
        *[replace_word(b"= \n")] * 3,
    ],
    longest=1500,
)
