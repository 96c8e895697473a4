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
from dodona.records import field, record, replace
from dodona.rules.ruled import Ruled
from dodona.segmentation.expansion_rules import ExpansionRules, Rule, restore_rules, whole_rules
from dodona.segmentation.lexicon import Lexicon, lexicon_arrays, restore_lexicon
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

PIECE = 1 << 16  # characters of a stream that are segmented together

Splitting = Literal["learned", "lines"]
SPLITTINGS = ("learned", "lines")


class NoSegmenterError(DodonaError, ValueError):
    """Raw text was given to a model without a segmenter."""


@record(repr=False)
class Segmenter(Ruled):
    """A segmenter of text into sentences, tokens and words.

    Made by `train_segmenter` or `Segmenter.load`. `record` holds the data of its training.
    """

    # 2: tags of words; 3: strings of text without spaces, rests of multiword tokens
    FORMAT = FileFormat("segmenter", version=3, oldest=1, implied=1)

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

    def segment(
        self,
        text: str,
        *,
        sentences: Splitting | Iterable[int] = "learned",
        language: str = "",
    ) -> list[Sentence]:
        """Return the sentences of a text; none if it is only white space.

        With `sentences="lines"`, every line is a sentence, and nothing else ends one. Numbers are
        the offsets, in characters, at which sentences start, and no others do. A sentence of more
        than 1,024 tokens is cut. `language` becomes a comment of every sentence, `# lang`.
        """
        text, cursor = require_text(text), Cursor(language=_code(language))
        if isinstance(sentences, str):
            return self._segment(text, cursor, by_lines=_by_lines(sentences))[0]
        from dodona.rules.boundaries import with_starts

        labels = bytes(len(text)) if self._boundaries is None else self._boundaries.forbidden(text)
        forbidden = with_starts(text, sentences, labels)
        return self._writer.segment(text, cursor, forbidden=forbidden)[0]

    def is_strange(self, text: str) -> bool:
        """Whether most words of a text are unknown, as in a language not seen in training.

        False for short texts, and for segmenters without a lexicon.
        """
        return self.lexicon is not None and self.lexicon.is_strange(text)

    def stream(
        self,
        chunks: Iterable[str],
        *,
        sentences: Splitting = "learned",
        name: str = "",
        language: str = "",
    ) -> Iterator[list[Sentence]]:
        """Yield the sentences of a text that comes in chunks, as soon as they are complete.

        They are those of the whole text, however it is cut; only incomplete sentences are kept in
        memory. If `chunks` raises an error, the text before it is segmented first. `name` becomes
        part of the ids of the document and its sentences; without it, sentences are numbered.
        `language` is as in `segment`.
        """
        by_lines, cursor = _by_lines(sentences), Cursor(to_str(name, "name"), _code(language))
        pieces: list[str] = []
        errors: list[Exception] = []
        n_waiting, n_wanted = 0, PIECE
        before = ""  # what was taken of the line with which the waiting text begins
        for chunk in before_error(chunks, errors):
            pieces.append(chunk)
            n_waiting += len(chunk)
            if n_waiting < n_wanted:
                continue
            text = "".join(pieces)
            start = cursor.offset
            found, cursor = self._segment(text, cursor, by_lines, before, is_end=False)
            n_taken = cursor.offset - start
            pieces, n_waiting = [text[n_taken:]], n_waiting - n_taken
            before = _last_line(before + text[:n_taken]) if self._boundaries else ""
            n_wanted = PIECE + 2 * n_waiting  # rescan a long sentence rarely
            if found:
                yield found
        text = "".join(pieces)
        found, _ = self._segment(text, cursor, by_lines, before)
        if found:
            yield found
        for error in errors:
            raise error

    @property
    def writer(self) -> SentenceWriter:
        """The compiled segmenter, without the boundaries that rules of a user forbid."""
        return self._writer

    @property
    def has_boundaries(self) -> bool:
        """Whether rules of a user forbid boundaries."""
        return self._boundaries is not None

    def _segment(
        self, text: str, cursor: Cursor, by_lines: bool, before: str = "", *, is_end: bool = True
    ) -> tuple[list[Sentence], Cursor]:
        """Return the sentences of a text, and the cursor behind them.

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

    @property
    def version(self) -> int:
        """The version of its file: 2 without what is new, so that older releases can read it."""
        has_strings = self.lexicon is not None and bool(self.lexicon.entropies)
        return self.FORMAT.version - (not (has_strings or self.rules.reads_rests))

    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the segmenter as plain data and arrays."""
        from dataclasses import asdict

        about = {
            "settings": {k: v for k, v in asdict(self.settings).items() if k != "size" or v},
            "rules": self.rules.rules,
            **({"reads_rests": True} if self.rules.reads_rests else {}),
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
            arrays |= lexicon_arrays(known)
        return about, arrays

    @classmethod
    def deserialise(cls, payload: Payload) -> Segmenter:
        """Restore a segmenter from the data and arrays of `serialise`."""
        about, arrays = payload.about, payload.arrays
        rules = ExpansionRules(
            restore_rules(read_field(about, "rules", list[list[Any]])),
            arrays["segmenter.words.hashes"],
            arrays["segmenter.words.answers"],
            "reads_rests" in about and read_field(about, "reads_rests", bool),
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
            restore_lexicon(about, arrays),
        )


def require_segmenter(segmenter: Segmenter | None) -> Segmenter:
    """Return the segmenter of a model, which raw text needs."""
    if segmenter is None:
        raise NoSegmenterError(
            "this model has no segmenter, so it cannot read raw text: give it sentences, or train "
            "one with --pipeline text"
        )
    return segmenter


def before_error(chunks: Iterable[str], errors: list[Exception]) -> Iterator[str]:
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
    if sentences not in SPLITTINGS:
        raise ValueError(f"sentences is 'learned' or 'lines', not {sentences!r}")
    return sentences == "lines"


def _code(language: str) -> str:
    if language and not (language.isascii() and language.isalnum()):
        raise ValueError(f"language is a code such as 'de', not {language!r}")
    return language
