"""Reading of texts whose languages choose the models: `dodona parse auto`."""

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import attrgetter
from typing import Any

from dodona.cli.errors import UsageError
from dodona.cli.input_files import TREEBANK, InputFile, check_encoding
from dodona.cli.inputs import LINES, TEXT, InputSource, SentenceOrBad, SentenceReader
from dodona.models import AUTO
from dodona.pipeline.auto import AutoParser, UnknownLanguageError
from dodona.segmentation.pieces import Source

ENOUGH = 2_000  # characters of a text that are read to identify its language


class AutoReader(SentenceReader):
    """A reader of raw texts that parses each with the model of its language.

    `options` are those of `Parser.pipe`. Texts that follow each other in one language are segmented
    and parsed together, by several threads.
    """

    def __init__(
        self, parser: AutoParser, format: str | None, encoding: str, options: dict[str, Any]
    ) -> None:
        if format not in (None, TEXT, LINES):
            raise UsageError(f"{AUTO} reads raw text: --input {TEXT} or {LINES}, not {format}")
        super().__init__(format, encoding=encoding)
        self.parser, self.options = parser, options

    def read(self, sources: Iterable[InputSource]) -> Iterator[SentenceOrBad]:
        for language, found in groupby(self._texts(sources), key=attrgetter("language")):
            parts = self.parser.annotate(language, found, self.options)
            yield from chain.from_iterable(part.found for part in parts)

    def _texts(self, sources: Iterable[InputSource]) -> Iterator[Source]:
        """Yield the texts with their languages; a file is closed when the next one is asked for."""
        by_lines = self.format == LINES
        for source in sources:
            with InputFile(source.path, check_encoding(self.encoding)) as file:
                if self.meter is not None:
                    self.meter.watch(file)
                self._check(file)
                beginning, chunks = _peek(file.texts())
                if not beginning.strip():
                    continue
                try:
                    language = self.parser.language_of(beginning)
                except UnknownLanguageError as error:
                    raise UnknownLanguageError(f"{source.path}: {error}") from None
                yield Source(chunks, name=source.name, language=language, by_lines=by_lines)

    def _check(self, file: InputFile) -> None:
        if self.format is None and (
            file.path.removesuffix(".gz").endswith(TREEBANK) or file.is_treebank()
        ):
            raise UsageError(
                f"{file.name}: {AUTO} reads raw text, and this is a treebank: name the model"
            )


def _peek(chunks: Iterator[str]) -> tuple[str, Iterator[str]]:
    """Return the beginning of a text, and all of its chunks."""
    beginning = ""
    for chunk in chunks:
        beginning += chunk
        if len(beginning) >= ENOUGH:
            break
    return beginning, chain([beginning], chunks)
