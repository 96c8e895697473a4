"""What `parse` and `tag` share: sentences through a model, from files to a file or a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from dodona.cli.errors import UsageError
from dodona.cli.inputs import Item, Reading, Skipped, Source, find_sources, size_of
from dodona.cli.meter import Meter, metered
from dodona.cli.outputs import SUFFIXES, open_writer

Pipe = Callable[[Iterable[Item]], Iterator[Item]]


def annotate(paths: list[str], reading: Reading, pipe: Pipe, out: str, format: str) -> None:
    """Write what the pipe makes of the files; on a terminal, tell how fast that is.

    Where `out` is a folder, each file becomes one there.
    """
    sources = find_sources(paths)
    targets = _targets(sources, out, format) if is_folder(out) else [out]
    groups = [[source] for source in sources] if is_folder(out) else [sources]
    skipped = Skipped()
    with metered("parsing", size_of(sources), tells_speed=True) as meter:
        reading.meter = meter
        for target, group in zip(targets, groups, strict=True):
            _write(reading.read(group), pipe, target, format, skipped, meter)
    skipped.say()


def is_folder(out: str) -> bool:
    """Whether that is a folder, or is named like one.

    >>> is_folder("parsed/"), is_folder("parsed.conllu")
    (True, False)
    """
    return out.endswith(("/", os.sep)) or Path(out).is_dir()


def _write(
    items: Iterable[Item], pipe: Pipe, out: str, format: str, skipped: Skipped, meter: Meter
) -> None:
    with open_writer(out, format) as writer:
        for item in meter.count(pipe(skipped.watch(items))):
            writer.write(item)


def _targets(sources: list[Source], folder: str, format: str) -> list[str]:
    """Where each file goes; two never to the same place, and none onto itself."""
    found: dict[Path, str] = {}
    for source in sources:
        inside = Path("stdin" if source.path == "-" else source.place.removesuffix(".gz"))
        target = Path(folder) / inside.with_suffix(SUFFIXES[format])
        if target in found:
            raise UsageError(f"{found[target]} and {source.path} would both become {target}")
        if target.exists() and source.path != "-" and target.samefile(source.path):
            raise UsageError(f"{target} would be written over itself: give -o another folder")
        found[target] = source.path
    for target in found:
        target.parent.mkdir(parents=True, exist_ok=True)
    return list(map(str, found))
