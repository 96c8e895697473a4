"""Parts of a corpus, of some thousand sentences: selected from text, annotated by teachers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from dodona.distilling.step_folder import StepFolder
from dodona.distilling.text_selection import SentenceFilter, name_texts, read_sentences
from dodona.segmentation.segmenter import Segmenter
from dodona.storage.steps import StepError
from dodona.training.treebanks import checksum
from dodona.treebank.conllu.reader import read
from dodona.treebank.conllu.writer import Writer
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from dodona.distilling.ensemble import Annotation, TeacherEnsemble

PART = 5000  # sentences

Report = Callable[[str], None]


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
        _write(parts[-1], some)
    if not parts:
        raise StepError("no sentence of the text is left to annotate")
    for path in parts:
        step.add(path.name, sha256=file_checksum(path))
    step.finish(words=n_words, left_out=dict(wanted.left_out))


def _write(path: Path, sentences: Iterable[Sentence]) -> None:
    with Writer(path) as writer:
        for sentence in sentences:
            writer.write(sentence)


def annotate_parts(
    step: StepFolder, sentences: StepFolder, teachers: TeacherEnsemble, report: Report
) -> None:
    """Annotate the remaining parts; a thread writes each while the next is annotated."""
    from dodona.training.neural.silver import soft_path, write_soft_targets

    paths, inventory = sentences.paths(), teachers.inventory
    names = [(answers.column, answers.classes) for answers in inventory.tags.tag_classes]

    def write(name: str, found: list[Sentence], annotation: Annotation) -> None:
        path = step.folder / name
        write_soft_targets(soft_path(path), annotation.soft, names, inventory.labels)
        _write(path, teachers.sentences(found, annotation))
        step.add(name, sentences=len(found), words=sum(map(len, found)))

    with ThreadPoolExecutor(1) as writing:
        before: Future[None] | None = None
        for path in paths:
            if step.has(path.name):
                continue
            found = list(read(path, trees="ignored"))
            now = writing.submit(write, path.name, found, teachers.annotate(found))
            if before is not None:
                before.result()
                report(f"silver: {len(step.files)} of {len(paths)} parts")
            before = now
        if before is not None:
            before.result()
