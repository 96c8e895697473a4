"""Malicious models: each is refused, or works in bounded time and space."""

from __future__ import annotations

import os
from collections import Counter
from itertools import islice

import pytest

from support.crafted import MODELS, TABLE, Judge, laid_out

pytestmark = pytest.mark.skipif(os.name == "nt", reason="limits of processes are those of POSIX")
EVERY = int(os.environ.get("DODONA_CRAFTED_EVERY", "23"))  # of so many rows one; 1: all


@pytest.mark.thorough
@pytest.mark.parametrize("model", MODELS)
def test_a_crafted_model_is_refused_or_works(model: str) -> None:
    verdicts: Counter[str] = Counter()
    worse = []
    with Judge() as judge:
        for change in TABLE.values():
            for name, make in islice(change(model), None, None, EVERY):
                verdict = judge.judge(model, laid_out(model, make()))
                verdicts[verdict] += 1
                if verdict not in ("accepted", "refused"):
                    worse.append(f"{model}: {name}: {verdict}")
    assert not worse, "\n".join(worse)
    assert verdicts["refused"] and verdicts["accepted"]
