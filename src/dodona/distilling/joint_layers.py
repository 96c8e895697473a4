"""The layers of a teacher of many treebanks, with which teachers of single ones begin.

One network for all languages learns more about a small one than its own treebank can teach: what it
learned about related languages is in its tables of words, in its LSTMs and in the scores of arcs,
labels and tags, not only in its encoder. A teacher of one treebank takes all of them over, those of
forms, characters, labels and tags by name, and goes on learning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from torch import Tensor

from dodona.distilling.encoder_file import SUFFIX, Layers, pack_encoder, unpack_layers
from dodona.distilling.teacher_inventory import TeacherInventory
from dodona.distilling.teacher_network import TeacherNetwork
from dodona.distilling.teacher_settings import TeacherSettings
from dodona.training.neural.tag_heads import parts_of

LABELS = "label_both"  # a matrix for each label
FORMS, CHARACTERS = "words.forms.weight", "words.characters.weight"
ENCODER, TAGS = "encoder.model.", "tags."  # prefixes
RATE = 0.0005  # learning rate of layers that have learned before

AnyArray = Any  # of NumPy


@dataclass(frozen=True)
class JointLayers:
    """The layers of a joint teacher."""

    width: int  # of an LSTM, in each direction
    layers: int
    labels: list[str]
    tags: dict[str, list[str]]  # by column: names of classes or of their parts
    forms: list[str]  # empty if the network reads words by its encoder alone
    characters: list[str]  # likewise
    arrays: dict[str, AnyArray]

    @classmethod
    def of(cls, network: TeacherNetwork, inventory: TeacherInventory) -> JointLayers:
        """Return the layers of a trained network."""
        named = dict(network.named_parameters())
        tags, rows = {}, {}
        for column, names, name in _tag_rows(inventory):
            tags[column] = names
            rows[f"{TAGS}{column}"] = named[name]
        rows |= {name: value for name, value in named.items() if not _is_of_one_treebank(name)}
        lstm = network.lstms[0]
        assert isinstance(lstm, torch.nn.LSTM)
        return cls(
            lstm.hidden_size,
            len(network.lstms),
            list(inventory.labels),
            tags,
            [] if network.words is None else _forms(inventory),
            [] if network.words is None else _characters(inventory),
            {name: value.detach().cpu().float().numpy() for name, value in rows.items()},
        )

    @classmethod
    def read(cls, encoder: str) -> JointLayers | None:
        """Return the layers in the file of an encoder; None if it is none, or has none."""
        path = Path(encoder)
        if path.suffix != SUFFIX or not path.is_file() or (found := unpack_layers(path)) is None:
            return None
        about, arrays = found
        return cls(**about, arrays=arrays)

    def packed(self) -> Layers:
        """Return what `read` reads."""
        return {name: value for name, value in vars(self).items() if name != "arrays"}, self.arrays

    def settings(self, settings: TeacherSettings) -> TeacherSettings:
        """Return the settings of a teacher that begins with these layers."""
        return replace(
            settings,
            width=self.width,
            layers=self.layers,
            words=bool(self.characters),
            learning_rate=RATE,
        )

    def begin(self, network: TeacherNetwork, inventory: TeacherInventory) -> None:
        """Fill in the layers of a network; what is new, by name, begins at random."""
        named = dict(network.named_parameters())
        rows = [(LABELS, inventory.labels, LABELS, self.labels)]
        if self.characters:
            rows.append((FORMS, _forms(inventory), FORMS, self.forms))
            rows.append((CHARACTERS, _characters(inventory), CHARACTERS, self.characters))
        for column, names, name in _tag_rows(inventory):
            if column in self.tags:
                rows.append((name, names, f"{TAGS}{column}", self.tags[column]))
        with torch.no_grad():
            for name, names, array, known in rows:
                self._fill_rows(named[name], names, known, array)
            for name in named.keys() - {name for name, *_ in rows}:
                if not _is_of_one_treebank(name):
                    named[name].copy_(torch.from_numpy(self.arrays[name]))

    def _fill_rows(
        self, value: Tensor, names: Sequence[str], known: Sequence[str], array: str
    ) -> None:
        row = {name: i for i, name in enumerate(known)}
        for i, name in enumerate(names):
            if name in row:
                value[i].copy_(torch.from_numpy(self.arrays[array][row[name]]))


def pack_teacher(network: TeacherNetwork, inventory: TeacherInventory, path: Path) -> None:
    """Write the encoder and the layers of a joint teacher as one file."""
    assert network.encoder is not None
    with TemporaryDirectory() as folder:
        network.encoder.model.save_pretrained(folder)
        network.encoder.tokenizer.tokenizer.save_pretrained(folder)
        pack_encoder(Path(folder), path, JointLayers.of(network, inventory).packed())


def _is_of_one_treebank(name: str) -> bool:
    """Whether a parameter is not taken over under its own name: `_tag_rows` numbers those of tags,
    and an encoder has its own file."""
    return name.startswith((ENCODER, TAGS))


def _forms(inventory: TeacherInventory) -> list[str]:
    """Return the forms of the rows of their table; row 0 is that of unknown words."""
    return ["", *(form.decode() for form in inventory.known.forms)]


def _characters(inventory: TeacherInventory) -> list[str]:
    """Return the characters of the rows of their table, after padding and unknown ones."""
    return ["padding", "unknown", *inventory.character_numbers]


def _tag_rows(inventory: TeacherInventory) -> Iterator[tuple[str, list[str], str]]:
    """Yield column, names and parameter of each tag head: of its parts if it has them."""
    for i, task in enumerate(inventory.tags.tag_classes):
        names = [name.decode() for name in task.classes]
        if i in inventory.tags.parts:
            parts = sorted({part for some in parts_of(task.column, names) for part in some})
            # a part is a column of the matrix from classes to parts, and a row of the layer
            yield task.column, parts, f"tags.{i}.of_parts.weight"
        else:
            yield task.column, names, f"tags.{i}.classes.weight"
