"""Output of sentences: CoNLL-U, CoNLL-X, JSON lines or pictures; the work of `parse` and `tag`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, Protocol

from dodona.batches import n_words_of
from dodona.cli.errors import UsageError
from dodona.cli.input_files import STDIN, total_size
from dodona.cli.inputs import BadSentences, InputSource, SentenceOrBad, SentenceReader, find_sources
from dodona.cli.overwriting import check_folder, check_targets
from dodona.cli.progress import Meter
from dodona.cli.runs import Encoded, Found, Run
from dodona.treebank.block import Block
from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.conllu.files import open_output
from dodona.treebank.conllu.reader import FORMATS
from dodona.treebank.conllu.writer import Writer
from dodona.treebank.sentence import Sentence

PICTURES = ("svg", "html", "tree", "png", "pdf")
BRAT = "brat"
EXCHANGED = ("tei", BRAT, "webanno")  # formats of other tools for annotation
OUTPUTS = (*FORMATS, "json", *EXCHANGED, *PICTURES)
# suffixes of files in these formats
SUFFIXES = {name: f".{name}" for name in OUTPUTS} | {"json": ".jsonl", "tree": ".txt"}
SUFFIXES |= {"tei": ".xml", BRAT: ".ann", "webanno": ".tsv"}

LANGUAGE = "# lang = "  # the comment of a language that was identified


class Writing(Protocol):
    def write(self, sentence: SentenceOrBad, /) -> None: ...


@contextmanager
def open_writer(path: str, format: Any, how: dict[str, Any] | None = None) -> Iterator[Writing]:
    """Open a writer to a file that is created only if everything succeeds.

    `how` are options of pictures: of `Sentence.to_svg`, or of `Sentence.tree` for plain text.
    """
    if format == BRAT and path == STDIN:
        raise UsageError("brat reads two files, .ann and .txt: give a name, such as -o x.ann")
    if format in FORMATS:
        with Writer(path, format=format) as writer:
            yield writer
        return
    with open_output(path) as file:
        drawing = WRITERS[format](file, how)
        yield drawing
        drawing.finish()
        if isinstance(drawing, BratWriter):
            drawing.write_text(Path(path).with_suffix(".txt"))


class TreeWriter:
    """A writer of trees as plain text; the base class of the other writers."""

    def __init__(self, file: IO[bytes], how: dict[str, Any] | None = None) -> None:
        self._file, self._how = file, how or {}

    def write(self, sentence: SentenceOrBad, /) -> None:
        """Write a sentence, or the error of an invalid one."""
        if isinstance(sentence, BadSentence):
            self.put(self.explain(sentence))
        else:
            self.put(self.draw(sentence))

    def put(self, text: str) -> None:
        self._file.write(text.encode())

    def draw(self, sentence: Sentence) -> str:
        """Return what is written for a sentence."""
        return f"{sentence.tree(**self._how)}\n\n"

    def explain(self, sentence: BadSentence) -> str:
        """Return what is written for an invalid sentence."""
        return f"{sentence.error}\n\n"

    def finish(self) -> None:
        """Write the end of the file."""


class JsonWriter(TreeWriter):
    """A writer of JSON lines, one object per sentence.

    >>> import io
    >>> memory = io.BytesIO()
    >>> JsonWriter(memory).write(Sentence.from_columns(["Speak"], heads=[0], deprels=["root"]))
    >>> memory.getvalue()[:57]
    b'{"comments": [], "text": "Speak", "words": [{"id": 1, "fo'
    """

    def draw(self, sentence: Sentence) -> str:
        return json_line(sentence)

    def explain(self, sentence: BadSentence) -> str:
        from json import dumps

        found = {"error": str(sentence.error), "text": bytes(sentence).decode(errors="replace")}
        return dumps(found, ensure_ascii=False) + "\n"

    def write_lines(self, data: bytes) -> None:
        """Write sentences that were encoded by `encode_json`."""
        self._file.write(data)


def json_line(sentence: Sentence) -> str:
    """Return a sentence as a line of JSON."""
    from json import dumps

    fields = sentence.to_dict()
    languages = [one[len(LANGUAGE) :] for one in fields["comments"] if one.startswith(LANGUAGE)]
    found = {"language": languages[0]} if languages else {}
    return dumps(found | fields, ensure_ascii=False) + "\n"


def encode_json(block: Block) -> Encoded:
    """Return the sentences of a block as lines of JSON, mostly without the interpreter lock."""
    from dodona.treebank.json_lines import json_lines

    return Encoded(json_lines(block, json_line), block.n_words)


class TeiWriter(TreeWriter):
    """A writer of a TEI document; an invalid sentence becomes a comment."""

    def __init__(self, file: IO[bytes], how: dict[str, Any] | None = None) -> None:
        from dodona.bridges import tei

        super().__init__(file, how)
        self._tei, self._n = tei, 0
        self.put(tei.OPENING)

    def draw(self, sentence: Sentence) -> str:
        self._n += 1
        return self._tei.tei_sentence(sentence, self._n)

    def explain(self, sentence: BadSentence) -> str:
        return f"  <!-- {str(sentence.error).replace('--', '- -')} -->\n"

    def finish(self) -> None:
        self.put(self._tei.CLOSING)


class BratWriter(TreeWriter):
    """A writer of annotations for brat; the text goes into a file beside them."""

    def __init__(self, file: IO[bytes], how: dict[str, Any] | None = None) -> None:
        from dodona.bridges.brat import BratPages

        super().__init__(file, how)
        self._pages = BratPages()

    def write(self, sentence: SentenceOrBad, /) -> None:
        """Add a sentence; an invalid one is left out, as it has no text."""
        if isinstance(sentence, Sentence):
            self._pages.add(sentence)

    def finish(self) -> None:
        self.put("".join(self._pages.annotations))

    def write_text(self, path: Path) -> None:
        """Write the text that the annotations refer to; another text is not replaced."""
        text = "".join(self._pages.text).encode()
        if path.exists() and path.read_bytes() != text:
            raise UsageError(f"{path} has another text than the annotations: use another -o")
        with open_output(path) as file:
            file.write(text)


class WebAnnoWriter(TreeWriter):
    """A writer of WebAnno TSV; an invalid sentence is left out."""

    def __init__(self, file: IO[bytes], how: dict[str, Any] | None = None) -> None:
        from dodona.bridges import webanno

        super().__init__(file, how)
        self._lines = webanno.WebAnnoLines()
        self.put(webanno.HEADER)

    def draw(self, sentence: Sentence) -> str:
        return self._lines.add(sentence)

    def explain(self, sentence: BadSentence) -> str:
        return ""


class HtmlWriter(TreeWriter):
    """A writer of an HTML page with a figure for each sentence.

    >>> import io
    >>> memory = io.BytesIO()
    >>> HtmlWriter(memory).write(Sentence.from_columns(["Speak"], heads=[0], deprels=["root"]))
    >>> memory.getvalue().splitlines()[-2:]
    [b'</svg>', b'</figure>']
    """

    def __init__(self, file: IO[bytes], how: dict[str, Any] | None = None) -> None:
        from dodona.drawing import html

        super().__init__(file, how)
        self._html = html
        self.put(html.opening("Dodona"))

    def draw(self, sentence: Sentence) -> str:
        return self._html.figure(sentence.to_svg(standalone=False, **self._how), sentence.text)

    def explain(self, sentence: BadSentence) -> str:
        return self._html.figure("", str(sentence.error))

    def finish(self) -> None:
        self.put(self._html.CLOSING)


class SvgWriter(TreeWriter):
    """A writer of one SVG of all sentences, kept in memory since the size comes first in the file.

    >>> import io
    >>> memory = io.BytesIO()
    >>> writer = SvgWriter(memory)
    >>> writer.write(Sentence.from_columns(["Speak"], heads=[0], deprels=["root"]))
    >>> writer.finish()
    >>> memory.getvalue().count(b"<svg")
    2
    """

    def __init__(self, file: IO[bytes], how: dict[str, Any] | None = None) -> None:
        super().__init__(file, how)
        self._pictures: list[str] = []

    def write(self, sentence: SentenceOrBad, /) -> None:
        """Add the drawing of a sentence; an invalid one is left out."""
        if isinstance(sentence, Sentence):
            self._pictures.append(sentence.to_svg(standalone=False, **self._how))

    def finish(self) -> None:
        from dodona.drawing.svg import stack_pictures

        self._file.write(self.encode(stack_pictures(self._pictures)))

    def encode(self, svg: str) -> bytes:
        """Return a picture in the format of the file."""
        return f"{svg}\n".encode()


class PngWriter(SvgWriter):
    """A writer of one PNG of all sentences."""

    def encode(self, svg: str) -> bytes:
        from dodona.bridges.cairo import to_png

        return to_png(svg)


class PdfWriter(SvgWriter):
    """A writer of one PDF page with all sentences."""

    def encode(self, svg: str) -> bytes:
        from dodona.bridges.cairo import to_pdf

        return to_pdf(svg)


WRITERS: dict[str, type[TreeWriter]] = {
    **{"json": JsonWriter, "tree": TreeWriter, "html": HtmlWriter},
    **{"svg": SvgWriter, "png": PngWriter, "pdf": PdfWriter},
    **{"tei": TeiWriter, BRAT: BratWriter, "webanno": WebAnnoWriter},
}


def annotate(
    paths: list[str],
    reader: SentenceReader,
    run: Run,
    out: str,
    format: str,
    model: str | Path,
    *,
    quiet: bool = False,
) -> None:
    """Write the sentences of the files as annotated by a run; a terminal shows the speed.

    If `out` is a folder, each input file becomes a file there. `model` is not overwritten.
    """
    sources = find_sources(paths)
    groups: dict[str, list[InputSource]] = {out: sources}
    is_folder = out.endswith(("/", os.sep)) or Path(out).is_dir()
    if is_folder:
        groups = _group_by_target(sources, out, format)
    check_targets(groups, [*(source.path for source in sources), str(model)])
    if is_folder:
        check_folder(out, paths)
        for target in groups:
            Path(target).parent.mkdir(parents=True, exist_ok=True)
    reader.expect(sources)
    bad = BadSentences()
    size = total_size([source.path for source in sources])
    with Meter("parsing", size, reports_speed=True, quiet=quiet) as meter:
        reader.meter = meter
        results = run(reader, groups.values(), bad, encode_json if format == "json" else None)
        for target in groups:
            with open_writer(target, format) as writer:
                for found in iter(partial(next, results), None):
                    meter.add(_write(writer, found))
    bad.report()


def _write(writer: Writing, found: Found | Encoded) -> int:
    """Write sentences; return the number of words."""
    if isinstance(found, Encoded):
        assert isinstance(writer, JsonWriter)
        writer.write_lines(found.data)
        return found.n_words
    if isinstance(found, Block) and isinstance(writer, Writer):
        writer.write_block(found)
    else:
        for sentence in found:
            writer.write(sentence)
    return n_words_of(found)


def _group_by_target(
    sources: list[InputSource], folder: str, format: str
) -> dict[str, list[InputSource]]:
    """Return the input of each file to write; no target has two inputs."""
    found: dict[Path, InputSource] = {}
    for source in sources:
        inside = Path("stdin" if source.path == STDIN else source.inside.removesuffix(".gz"))
        target = Path(folder) / inside.with_suffix(SUFFIXES[format])
        if target in found:
            raise UsageError(f"{found[target].path} and {source.path} would both become {target}")
        found[target] = source
    return {str(target): [source] for target, source in found.items()}
