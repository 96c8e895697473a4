"""How the network learns: one step after the other, each from a batch and the states met in it.

Steps are AdamW's (Loshchilov & Hutter 2019) with a warm start and a rate that falls as a cosine;
what is kept in the end is a running average of the parameters (Polyak & Juditsky 1992).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dodona.training.neural.dropout import seeds_of
from dodona.training.neural.losses import Losses, Seen, losses, see
from dodona.training.neural.network import Dropout, Numbers, Parameters, Shape

BETAS = 0.9, 0.98  # what the means of gradients and of their squares keep at a step
TINY = 1e-8
LAST = 0.01  # of the rate, at the last step
AVERAGED = 0.998  # what the average keeps at a step, once it has some


@dataclass(frozen=True)
class Pace:
    """How fast to learn."""

    rate: float = 2e-3
    warm: int = 100  # steps until the rate is reached
    steps: int = 1000  # until it has fallen to almost nothing
    decay: float = 0.01
    clip: float = 5.0
    tag_share: float = 1.0  # what a tag counts beside a state
    arc_share: float = 0.5  # … and an arc


@dataclass
class OptimizerState:
    """Parameters on their way, with what AdamW remembers of them."""

    parameters: Parameters
    average: Parameters  # running
    mean: Parameters  # of the gradients
    square: Parameters  # … of their squares
    step: int = 0

    @classmethod
    def begin(cls, parameters: Parameters) -> OptimizerState:
        """From these parameters on."""

        def copies() -> Parameters:
            return {name: jnp.array(value) for name, value in parameters.items()}

        def zeros() -> Parameters:
            return {name: jnp.zeros_like(value) for name, value in parameters.items()}

        return cls(copies(), copies(), zeros(), zeros())

    def saved(self, given: Collection[str] = ()) -> dict[str, memoryview]:
        """All numbers but those that are given, by kind and name; `restore` takes them back."""
        return {
            f"{kind}/{name}": memoryview(np.ascontiguousarray(value).ravel())
            for kind in KINDS
            for name, value in getattr(self, kind).items()
            if name not in given
        }

    def restore(
        self, step: int, arrays: Mapping[str, memoryview], given: Collection[str] = ()
    ) -> None:
        """Go on from the numbers that were saved after so many steps."""
        self.step = step
        for kind in KINDS:
            named = getattr(self, kind)
            for name in named.keys() - {*given}:
                value = named[name]
                found = np.frombuffer(arrays[f"{kind}/{name}"], np.float32)
                named[name] = jnp.asarray(found.reshape(value.shape))


KINDS = ("parameters", "average", "mean", "square")


@partial(jax.jit, static_argnums=(0, 1))
def see_batch(
    shape: Shape,
    dropout: Dropout,
    p: Parameters,
    arrays: dict[str, Numbers],
    parts: dict[int, Numbers],
    seed: Numbers,
) -> tuple[Seen, Any]:
    """The words of a batch, and the way back from gradients of what is seen to the parameters.

    The core walks between there and back, so that words are read once, with parts left out: the
    states that are met are those of a network that is a little unsure.
    """
    seeds = seeds_of(seed, shape.layers)
    seen, way_back = jax.vjp(lambda p: see(shape, dropout, p, arrays, parts, seeds), p)
    return seen, way_back


@partial(jax.jit, static_argnums=(0, 1, 2), donate_argnums=(4, 5, 6))
def learn(
    shape: Shape,
    dropout: Dropout,
    pace: Pace,
    p: Parameters,
    average: Parameters,
    mean: Parameters,
    square: Parameters,
    step: Numbers,
    seed: Numbers,
    arrays: dict[str, Numbers],
    walk: dict[str, Any],
    tags: Any,
    seen: Seen,
    way_back: Any,
) -> Any:
    """One step; new parameters, average, mean and square, and the losses of states and of tags.

    `seen` and `way_back` come from `see_batch`, with the same parameters and the same seed.
    """

    def total(p: Parameters, seen: Seen) -> tuple[Numbers, Losses]:
        seeds = seeds_of(seed, shape.layers)
        found = losses(shape, dropout, p, seen, arrays, walk, tags, seeds)
        return found.states + pace.tag_share * found.tags + pace.arc_share * found.arcs, found

    (here, of_seen), found = jax.grad(total, argnums=(0, 1), has_aux=True)(p, seen)
    (before,) = way_back(of_seen)
    gradients = {name: here[name] + before[name] for name in p}
    return *stepped(pace, p, average, mean, square, gradients, step, shape.given), *found[:2]


def stepped(
    pace: Pace,
    p: Parameters,
    average: Parameters,
    mean: Parameters,
    square: Parameters,
    gradients: Parameters,
    step: Numbers,
    given: Collection[str] = (),
) -> tuple[Parameters, ...]:
    """New parameters, average, mean and square; those that are given stay as they are."""
    gradients = clipped(gradients, pace.clip)
    new = {"p": dict(p), "average": dict(average), "mean": dict(mean), "square": dict(square)}
    for name in (name for name in p if name not in given):
        value, m, v = one_step(pace, p[name], mean[name], square[name], gradients[name], step + 1.0)
        new["p"][name], new["mean"][name], new["square"][name] = value, m, v
        kept = jnp.minimum(AVERAGED, (2 + step) / (11 + step))
        new["average"][name] = kept * average[name] + (1 - kept) * value
    return tuple(new.values())


def clipped(gradients: Parameters, most: float) -> Parameters:
    """The gradients, made smaller where all together are larger than that."""
    whole = jnp.concatenate([g.ravel() for g in gradients.values()])  # one sum, not one for each
    scale = jnp.minimum(1.0, most / (jnp.sqrt(jnp.vdot(whole, whole)) + TINY))
    return {name: g * scale for name, g in gradients.items()}


def one_step(
    pace: Pace, value: Numbers, mean: Numbers, square: Numbers, gradient: Numbers, t: Numbers
) -> tuple[Numbers, Numbers, Numbers]:
    """AdamW's step number t: the value, and the means of the gradient and of its square."""
    mean = BETAS[0] * mean + (1 - BETAS[0]) * gradient
    square = BETAS[1] * square + (1 - BETAS[1]) * gradient * gradient
    change = (mean / (1 - BETAS[0] ** t)) / (jnp.sqrt(square / (1 - BETAS[1] ** t)) + TINY)
    if value.ndim > 1:  # not of biases and gains
        change = change + pace.decay * value
    return value - rate_at(pace, t) * change, mean, square


def rate_at(pace: Pace, t: Numbers) -> Numbers:
    """The rate of step number t."""
    fallen = 0.5 * (1 + jnp.cos(jnp.pi * jnp.minimum(t / pace.steps, 1.0)))
    return pace.rate * jnp.minimum(t / pace.warm, 1.0) * (fallen * (1 - LAST) + LAST)
