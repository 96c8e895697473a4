"""Sentences as pictures: an HTML page, trees in plain text, or one SVG, PNG or PDF."""

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
    """A writer of pictures to a file that appears only when all went well.

    `how` are options of `Sentence.to_svg`, or for trees in plain text of `Sentence.tree`.
    """
    with open_output(path) as file:
        writer = WRITERS[format](file, how or {})
        yield writer
        writer.finish()


class PictureWriter:
    """Writes trees as text, each as soon as it comes; the others derive from it."""

    def __init__(self, file: IO[bytes], how: dict[str, Any] | None = None) -> None:
        self._file = file
        self._how = how or {}

    def write(self, sentence: Sentence | BadSentence, /) -> None:
        """Draw one sentence; of one that is bad, tell what is wrong with it."""
        if isinstance(sentence, BadSentence):
            self.put(self.explain(sentence))
        else:
            self.put(self.draw(sentence))

    def put(self, text: str) -> None:
        """Add to the file."""
        self._file.write(text.encode())

    def draw(self, sentence: Sentence) -> str:
        """A sentence, drawn."""
        return f"{sentence.tree(**self._how)}\n\n"

    def explain(self, sentence: BadSentence) -> str:
        """What is wrong."""
        return f"{sentence.error}\n\n"

    def finish(self) -> None:
        """What stands at the end."""


class HtmlWriter(PictureWriter):
    """A page with a picture of each sentence, each written as soon as it comes.

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
        """A figure."""
        return self._html.figure(sentence.to_svg(standalone=False, **self._how), sentence.text)

    def explain(self, sentence: BadSentence) -> str:
        """A figure without a picture."""
        return self._html.figure("", str(sentence.error))

    def finish(self) -> None:
        """The end of the page."""
        self.put(self._html.CLOSING)


class SvgWriter(PictureWriter):
    """One picture of all sentences. Its size comes first in the file, so all are kept until then.

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
        """Keep a sentence for the end; one that is bad is left out."""
        if isinstance(sentence, Sentence):
            self._pictures.append(sentence.to_svg(standalone=False, **self._how))

    def picture(self) -> str:
        """All sentences, one below the other."""
        from dodona.drawing.svg import stack_pictures

        return stack_pictures(self._pictures)

    def finish(self) -> None:
        """The whole picture."""
        self.put(self.picture() + "\n")


class PngWriter(SvgWriter):
    """The same in pixels."""

    def finish(self) -> None:
        """The whole picture."""
        from dodona.bridges.cairo import to_png

        self._file.write(to_png(self.picture()))


class PdfWriter(SvgWriter):
    """The same on a page."""

    def finish(self) -> None:
        """The whole picture."""
        from dodona.bridges.cairo import to_pdf

        self._file.write(to_pdf(self.picture()))


WRITERS: dict[Picture, type[PictureWriter]] = {
    "svg": SvgWriter,
    "html": HtmlWriter,
    "tree": PictureWriter,
    "png": PngWriter,
    "pdf": PdfWriter,
}
