"""Sizes of networks and batches, dropout rates and learning rates."""

from __future__ import annotations

from dodona.settings import ENHANCED, Settings
from dodona.tagging.word_types import FIELDS, WordTypes
from dodona.training.neural.network import Dropout, Shape
from dodona.training.neural.optimizer import AdamWSettings
from dodona.training.neural.rollouts import padded
from dodona.training.neural.tag_heads import TagHeads

FIELD_WIDTHS = {"lower": 64, "grams": 64}  # columns of the tables …
HASHED_WIDTH = 32  # … and of all others
ARCS = 128  # units of the auxiliary arc loss
STEPS = 80  # at least in an epoch, if batches do not become too small
BATCH_SIZES = 300, 2500
WARM = 100
UNKNOWN_WORDS = 0.15  # share of forms that are treated as unknown
BAG = FIELDS.index("grams")


def batch_size_of(settings: Settings, n_words: int) -> int:
    """Return the number of words in a batch that suits a treebank of `n_words` words.

    A batch takes memory for all of its words, also if the treebank has not so many.
    """
    least, most = BATCH_SIZES
    chosen = min(settings.network.batch_words, max(n_words, most))
    return chosen or min(max(n_words // STEPS, least), most)


def dropout_of(settings: Settings) -> Dropout:
    """Return the dropout rates of these settings."""
    rate = settings.network.dropout
    return Dropout(min(UNKNOWN_WORDS, rate), rate, rate, rate)


def shape_of(
    settings: Settings,
    types: WordTypes,
    tags: TagHeads,
    n_slots: int,
    n_atom_rows: int,
    n_classes: int,
    vectors: int | None,
) -> Shape:
    """Return the sizes of the network; `vectors` is the width of pretrained vectors."""
    widths = [FIELD_WIDTHS.get(name, HASHED_WIDTH) for name in types.fields]
    if vectors is not None:
        widths[-1] = vectors
    return Shape(
        settings.network.width,
        settings.network.layers,
        settings.network.hidden,
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


def adamw_settings(settings: Settings, n_steps: int) -> AdamWSettings:
    """Return the settings of the optimizer, with `n_steps` steps in an epoch."""
    return AdamWSettings(
        rate=settings.network.learning_rate,
        warm=min(WARM, 2 * n_steps),
        steps=n_steps * settings.epochs,
    )
