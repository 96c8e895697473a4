"""The segmenter: load, segment, save.

It finds sentences, tokens and words in plain text. No character is lost: MISC records the white
space around each token and its position, and `original_text` restores the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from dodona.batches import require_text
from dodona.core.base.values import to_str
from dodona.core.segmenting.expansion import TokenExpander
from dodona.core.segmenting.text_scanner import LABELS
from dodona.core.segmenting.text_splitter import TextSplitter
from dodona.core.weights.packed import PackedWeights
from dodona.errors import DodonaError
from dodona.logs import warning
from dodona.records import field, record, replace
from dodona.rules.ruled import Ruled
from dodona.segmentation.expansion_rules import ExpansionRules, Rule, restore_rules, whole_rules
from dodona.segmentation.lexicon import Lexicon, restore_lexicon
from dodona.segmentation.sentence_writer import Cursor, SentenceWriter
from dodona.settings import SegmenterSettings
from dodona.storage.container import Array
from dodona.storage.json_fields import read_field, read_settings
from dodona.storage.serialisable import FileFormat, Payload
from dodona.storage.weights import from_packed_arrays, to_packed_arrays
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:  # loaded with rules
    from dodona.rules.boundaries import BoundaryRules
    from dodona.rules.rules import Rules

SHORT = 100  # characters of a text whose language is not checked
PIECE = 1 << 16  # characters of a stream that are segmented together

Splitting = Literal["learned", "lines"]


class NoSegmenterError(DodonaError, ValueError):
    """Raw text was given to a model without a segmenter."""


@record(repr=False)
class Segmenter(Ruled):
    """A segmenter of text into sentences, tokens and words.

    Made by `train_segmenter` or `Segmenter.load`. `record` holds the data of its training.
    """

    FORMAT = FileFormat("segmenter", version=2, oldest=1, implied=1)  # 2: tags of words

    settings: SegmenterSettings
    pair_table: bytes  # boundary labels of pairs of character kinds (`make_pair_table`)
    weights: PackedWeights
    rules: ExpansionRules
    word_weights: PackedWeights
    bias: int = 0  # added to the score of a sentence boundary
    record: dict[str, Any] = field(default_factory=dict)
    lexicon: Lexicon | None = None  # None in files older than lexicons
    user_rules: Rules | None = None

    def __post_init__(self) -> None:
        self._has_checked = False
        self._boundaries: BoundaryRules | None = None
        index, more, given = None, list[Rule](), dict[str, int]()
        if self.lexicon is not None:
            index, more = self.lexicon.index(), self.rules.doubled()
        if self.user_rules is not None and self.user_rules.has_text_rules:
            from dodona.rules.boundaries import BoundaryRules

            self._boundaries = BoundaryRules(self.user_rules)
            if self.lexicon is not None:
                index = self.lexicon.with_abbreviations(self.user_rules.abbreviations).index()
            given = dict.fromkeys(self.user_rules.whole, 0)
            for rule in whole_rules(self.user_rules.expand):
                given[rule[1]] = len(self.rules.rules) + len(more) + 1
                more.append(rule)
        self._writer = SentenceWriter(
            TextSplitter(self.pair_table, self.weights, self.bias, index),
            TokenExpander(self.rules.index(more, given), self.word_weights),
            [*self.rules.rules, *more],
        )

    def with_rules(self, rules: Rules | None) -> Segmenter:
        """Return the same segmenter with rules of one's own for tokens and sentences."""
        return replace(self, user_rules=rules)

    def __repr__(self) -> str:
        return f"<Segmenter with {len(self.rules.rules):,} rules for multiword tokens>"

    def segment(self, text: str, *, sentences: Splitting = "learned") -> list[Sentence]:
        """Return the sentences of a text; none if it is only white space.

        With `sentences="lines"`, every line is a sentence, and nothing else ends one. A sentence of
        more than 1,024 tokens is cut.
        """
        text = require_text(text)
        self._check_language(text)
        return self._segment(text, Cursor(), by_lines=_by_lines(sentences))[0]

    def is_strange(self, text: str) -> bool:
        """Whether most words of a text are unknown, as in a language not seen in training.

        False for short texts, and for segmenters without a lexicon.
        """
        return self.lexicon is not None and self.lexicon.is_strange(text)

    def stream(
        self, chunks: Iterable[str], *, sentences: Splitting = "learned", name: str = ""
    ) -> Iterator[list[Sentence]]:
        """Yield the sentences of a text that comes in chunks, as soon as they are complete.

        They are those of the whole text, however it is cut; only incomplete sentences are kept in
        memory. If `chunks` raises an error, the text before it is segmented first. `name` becomes
        part of the ids of the document and its sentences; without it, sentences are numbered.
        """
        by_lines, cursor = _by_lines(sentences), Cursor(to_str(name, "name"))
        pieces: list[str] = []
        errors: list[Exception] = []
        n_waiting, n_wanted = 0, PIECE
        before = ""  # what was taken of the line with which the waiting text begins
        for chunk in _before_error(chunks, errors):
            pieces.append(chunk)
            n_waiting += len(chunk)
            if n_waiting < n_wanted:
                continue
            text = "".join(pieces)
            self._check_language(text)
            found, n_taken = self._segment(text, cursor, by_lines, before, is_end=False)
            pieces, n_waiting = [text[n_taken:]], n_waiting - n_taken
            before = _last_line(before + text[:n_taken]) if self._boundaries else ""
            n_wanted = PIECE + 2 * n_waiting  # rescan a long sentence rarely
            if found:
                yield found
        text = "".join(pieces)
        self._check_language(text)
        found, _ = self._segment(text, cursor, by_lines, before)
        if found:
            yield found
        for error in errors:
            raise error

    def _segment(
        self, text: str, cursor: Cursor, by_lines: bool, before: str = "", *, is_end: bool = True
    ) -> tuple[list[Sentence], int]:
        """Return the sentences of a text, and how many characters they take up.

        Rules are applied to whole lines: `before` is the start of the first one, and unless the
        text `is_end`, its last line is left for the next call.
        """
        forbidden = None
        if self._boundaries is not None:
            text = text if is_end else text[: text.rfind("\n") + 1]
            forbidden = self._boundaries.forbidden(before + text)[len(before) :]
        return self._writer.segment(
            text, cursor, by_lines=by_lines, is_end=is_end, forbidden=forbidden
        )

    def _check_language(self, text: str) -> None:
        """Warn if the first long text seems to be in another language."""
        if not self._has_checked and len(text) > SHORT:
            self._has_checked = True
            if self.is_strange(text):
                warning("most words of a text are not known: is it in another language?")

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the segmenter as plain data and arrays."""
        from dataclasses import asdict

        about = {
            "settings": asdict(self.settings),
            "rules": self.rules.rules,
            "bias": self.bias,
            "steps": [self.weights.step, self.word_weights.step],
            "record": self.record,
        }
        arrays = {"segmenter.certain": Array("U8", self.pair_table)}
        arrays |= to_packed_arrays("segmenter", self.weights)
        arrays["segmenter.words.hashes"] = Array("U64", self.rules.hashes.tobytes())
        arrays["segmenter.words.answers"] = Array("U32", self.rules.fixed_rules.tobytes())
        arrays |= to_packed_arrays("segmenter.words", self.word_weights)
        if self.lexicon is not None:
            known = self.lexicon
            about |= {"abbreviations": dict(known.abbreviations), "patterns": dict(known.patterns)}
            about["coverage"] = known.coverage
            arrays["segmenter.lexicon.hashes"] = Array("U64", known.hashes.tobytes())
            arrays["segmenter.lexicon.classes"] = Array("U8", known.classes)
            if known.tags is not None:
                arrays["segmenter.lexicon.tags"] = Array("U8", known.tags)
        return about, arrays

    @classmethod
    def deserialise(cls, payload: Payload) -> Segmenter:
        """Restore a segmenter from the data and arrays of `serialise`."""
        about, arrays = payload.about, payload.arrays
        rules = ExpansionRules(
            restore_rules(read_field(about, "rules", list[list[Any]])),
            arrays["segmenter.words.hashes"],
            arrays["segmenter.words.answers"],
        )
        lexicon = None
        if "segmenter.lexicon.hashes" in arrays or "segmenter.lexicon.classes" in arrays:
            hashes, classes = (arrays[f"segmenter.lexicon.{n}"] for n in ("hashes", "classes"))
            tags = arrays.get("segmenter.lexicon.tags")
            lexicon = restore_lexicon(
                about, hashes, bytes(classes), None if tags is None else bytes(tags)
            )
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
    """Return the segmenter of a model, which raw text needs."""
    if segmenter is None:
        raise NoSegmenterError(
            "this model has no segmenter, so it cannot read raw text: give it sentences, or train "
            "one with --pipeline text"
        )
    return segmenter


def _before_error(chunks: Iterable[str], errors: list[Exception]) -> Iterator[str]:
    """Yield the chunks up to an error, which is appended to `errors`."""
    try:
        for chunk in chunks:
            if not isinstance(chunk, str):
                raise TypeError(f"text comes in strings, not in {type(chunk).__name__}")
            yield str.__str__(chunk)
    except Exception as error:
        errors.append(error)


def _last_line(text: str) -> str:
    return text[text.rfind("\n") + 1 :]


def _by_lines(sentences: str) -> bool:
    if sentences not in ("learned", "lines"):
        raise ValueError(f"sentences is 'learned' or 'lines', not {sentences!r}")
    return sentences == "lines"
