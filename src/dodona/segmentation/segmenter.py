"""The segmenter as people use it: load, segment, save.

It finds sentences, tokens and words in plain text. What comes out holds all that went in: MISC
tells the white space around each token and its place, and `original_text` puts it together again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from dodona.core.segmenting.expansion import Expansion
from dodona.core.segmenting.places import LABELS
from dodona.core.segmenting.segmenting import Segmenting
from dodona.core.weights.packed import PackedWeights
from dodona.errors import DodonaError
from dodona.logs import warning
from dodona.records import field, record
from dodona.segmentation.lexicon import Lexicon, restore_lexicon
from dodona.segmentation.rules import Rule, Rules, restore_rules
from dodona.segmentation.segmented import Cursor, SentenceMaker
from dodona.settings import SegmenterSettings
from dodona.storage.container import Array
from dodona.storage.json_fields import read_field, read_settings
from dodona.storage.serialisable import FileFormat, Payload, Serialisable
from dodona.storage.weights import from_packed_arrays, to_packed_arrays
from dodona.treebank.sentence import Sentence

SHORT = 100  # characters of a text that is too short to tell its language
PIECE = 1 << 16  # characters; a stream is looked at when so many more have come

Splitting = Literal["learned", "lines"]


class NoSegmenterError(DodonaError, ValueError):
    """A model that reads words was given raw text."""


@record(repr=False)
class Segmenter(Serialisable):
    """Splits text into sentences, tokens and words.

    Made by `train_segmenter` or `Segmenter.load`. `record` tells how it came to be.
    """

    FORMAT = FileFormat("segmenter", version=1, oldest=1, implied=1)

    settings: SegmenterSettings
    certain: bytes  # what two kinds of characters always do (core/places)
    weights: PackedWeights
    rules: Rules
    word_weights: PackedWeights
    bias: int = 0  # for or against new sentences
    record: dict[str, Any] = field(default_factory=dict)
    lexicon: Lexicon | None = None  # None: of a file from before there was one

    def __post_init__(self) -> None:
        self._has_looked = False
        index, more = None, list[Rule]()
        if self.lexicon is not None:
            index, more = self.lexicon.index(), self.rules.doubled()
        self._maker = SentenceMaker(
            Segmenting(self.certain, self.weights, self.bias, index),
            Expansion(self.rules.index(more), self.word_weights),
            [*self.rules.rules, *more],
        )

    def __repr__(self) -> str:
        return f"<Segmenter with {len(self.rules.rules):,} rules for multiword tokens>"

    def segment(self, text: str, *, sentences: Splitting = "learned") -> list[Sentence]:
        """The sentences of a text, none if it is nothing but white space.

        With `sentences="lines"`, every line is a sentence, and nothing else ends one.
        """
        self._look_at(text)
        return self._maker.make(text, Cursor(), by_lines=_by_lines(sentences))[0]

    def is_strange(self, text: str) -> bool:
        """Whether a text seems to be in a language that the segmenter has not learned.

        Its first words are looked up among those of the training data. A short text tells nothing,
        nor does a segmenter from a file that is older than such lists.
        """
        return self.lexicon is not None and self.lexicon.is_strange(text)

    def stream(
        self, chunks: Iterable[str], *, sentences: Splitting = "learned", name: str = ""
    ) -> Iterator[list[Sentence]]:
        """The sentences of a text that comes in chunks, as soon as they are complete.

        They are those of the whole text, however it is cut; only the end of it is kept in memory.
        Where the chunks end in an error, what came before is segmented first. The ids of the
        document and its sentences are made of `name`; without one, sentences are only numbered.
        """
        by_lines, cursor = _by_lines(sentences), Cursor(name)
        pieces: list[str] = []
        errors: list[Exception] = []
        n_waiting, n_wanted = 0, PIECE
        for chunk in _before_error(chunks, errors):
            pieces.append(chunk)
            n_waiting += len(chunk)
            if n_waiting < n_wanted:
                continue
            text = "".join(pieces)
            self._look_at(text)
            found, n_taken = self._maker.make(text, cursor, by_lines=by_lines, is_end=False)
            pieces, n_waiting = [text[n_taken:]], n_waiting - n_taken
            n_wanted = PIECE + 2 * n_waiting  # a long sentence is not looked at too often
            if found:
                yield found
        text = "".join(pieces)
        self._look_at(text)
        found, _ = self._maker.make(text, cursor, by_lines=by_lines)
        if found:
            yield found
        for error in errors:
            raise error

    def _look_at(self, text: str) -> None:
        """Warn once of a text in another language; whoever does not listen pays for one look."""
        if not self._has_looked and len(text) > SHORT:
            self._has_looked = True
            if self.is_strange(text):
                warning("most words of a text are not known: is it in another language?")

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The segmenter as plain data and arrays."""
        from dataclasses import asdict

        about = {
            "settings": asdict(self.settings),
            "rules": self.rules.rules,
            "bias": self.bias,
            "steps": [self.weights.step, self.word_weights.step],
            "record": self.record,
        }
        arrays = {"segmenter.certain": Array("U8", self.certain)}
        arrays |= to_packed_arrays("segmenter", self.weights)
        arrays["segmenter.words.hashes"] = Array("U64", self.rules.hashes.tobytes())
        arrays["segmenter.words.answers"] = Array("U32", self.rules.answers.tobytes())
        arrays |= to_packed_arrays("segmenter.words", self.word_weights)
        if self.lexicon is not None:
            known = self.lexicon
            about |= {"abbreviations": dict(known.abbreviations), "patterns": dict(known.patterns)}
            about["coverage"] = known.coverage
            arrays["segmenter.lexicon.hashes"] = Array("U64", known.hashes.tobytes())
            arrays["segmenter.lexicon.classes"] = Array("U8", known.classes)
        return about, arrays

    @classmethod
    def deserialise(cls, payload: Payload) -> Segmenter:
        """The segmenter that `serialise` wrote."""
        about, arrays = payload.about, payload.arrays
        rules = Rules(
            restore_rules(read_field(about, "rules", list[list[Any]])),
            arrays["segmenter.words.hashes"],
            arrays["segmenter.words.answers"],
        )
        lexicon = None
        if "segmenter.lexicon.hashes" in arrays or "segmenter.lexicon.classes" in arrays:
            hashes, classes = (
                arrays[f"segmenter.lexicon.{name}"] for name in ("hashes", "classes")
            )
            lexicon = restore_lexicon(about, hashes, bytes(classes))
        step, word_step = read_field(about, "steps", list[float])
        return cls(
            read_settings(about, SegmenterSettings),
            bytes(arrays["segmenter.certain"]),
            from_packed_arrays("segmenter", len(LABELS), step, arrays),
            rules,
            from_packed_arrays("segmenter.words", len(rules.rules) + 1, word_step, arrays),
            read_field(about, "bias", int),
            read_field(about, "record", dict),
            lexicon,
        )


def require_segmenter(segmenter: Segmenter | None) -> Segmenter:
    """The segmenter of a model, which raw text cannot do without."""
    if segmenter is None:
        raise NoSegmenterError(
            "this model has no segmenter, so it cannot read raw text: give it sentences, or train "
            "one with --pipeline text"
        )
    return segmenter


def _before_error(chunks: Iterable[str], errors: list[Exception]) -> Iterator[str]:
    """The chunks up to the error that they end in; that is added to the list, if there is one."""
    try:
        for chunk in chunks:
            if not isinstance(chunk, str):
                raise TypeError(f"text comes in strings, not in {type(chunk).__name__}")
            yield chunk
    except Exception as error:
        errors.append(error)


def _by_lines(sentences: str) -> bool:
    if sentences not in ("learned", "lines"):
        raise ValueError(f"sentences is 'learned' or 'lines', not {sentences!r}")
    return sentences == "lines"
