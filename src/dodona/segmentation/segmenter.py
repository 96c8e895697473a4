"""The segmenter as people use it: load, segment, save.

It finds sentences, tokens and words in plain text. What comes out holds all that went in: MISC
tells the white space around each token and its place, and `original_text` puts it together again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from dodona.core.segmenting.expansion import Expansion
from dodona.core.segmenting.places import LABELS
from dodona.core.segmenting.segmenting import Segmenting
from dodona.core.weights.packed import PackedWeights
from dodona.segmentation.rules import Rules, checked
from dodona.segmentation.segmented import Cursor, SentenceMaker
from dodona.settings import SegmenterSettings
from dodona.storage import container
from dodona.storage.container import Array
from dodona.treebank.sentence import Sentence

KIND, VERSION = "segmenter", 1
PIECE = 1 << 16  # characters; a stream is looked at when so many more have come

Splitting = Literal["learned", "lines"]


@dataclass
class Segmenter:
    """Splits text into sentences, tokens and words.

    Made by `train_segmenter` or `Segmenter.load`. `record` tells how it came to be.
    """

    settings: SegmenterSettings
    certain: bytes  # what two kinds of characters always do (core/places)
    weights: PackedWeights
    rules: Rules
    word_weights: PackedWeights
    bias: int = 0  # for or against new sentences
    record: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._maker = SentenceMaker(
            Segmenting(self.certain, self.weights, self.bias),
            Expansion(self.rules.index(), self.word_weights),
            self.rules.rules,
        )

    def segment(self, text: str, *, sentences: Splitting = "learned") -> list[Sentence]:
        """The sentences of a text, none if it is nothing but white space.

        With `sentences="lines"`, every line is a sentence, and nothing else ends one.
        """
        return self._maker.make(text, Cursor(), by_lines=_by_lines(sentences))[0]

    def stream(
        self, chunks: Iterable[str], *, sentences: Splitting = "learned"
    ) -> Iterator[list[Sentence]]:
        """The sentences of a text that comes in chunks, as soon as they are complete.

        They are those of the whole text, however it is cut; only the end of it is kept in memory.
        """
        by_lines, cursor = _by_lines(sentences), Cursor()
        pieces: list[str] = []
        n_waiting, n_wanted = 0, PIECE
        for chunk in chunks:
            pieces.append(chunk)
            n_waiting += len(chunk)
            if n_waiting < n_wanted:
                continue
            text = "".join(pieces)
            found, n_taken = self._maker.make(text, cursor, by_lines=by_lines, is_end=False)
            pieces, n_waiting = [text[n_taken:]], n_waiting - n_taken
            n_wanted = PIECE + 2 * n_waiting  # a long sentence is not looked at too often
            if found:
                yield found
        found, _ = self._maker.make("".join(pieces), cursor, by_lines=by_lines)
        if found:
            yield found

    def save(self, path: str | Path) -> None:
        """Write the segmenter to one file; an old one stays until the new one is complete."""
        about, arrays = self.parts()
        container.write(Path(path), KIND, VERSION, about, arrays)

    @classmethod
    def load(cls, path: str | Path) -> Segmenter:
        """The segmenter in a file."""
        about, arrays = container.read(Path(path), KIND, VERSION)
        try:
            return cls.from_parts(about, arrays)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise container.ContainerError(
                f"{path}: the segmenter does not fit together: {error}"
            ) from error

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """The segmenter as text and arrays, for a file of its own or as a part of another."""
        about = {
            "settings": asdict(self.settings),
            "rules": self.rules.rules,
            "bias": self.bias,
            "steps": [self.weights.step, self.word_weights.step],
            "record": self.record,
        }
        arrays = {
            "segmenter.certain": Array("U8", self.certain),
            "segmenter.buckets": Array("U32", self.weights.buckets_bytes()),
            "segmenter.rows": Array("I8", self.weights.rows_bytes()),
            "segmenter.words.hashes": Array("U64", self.rules.hashes.tobytes()),
            "segmenter.words.answers": Array("U32", self.rules.answers.tobytes()),
            "segmenter.words.buckets": Array("U32", self.word_weights.buckets_bytes()),
            "segmenter.words.rows": Array("I8", self.word_weights.rows_bytes()),
        }
        return about, arrays

    @classmethod
    def from_parts(cls, about: Mapping[str, Any], arrays: Mapping[str, memoryview]) -> Segmenter:
        """The segmenter that `parts` took apart."""
        rules = Rules(
            checked(about["rules"]),
            arrays["segmenter.words.hashes"],
            arrays["segmenter.words.answers"],
        )
        step, word_step = about["steps"]
        return cls(
            SegmenterSettings(**about["settings"]),
            bytes(arrays["segmenter.certain"]),
            _packed(len(LABELS), step, arrays, "segmenter"),
            rules,
            _packed(len(rules.rules) + 1, word_step, arrays, "segmenter.words"),
            about["bias"],
            about["record"],
        )


def needed(segmenter: Segmenter | None) -> Segmenter:
    """The segmenter of a model, which raw text cannot do without."""
    if segmenter is None:
        raise ValueError(
            "this model has no segmenter, so it cannot read raw text: give it sentences, or train "
            "one with --pipeline text"
        )
    return segmenter


def _packed(
    n_classes: int, step: float, arrays: Mapping[str, memoryview], name: str
) -> PackedWeights:
    buckets, rows = (arrays[f"{name}.{part}"].cast("B") for part in ("buckets", "rows"))
    return PackedWeights(n_classes, step, buckets, rows)


def _by_lines(sentences: str) -> bool:
    if sentences not in ("learned", "lines"):
        raise ValueError(f"sentences is 'learned' or 'lines', not {sentences!r}")
    return sentences == "lines"
