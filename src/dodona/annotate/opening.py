"""Opening of what is to be annotated: a treebank, or a text that becomes one."""

from __future__ import annotations

from pathlib import Path

from dodona.annotate.errors import AnnotateError
from dodona.annotate.plain_text import segment
from dodona.parsing.parser import Parser
from dodona.treebank.conllu.files import read_lines
from dodona.treebank.conllu.writer import Writer

TREEBANKS = (".conllu", ".conllu.gz")


def treebank_path(path: Path, parser: Parser | None) -> Path:
    """Return the path of a treebank; write that of a text beside it, unless it is there.

    The parser's segmenter finds the sentences and words of a text, or rules do.
    """
    if path.name.endswith(TREEBANKS):
        return path
    target = path.with_name(path.name.removesuffix(".txt") + TREEBANKS[0])
    if not target.exists():
        text = "".join(read_lines(path))
        if any(line.count("\t") == 9 for line in text.splitlines()):
            raise AnnotateError(f"{path}: this is CoNLL-U; rename the file to {target.name}")
        segmenter = None if parser is None else parser.segmenter
        sentences = segment(text) if segmenter is None else segmenter.segment(text)
        if not sentences:
            raise AnnotateError(f"{path}: there is no text in this file")
        with Writer(target) as writer:
            for sentence in sentences:
                writer.write(sentence)
    return target
