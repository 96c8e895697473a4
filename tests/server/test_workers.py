"""Turns: nobody waits for a long request to end, and a place in the line is given back."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')

from dodona.server.errors import Refused
from dodona.server.places import Places
from dodona.server.workers import Workers


def test_a_short_request_does_not_wait_for_a_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dodona.server.workers.TURN", 0.0)
    order: list[str] = []

    async def ask(workers: Workers, name: str, n_steps: int) -> None:
        async for _ in workers.turns(iter([name] * n_steps)):
            order.append(name)

    async def both() -> None:
        workers = Workers(threads=1)
        await asyncio.gather(ask(workers, "long", 100), ask(workers, "short", 1))
        workers.close(0)

    asyncio.run(both())
    assert order.count("long") >= 100
    assert order.index("short") <= 5


def test_a_place_is_given_back_whatever_happens() -> None:
    places = Places(1, "too much to do", retry_after=1)
    for _ in range(3):
        with pytest.raises(KeyError), places.take():
            raise KeyError
    with places.take(), pytest.raises(Refused, match="too much to do"), places.take():
        pass
