"""The common part of `parse` and `tag`: sentences from files, through a model, to files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from dodona.cli.errors import UsageError
from dodona.cli.input_files import STDIN, total_size
from dodona.cli.inputs import BadSentences, InputSource, SentenceOrBad, SentenceReader, find_sources
from dodona.cli.outputs import SUFFIXES, open_writer
from dodona.cli.progress import Meter

Pipe = Callable[[Iterable[SentenceOrBad]], Iterator[SentenceOrBad]]


def annotate(paths: list[str], reader: SentenceReader, pipe: Pipe, out: str, format: str) -> None:
    """Write the sentences of the files as annotated by the pipe; a terminal shows the speed.

    If `out` is a folder, each input file becomes a file there.
    """
    sources = find_sources(paths)
    groups: dict[str, list[InputSource]] = {out: sources}
    if out.endswith(("/", os.sep)) or Path(out).is_dir():
        groups = _group_by_target(sources, out, format)
    bad = BadSentences()
    size = total_size([source.path for source in sources])
    with Meter("parsing", size, reports_speed=True) as meter:
        reader.meter = meter
        for target, group in groups.items():
            with open_writer(target, format) as writer:
                for item in meter.count(pipe(bad.watch(reader.read(group)))):
                    writer.write(item)
    bad.report()


def _group_by_target(
    sources: list[InputSource], folder: str, format: str
) -> dict[str, list[InputSource]]:
    """Return the input of each file to write; no target has two inputs or is an input itself."""
    found: dict[Path, InputSource] = {}
    for source in sources:
        inside = Path("stdin" if source.path == STDIN else source.inside.removesuffix(".gz"))
        target = Path(folder) / inside.with_suffix(SUFFIXES[format])
        if target in found:
            raise UsageError(f"{found[target].path} and {source.path} would both become {target}")
        if target.exists() and source.path != STDIN and target.samefile(source.path):
            raise UsageError(f"{target} would be overwritten by its own output: use another -o")
        found[target] = source
    for target in found:
        target.parent.mkdir(parents=True, exist_ok=True)
    return {str(target): [source] for target, source in found.items()}
