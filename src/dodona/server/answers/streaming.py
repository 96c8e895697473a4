"""Texts and treebanks of any size: parsed while they arrive, in memory that does not grow.

The body of the request is the text itself; CoNLL-U comes back while it is still being sent, so a
client must read as it writes, as curl does: `curl -T book.txt -X POST …/api/parse.conllu`. A stream
has a thread that reads, segments and waits for the client; its slices are parsed by the workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from anyio import CapacityLimiter, from_thread, to_thread
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dodona.server.errors import Refused
from dodona.server.models import Model
from dodona.server.requests.arriving import Arriving
from dodona.server.requests.sentences import read_conllu, read_text, slices
from dodona.server.service import Service
from dodona.treebank.sentence import Sentence


class Streamed(Response):
    """An answer that reads its request."""

    def __init__(self, service: Service, model: Model, input: str) -> None:
        super().__init__(media_type="text/plain; charset=utf-8")
        self._service, self._model, self._input = service, model, input
        self._has_begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._send = scope, send
        try:
            with self._service.streams.join() as self._pace:
                self._arriving = Arriving(receive, self._pace)
                await to_thread.run_sync(self._work, limiter=CapacityLimiter(1))
        except Refused:
            if not self._has_begun:
                raise
            # an answer that has begun breaks off with the connection: it must not look whole
        else:
            await self._write(b"", more=False)

    def _work(self) -> None:
        """In a thread of its own: read, segment, have it parsed, write."""
        for batch in slices(self._sentences()):
            done = self._service.workers.wait_for(partial(self._parse, batch))
            from_thread.run(self._write, "".join(map(Sentence.to_conllu, done)).encode())
            from_thread.run_sync(self._service.count_words, self._scope, sum(map(len, done)))

    def _parse(self, batch: list[Sentence]) -> list[Sentence]:
        return list(self._model.parser.pipe(batch))

    def _sentences(self) -> Iterator[Sentence]:
        chunks = self._arriving.chunks()
        if self._input == "text":
            return read_text(self._model, chunks)
        return read_conllu(chunks)

    async def _write(self, body: bytes, more: bool = True) -> None:
        if not self._has_begun:
            self._has_begun = True
            headers = [pair for pair in self.raw_headers if pair[0] != b"content-length"]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        message = {"type": "http.response.body", "body": body, "more_body": more}
        await self._pace.wait(self._send(message), len(body))
