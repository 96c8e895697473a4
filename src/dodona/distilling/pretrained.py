"""Pretrained transformers under a teacher: vectors of words in context, from any encoder that
`transformers` loads.

A tokenizer splits words into pieces, whatever its kind (word pieces, byte pairs, sentence pieces);
the vector of a word is the mean of its pieces in a learned mixture of all layers (Peters et al.
2018). A sentence with more pieces than the encoder has positions is cut into overlapping windows,
and each piece is taken from the window in which it has the most context.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from dodona.extras import require

MAX_PIECES = 16  # of a word; the others are ignored
FAR = 100_000  # a tokenizer without a limit reports a huge one
RESERVED = 2  # positions that RoBERTa and its kin skip
MOST_POSITIONS = 512  # longer windows cost more than they help
CONTEXT = 4  # a window shares a quarter of its pieces with each neighbour

AnyArray = Any  # of NumPy


@dataclass(frozen=True)
class Pieces:
    """The pieces of the words of some sentences, in windows that an encoder can read."""

    ids: AnyArray  # window, position: a piece
    mask: AnyArray  # window, position: 1, or 0 for padding
    words: AnyArray  # for every piece that is used: the index of its word …
    at: AnyArray  # … and its position in the flattened windows


class PieceTokenizer:
    """The tokenizer of an encoder, which splits words into pieces and sentences into windows."""

    def __init__(self, tokenizer: Any, max_positions: int) -> None:
        self.tokenizer = tokenizer
        unknown = tokenizer.unk_token_id
        self.unknown = (tokenizer.pad_token_id or 0) if unknown is None else unknown
        self.before, self.after = _special_pieces(tokenizer)
        self.limit = max_positions - len(self.before) - len(self.after)
        if self.limit < CONTEXT * MAX_PIECES:
            raise ValueError(f"the encoder reads only {max_positions} pieces at a time: too few")
        self._pieces: dict[str, list[int]] = {}

    def pieces(self, forms: Sequence[str]) -> list[list[int]]:
        """Return the pieces of each form: at least one, at most MAX_PIECES."""
        new = [form for form in dict.fromkeys(forms) if form not in self._pieces]
        if new:
            # a lone surrogate is no text: tokenizers refuse it
            texts = [form.encode("utf-8", "replace").decode() for form in new]
            found = self.tokenizer(texts, add_special_tokens=False)["input_ids"]
            for form, ids in zip(new, found, strict=True):
                self._pieces[form] = list(ids[:MAX_PIECES]) or [self.unknown]
        return [self._pieces[form] for form in forms]

    def windows(self, sentences: Sequence[Sequence[str]]) -> Pieces:
        """Cut sentences into windows; words are numbered through all sentences."""
        found: list[list[int]] = []
        n_pieces: list[int] = []  # of each word
        at: list[AnyArray] = []  # window, position
        for forms in sentences:
            of_words = self.pieces(forms)
            n_pieces += map(len, of_words)
            ids = list(chain.from_iterable(of_words))
            for start, stop, used in _cuts(len(ids), self.limit):
                places: AnyArray = np.arange(used.start, used.stop) + (len(self.before) - start)
                at.append(np.stack([np.full(len(used), len(found)), places]))
                found.append([*self.before, *ids[start:stop], *self.after])
        width = max(map(len, found), default=1)
        shape = len(found), width
        padded: AnyArray = np.full(shape, self.tokenizer.pad_token_id or 0, np.int64)
        mask: AnyArray = np.zeros(shape, np.int64)
        for row, ids in enumerate(found):
            padded[row, : len(ids)], mask[row, : len(ids)] = ids, 1
        words: AnyArray = np.repeat(np.arange(len(n_pieces)), n_pieces)
        of_pieces = np.concatenate(at, axis=1) if at else np.zeros((2, 0), np.int64)
        positions = np.array([width, 1]) @ of_pieces
        return Pieces(padded, mask, words, positions)


def _special_pieces(tokenizer: Any) -> tuple[list[int], list[int]]:
    """Return the special pieces before and after a sentence."""
    framed, inner = (
        tokenizer("a", add_special_tokens=special)["input_ids"] for special in (True, False)
    )
    n = len(inner)
    begin = next(i for i in range(len(framed)) if framed[i : i + n] == inner)
    return framed[:begin], framed[begin + n :]


def _cuts(n: int, limit: int) -> list[tuple[int, int, range]]:
    """Return begin and end of each window of n pieces, and the range of pieces taken from it.

    >>> _cuts(5, 8), _cuts(12, 8)
    ([(0, 5, range(0, 5))], [(0, 8, range(0, 6)), (4, 12, range(6, 12))])
    """
    if n <= limit:
        return [(0, n, range(n))]
    starts = [*range(0, n - limit, limit - 2 * (limit // CONTEXT)), n - limit]
    ends = [(one + limit + other) // 2 for one, other in pairwise(starts)]
    bounds = [0, *ends, n]
    return [
        (start, start + limit, range(begin, end))
        for start, (begin, end) in zip(starts, pairwise(bounds), strict=True)
    ]


class PretrainedEncoder(nn.Module):
    """A transformer with a learned mixture of its layers."""

    def __init__(self, source: str) -> None:
        """Load an encoder from a folder, a file of one, or by its name on a model hub."""
        super().__init__()
        self.model, tokenizer = _load(source)
        self.width = int(self.model.config.hidden_size)
        self.tokenizer = PieceTokenizer(tokenizer, _max_positions(self.model.config, tokenizer))
        self.mix = nn.Parameter(torch.zeros(int(self.model.config.num_hidden_layers) + 1))
        self.norm = nn.LayerNorm(self.width)

    def forward(self, pieces: dict[str, torch.Tensor], n_words: int) -> torch.Tensor:
        """Return the vectors of all words."""
        ids, mask = pieces["ids"], pieces["mask"]
        with torch.autocast(ids.device.type, torch.bfloat16, enabled=ids.is_cuda):
            layers = self.model(ids, attention_mask=mask, output_hidden_states=True).hidden_states
        mixed = torch.einsum("l,lwpd->wpd", self.mix.softmax(0), torch.stack(layers).float())
        used, words = mixed.reshape(-1, self.width)[pieces["at"]], pieces["words"]
        sums = used.new_zeros(n_words, self.width).index_add(0, words, used)
        counts = used.new_zeros(n_words).index_add(0, words, torch.ones_like(used[:, 0]))
        mean: torch.Tensor = self.norm(sums / counts.clamp(min=1)[:, None])
        return mean


@cache
def encoder_checksum(source: str) -> str:
    """Return a digest of the weights of an encoder and of its tokenizer's vocabulary."""
    model, tokenizer = _load(source)
    digest = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(value.detach().contiguous().numpy().tobytes())
    for piece, number in sorted(tokenizer.get_vocab().items()):
        digest.update(f"{piece}\0{number}\n".encode("utf-8", "replace"))
    return digest.hexdigest()


def _load(source: str) -> tuple[Any, Any]:
    """Return the model and the tokenizer; the message of an error names the source."""
    transformers = require("transformers", "teachers")
    transformers.utils.logging.disable_progress_bar()
    folder = Path(source)
    if folder.exists() and not (folder / "config.json").is_file():
        raise ValueError(f"{source}: not the folder of an encoder: it has no config.json")
    try:
        # byte pairs of RoBERTa's kind begin a word with its space
        tokenizer = transformers.AutoTokenizer.from_pretrained(source, add_prefix_space=True)
        model = transformers.AutoModel.from_pretrained(source)
    except (OSError, ValueError, KeyError) as error:
        reason = str(error).strip().split("\n")[0]
        raise ValueError(
            f"{source}: no encoder could be loaded ({reason}); give a folder with config.json, "
            "weights and tokenizer, or a name on the model hub"
        ) from error
    if model.config.is_encoder_decoder or not hasattr(model.config, "num_hidden_layers"):
        raise ValueError(f"{source}: not an encoder such as BERT, RoBERTa, ELECTRA or DeBERTa")
    if hasattr(model, "pooler"):
        model.pooler = None  # never used: its weights would only take space
    return model.float(), tokenizer


def _max_positions(config: Any, tokenizer: Any) -> int:
    """Return the number of pieces that an encoder reads at a time, with special ones."""
    positions = getattr(config, "max_position_embeddings", None) or FAR
    return int(min(positions - RESERVED, tokenizer.model_max_length, MOST_POSITIONS))
