"""Reading of texts whose languages choose the models: `dodona parse auto`."""

from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from dodona.cli.errors import UsageError
from dodona.cli.input_files import TREEBANK, InputFile, check_encoding
from dodona.cli.inputs import LINES, TEXT, InputSource, SentenceOrBad, SentenceReader
from dodona.models import AUTO
from dodona.pipeline.auto import AutoParser, UnknownLanguageError

if TYPE_CHECKING:
    from dodona.segmentation.segmenter import Splitting
    from dodona.treebank.sentence import Sentence

ENOUGH = 2_000  # characters of a text that are read to identify its language


class AutoReader(SentenceReader):
    """A reader of raw texts that parses each with the model of its language.

    `options` are those of `Parser.pipe`. Texts that follow each other in one language are parsed
    together.
    """

    def __init__(
        self, parser: AutoParser, format: str | None, encoding: str, options: dict[str, Any]
    ) -> None:
        if format not in (None, TEXT, LINES):
            raise UsageError(f"{AUTO} reads raw text: --input {TEXT} or {LINES}, not {format}")
        super().__init__(format, encoding=encoding)
        self.parser, self.options = parser, options

    def read(self, sources: Iterable[InputSource]) -> Iterator[SentenceOrBad]:
        for language, found in groupby(self._segmented(sources), key=itemgetter(0)):
            sentences = (sentence for _, sentence in found)
            yield from self.parser.parser_for(language).pipe(sentences, **self.options)

    def _segmented(self, sources: Iterable[InputSource]) -> Iterator[tuple[str, "Sentence"]]:
        """Yield the sentences of all texts, with their languages."""
        splitting: Splitting = "lines" if self.format == LINES else "learned"
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
                segmenter = self.parser.segmenter_for(language)
                blocks = segmenter.stream(
                    chunks, sentences=splitting, name=source.name, language=language
                )
                for sentence in chain.from_iterable(blocks):
                    yield language, sentence

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
