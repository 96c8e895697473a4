"""Documents in several languages, each parsed by the model of its own: the model `auto`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dodona.arrow.documents import Document, Unparsable
from dodona.arrow.model_cache import load_cached
from dodona.arrow.options import ParseOptions
from dodona.models import AUTO
from dodona.parsing.parser import Parser
from dodona.pipeline.auto import AutoParser, UnknownLanguageError
from dodona.treebank.sentence import Sentence

Languages = list[str | None]  # of documents; None for those that cannot be parsed


def load_parser(options: ParseOptions) -> Parser | AutoParser:
    """Return the parser of a model, or those of all languages."""
    if options.model == AUTO:
        return AutoParser(default=options.default, mapped=options.mapped)
    return load_cached(options.model, mapped=options.mapped, rules=options.rules)


def identify_documents(
    auto: AutoParser, documents: list[Document]
) -> tuple[list[Document], Languages]:
    """Return the documents with their languages; those without a model become errors."""
    found: list[Document] = []
    languages: Languages = []
    for document in documents:
        language = None
        if isinstance(document, str):
            try:
                language = auto.language_of(document) if document.strip() else None
            except UnknownLanguageError as error:
                document = Unparsable(str(error))
        found.append(document)
        languages.append(language)
    return found, languages


def parse_by_language(
    auto: AutoParser, documents: list[Document], languages: Languages, how: Mapping[str, Any]
) -> Iterator[tuple[int, Sentence]]:
    """Yield the parsed sentences of all documents, with their rows, in order."""
    known = [
        (row, document, language)
        for row, (document, language) in enumerate(zip(documents, languages, strict=True))
        if isinstance(document, str) and language is not None
    ]
    parsed = auto.parse_texts([(text, language) for _, text, language in known], how)
    for (row, _, _), sentences in zip(known, parsed, strict=True):
        for sentence in sentences:
            yield row, sentence
