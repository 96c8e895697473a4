"""Streams: texts and treebanks of any size are parsed while they arrive, in constant memory.

The body of the request is the text itself. CoNLL-U is sent while the body still arrives, so a
client must read while it writes, as curl does: `curl -T book.txt -X POST …/api/parse.conllu`. Each
stream has a thread that reads, segments and waits for the client; the worker threads parse.
"""

from __future__ import annotations

from functools import partial

from anyio import CapacityLimiter, from_thread, to_thread
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dodona.server.errors import Refused, note_refusal
from dodona.server.models import Model
from dodona.server.requests.bodies import BodyStream
from dodona.server.requests.sentences import read_conllu, read_text, require_tagged, slices
from dodona.server.service import Service
from dodona.treebank.sentence import Sentence


class ConlluStream(Response):
    """A response that reads its request while it is sent."""

    def __init__(self, service: Service, model: Model, input: str) -> None:
        super().__init__(media_type="text/plain; charset=utf-8")
        self._service, self._model, self._input = service, model, input
        self._has_begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._scope, self._send = scope, send
        try:
            with self._service.streams.join() as self._speed:
                self._body = BodyStream(receive, self._speed)
                await to_thread.run_sync(self._work, limiter=CapacityLimiter(1))
        except Refused as refused:
            if not self._has_begun:
                raise
            note_refusal(scope, refused)
            # the connection is closed, so an incomplete answer cannot pass as complete
        else:
            await self._write(b"", more=False)

    def _work(self) -> None:
        """Read, segment, have parsed, and write; runs in a thread of its own."""
        chunks = self._body.chunks()
        is_text = self._input == "text"
        found = read_text(self._model, chunks) if is_text else read_conllu(chunks)
        for batch in slices(require_tagged(self._model, found)):
            done = self._service.workers.wait_for(partial(self._parse, batch))
            from_thread.run(self._write, "".join(map(Sentence.to_conllu, done)).encode())
            from_thread.run_sync(self._service.count_words, self._scope, sum(map(len, done)))

    def _parse(self, batch: list[Sentence]) -> list[Sentence]:
        return list(self._model.parser.pipe(batch))

    async def _write(self, body: bytes, more: bool = True) -> None:
        if not self._has_begun:
            self._has_begun = True
            headers = [pair for pair in self.raw_headers if pair[0] != b"content-length"]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        message = {"type": "http.response.body", "body": body, "more_body": more}
        await self._speed.wait(self._send(message), len(body))
