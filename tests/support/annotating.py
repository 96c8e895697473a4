"""Treebanks to annotate: small, with everything that a line of CoNLL-U can hold."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import dodona
from dodona.annotate import Workbench
from dodona.annotate.changes import Change
from dodona.annotate.views import SentenceView
from support.small import train, treebank

# a byte order mark, CR LF, a multiword token, an empty node, enhanced arcs, odd comments, no text,
# an open sentence, two blank lines, no line end at the end
LINES = (
    "\ufeff# sent_id = a\r\n"
    "# text = Du chêne parle !\r\n"
    "1-2\tDu\t_\t_\t_\t_\t_\t_\t_\t_\r\n"
    "1\tDe\tde\tADP\t_\t_\t3\tcase\t3:case\t_\r\n"
    "2\tle\tle\tDET\t_\t_\t3\tdet\t3:det\t_\r\n"
    "3\tchêne\tchêne\tNOUN\t_\t_\t4\tobl\t4:obl\tGloss=oak\r\n"
    "4\tparle\tparler\tVERB\t_\t_\t0\troot\t0:root\t_\r\n"
    "4.1\t_\t_\tPRON\t_\t_\t_\t_\t4:nsubj\t_\r\n"
    "5\t!\t!\tPUNCT\t_\t_\t4\tpunct\t4:punct\t_\r\n"
    "\r\n"
    "#no space, = and <markup>\n"
    "# text = the old oak\n"
    "1\tthe\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\told\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "3\toak\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No|Typo\n"
    "\n\n"
    "# sent_id = c\n"
    "1\tIt\tit\tPRON\tPRP\tCase=Nom\t2\tnsubj\t_\t_\n"
    "2\tspeaks\tspeak\tVERB\tVBZ\t_\t0\troot\t_\tSpaceAfter=No\n"
    "3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_"
).encode()


def write(folder: Path, data: bytes = LINES) -> Path:
    """Write a treebank to annotate, and return its path."""
    path = folder / "corpus.conllu"
    path.write_bytes(data)
    return path


def stripped(sentences: list[dodona.Sentence]) -> bytes:
    """Return sentences without trees and tags, as a file."""
    return b"".join(bytes(dodona.Sentence.from_columns(each.forms)) for each in sentences)


def gold(n_sentences: int, seed: int = 5) -> list[dodona.Sentence]:
    """Return sentences of the invented language whose arcs do not cross."""
    return treebank(n_sentences, seed, 0.0)


@cache
def model(system: str = "arc-eager") -> str:
    """Return the path of a linear parser of the invented language, which tags by itself."""
    path = Path(mkdtemp(prefix="dodona-test-"), "small.dodona")
    train(treebank(60, 1, 0.1), system=system, tags="predicted").save(path)
    return str(path)


def change(bench: Workbench, index: int, *changes: Change) -> SentenceView:
    """Change a sentence as it is now."""
    view = bench.sentence(index)
    for each in changes:
        view = bench.change(index, view.revision, each)
    return view
