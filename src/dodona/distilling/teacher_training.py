"""Training, saving and loading of teachers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils import clip_grad_norm_
from torch.optim.swa_utils import get_ema_multi_avg_fn

from dodona.distilling.pretrained import encoder_checksum
from dodona.distilling.teacher_inventory import TeacherInventory, padded_batches
from dodona.distilling.teacher_network import UNKNOWN, TeacherNetwork, choose_device
from dodona.distilling.teacher_settings import TeacherSettings
from dodona.storage import container
from dodona.storage.container import Array
from dodona.training.checkpoint import TrainingState
from dodona.training.loop import Epoch, Learner

KIND, VERSION = "teacher", 2  # 2: in PyTorch
WARM_EPOCHS = 2
DECAY = 0.998  # of the moving average of parameters, after as many steps as it averages over
WEIGHT_DECAY = 0.01
LARGEST_GRADIENT = 5.0
ENCODER = "encoder.model."  # prefix of the parameters of a pretrained transformer
MOMENTS = {"mean": "exp_avg", "square": "exp_avg_sq"}  # of AdamW, as PyTorch calls them

Parameters = dict[str, Tensor]


@dataclass(frozen=True)
class Teacher:
    """A trained network."""

    network: TeacherNetwork

    def save(self, path: Path, about: dict[str, Any]) -> None:
        """Write a file without the pretrained vectors; `about` describes data and settings."""
        named = dict(self.network.named_parameters())
        arrays = {name: Array("F32", _floats(value).cast("B")) for name, value in named.items()}
        sizes = {name: list(value.shape) for name, value in named.items()}
        container.write(path, KIND, VERSION, {"about": about, "sizes": sizes}, arrays)

    @classmethod
    def load(cls, path: Path, inventory: TeacherInventory, settings: TeacherSettings) -> Teacher:
        """Load a teacher that was trained with the same inventory and settings."""
        metadata, arrays = container.read(path, KIND, VERSION, VERSION, advice="remove it")
        network = TeacherNetwork(inventory, settings)
        if metadata["about"] != describe_teacher(inventory, settings):
            raise ValueError(
                f"{path}: this teacher was trained on other data or with other settings; remove "
                "it, or choose another folder by --work"
            )
        named = dict(network.named_parameters())
        if metadata["sizes"] != {name: list(value.shape) for name, value in named.items()}:
            raise ValueError(f"{path}: the arrays are not those of a teacher; remove the file")
        _fill(named, arrays)
        return cls(network.to(choose_device()).eval())


def describe_teacher(inventory: TeacherInventory, settings: TeacherSettings) -> dict[str, Any]:
    """Return settings and digests of the data, which determine a teacher.

    An encoder is known by its contents, not by the name of its folder.
    """
    known = {"encoder": encoder_checksum(settings.encoder)} if settings.encoder else {}
    return {"settings": asdict(settings) | known, "checksums": inventory.checksums()}


class TeacherTrainer(Learner[Parameters]):
    """The trainer of one teacher, which is the moving average over the last training steps."""

    part = "teacher"

    def __init__(self, inventory: TeacherInventory, settings: TeacherSettings) -> None:
        super().__init__()
        self.inventory = inventory
        self.settings: TeacherSettings = settings
        self.encoded = inventory.encode(inventory.sentences)
        self._gold = inventory.gold_classes()
        sizes = self.encoded.n_words
        self.order = [i for i, n in enumerate(sizes) if 0 < n <= settings.longest]
        if not self.order:
            raise ValueError(f"no sentence of up to {settings.longest} words to learn from")
        self.n_pieces, self.n_words = len(self.order), int(sizes[self.order].sum())
        batches = padded_batches(self.encoded, self.order, settings.batch_words)
        self.n_steps = sum(1 for _ in batches)  # of an epoch
        self.step = 0
        self.network = TeacherNetwork(inventory, settings)
        self.network.to(choose_device())
        self.parameters = dict(self.network.named_parameters())
        self._average = {name: value.detach().clone() for name, value in self.parameters.items()}
        self.optimizer = self._new_optimizer()

    def _new_optimizer(self) -> torch.optim.AdamW:
        pretrained = [p for name, p in self.parameters.items() if name.startswith(ENCODER)]
        others = [p for name, p in self.parameters.items() if not name.startswith(ENCODER)]
        rates = (others, self.settings.learning_rate), (pretrained, self.settings.encoder_rate)
        groups = [{"params": some, "lr": rate, "peak": rate} for some, rate in rates if some]
        is_on_gpu = self.network.device.type == "cuda"
        return torch.optim.AdamW(
            groups, weight_decay=WEIGHT_DECAY, betas=(0.9, 0.98), fused=is_on_gpu
        )

    def cost(self) -> str:
        """Describe what training takes."""
        n = sum(value.numel() for value in self.parameters.values())
        return (
            f"{n / 1e6:,.1f} million parameters, {self.settings.epochs} epochs of "
            f"{self.n_words:,} words, on the {self.network.device.type.upper()}"
        )

    def time_left(self, epoch: Epoch) -> str:
        """Estimate from one epoch how long the others take."""
        minutes = (self.settings.epochs - len(self.history)) * epoch.seconds / 60
        return f"about {minutes:,.0f} more minutes"

    def _rate(self) -> float:
        """Return the share of the learning rate at this step: it rises, then falls as a cosine."""
        warm = min(WARM_EPOCHS, self.settings.epochs / 4) * self.n_steps
        if self.step < warm:
            return (self.step + 1) / (warm + 1)
        whole = self.settings.epochs * self.n_steps
        return 0.5 + 0.5 * math.cos(math.pi * min((self.step - warm) / (whole - warm), 1))

    def learn_epoch(self, number: int) -> Iterator[int]:
        seed, n_done = self.settings.seed + (number << 32), 0
        self.network.train()
        for batch in padded_batches(self.encoded, self.order, self.settings.batch_words, seed):
            torch.manual_seed(self.settings.seed * 1_000_003 + self.step)  # of dropout
            gold = {name: batch.padded(found, UNKNOWN) for name, found in self._gold.items()}
            loss = self.network.loss(self.network.tensors(batch), self.network.transfer(gold))
            self.optimizer.zero_grad()
            loss.backward()
            clip_grad_norm_(self.network.parameters(), LARGEST_GRADIENT)
            share = self._rate()
            for group in self.optimizer.param_groups:
                group["lr"] = share * group["peak"]
            self.optimizer.step()
            self.step += 1
            with torch.no_grad():
                # at the beginning, the average is over the last tenth of all steps
                update = get_ema_multi_avg_fn(min(DECAY, (1 + self.step) / (10 + self.step)))
                update([*self._average.values()], [*self.parameters.values()], self.step)
            n_done += len(batch.sentences)
            yield n_done

    @property
    def n_updates(self) -> int:
        return self.step

    def average(self) -> Parameters:
        return self._average

    def score(self, learned: Parameters) -> dict[str, float]:
        """Return no scores: the last epoch is kept, after the learning rate has decayed."""
        return {}

    def checksum_data(self) -> dict[str, str]:
        return self.inventory.checksums()

    def state(self) -> TrainingState:
        arrays = {f"parameters/{name}": _floats(x) for name, x in self.parameters.items()}
        arrays |= {f"average/{name}": _floats(x) for name, x in self._average.items()}
        for name, value in self.parameters.items():
            for kind, key in MOMENTS.items():
                arrays[f"{kind}/{name}"] = _floats(self.optimizer.state[value][key])
        return TrainingState(numbers={"step": self.step}, arrays=arrays)

    def load_state(self, state: TrainingState) -> None:
        self.step = int(state.numbers["step"])

        def within(kind: str) -> dict[str, memoryview]:
            return {name: state.arrays[f"{kind}/{name}"] for name in self.parameters}

        _fill(self.parameters, within("parameters"))
        _fill(self._average, within("average"))
        for value in self.parameters.values():
            moments = {key: torch.zeros_like(value) for key in MOMENTS.values()}
            step = torch.tensor(float(self.step), device=value.device)
            self.optimizer.state[value] = {"step": step, **moments}
        for kind, key in MOMENTS.items():
            states = {name: self.optimizer.state[p][key] for name, p in self.parameters.items()}
            _fill(states, within(kind))
        self.best = self._average

    def teacher(self) -> Teacher:
        """Return the trained teacher."""
        if self.best is None:
            raise ValueError("no epoch is complete: train the teacher first")
        network = TeacherNetwork(self.inventory, self.settings).to(self.network.device)
        with torch.no_grad():
            for name, value in network.named_parameters():
                value.copy_(self._average[name])
        return Teacher(network.eval())


def _floats(value: Tensor) -> memoryview:
    return memoryview(value.detach().cpu().float().contiguous().numpy().ravel())


def _fill(named: Parameters, arrays: dict[str, memoryview]) -> None:
    """Copy arrays of float32 into tensors of the same names."""
    with torch.no_grad():
        for name, value in named.items():
            found = np.frombuffer(arrays[name], np.float32).reshape(tuple(value.shape))
            value.copy_(torch.from_numpy(found.copy()))
