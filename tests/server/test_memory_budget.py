"""Memory budgets of requests, and clients too slow to keep theirs."""

from __future__ import annotations

import anyio
import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("httpx", reason="Starlette's test client needs httpx")

from starlette.testclient import TestClient

from dodona.server import client_speed
from dodona.server.app import make_app
from dodona.server.client_speed import ClientGroup, ClientSpeed
from dodona.server.errors import Refused
from dodona.server.limits import Limits
from dodona.server.memory_budget import MemoryBudget, RequestBudget
from support.server_lab import conllu, models

LIMITS = Limits()
MEGABYTE = 1_000_000


def test_a_closed_request_releases_its_memory() -> None:
    memory = MemoryBudget(100 * MEGABYTE)
    for _ in range(10):
        allowed = RequestBudget(memory, LIMITS)
        allowed.hold(40 * MEGABYTE)
        with pytest.raises(Refused, match="out of memory for requests") as refused:
            RequestBudget(memory, LIMITS).hold(40 * MEGABYTE)
        assert refused.value.status == 503
        allowed.close()


def test_a_request_beyond_half_the_memory_is_refused() -> None:
    with pytest.raises(Refused, match="more memory than this server allows") as refused:
        RequestBudget(MemoryBudget(100 * MEGABYTE), LIMITS).hold(51 * MEGABYTE)
    assert refused.value.status == 413


def test_a_closed_request_gets_no_more_memory() -> None:
    memory = MemoryBudget(100 * MEGABYTE)
    allowed = RequestBudget(memory, LIMITS)
    allowed.close()
    for _ in range(10):
        with pytest.raises(Refused):
            allowed.hold(40 * MEGABYTE)
    assert memory.take(75 * MEGABYTE)


def test_small_requests_pass_when_large_ones_have_used_their_share() -> None:
    memory = MemoryBudget(100 * MEGABYTE)
    RequestBudget(memory, LIMITS).hold(50 * MEGABYTE)
    RequestBudget(memory, LIMITS).hold(25 * MEGABYTE)
    with pytest.raises(Refused):
        RequestBudget(memory, LIMITS).hold(2 * MEGABYTE)
    RequestBudget(memory, LIMITS).hold(MEGABYTE)


@pytest.mark.parametrize("input_", ["horizontal", "generic_tokenizer"])
def test_the_number_of_words_in_a_request_is_limited(input_: str) -> None:
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


def test_memory_is_released_after_every_kind_of_answer() -> None:
    app = make_app(models(), Limits(memory=10_000_000))
    with TestClient(app) as client:
        for _ in range(5):
            client.post("/api/parse", json={"conllu": conllu(400)})
            client.post("/api/parse", json={"conllu": "1\tOak"})
            client.post("/api/parse", json={"text": "x" * 3_000_000})
            client.post("/process", data={"data": conllu(), "input": "conllu"})
        memory = app.state.service.memory
        assert memory.take(7_500_000)


def run(client: ClientSpeed, *seconds: float, n_bytes: int = 0) -> None:
    async def wait() -> None:
        for span in seconds:
            await client.wait(anyio.sleep(span))
            client.count(n_bytes)

    anyio.run(wait)


def test_a_stalled_client_is_refused() -> None:
    with pytest.raises(Refused, match=r"less than 1,000 bytes per second for 0\.2 seconds"):
        run(ClientSpeed(Limits(patience=0.2)), 5)


def test_a_client_below_the_minimum_rate_is_refused() -> None:
    with pytest.raises(Refused, match="less than 1,000 bytes per second"):
        run(ClientSpeed(Limits(patience=0.2)), *[0.05] * 100, n_bytes=1)


def test_a_client_above_the_minimum_rate_may_take_longer_than_the_patience() -> None:
    # longer than the patience in total; each wait is much shorter, even on a busy machine
    run(ClientSpeed(Limits(patience=1.5)), *[0.2] * 9, n_bytes=1500)


def test_the_slowest_client_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_speed, "SLOW", 0.1)
    gone: list[str] = []

    async def send(clients: ClientGroup, name: str, n_bytes: int) -> None:
        with clients.join() as client:
            try:
                while not gone:
                    await client.wait(anyio.sleep(0.01))
                    client.count(n_bytes)
            except Refused as refused:
                assert refused.status == 503
                gone.append(name)

    async def everybody() -> None:
        clients = ClientGroup(LIMITS)
        async with anyio.create_task_group() as group:
            group.start_soon(send, clients, "fast", 1_000_000)
            group.start_soon(send, clients, "slow", 10)
            assert not clients.drop_slowest()
            while not clients.drop_slowest():
                await anyio.sleep(0.01)
            assert len(clients) == 1

    anyio.run(everybody)
    assert gone == ["slow"]


def test_a_client_cancelled_between_two_waits_is_refused_at_the_next() -> None:
    async def twice() -> None:
        client = ClientSpeed(LIMITS)
        await client.wait(anyio.sleep(0))
        client.cancel()
        with pytest.raises(Refused, match="others are waiting"):
            await client.wait(anyio.sleep(60))

    anyio.run(twice)
