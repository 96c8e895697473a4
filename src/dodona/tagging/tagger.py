"""The tagger: load, tag, save.

Each column of tags is a task of its own, and later tasks see the tags of earlier ones. Lemmas,
whose classes are edit scripts that turn forms into lemmas, come last. A column that is empty in the
training data has no task and stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from dodona.batches import Sentences, require_sentence, require_text, stream
from dodona.core.features.corpus import Corpus
from dodona.doc import Doc
from dodona.records import field, record, replace
from dodona.rules.ruled import Ruled
from dodona.segmentation.foreign import is_foreign
from dodona.segmentation.pieces import Source
from dodona.segmentation.segmenter import Segmenter, require_segmenter
from dodona.segmentation.text_stream import Annotated, annotate
from dodona.storage.container import Array
from dodona.storage.json_fields import read_field
from dodona.storage.serialisable import FileFormat, Payload
from dodona.tagging.linear_tags import LinearTags
from dodona.tagging.tag_classes import TagClasses, TagSignals
from dodona.tagging.tags import TAG_COLUMNS, keep_tags, with_tags
from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:  # loaded with rules
    from dodona.rules.rules import Rules
    from dodona.tagging.user_tags import UserTags

Result = TypeVar("Result")
Item = TypeVar("Item", Sentence, Sentence | BadSentence)


class TagScorer(Protocol):
    """The model of a tagger: linear tasks, or a network with a linear task for lemmas."""

    tag_classes: list[TagClasses]

    def read(self, sentences: Sentences) -> Corpus:
        """Encode sentences, with a column for each task."""

    def read_scored(self, sentences: Sentences) -> tuple[Corpus, TagSignals]:
        """Encode sentences as `read` does; once they are tagged, ask for the signals of columns.

        Lemmas have none.
        """

    def fill(self, corpus: Corpus, sentences: Sentences, kept: Mapping[str, bytes]) -> None:
        """Write the tags of an encoded batch into it, but for words that `kept` marks by column."""

    def describe(self) -> dict[str, Any]:
        """Return the facts that `dodona info` shows."""

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Serialise to metadata and arrays."""

    @classmethod
    def deserialise(cls, payload: Payload) -> TagScorer:
        """Deserialise what `serialise` wrote."""


@record(repr=False)
class Tagger(Ruled):
    """A tagger of UPOS, XPOS, FEATS and lemmas, as far as the training data had them.

    Made by `dodona.train_tagger` or `Tagger.load`. `record` documents its training. With a
    segmenter it reads raw text.
    """

    FORMAT = FileFormat("tagger", version=2, oldest=2, implied=2)  # 2: lemmas
    SCORER: ClassVar[type[TagScorer]] = LinearTags

    scorer: TagScorer
    record: dict[str, Any] = field(default_factory=dict)
    segmenter: Segmenter | None = None
    user_rules: Rules | None = None

    def __post_init__(self) -> None:
        self._user_tags: UserTags | None = None
        tag_classes = self.scorer.tag_classes
        self.columns = [task.column for task in tag_classes]
        self.classes = [task.classes for task in tag_classes]
        self.meanings = [task.meanings for task in tag_classes]
        if self.user_rules is not None and self.user_rules.tags:
            from dodona.tagging.user_tags import UserTags, check_tags

            by_column = dict(zip(self.columns, self.classes, strict=True))
            check_tags(self.user_rules.tags, by_column.get("upos", []))
            self._user_tags = UserTags(self.user_rules.tags)

    def with_rules(self, rules: Rules | None) -> Tagger:
        """Return the same tagger with rules of one's own, which its segmenter gets as well."""
        segmenter = None if self.segmenter is None else self.segmenter.with_rules(rules)
        return replace(self, user_rules=rules, segmenter=segmenter)

    def __repr__(self) -> str:
        return f"<Tagger of {', '.join(self.columns)}>"

    def __call__(self, text: str, *, threads: int = 1) -> Doc:
        """Segment and tag raw text."""
        segmenter, text = require_segmenter(self.segmenter), require_text(text)
        sentences = self.pipe(segmenter.segment(text), threads=threads)
        return Doc(sentences, text, is_strange=is_foreign(text, self.record, segmenter))

    def tag(self, sentence: Sentence) -> Sentence:
        """Return the sentence with predicted tags."""
        return self.tag_batch([require_sentence(sentence)])[0]

    def pipe(
        self, sentences: Iterable[Item], *, threads: int = 1, keep: Collection[str] = ()
    ) -> Iterator[Item]:
        """Tag a stream of sentences in order; bad ones pass through unchanged.

        If the stream ends in an error, all sentences before it are yielded first. `keep` is as in
        `tag_batch`.
        """
        return stream(sentences, partial(self.tag_batch, keep=keep), threads)

    def annotate(
        self,
        sources: Iterable[Source],
        finish: Callable[[list[Sentences]], Result],
        *,
        threads: int = 1,
    ) -> Iterator[Annotated[Result]]:
        """Segment and tag texts, and tag sentences, in order.

        Threads segment and tag pieces of text; `finish` makes a result of the tagged sentences of
        each, for instance their bytes.
        """
        return annotate(sources, self.segmenter, self.tag_batch, finish, threads)

    def tag_batch(self, sentences: Sentences, keep: Collection[str] = ()) -> Sentences:
        """Return the sentences with predicted tags.

        A column in `keep` is left alone in every sentence that has a value there; later tasks then
        see that value instead of a prediction.
        """
        return self.tag_corpus(self.scorer.read(sentences), sentences, keep)

    def tag_corpus(
        self, corpus: Corpus, sentences: Sentences, keep: Collection[str] = ()
    ) -> Sentences:
        """Fill in the tags of a batch that the scorer has read, and return the tagged sentences."""
        if not {*keep} <= {*TAG_COLUMNS}:
            raise ValueError(f"keep has some of {', '.join(TAG_COLUMNS)}, not {[*keep]}")
        tagged = self._predict(corpus, sentences, keep)
        if self._user_tags:
            given, tagged = [*sentences], [*tagged]
            if self._user_tags.apply(given, tagged, keep, self._retag):
                for column in self.columns:  # a parser that reads the corpus sees the tags of rules
                    keep_tags(corpus, tagged, self.columns, self.meanings, column)
        return tagged

    def _retag(self, sentences: list[Sentence], keep: Collection[str]) -> list[Sentence]:
        return [*self._predict(self.scorer.read(sentences), sentences, keep)]

    def _predict(self, corpus: Corpus, sentences: Sentences, keep: Collection[str]) -> Sentences:
        tasks = self.columns, self.meanings
        kept = {
            column: keep_tags(corpus, sentences, *tasks, column)
            for column in self.columns
            if column in keep
        }
        self.scorer.fill(corpus, sentences, kept)
        return with_tags(corpus, sentences, *tasks, keep=keep)

    def parts(self) -> dict[str, Segmenter | None]:
        """Return the segmenter; a tagger inside a parser has none of its own."""
        return {"segmenter": self.segmenter}

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        about, arrays = self.scorer.serialise()
        return about | {"record": self.record}, arrays

    @classmethod
    def deserialise(cls, payload: Payload) -> Tagger:
        segmenter = payload.part("segmenter", Segmenter)
        scorer = cls.SCORER.deserialise(payload)
        return cls(scorer, read_field(payload.about, "record", dict), segmenter)
