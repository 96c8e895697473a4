"""Small models that read raw text, in a moment, and texts for them."""

from __future__ import annotations

import io
from functools import cache
from random import Random

import dodona
from dodona.synthetic.generator import synthetic_treebank, to_conllu
from support import small


@cache
def text_model(seed: int) -> bytes:
    """Return the file of a model that was trained on sentences of its own."""
    told = "".join(
        to_conllu(sentence, str(number))
        for number, sentence in enumerate(synthetic_treebank(40, seed, nonprojective=0.1))
    )
    trees = list(dodona.read(io.BytesIO(told.encode())))
    return small.train(trees, pipeline="text").to_bytes()


@cache
def some_text(seed: int, n_sentences: int = 4) -> str:
    """Return sentences of the invented language as one line of text."""
    chance = Random(seed)
    found = synthetic_treebank(n_sentences, chance.randrange(10**6), nonprojective=0.1)
    return " ".join(" ".join(sentence.forms) + "." for sentence in found)
