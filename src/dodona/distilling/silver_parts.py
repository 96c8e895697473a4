"""Parts of a corpus, of some thousand sentences: selected from text, annotated by models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeVar

from dodona.distilling.step_folder import StepFolder
from dodona.distilling.text_selection import SentenceFilter, name_texts, read_sentences
from dodona.segmentation.segmenter import Segmenter
from dodona.storage.steps import StepError
from dodona.training.treebanks import checksum
from dodona.treebank.conllu.reader import read
from dodona.treebank.conllu.writer import Writer
from dodona.treebank.sentence import Sentence

PART = 5000  # sentences

Report = Callable[[str], None]
Found = TypeVar("Found")  # what an annotator has found out about sentences


class Annotator(Protocol[Found]):
    """Annotates sentences, and writes what it has found into files."""

    def annotate(self, sentences: Sequence[Sentence]) -> Found:
        """Annotate sentences."""

    def write(self, path: Path, sentences: Sequence[Sentence], found: Found) -> None:
        """Write annotated sentences."""


def file_checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return checksum(iter(lambda: file.read(1 << 20), b""))


def write_sentences(
    step: StepFolder,
    texts: Sequence[Path],
    segmenter: Segmenter | None,
    wanted: SentenceFilter,
    report: Report,
) -> None:
    """Write the sentences of texts that pass the filter.

    The parts are recorded after the last one: to find repeated sentences, an interrupted step
    reads all texts again.
    """
    n_words, parts = dict[str, int](), list[Path]()

    def select() -> Iterator[Sentence]:
        for text, name in name_texts(texts).items():
            n_words[name] = 0
            for sentence in wanted.select(read_sentences(text, segmenter)):
                n_words[name] += len(sentence)
                yield sentence
            report(f"{name}: {n_words[name]:,} words to annotate")

    sentences = select()
    while some := list(islice(sentences, PART)):
        parts.append(step.folder / f"part-{len(parts) + 1:04}.conllu.gz")
        write_part(parts[-1], some)
    if not parts:
        raise StepError("no sentence of the text is left to annotate")
    for path in parts:
        step.add(path.name, sha256=file_checksum(path))
    step.finish(words=n_words, left_out=dict(wanted.left_out))


def write_part(path: Path, sentences: Iterable[Sentence]) -> None:
    """Write the sentences of a part."""
    with Writer(path) as writer:
        for sentence in sentences:
            writer.write(sentence)


def annotate_parts(
    step: StepFolder, sentences: StepFolder, annotator: Annotator[Found], report: Report
) -> None:
    """Annotate the remaining parts; a thread writes each while the next is annotated."""
    paths = sentences.paths()

    def write(name: str, some: list[Sentence], found: Found) -> None:
        annotator.write(step.folder / name, some, found)
        step.add(name, sentences=len(some), words=sum(map(len, some)))

    with ThreadPoolExecutor(1) as writing:
        before: Future[None] | None = None
        for path in paths:
            if step.has(path.name):
                continue
            some = list(read(path, trees="ignored"))
            now = writing.submit(write, path.name, some, annotator.annotate(some))
            if before is not None:
                before.result()
                report(f"silver: {len(step.files)} of {len(paths)} parts")
            before = now
        if before is not None:
            before.result()
