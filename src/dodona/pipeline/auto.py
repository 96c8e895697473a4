"""Parsers of several languages, chosen by the language of each text: `dodona.load("auto")`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from dodona.batches import require_text
from dodona.doc import Doc
from dodona.errors import DodonaError
from dodona.languages.identifier import identify
from dodona.languages.names import name_of
from dodona.models.languages import find_by_language
from dodona.parsing.document_stream import sentences_in
from dodona.parsing.parser import Parser
from dodona.parsing.pipe_options import PipeOptions
from dodona.segmentation.pieces import Source
from dodona.segmentation.segmenter import Segmenter, require_segmenter
from dodona.segmentation.text_stream import Annotated
from dodona.treebank.sentence import Sentence

MAX_TEXTS, MAX_CHARS = 256, 1 << 20  # texts that are sorted by language at a time


class UnknownLanguageError(DodonaError, ValueError):
    """A text in no language for which a model is installed."""


class AutoParser:
    """The installed models, of which each text gets that of its language.

    Made by `dodona.load("auto")`. A model is loaded when the first text needs it. A text in a
    language without a model, or in none that is known, raises UnknownLanguageError, unless there
    is a `default`, the code of the language to parse it as.
    """

    def __init__(
        self,
        models: Mapping[str, Path] | None = None,
        *,
        default: str | None = None,
        mapped: bool = False,
        constraints: str | None = None,
    ) -> None:
        self.models = dict(find_by_language() if models is None else models)
        if default is not None and default not in self.models:
            raise UnknownLanguageError(self._explain(default))
        self.default = default
        self._mapped, self._constraints = mapped, constraints
        self._loaded: dict[str, Parser] = {}
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"<AutoParser of {', '.join(self.models)}>"

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of the languages with a model."""
        return tuple(self.models)

    def language_of(self, text: str) -> str:
        """Return the language to parse a text as; raise UnknownLanguageError if there is none."""
        found = identify(text)
        if found in self.models:
            return found
        if self.default is None:
            raise UnknownLanguageError(self._explain(found))
        return self.default

    def _explain(self, language: str | None) -> str:
        if language is None:
            return (
                "the text is too short, or in no language that is known, to choose a model for; "
                "name the model, or a language to parse such texts as: "
                '--else en, or dodona.load("auto", default="en")'
            )
        name = name_of(language)
        return f"no model for {name} is installed; to install one: dodona get {language}"

    def parser_for(self, language: str) -> Parser:
        """Return the parser of a language, loaded on first use."""
        with self._lock:
            if language not in self._loaded:
                parser = Parser.load(self.models[language], mapped=self._mapped)
                if self._constraints is not None:
                    parser = parser.with_constraints(self._constraints)
                self._loaded[language] = parser
            return self._loaded[language]

    def segmenter_for(self, language: str) -> Segmenter:
        """Return the segmenter of a language."""
        return require_segmenter(self.parser_for(language).segmenter)

    def __call__(self, text: str, **options: Any) -> Doc:
        """Segment, tag and parse raw text; the options are those of `Parser.pipe`."""
        doc: Doc = next(self.docs([require_text(text)], **options))
        return doc

    def docs(
        self, texts: Iterable[Any], *, as_tuples: bool = False, **options: Any
    ) -> Iterator[Any]:
        """Parse a stream of texts, in order, each into a document with a `language`.

        With `as_tuples`, texts come as pairs (text, context), and documents as (doc, context). The
        other options are those of `Parser.pipe`. If a text has no language, all documents before
        it are yielded first.
        """
        if isinstance(texts, str):
            raise TypeError("docs takes several texts; to parse one, call parser(text)")
        waiting: list[tuple[str, str, Any]] = []  # text, language, context
        n_chars = 0
        errors: list[Exception] = []
        for text, context in _pairs(texts, as_tuples, errors):
            try:
                waiting.append((text, self.language_of(text), context))
            except UnknownLanguageError as error:
                errors.append(error)
                break
            n_chars += len(text)
            if len(waiting) >= MAX_TEXTS or n_chars >= MAX_CHARS:
                yield from self._parse(waiting, as_tuples, options)
                waiting, n_chars = [], 0
        yield from self._parse(waiting, as_tuples, options)
        for found in errors:
            raise found

    def _parse(
        self, waiting: list[tuple[str, str, Any]], as_tuples: bool, options: dict[str, Any]
    ) -> Iterator[Any]:
        texts = [(text, language) for text, language, _ in waiting]
        found = self.parse_texts(texts, options)
        for (text, language, context), sentences in zip(waiting, found, strict=True):
            doc = Doc(sentences, text, language=language)
            yield (doc, context) if as_tuples else doc

    def parse_texts(
        self, texts: list[tuple[str, str]], options: Mapping[str, Any]
    ) -> list[list[Sentence]]:
        """Return the parsed sentences of each text, given with its language."""
        rows: dict[str, list[int]] = defaultdict(list)
        for row, (_, language) in enumerate(texts):
            rows[language].append(row)
        parsed: list[list[Sentence]] = [[] for _ in texts]
        for language, own in rows.items():
            sources = [Source([texts[row][0]], language=language, context=row) for row in own]
            for part in self.annotate(language, sources, options):
                parsed[part.source.context] += part.found
        return parsed

    def annotate(
        self, language: str, sources: Iterable[Source], options: Mapping[str, Any]
    ) -> Iterator[Annotated[list[Sentence]]]:
        """Segment and parse texts of one language, in order; the options are those of `pipe`."""
        how = dict(options)
        threads = how.pop("threads", 1)
        parser = self.parser_for(language)
        return parser.annotate(sources, sentences_in, PipeOptions(**how), threads=threads)


def _pairs(
    texts: Iterable[Any], as_tuples: bool, errors: list[Exception]
) -> Iterator[tuple[str, Any]]:
    """Yield texts and their contexts up to an error, which is appended to `errors`."""
    try:
        for item in texts:
            text, context = item if as_tuples else (item, None)
            yield require_text(text), context
    except Exception as error:
        errors.append(error)
