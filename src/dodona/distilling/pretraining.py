"""Pretraining of a transformer on words of raw text, for languages that have no encoder.

A vocabulary of pieces is learned from words (byte-pair encoding, Sennrich et al. 2016); the network
guesses masked pieces (Devlin et al. 2019) in sentences of all languages at once, so that small ones
profit from large ones. It reads words, as teachers do, not running text: the pieces of a word are
the same in both.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from dodona.distilling.pretrained import MAX_PIECES, PieceTokenizer
from dodona.distilling.teacher_network import choose_device
from dodona.extras import require

PAD, UNKNOWN, BEGIN, END, MASK = SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
KEPT, RANDOM = 0.1, 0.1  # shares of chosen pieces that are not masked, or replaced by another one
LARGEST_GRADIENT = 1.0
MOST_CHARACTERS = 7000  # with pieces of their own; Chinese and Korean need thousands
WEIGHT_DECAY = 0.01
WARM = 0.12  # share of all steps
POSITIONS = 256  # of the network: teachers read longer sentences than it learns from

AnyArray = Any  # of NumPy


@dataclass(frozen=True)
class PretrainingSettings:
    """Sizes of the network and of its training."""

    vocabulary: int = 32_000  # pieces
    embedding: int = 192  # of a piece
    width: int = 512
    layers: int = 6
    heads: int = 8
    longest: int = 128  # pieces of a sentence that are read
    epochs: int = 30
    batch_pieces: int = 32_768
    learning_rate: float = 4e-4
    masked: float = 0.2  # share of pieces to guess
    dropout: float = 0.0  # a corpus that is read a few times is not learned by heart
    seed: int = 1


def learn_pieces(sentences: Iterable[Sequence[str]], size: int) -> Any:
    """Learn a vocabulary of pieces, and return a tokenizer of words."""
    tokenizers, transformers = (
        require("tokenizers", "teachers"),
        require("transformers", "teachers"),
    )
    found = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token=UNKNOWN))
    found.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(prepend_scheme="always")
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size,
        limit_alphabet=min(MOST_CHARACTERS, size // 2),
        special_tokens=list(SPECIAL),
        show_progress=False,
    )
    found.train_from_iterator((" ".join(words) for words in sentences), trainer)
    begin, end = found.token_to_id(BEGIN), found.token_to_id(END)
    found.post_processor = tokenizers.processors.TemplateProcessing(
        single=f"{BEGIN} $A {END}", special_tokens=[(BEGIN, begin), (END, end)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=found,
        pad_token=PAD,
        unk_token=UNKNOWN,
        cls_token=BEGIN,
        sep_token=END,
        mask_token=MASK,
    )


@dataclass(frozen=True)
class PieceCorpus:
    """Sentences as pieces, one after the other, language by language."""

    pieces: AnyArray  # of all sentences
    first: AnyArray  # index of the first piece of each, and the end
    languages: AnyArray  # per sentence: the number of its language

    @classmethod
    def of(cls, sentences: Iterable[Sequence[str]], tokenizer: Any, longest: int) -> PieceCorpus:
        """Split the words of sentences of one language into pieces."""
        split = PieceTokenizer(tokenizer, max(longest, 5 * MAX_PIECES))
        found: list[AnyArray] = []
        for words in sentences:
            ids = [piece for some in split.pieces(words) for piece in some]
            found.append(np.array([*split.before, *ids[: split.limit], *split.after], np.uint16))
        sizes = np.array([0, *map(len, found)], np.int64)
        pieces = np.concatenate(found) if found else np.zeros(0, np.uint16)
        return cls(pieces, np.cumsum(sizes), np.zeros(len(found), np.int32))

    def __len__(self) -> int:
        return len(self.languages)

    @classmethod
    def join(cls, parts: Sequence[PieceCorpus], repeats: Sequence[float], seed: int) -> PieceCorpus:
        """Return one corpus of several languages, some of whose sentences are repeated."""
        random = np.random.default_rng(seed)
        pieces, sizes = [], []
        languages: list[AnyArray] = []
        for number, (part, repeat) in enumerate(zip(parts, repeats, strict=True)):
            whole, rest = divmod(repeat, 1)
            chosen = np.concatenate(
                [
                    *[np.arange(len(part))] * int(whole),
                    np.flatnonzero(random.random(len(part)) < rest),
                ]
            )
            pieces.append(part._stream(chosen))
            sizes.append(np.diff(part.first)[chosen])
            languages.append(np.full(len(chosen), number, np.int32))
        first = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
        return cls(np.concatenate(pieces), first, np.concatenate(languages))

    def batches(self, size: int, longest: int, seed: int) -> Iterator[AnyArray]:
        """Yield batches (row, position) of `size` pieces, in rows of `longest` pieces each.

        A row is filled with sentences of one language, and cut where it is full: no padding, and
        one shape, which can be compiled. What fills no batch is left out.
        """
        random = np.random.default_rng(seed)
        order = random.permutation(len(self))
        order = order[np.argsort(self.languages[order], kind="stable")]
        stream = self._stream(order)
        n_rows = max(size // longest, 1)
        if len(stream) < n_rows * longest:  # a tiny corpus is repeated
            stream = np.resize(stream, n_rows * longest)
        rows = stream[: len(stream) // longest * longest].reshape(-1, longest)
        chosen = random.permutation(len(rows))
        for begin in range(0, len(rows) - n_rows + 1, n_rows):
            yield rows[chosen[begin : begin + n_rows]].astype(np.int64)

    def n_batches(self, size: int, longest: int) -> int:
        """Return the number of batches of an epoch."""
        return max(len(self.pieces) // longest // max(size // longest, 1), 1)

    def _stream(self, chosen: AnyArray) -> AnyArray:
        """Return the pieces of some sentences, in this order."""
        n = np.diff(self.first)[chosen]
        at = np.repeat(self.first[chosen] - (np.cumsum(n) - n), n) + np.arange(n.sum())
        return self.pieces[at]


class Pretraining:
    """The training of a masked language model."""

    def __init__(self, tokenizer: Any, corpus: PieceCorpus, settings: PretrainingSettings) -> None:
        transformers = require("transformers", "teachers")
        torch.manual_seed(settings.seed)
        self.tokenizer, self.corpus, self.settings = tokenizer, corpus, settings
        self.device = choose_device()
        self.is_on_gpu = self.device.type == "cuda"
        self.model = transformers.ElectraForMaskedLM(
            transformers.ElectraConfig(
                vocab_size=len(tokenizer),
                embedding_size=settings.embedding,
                hidden_size=settings.width,
                num_hidden_layers=settings.layers,
                num_attention_heads=settings.heads,
                intermediate_size=4 * settings.width,
                max_position_embeddings=POSITIONS,
                hidden_dropout_prob=settings.dropout,
                attention_probs_dropout_prob=settings.dropout,
                pad_token_id=tokenizer.pad_token_id,
            )
        ).to(self.device)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(),
            lr=settings.learning_rate,
            betas=(0.9, 0.98),
            weight_decay=WEIGHT_DECAY,
            fused=self.is_on_gpu,
        )
        self.n_done = self.step = 0  # epochs, steps
        self.n_steps = settings.epochs * corpus.n_batches(settings.batch_pieces, settings.longest)
        # fused kernels: the activations of small networks take longer to move than to compute
        self._loss_of = torch.compile(self._loss) if self.is_on_gpu else self._loss

    def epochs(self, seconds: float = math.inf) -> Iterator[tuple[int, float, float]]:
        """Run the epochs; yield number, loss, and pieces a second of each.

        With a limit of seconds the learning rate falls by time, so that training ends there.
        """
        start = monotonic()
        while self.n_done < self.settings.epochs and monotonic() - start < seconds:
            begin, losses, n = monotonic(), torch.zeros((), device=self.device), 0
            steps = 0
            sizes = self.settings.batch_pieces, self.settings.longest
            for batch in self.corpus.batches(*sizes, seed=1 + self.n_done):
                past = max(self.step / self.n_steps, (monotonic() - start) / seconds)
                if past >= 1:
                    break
                losses += self._learn(batch, past)
                n += batch.size
                steps += 1
            self.n_done += 1
            yield self.n_done, float(losses) / max(steps, 1), n / (monotonic() - begin)

    def _learn(self, batch: AnyArray, past: float) -> Tensor:
        """Make one step; `past` is the share of the training that is over."""
        rate = min(past / WARM, 0.5 + 0.5 * math.cos(math.pi * past))
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.learning_rate * max(rate, 1e-3)
        ids = self._transfer(batch)
        inputs, chosen = self._mask(ids, max(round(self.settings.masked * batch.size), 1))
        loss = self._loss_of(inputs, chosen, ids.flatten()[chosen])
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), LARGEST_GRADIENT)
        self.optimizer.step()
        self.step += 1
        return loss.detach()

    def _loss(self, inputs: Tensor, chosen: Tensor, right: Tensor) -> Tensor:
        """Return the loss of the pieces to be guessed."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.is_on_gpu):
            hidden = self.model.electra(input_ids=inputs)[0]
            guessed = self.model.generator_predictions(hidden.flatten(0, 1)[chosen])
            scores = self.model.generator_lm_head(guessed)
        return functional.cross_entropy(scores.float(), right)

    def _transfer(self, batch: AnyArray) -> Tensor:
        """Return a batch on the device, without waiting for the steps before."""
        ids = torch.from_numpy(batch)
        return ids.pin_memory().to("cuda", non_blocking=True) if self.is_on_gpu else ids

    def _mask(self, ids: Tensor, n_chosen: int) -> tuple[Tensor, Tensor]:
        """Return the pieces with some masked, and the positions of those to be guessed.

        How many they are is the same in every step: a number found on the GPU would have to be
        waited for.
        """
        flat = ids.flatten()
        chances = torch.rand(flat.shape, device=self.device).masked_fill(flat < len(SPECIAL), -1)
        chosen = chances.topk(n_chosen).indices
        how = torch.rand(n_chosen, device=self.device)
        others = torch.randint(len(SPECIAL), len(self.tokenizer), how.shape, device=self.device)
        shown = torch.where(how < KEPT, flat[chosen], self.tokenizer.mask_token_id)
        shown = torch.where(how >= 1 - RANDOM, others, shown)
        return flat.scatter(0, chosen, shown).view_as(ids), chosen

    def save(self, folder: Path) -> None:
        """Write the encoder, without the layer that guesses pieces, as `transformers` reads it."""
        folder.mkdir(parents=True, exist_ok=True)
        self.model.electra.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        about = {"steps": self.step, "pieces": len(self.corpus.pieces)}
        (folder / "pretraining.json").write_text(json.dumps(about), encoding="utf-8")
