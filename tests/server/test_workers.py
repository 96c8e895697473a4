"""Worker threads take turns, and request slots are released."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator
from threading import Event

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')

from dodona.server.errors import Refused
from dodona.server.service import RequestSlots
from dodona.server.workers import Parsing, Workers, run_turns
from dodona.treebank.sentence import Sentence


def test_a_short_request_does_not_wait_for_a_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dodona.server.workers.TURN", 0.0)
    order: list[str] = []

    async def ask(workers: Workers, name: str, n_steps: int) -> None:
        steps, is_done = iter([name] * n_steps), False
        while not is_done:
            is_done = (await workers.turn(steps)).is_done
            order.append(name)

    async def both() -> None:
        workers = Workers(threads=1)
        await asyncio.gather(ask(workers, "long", 100), ask(workers, "short", 1))
        workers.close(0)

    asyncio.run(both())
    assert order.count("long") >= 100
    assert order.index("short") <= 5


def test_a_refused_request_is_freed_without_the_garbage_collector() -> None:
    class Body:
        pass

    held: list[weakref.ref[Body]] = []

    def read() -> Iterator[str]:
        body = Body()
        held.append(weakref.ref(body))
        try:
            raise ValueError(body)
        except ValueError as error:
            raise Refused(400, "not well-formed") from error
        yield "never"

    async def ask() -> None:
        workers = Workers(threads=1)
        for _ in range(3):
            with pytest.raises(Refused):
                await workers.turn(read())
        await workers.turn(iter(()))  # the thread has let go of the last one
        workers.close(10)

    gc.disable()
    try:
        asyncio.run(ask())
        assert [body() for body in held] == [None] * 3
    finally:
        gc.enable()


def test_requests_that_wait_together_are_parsed_together() -> None:
    batches: list[list[str]] = []
    sentences = {name: Sentence.from_columns([name]) for name in "abcde"}

    def parse(found: list[Sentence]) -> list[Sentence]:
        batches.append([sentence.forms[0] for sentence in found])
        return [Sentence.from_columns([sentence.forms[0] * 2]) for sentence in found]

    def steps(kind: str, names: str) -> Iterator[str | Parsing]:
        for name in names:
            step = Parsing(kind, parse, [sentences[name]])
            yield step
            yield step.done[0].forms[0]

    def fail() -> Iterator[str | Parsing]:
        yield "before"
        raise KeyError("a request of its own")

    turns = run_turns([steps("x", "ab"), steps("y", "c"), fail(), steps("x", "de")])
    assert [turn.found for turn in turns] == [["aa", "bb"], ["cc"], ["before"], ["dd", "ee"]]
    assert [turn.is_done for turn in turns] == [True, True, False, True]
    assert isinstance(turns[2].error, KeyError)  # others are not affected
    assert batches == [["a", "d"], ["c"], ["b", "e"]]


def test_a_thread_is_left_for_short_requests() -> None:
    """The only other thread hangs."""
    begun, may_end = Event(), Event()

    def hang() -> Iterator[str]:
        begun.set()
        may_end.wait()
        yield "long"

    async def ask() -> None:
        workers = Workers(threads=1)
        found: list[str] = []

        async def collect(steps: Iterator[str], n_bytes: int | None) -> None:
            turn = await workers.turn(steps, n_bytes=n_bytes)
            found.extend(turn.found)

        long = asyncio.ensure_future(collect(hang(), None))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        await collect(iter(["short"]), 10)
        may_end.set()
        await long
        assert found == ["short", "long"]
        assert workers.close(60)

    asyncio.run(ask())


def test_a_slot_is_released_whatever_happens() -> None:
    slots = RequestSlots(1, "too many requests", retry_after=1)
    for _ in range(3):
        with pytest.raises(KeyError), slots.take():
            raise KeyError
    with slots.take(), pytest.raises(Refused, match="too many requests"), slots.take():
        pass
