"""Runs over files: from the files to read to the sentences that are written."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from dodona.batches import Sentences
from dodona.cli.inputs import BadSentences, InputSource, SentenceOrBad, SentenceReader
from dodona.records import replace
from dodona.segmentation.pieces import Source
from dodona.segmentation.text_stream import Annotated
from dodona.treebank.block import Block


class Encoded(NamedTuple):
    """Sentences as they are written."""

    data: bytes
    n_words: int


Pipe = Callable[[Iterable[SentenceOrBad]], Iterator[SentenceOrBad]]
Found = list[SentenceOrBad] | Block
Encode = Callable[[Block], Encoded]  # makes what is written of a block, in the threads
Groups = Iterable[list[InputSource]]  # of files to read, a group for each file to write


class Run(Protocol):
    def __call__(
        self,
        reader: SentenceReader,
        groups: Groups,
        bad: BadSentences,
        encode: Encode | None = None,
        /,
    ) -> Iterator[Found | Encoded | None]:
        """Yield annotated sentences, and None at the end of each group; count bad sentences.

        A run with threads may yield blocks as encoded there.
        """


class Annotator(Protocol):
    """`Parser.annotate` or `Tagger.annotate`, with its options."""

    def __call__(
        self, sources: Iterable[Source], finish: Callable[[list[Sentences]], Any], /
    ) -> Iterator[Annotated[Any]]: ...


class PipeRun:
    """A run that segments texts in this thread, and annotates one group after the other."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe

    def __call__(
        self,
        reader: SentenceReader,
        groups: Groups,
        bad: BadSentences,
        encode: Encode | None = None,
        /,
    ) -> Iterator[Found | Encoded | None]:
        for group in groups:
            for item in self._pipe(bad.watch(reader.read(group))):
                yield [item]
            yield None


class TextRun:
    """A run whose threads segment, annotate and write texts, of all groups together.

    `watch` passes on the sentences of treebanks before they are annotated.
    """

    def __init__(self, annotate: Annotator, watch: Pipe = iter) -> None:
        self._annotate, self._watch = annotate, watch

    def __call__(
        self,
        reader: SentenceReader,
        groups: Groups,
        bad: BadSentences,
        encode: Encode | None = None,
        /,
    ) -> Iterator[Found | Encoded | None]:
        def finish(found: list[Sentences]) -> list[Sentences | Encoded]:
            return [encode(one) if encode and isinstance(one, Block) else one for one in found]

        sources = self._sources(reader, groups, bad)
        for part in self._annotate(sources, finish):
            yield from part.found
            if part.is_end and part.source.context:
                yield None

    def _sources(
        self, reader: SentenceReader, groups: Groups, bad: BadSentences
    ) -> Iterator[Source]:
        """Yield the files of all groups; the context is whether one is the last of its group."""
        for group in groups:
            for source in group:
                for file in reader.open([source], context=source is group[-1]):
                    watched = self._watch(bad.watch(file.sentences))
                    yield file if file.chunks is not None else replace(file, sentences=watched)
