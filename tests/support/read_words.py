"""Words as the network in JAX reads them with nothing left out, for comparison with the core."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp

from dodona.training.neural.encoder import encode, slot_inputs, slot_products, tag_logits
from dodona.training.neural.network import Dropout, Numbers, Parameters, Shape


@partial(jax.jit, static_argnums=0)
def products_of(
    shape: Shape, p: Parameters, arrays: dict[str, Numbers], parts: dict[int, Numbers]
) -> Numbers:
    """What the words of a batch add in each slot, nothing left out."""
    n = encode(shape, p, arrays, {}, Dropout())
    return slot_products(p, slot_inputs(shape, p, n, tag_logits(shape, p, n, parts)))


@partial(jax.jit, static_argnums=0)
def tags_of(
    shape: Shape, p: Parameters, arrays: dict[str, Numbers], parts: dict[int, Numbers]
) -> list[Numbers]:
    """The classes that the tag heads give to the words of a batch."""
    n = encode(shape, p, arrays, {}, Dropout())
    return [jnp.argmax(logits, axis=1) for logits in tag_logits(shape, p, n, parts)]
