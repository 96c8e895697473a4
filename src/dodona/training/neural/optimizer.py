"""The optimizer of networks: AdamW, one step for each batch and the states of its rollout.

AdamW (Loshchilov & Hutter 2019) has a warm-up and a learning rate that falls as a cosine; the model
is a running average of the parameters (Polyak & Juditsky 1992).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dodona.training.neural.encoder import seeds_of
from dodona.training.neural.losses import EncodedBatch, Losses, encode_batch, losses
from dodona.training.neural.network import Arrays, Dropout, Numbers, Parameters, Parts, Shape

BETAS = 0.9, 0.98  # decay of the means of gradients and of their squares
TINY = 1e-8
LAST = 0.01  # share of the rate at the last step
AVERAGED = 0.998  # decay of the average of parameters, after the first steps
KINDS = ("parameters", "average", "mean", "square")  # of arrays in an optimizer state
Moments = tuple[Parameters, Parameters, Parameters]  # average, mean and square


@dataclass(frozen=True)
class AdamWSettings:
    """The settings of the optimizer, and the weights of losses."""

    rate: float = 2e-3
    warm: int = 100  # steps of the warm-up
    steps: int = 1000  # until the rate has fallen to a hundredth
    decay: float = 0.01
    clip: float = 5.0
    tag_share: float = 1.0  # weight of the loss of tags …
    arc_share: float = 0.5  # … and of arcs


@dataclass
class OptimizerState:
    """Parameters in training, with their averages and the moments of AdamW."""

    parameters: Parameters
    average: Parameters  # running
    mean: Parameters  # of the gradients
    square: Parameters  # of their squares
    step: int = 0

    @classmethod
    def begin(cls, parameters: Parameters) -> OptimizerState:
        """Return the state before the first step."""

        def each(make: Callable[[Numbers], Numbers]) -> Parameters:
            return {name: make(value) for name, value in parameters.items()}

        return cls(each(jnp.array), each(jnp.array), each(jnp.zeros_like), each(jnp.zeros_like))

    def saved(self, given: Collection[str] = ()) -> dict[str, memoryview]:
        """Return all arrays except those of `given` parameters; `restore` reads them."""
        return {
            f"{kind}/{name}": memoryview(np.ascontiguousarray(value).ravel())
            for kind in KINDS
            for name, value in getattr(self, kind).items()
            if name not in given
        }

    def restore(
        self, step: int, arrays: Mapping[str, memoryview], given: Collection[str] = ()
    ) -> None:
        """Continue from the arrays that were saved after `step` steps."""
        self.step = step
        for kind in KINDS:
            named = getattr(self, kind)
            for name in named.keys() - {*given}:
                value = named[name]
                found = np.frombuffer(arrays[f"{kind}/{name}"], np.float32)
                named[name] = jnp.asarray(found.reshape(value.shape))


@partial(jax.jit, static_argnums=(0, 1))
def encode_with_gradient(
    shape: Shape, dropout: Dropout, p: Parameters, arrays: Arrays, parts: Parts, seed: Numbers
) -> tuple[EncodedBatch, Any]:
    """Return the encoded words of a batch, and the backward pass from them to the parameters.

    The core runs its rollouts between the two, so that words are encoded once, with dropout: the
    states are those of a network that is less certain.
    """
    seeds = seeds_of(seed, shape.layers)
    words, backward = jax.vjp(lambda p: encode_batch(shape, dropout, p, arrays, parts, seeds), p)
    return words, backward


@partial(jax.jit, static_argnums=(0, 1, 2), donate_argnums=4)
def learn(
    shape: Shape,
    dropout: Dropout,
    adamw: AdamWSettings,
    p: Parameters,
    moments: Moments,
    step: Numbers,
    seed: Numbers,
    arrays: Arrays,
    rollout: dict[str, Any],
    tags: Any,
    words: EncodedBatch,
    backward: Any,
) -> Any:
    """Take one step: return new parameters, average, mean and square, and two of the losses.

    `words` and `backward` come from `encode_with_gradient`, with the same parameters and seed. The
    losses are those of states and of tags.
    """

    def total(p: Parameters, words: EncodedBatch) -> tuple[Numbers, Losses]:
        seeds = seeds_of(seed, shape.layers)
        found = losses(shape, dropout, p, words, arrays, rollout, tags, seeds)
        return found.states + adamw.tag_share * found.tags + adamw.arc_share * found.arcs, found

    (here, of_words), found = jax.grad(total, argnums=(0, 1), has_aux=True)(p, words)
    (before,) = backward(of_words)
    gradients = {name: here[name] + before[name] for name in p}
    return *adamw_step(adamw, p, moments, gradients, step, shape.given), *found[:2]


def adamw_step(
    adamw: AdamWSettings,
    p: Parameters,
    moments: Moments,
    gradients: Parameters,
    step: Numbers,
    given: Collection[str] = (),
) -> tuple[Parameters, ...]:
    """Return new parameters, average, mean and square; `given` parameters do not change."""
    average, mean, square = moments
    gradients = clipped(gradients, adamw.clip)
    new = {"p": dict(p), "average": dict(average), "mean": dict(mean), "square": dict(square)}
    for name in (name for name in p if name not in given):
        value, m, v = adamw_update(
            adamw, p[name], mean[name], square[name], gradients[name], step + 1.0
        )
        new["p"][name], new["mean"][name], new["square"][name] = value, m, v
        kept = jnp.minimum(AVERAGED, (2 + step) / (11 + step))
        new["average"][name] = kept * average[name] + (1 - kept) * value
    return tuple(new.values())


def clipped(gradients: Parameters, most: float) -> Parameters:
    """Return the gradients, scaled so that their norm is at most `most`."""
    # one reduction instead of many
    whole = jnp.concatenate([g.ravel() for g in gradients.values()])
    scale = jnp.minimum(1.0, most / (jnp.sqrt(jnp.vdot(whole, whole)) + TINY))
    return {name: g * scale for name, g in gradients.items()}


def adamw_update(
    adamw: AdamWSettings,
    value: Numbers,
    mean: Numbers,
    square: Numbers,
    gradient: Numbers,
    t: Numbers,
) -> tuple[Numbers, Numbers, Numbers]:
    """Return value, mean of gradients and mean of squares after AdamW's step number t."""
    mean = BETAS[0] * mean + (1 - BETAS[0]) * gradient
    square = BETAS[1] * square + (1 - BETAS[1]) * gradient * gradient
    change = (mean / (1 - BETAS[0] ** t)) / (jnp.sqrt(square / (1 - BETAS[1] ** t)) + TINY)
    if value.ndim > 1:  # biases and gains do not decay
        change = change + adamw.decay * value
    return value - rate_at(adamw, t) * change, mean, square


def rate_at(adamw: AdamWSettings, t: Numbers) -> Numbers:
    """Return the learning rate of step number t."""
    fallen = 0.5 * (1 + jnp.cos(jnp.pi * jnp.minimum(t / adamw.steps, 1.0)))
    return adamw.rate * jnp.minimum(t / adamw.warm, 1.0) * (fallen * (1 - LAST) + LAST)
