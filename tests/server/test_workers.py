"""Worker threads take turns, and request slots are released."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')

from dodona.server.errors import Refused
from dodona.server.service import RequestSlots
from dodona.server.workers import Workers


def test_a_short_request_does_not_wait_for_a_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dodona.server.workers.TURN", 0.0)
    order: list[str] = []

    async def ask(workers: Workers, name: str, n_steps: int) -> None:
        async for _, _ in workers.turns(iter([name] * n_steps)):
            order.append(name)

    async def both() -> None:
        workers = Workers(threads=1)
        await asyncio.gather(ask(workers, "long", 100), ask(workers, "short", 1))
        workers.close(0)

    asyncio.run(both())
    assert order.count("long") >= 100
    assert order.index("short") <= 5


def test_a_slot_is_released_whatever_happens() -> None:
    slots = RequestSlots(1, "too many requests", retry_after=1)
    for _ in range(3):
        with pytest.raises(KeyError), slots.take():
            raise KeyError
    with slots.take(), pytest.raises(Refused, match="too many requests"), slots.take():
        pass
