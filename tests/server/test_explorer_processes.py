"""Explorer processes are killed in time, and one that fails does not affect others."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')

from dodona.server.errors import Refused
from dodona.server.explorer_processes import ExplorerPool, ExplorerProcess
from dodona.server.limits import Limits
from support import small

GOOD = b'{"sentence": "Ask 0 root\\nthe 3 det\\noak 1 obj"}'
# takes long: every step has a cost for each of hundreds of labels
LONG = (
    b'{"system": "arc-standard", "sentence": "'
    + b"".join(b"oak %d l%d\\n" % (i, i) for i in range(250))
    + b'"}'
)


@contextmanager
def processes(**limits: float) -> Iterator[ExplorerPool]:
    made = ExplorerPool({"tiny": small.parser()}, Limits(**{"explorers": 1, **limits}))  # type: ignore[arg-type]
    try:
        yield made
    finally:
        made.close()


def run(ask: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await ask()

    asyncio.run(main())


def test_one_process_answers_one_request_after_the_other() -> None:
    async def ask() -> None:
        with processes() as made:
            answers = await asyncio.gather(*(made.ask("/api/explore", GOOD) for _ in range(4)))
            assert len(set(answers)) == 1
            assert b'"forms":["Ask","the","oak"]' in answers[0]
            assert len(made._all) == 1

    run(ask)


def test_a_model_is_sent_when_it_is_needed() -> None:
    async def ask() -> None:
        with processes() as made:
            for model, message in (("tiny", b'"score"'), ("latin", b"no model")):
                body = GOOD[:-1] + b', "model": "%b"}' % model.encode()
                try:
                    found = await made.ask("/api/explore", body)
                except Refused as refused:
                    found = str(refused).encode()
                assert message in found

    run(ask)


def test_a_process_is_killed_on_timeout_and_the_next_request_is_answered() -> None:
    async def ask() -> None:
        with processes(explore_timeout=0.01) as made:
            with pytest.raises(TimeoutError):
                await made.ask("/api/explore", LONG)
            assert not made._all
            made._limits = Limits()
            assert await made.ask("/api/explore", GOOD)

    run(ask)


def test_a_process_is_killed_when_its_request_is_cancelled() -> None:
    async def ask() -> None:
        with processes() as made:
            asking = asyncio.ensure_future(made.ask("/api/explore", LONG))
            while not made._all:
                await asyncio.sleep(0.01)
            [process] = made._all
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert process._process.poll() is not None

    run(ask)


def test_a_process_that_dies_is_replaced() -> None:
    async def ask() -> None:
        with processes() as made:
            await made.ask("/api/explore", GOOD)
            [process] = made._all
            process._process.kill()  # as the system does when memory is short
            assert await made.ask("/api/explore", GOOD)
            assert process not in made._all

    run(ask)


def test_a_process_ends_with_the_server() -> None:
    process = ExplorerProcess({"tiny": small.parser()}, Limits())
    process.get_ready()
    process.ask("/api/explore", GOOD)
    process._to.close()  # as when the server is killed
    assert process._process.wait(10) == 0
    process._from.close()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is bounded on Linux")
def test_the_memory_of_a_process_is_bounded() -> None:
    program = """
from dodona.server.answers.explorer_worker import bounded_memory
for n_bytes in (10_000_000, 200_000_000, 10_000_000):
    try:
        with bounded_memory(100_000_000):
            print(len(bytearray(n_bytes)))
    except MemoryError:
        print("none")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["10000000", "none", "10000000"]
