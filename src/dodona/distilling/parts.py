"""Many sentences, a part at a time: of text, cut and sifted; and annotated by teachers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from dodona.distilling.text import Filter, read_sentences
from dodona.distilling.work import Step, WorkError
from dodona.segmentation.segmenter import Segmenter
from dodona.training.treebanks import checksum
from dodona.treebank.conllu.reader import read
from dodona.treebank.conllu.writer import Writer
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from dodona.distilling.annotating import Annotation, Teachers

PART = 5000  # sentences

Tell = Callable[[str], None]


def file_checksum(path: Path) -> str:
    """A digest of a file."""
    with path.open("rb") as file:
        return checksum(iter(lambda: file.read(1 << 20), b""))


def write_sentences(
    step: Step, texts: Sequence[Path], segmenter: Segmenter | None, wanted: Filter, tell: Tell
) -> None:
    """Write the sentences of texts that are wanted."""
    counts, waiting = dict[str, int](), list[Sentence]()
    step.parts.clear()  # what came before must be seen again, to tell what is repeated
    for text in texts:
        n_words = 0
        for sentence in wanted.take(read_sentences(text, segmenter)):
            waiting.append(sentence)
            n_words += len(sentence)
            if len(waiting) == PART:
                _write_part(step, waiting)
        counts[text.name] = n_words
        tell(f"{text.name}: {n_words:,} words to annotate")
    if waiting:
        _write_part(step, waiting)
    if not step.parts:
        raise WorkError("no sentence of the text is left to annotate")
    step.finish({"words": counts, "left_out": dict(wanted.left_out)})


def _write_part(step: Step, waiting: list[Sentence]) -> None:
    """Write the sentences that wait as one more part."""
    path = step.folder / f"part-{len(step.parts) + 1:04}.conllu.gz"
    with Writer(path) as writer:
        for sentence in waiting:
            writer.write(sentence)
    words = sum(map(len, waiting))
    step.note(path.name, {"words": words, "sha256": file_checksum(path)})
    waiting.clear()


def annotate_parts(step: Step, sentences: Step, teachers: Teachers, tell: Tell) -> None:
    """Annotate the parts that are not annotated yet: one is written while the next is seen."""
    with ThreadPoolExecutor(1) as writing:
        before: Future[None] | None = None
        for path in sentences.paths():
            if step.has(path.name):
                continue
            found = list(read(path, trees="ignored"))
            said = teachers.annotate(found)
            now = writing.submit(_write_silver, step, path.name, teachers, found, said)
            if before is not None:
                before.result()
                tell(f"silver: {len(step.parts)} of {len(sentences.parts)} parts")
            before = now
        if before is not None:
            before.result()


def _write_silver(
    step: Step, name: str, teachers: Teachers, found: list[Sentence], said: Annotation
) -> None:
    """Write a part, and how sure the teachers were beside it: first, as the other is looked for."""
    from dodona.training.neural.silver import soft_path, write_soft_targets

    path, subject = step.folder / name, teachers.subject
    names = [(answers.column, answers.classes) for answers in subject.tags.tag_classes]
    write_soft_targets(soft_path(path), said.soft, names, subject.labels)
    with Writer(path) as writer:
        for sentence in teachers.sentences(found, said):
            writer.write(sentence)
    step.note(name, {"sentences": len(found), "words": sum(map(len, found))})
