"""A text's words and trees do not depend on what the process has read before it.

Tables that are filled as characters or words are met must not show. Every group of texts is read in
a process of its own, in its own order: alone, in a batch, and again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from random import Random

import pytest

SCRIPT = """
import json, sys
from hashlib import sha256

import dodona

def digest(doc):
    return sha256(doc.to_conllu().encode()).hexdigest()

model, texts = json.load(sys.stdin)
parser = dodona.load(model)
batch = [digest(doc) for doc in parser.docs(texts)]
alone = [digest(parser(text)) for text in texts]
again = [digest(parser(text)) for text in reversed(texts)][::-1]
json.dump([batch, alone, again], sys.stdout)
"""
MODELS = "en", "en-small", "en-linear"
# lone surrogates are read as U+FFFD, whose page of the table of characters nothing else here fills
SURROGATES = "de " + "\ud800" * 30 + "could"
RANGES = (
    (0x20, 0x7F),
    (0x00, 0x20),
    (0xA0, 0x250),
    (0x300, 0x370),
    (0x600, 0x700),
    (0x2000, 0x2070),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A4),
    (0xD800, 0xE000),
    (0xFE00, 0x10000),
    (0x1F1E6, 0x1F650),
    (0x10000, 0x110000),
)
WORDS = "the oak speaks to Mr. Elm , 1,000.5 doesn't it ? http://oak.example/a ... und so weiter"


def digests(model: str, texts: list[str]) -> list[list[str]]:
    """Return the digests of the texts' trees from a fresh process: in a batch, alone, again."""
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps([model, texts]),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    found: list[list[str]] = json.loads(run.stdout)
    return found


def random_text(rng: Random) -> str:
    """Make a text of words, odd characters and runs of them."""
    pieces = []
    for _ in range(rng.randint(1, 40)):
        if rng.random() < 0.4:
            pieces.append(rng.choice(WORDS.split()))
            continue
        low, high = rng.choice(RANGES)
        one = "".join(chr(rng.randrange(low, high)) for _ in range(rng.randint(1, 5)))
        pieces.append(one * rng.choice((1, 1, 1, 30)))
    return "".join(piece + rng.choice(("", " ", " ", "\n", "\n\n")) for piece in pieces)


@pytest.mark.parametrize("model", MODELS)
def test_lone_surrogates_are_the_same_before_and_after_the_character_that_they_become(
    model: str,
) -> None:
    batch, alone, again = digests(model, [SURROGATES, "\uff01", SURROGATES])
    assert len({*batch[::2], *alone[::2], *again[::2]}) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("model", MODELS)
def test_texts_are_the_same_in_fresh_processes_and_any_order(model: str) -> None:
    """With ALL_TEXTS in the environment, so many texts a model instead of 200 (10⁵: hours)."""
    n_texts, size = int(os.environ.get("ALL_TEXTS", "200")), 50
    rng = Random(f"order {model}")
    seen: dict[str, str] = {}
    texts = [random_text(rng) for _ in range(n_texts)]
    for _ in range(2):  # each text in two processes, among other texts
        rng.shuffle(texts)
        for first in range(0, n_texts, size):
            group = texts[first : first + size]
            batch, alone, again = digests(model, group)
            assert batch == alone == again
            for text, digest in zip(group, alone, strict=True):
                assert seen.setdefault(text, digest) == digest, repr(text)
