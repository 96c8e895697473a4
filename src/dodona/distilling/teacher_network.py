"""The network of a teacher: a biaffine graph-based parser (Dozat & Manning 2017) in PyTorch.

Words are represented by the same hashed features as in the parsing networks, by pretrained vectors,
by a convolution over their characters (Ma & Hovy 2016) and, if there is one, by a pretrained
transformer; bidirectional LSTMs encode the sentence; then heads, labels of arcs, and tags are
scored. A teacher annotates text that smaller networks learn from, and is never a part of a model.

Shapes: B sentences, padded to T words each.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from dodona.distilling.pretrained import PretrainedEncoder
from dodona.distilling.teacher_inventory import PaddedBatch, TeacherInventory
from dodona.distilling.teacher_settings import TeacherSettings

LOWEST = -1e9  # score of a masked head
SLOPE = 0.1  # of the leaky ReLU
UNKNOWN = -1  # a head, label or tag that is not learned
WORD_DROPOUT = 0.15  # forms and pretrained vectors that are replaced by the unknown word, at most
# the widths of a network of 400 units, and the least of narrower ones
WIDTHS = {
    "forms": (100, 16),
    "hashed": (32, 8),
    "characters": (64, 8),
    "convolution": (128, 16),
    "arcs": (500, 16),
    "labels": (128, 16),
}
FULL_WIDTH = TeacherSettings.width

AnyArray = Any  # of NumPy


class TeacherScores(NamedTuple):
    """The output of a teacher."""

    arcs: Tensor  # B, T, T + 1: the first head is the root
    dependents: Tensor  # inputs of the label scorer: B, T, labels
    heads: Tensor  # B, T + 1, labels
    tags: list[Tensor]  # B, T, classes


def choose_device() -> torch.device:
    """Return the GPU if there is one, else the CPU."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    torch.set_float32_matmul_precision("high")  # TensorFloat-32, three times as fast
    return torch.device("cuda")


class TeacherNetwork(nn.Module):
    """The network, for the words, labels and tags of an inventory."""

    def __init__(self, inventory: TeacherInventory, settings: TeacherSettings) -> None:
        super().__init__()
        torch.manual_seed(settings.seed)
        self.rate = settings.dropout
        size = {
            name: max(int(full * min(settings.width / FULL_WIDTH, 1)), least)
            for name, (full, least) in WIDTHS.items()
        }
        self.encoder = PretrainedEncoder(settings.encoder) if settings.encoder else None
        self.words = WordInputs(inventory, size, self.rate)
        n_in = self.words.width + (self.encoder.width if self.encoder else 0)
        n = 2 * settings.width
        self.lstms = nn.ModuleList(
            nn.LSTM(n if i else n_in, settings.width, batch_first=True, bidirectional=True)
            for i in range(settings.layers)
        )
        self.root = nn.Parameter(torch.randn(n) / 2)
        self.arc_dependent, self.arc_head = nn.Linear(n, size["arcs"]), nn.Linear(n, size["arcs"])
        self.label_dependent = nn.Linear(n, size["labels"])
        self.label_head = nn.Linear(n, size["labels"])
        self.arc_both = nn.Parameter(torch.randn(size["arcs"] + 1, size["arcs"]) / size["arcs"])
        units = size["labels"] + 1
        both = torch.randn(len(inventory.labels), units, units) / units
        self.label_both = nn.Parameter(both)
        self.tags = nn.ModuleList(
            TagScores(n, n_classes, inventory.tags.parts.get(i))
            for i, n_classes in enumerate(inventory.tags.sizes)
        )

    @property
    def device(self) -> torch.device:
        """The device of the parameters."""
        return self.root.device

    def tensors(self, batch: PaddedBatch) -> dict[str, Tensor]:
        """Return the inputs of a batch on the network's device.

        `sizes` are the lengths on the CPU: asking the GPU for them would mean to wait for all steps
        before, while the next batch could be prepared.
        """
        found = dict(batch.arrays)
        if self.encoder is not None:
            pieces = self.encoder.tokenizer.windows(batch.forms)
            found |= {name: getattr(pieces, name) for name in ("ids", "mask", "words", "at")}
            found["inside"] = batch.positions[0] * found["single"].shape[1] + batch.positions[1]
        return {**self.transfer(found), "sizes": torch.from_numpy(batch.lengths)}

    def transfer(self, arrays: dict[str, AnyArray]) -> dict[str, Tensor]:
        """Return arrays on the network's device."""
        found = {name: torch.from_numpy(np.ascontiguousarray(x)) for name, x in arrays.items()}
        if self.device.type != "cuda":
            return found
        return {
            name: value.pin_memory().to(self.device, non_blocking=True)
            for name, value in found.items()
        }

    def forward(self, arrays: dict[str, Tensor]) -> TeacherScores:
        """Score heads, labels and tags of a batch."""
        lengths, sizes = arrays["lengths"], arrays["sizes"]
        inputs = [self.words(arrays["single"], arrays["characters"])]
        if self.encoder is not None:
            inputs.append(self._in_context(arrays, *arrays["single"].shape[:2]))
        x = self._drop(torch.cat(inputs, dim=2))
        for lstm in self.lstms:
            packed = pack_padded_sequence(x, sizes, batch_first=True, enforce_sorted=False)
            x, _ = pad_packed_sequence(lstm(packed)[0], batch_first=True, total_length=x.shape[1])
            x = self._drop(x)
        with_root = torch.cat([self.root.expand(len(x), 1, -1), x], dim=1)
        both = _and_one(self._units(self.arc_dependent, x)) @ self.arc_both
        arcs = both @ self._units(self.arc_head, with_root).transpose(1, 2)
        return TeacherScores(
            arcs.masked_fill(~_is_head(lengths, x.shape[1]), LOWEST),
            self._units(self.label_dependent, x),
            self._units(self.label_head, with_root),
            [classes(x) for classes in self.tags],
        )

    def _in_context(self, arrays: dict[str, Tensor], n_rows: int, length: int) -> Tensor:
        """Return the encoder's vectors of all words, padded: B, T, width."""
        assert self.encoder is not None
        inside, width = arrays["inside"], self.encoder.width
        kind = self.device.type
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=kind == "cuda"):
            words = self.encoder(arrays, len(inside))
        padded = words.new_zeros(n_rows * length, width).index_copy(0, inside, words)
        return padded.view(n_rows, length, width)

    def _units(self, layer: nn.Module, x: Tensor) -> Tensor:
        return self._drop(functional.leaky_relu(layer(x), SLOPE))

    def _drop(self, x: Tensor) -> Tensor:
        """Apply dropout, with one mask for all words of a sentence (Gal & Ghahramani 2016)."""
        if not self.training or not self.rate:
            return x
        mask = torch.rand(x.shape[0], 1, x.shape[2], device=x.device) >= self.rate
        return x * mask / (1 - self.rate)

    def label_scores(self, dependents: Tensor, heads: Tensor, chosen: Tensor) -> Tensor:
        """Score the labels of one arc per word: B, T, labels."""
        of_heads = heads.gather(1, chosen[:, :, None].expand(-1, -1, heads.shape[2]))
        some = torch.einsum("bti,lij->btlj", _and_one(dependents), self.label_both)
        return torch.einsum("btlj,btj->btl", some, _and_one(of_heads))

    def loss(self, arrays: dict[str, Tensor], gold: dict[str, Tensor]) -> Tensor:
        """Return the loss of heads, labels and tags per word; negative classes add nothing."""
        scores = self(arrays)
        heads, labels = gold["heads"], gold["labels"]
        total = _cross_entropy(scores.arcs, heads)
        of_labels = self.label_scores(scores.dependents, scores.heads, heads.clamp(min=0))
        total = total + _cross_entropy(of_labels, labels.masked_fill(heads < 0, UNKNOWN))
        for found, right in zip(scores.tags, gold["tags"], strict=True):
            total = total + _cross_entropy(found, right)
        return total / arrays["lengths"].sum()


class WordInputs(nn.Module):
    """The representation of words without context: B, T, width."""

    given: Tensor

    def __init__(self, inventory: TeacherInventory, size: dict[str, int], rate: float) -> None:
        super().__init__()
        self.rate = min(rate, WORD_DROPOUT)
        forms, *hashed = inventory.table_sizes
        self.forms = nn.Embedding(forms, size["forms"])
        self.hashed = nn.ModuleList(nn.Embedding(n, size["hashed"]) for n in hashed)
        self.characters = nn.Embedding(inventory.n_characters, size["characters"])
        self.convolution = nn.Conv1d(size["characters"], size["convolution"], 3, padding="same")
        self.register_buffer("given", torch.from_numpy(inventory.given), persistent=False)
        of_tables = size["forms"] + size["hashed"] * len(hashed)
        self.width = of_tables + inventory.given.shape[1] + size["convolution"]

    def forward(self, single: Tensor, characters: Tensor) -> Tensor:
        """Return vectors.

        `single` holds the table row of each feature, last the row of the pretrained vector;
        `characters` holds the numbers of a word's characters, 0 for padding.
        """
        rows = single.unbind(2)
        found = [self.forms(self._some_unknown(rows[0]))]
        found += [table(of) for table, of in zip(self.hashed, rows[1:], strict=False)]
        if self.given.shape[1]:
            found.append(self.given[self._some_unknown(rows[len(self.hashed) + 1])])
        flat = characters.flatten(0, 1)
        convolved = self.convolution(self.characters(flat).transpose(1, 2))
        units = convolved.masked_fill((flat == 0)[:, None], -10).amax(dim=2).tanh()
        return torch.cat([*found, units.unflatten(0, single.shape[:2])], dim=2)

    def _some_unknown(self, rows: Tensor) -> Tensor:
        """Replace some rows by that of the unknown word, in training."""
        if not self.training or not self.rate:
            return rows
        return rows * (torch.rand(rows.shape, device=rows.device) >= self.rate)


class TagScores(nn.Module):
    """The scores of tags, which may be composed of parts, such as the Name=Value of FEATS."""

    parts: Tensor | None

    def __init__(self, n_in: int, n_classes: int, parts: AnyArray | None) -> None:
        super().__init__()
        self.classes = nn.Linear(n_in, n_classes)
        self.register_buffer(
            "parts", None if parts is None else torch.from_numpy(parts), persistent=False
        )
        self.of_parts = None
        if parts is not None:  # most of a class's score comes from its parts
            self.of_parts = nn.Linear(n_in, parts.shape[1], bias=False)
            with torch.no_grad():
                self.classes.weight *= 0.1

    def forward(self, x: Tensor) -> Tensor:
        """Return the score of each class."""
        found: Tensor = self.classes(x)
        if self.of_parts is None or self.parts is None:
            return found
        return found + self.of_parts(x) @ self.parts.T


def _is_head(lengths: Tensor, n: int) -> Tensor:
    """Return which heads are possible: the root and other words of the sentence. B, T, T + 1."""
    head = torch.arange(n + 1, device=lengths.device)
    is_word = head <= lengths[:, None]
    return is_word[:, None] & (head != torch.arange(1, n + 1, device=lengths.device)[:, None])


def _and_one(x: Tensor) -> Tensor:
    return torch.cat([x, torch.ones_like(x[..., :1])], dim=-1)


def _cross_entropy(scores: Tensor, right: Tensor) -> Tensor:
    """Return the sum over all words whose class is known."""
    return functional.cross_entropy(
        scores.flatten(0, 1), right.flatten().long(), ignore_index=UNKNOWN, reduction="sum"
    )
