"""Memory that requests hold, and clients that are too slow to hold it."""

from __future__ import annotations

import anyio
import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

from dodona.server import pace
from dodona.server.app import make_app
from dodona.server.errors import Refused
from dodona.server.limits import Limits
from dodona.server.memory import Allowance, Memory
from dodona.server.pace import Crowd, Pace
from support.server_lab import conllu, models

LIMITS = Limits()
MEGABYTE = 1_000_000


def test_what_a_request_held_is_free_again() -> None:
    memory = Memory(100 * MEGABYTE)
    for _ in range(10):
        allowed = Allowance(memory, LIMITS)
        allowed.hold(40 * MEGABYTE)
        with pytest.raises(Refused, match="no memory is left") as refused:
            Allowance(memory, LIMITS).hold(40 * MEGABYTE)
        assert refused.value.status == 503
        allowed.close()


def test_who_asks_for_too_much_is_told_so() -> None:
    with pytest.raises(Refused, match="too much for the memory") as refused:
        Allowance(Memory(100 * MEGABYTE), LIMITS).hold(51 * MEGABYTE)
    assert refused.value.status == 413


def test_a_worker_that_was_not_told_of_the_end_gets_no_more() -> None:
    memory = Memory(100 * MEGABYTE)
    allowed = Allowance(memory, LIMITS)
    allowed.close()
    for _ in range(10):
        with pytest.raises(Refused):
            allowed.hold(40 * MEGABYTE)
    assert memory.take(75 * MEGABYTE)


def test_small_requests_pass_when_large_ones_have_taken_all() -> None:
    memory = Memory(100 * MEGABYTE)
    Allowance(memory, LIMITS).hold(50 * MEGABYTE)
    Allowance(memory, LIMITS).hold(25 * MEGABYTE)
    with pytest.raises(Refused):
        Allowance(memory, LIMITS).hold(2 * MEGABYTE)
    Allowance(memory, LIMITS).hold(MEGABYTE)


@pytest.mark.parametrize("input_", ["horizontal", "generic_tokenizer"])
def test_a_request_has_only_so_many_words(input_: str) -> None:
    app = make_app(models(), Limits(max_words=100))
    with TestClient(app, raise_server_exceptions=False) as client:
        for n_words, status in ((100, 200), (101, 413)):
            data = {"data": "oak " * (n_words - 1) + "oak", "input": input_}
            answer = client.post("/process", data=data)
            assert answer.status_code == status
            tokens = {"tokens": [["oak"]] * n_words}
            assert client.post("/api/parse", json=tokens).status_code == status
        many = client.post("/api/parse", json={"tokens": [["oak"]] * 1000})
        assert many.status_code == 413
        assert "more than 100 words" in many.json()["error"]


def test_memory_is_given_back_after_every_kind_of_answer() -> None:
    app = make_app(models(), Limits(memory=10_000_000))
    with TestClient(app) as client:
        for _ in range(5):
            client.post("/api/parse", json={"conllu": conllu(400)})
            client.post("/api/parse", json={"conllu": "1\tOak"})
            client.post("/api/parse", json={"text": "x" * 3_000_000})
            client.post("/process", data={"data": conllu(), "input": "conllu"})
        memory = app.state.service.memory
        assert memory.take(7_500_000)


def run(client: Pace, *seconds: float, n_bytes: int = 0) -> None:
    async def wait() -> None:
        for span in seconds:
            await client.wait(anyio.sleep(span))
            client.count(n_bytes)

    anyio.run(wait)


def test_a_client_that_hangs_is_not_waited_for() -> None:
    with pytest.raises(Refused, match=r"less than 1,000 bytes a second for 0\.2 seconds"):
        run(Pace(Limits(patience=0.2)), 5)


def test_a_client_that_drips_is_not_waited_for() -> None:
    with pytest.raises(Refused, match="less than 1,000 bytes a second"):
        run(Pace(Limits(patience=0.2)), *[0.05] * 100, n_bytes=1)


def test_a_client_that_is_fast_enough_may_take_its_time() -> None:
    # longer than the patience as a whole; each wait so much shorter that a busy machine is no harm
    run(Pace(Limits(patience=1.5)), *[0.2] * 9, n_bytes=1500)


def test_the_slowest_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "SLOW", 0.1)
    gone: list[str] = []

    async def send(crowd: Crowd, name: str, n_bytes: int) -> None:
        with crowd.join() as client:
            try:
                while not gone:
                    await client.wait(anyio.sleep(0.01))
                    client.count(n_bytes)
            except Refused as refused:
                assert refused.status == 503
                gone.append(name)

    async def everybody() -> None:
        crowd = Crowd(LIMITS)
        async with anyio.create_task_group() as group:
            group.start_soon(send, crowd, "fast", 1_000_000)
            group.start_soon(send, crowd, "slow", 10)
            assert not crowd.make_room()
            while not crowd.make_room():
                await anyio.sleep(0.01)
            assert len(crowd) == 1

    anyio.run(everybody)
    assert gone == ["slow"]


def test_who_gave_way_between_two_waits_is_not_waited_for_again() -> None:
    async def twice() -> None:
        client = Pace(LIMITS)
        await client.wait(anyio.sleep(0))
        client.give_way()
        with pytest.raises(Refused, match="others are waiting"):
            await client.wait(anyio.sleep(60))

    anyio.run(twice)
