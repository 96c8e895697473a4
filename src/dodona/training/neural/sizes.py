"""How a network is to be taught: its sizes, how much at once, how fast, what is left out."""

from __future__ import annotations

from dataclasses import dataclass

from dodona.settings import ENHANCED, Settings
from dodona.tagging.word_types import FIELDS, WordTypes
from dodona.training.neural.network import Dropout, Shape
from dodona.training.neural.optimizer import Pace
from dodona.training.neural.rollouts import padded
from dodona.training.neural.tag_heads import Tags

FIELD_WIDTHS = {"lower": 64, "grams": 64}  # of the tables; of all others:
HASHED_WIDTH = 32
ARCS = 128  # units of the arcs that are learned beside the states
STEPS = 80  # in an epoch, at least, as long as a batch has a few sentences
BATCH_SIZES = 300, 2500
WARM = 100
UNKNOWN_WORDS = 0.15  # share of forms that are taken for unknown
BAG = FIELDS.index("grams")


@dataclass(frozen=True)
class Plan:
    """Words in a batch, and shares of what is left out."""

    batch_size: int
    dropout: Dropout

    @classmethod
    def of(cls, settings: Settings, n_words: int) -> Plan:
        """As suits a treebank of so many words."""
        least, most = BATCH_SIZES
        suited = min(max(n_words // STEPS, least), most)
        rate = settings.dropout
        return cls(
            settings.batch_words or suited, Dropout(min(UNKNOWN_WORDS, rate), rate, rate, rate)
        )


def shape_of(
    settings: Settings,
    types: WordTypes,
    tags: Tags,
    n_slots: int,
    n_atom_rows: int,
    n_classes: int,
    vectors: int | None,
) -> Shape:
    """The sizes of the network; `vectors` is the width of those that are given."""
    widths = [FIELD_WIDTHS.get(name, HASHED_WIDTH) for name in types.fields]
    if vectors is not None:
        widths[-1] = vectors
    return Shape(
        settings.width,
        settings.layers,
        settings.hidden,
        types.table_sizes,
        tuple(widths),
        BAG,
        tags.sizes,
        n_slots,
        n_atom_rows,
        padded(n_classes),
        tags.fed_back,
        fixed=() if vectors is None else (len(FIELDS),),
        parts=tuple((head, parts.shape[1]) for head, parts in tags.parts.items()),
        arcs=0 if settings.graph == ENHANCED else ARCS,
    )


def pace_of(settings: Settings, n_steps: int) -> Pace:
    """How fast to learn, with so many steps in an epoch."""
    return Pace(
        rate=settings.learning_rate,
        warm=min(WARM, 2 * n_steps),
        steps=n_steps * settings.epochs,
    )
