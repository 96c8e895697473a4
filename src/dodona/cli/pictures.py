"""Writers of pictures: an HTML page, trees in plain text, or one SVG, PNG or PDF."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, Literal

from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.conllu.files import open_output
from dodona.treebank.sentence import Sentence

Picture = Literal["svg", "html", "tree", "png", "pdf"]
PICTURES: tuple[Picture, ...] = ("svg", "html", "tree", "png", "pdf")


@contextmanager
def open_pictures(
    path: str, format: Picture, how: dict[str, Any] | None = None
) -> Iterator[PictureWriter]:
    """Open a writer of pictures to a file that is created only if everything succeeds.

    `how` are options of `Sentence.to_svg`, or of `Sentence.tree` for plain text.
    """
    with open_output(path) as file:
        writer = WRITERS[format](file, how or {})
        yield writer
        writer.finish()


class PictureWriter:
    """A writer of trees as plain text; the base class of the other writers."""

    def __init__(self, file: IO[bytes], how: dict[str, Any] | None = None) -> None:
        self._file = file
        self._how = how or {}

    def write(self, sentence: Sentence | BadSentence, /) -> None:
        """Write the drawing of a sentence, or the error of an invalid one."""
        if isinstance(sentence, BadSentence):
            self.put(self.explain(sentence))
        else:
            self.put(self.draw(sentence))

    def put(self, text: str) -> None:
        """Append text to the file."""
        self._file.write(text.encode())

    def draw(self, sentence: Sentence) -> str:
        """Return the drawing of a sentence."""
        return f"{sentence.tree(**self._how)}\n\n"

    def explain(self, sentence: BadSentence) -> str:
        """Return the error of an invalid sentence."""
        return f"{sentence.error}\n\n"

    def finish(self) -> None:
        """Write the end of the file."""


class HtmlWriter(PictureWriter):
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
        """Return a figure."""
        return self._html.figure(sentence.to_svg(standalone=False, **self._how), sentence.text)

    def explain(self, sentence: BadSentence) -> str:
        """Return a figure with the error only."""
        return self._html.figure("", str(sentence.error))

    def finish(self) -> None:
        """Write the end of the page."""
        self.put(self._html.CLOSING)


class SvgWriter(PictureWriter):
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

    def write(self, sentence: Sentence | BadSentence, /) -> None:
        """Add the drawing of a sentence; an invalid one is left out."""
        if isinstance(sentence, Sentence):
            self._pictures.append(sentence.to_svg(standalone=False, **self._how))

    def picture(self) -> str:
        """Return the drawing of all sentences, one below the other."""
        from dodona.drawing.svg import stack_pictures

        return stack_pictures(self._pictures)

    def finish(self) -> None:
        """Write the drawing."""
        self.put(self.picture() + "\n")


class PngWriter(SvgWriter):
    """A writer of one PNG of all sentences."""

    def finish(self) -> None:
        """Write the drawing."""
        from dodona.bridges.cairo import to_png

        self._file.write(to_png(self.picture()))


class PdfWriter(SvgWriter):
    """A writer of one PDF page with all sentences."""

    def finish(self) -> None:
        """Write the drawing."""
        from dodona.bridges.cairo import to_pdf

        self._file.write(to_pdf(self.picture()))


WRITERS: dict[Picture, type[PictureWriter]] = {
    "svg": SvgWriter,
    "html": HtmlWriter,
    "tree": PictureWriter,
    "png": PngWriter,
    "pdf": PdfWriter,
}
