"""Texts and treebanks of any size: parsed while they arrive, in memory that does not grow.

The body of the request is the text itself; CoNLL-U comes back while it is still being sent, so a
client must read as it writes, as curl does: `curl -T book.txt -X POST …/api/parse.conllu`. A stream
has a thread that reads, segments and waits for the client; its slices are parsed by the workers.
"""

from __future__ import annotations

import codecs
import time
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import IO, cast

from anyio import CapacityLimiter, fail_after, from_thread, to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dodona.segmentation.segmenter import needed
from dodona.server.errors import Refused, bad, explain, json_error
from dodona.server.models import Model
from dodona.server.requests.sentences import slices
from dodona.server.service import Service, service_of
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

INPUTS = ("text", "conllu")
SLOWEST = 1000  # bytes a second that a client must send on average


async def stream(request: Request) -> Response:
    """What to answer with: it reads the request while it is sent."""
    service = service_of(request)
    input_ = request.query_params.get("input", "text")
    if input_ not in INPUTS:
        raise bad(f"input is one of {', '.join(INPUTS)}, not {input_!r}")
    model = service.model(request.query_params.get("model"))
    if input_ == "text" and model.parser.segmenter is None:
        raise bad(f"the model {model.name!r} cannot read raw text; send CoNLL-U: ?input=conllu")
    return Streamed(service, model, input_)


class Streamed(Response):
    """An answer that reads its request."""

    def __init__(self, service: Service, model: Model, input: str) -> None:
        super().__init__(media_type="text/plain; charset=utf-8")
        self._service, self._model, self._input = service, model, input
        self._has_begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._receive, self._send, self._state = receive, send, scope.setdefault("state", {})
        self._begin, self._n_bytes, self._more = time.monotonic(), 0, True
        try:
            with self._service.stream_place():
                await to_thread.run_sync(self._work, limiter=CapacityLimiter(1))
        except Refused as refused:
            # an answer that has begun breaks off with the connection: it must not look whole
            if not self._has_begun:
                await json_error(refused)(scope, receive, send)
        else:
            await self._write(b"", more=False)

    def _work(self) -> None:
        """In a thread of its own: read, segment, have it parsed, write."""
        for batch in slices(self._sentences()):
            done = self._service.workers.wait_for(partial(self._parse, batch))
            from_thread.run(self._write, "".join(map(Sentence.to_conllu, done)).encode())
            from_thread.run_sync(self._count, sum(map(len, done)))

    def _parse(self, batch: list[Sentence]) -> list[Sentence]:
        return list(self._model.parser.pipe(batch))

    def _count(self, n_words: int) -> None:
        self._service.metrics.n_words += n_words
        self._state["n_words"] = self._state.get("n_words", 0) + n_words

    def _sentences(self) -> Iterable[Sentence]:
        if self._input == "text":
            segmenter = needed(self._model.parser.segmenter)
            return chain.from_iterable(segmenter.stream(decoded(self._chunks())))
        return read_chunks(self._chunks())

    def _chunks(self) -> Iterator[bytes]:
        while self._more:
            yield from_thread.run(self._read)

    async def _read(self) -> bytes:
        patience = self._service.limits.patience
        try:
            with fail_after(patience):
                message = await self._receive()
        except TimeoutError:
            raise Refused(408, f"nothing arrived for {patience:g} seconds") from None
        if message["type"] == "http.disconnect":
            raise Refused(400, "the connection was closed before the request had arrived")
        self._more = message.get("more_body", False)
        chunk: bytes = message.get("body", b"")
        self._n_bytes += len(chunk)
        allowed = self._service.limits.seconds + self._n_bytes / SLOWEST
        if time.monotonic() - self._begin > allowed:
            raise Refused(408, f"less than {SLOWEST:,} bytes a second arrived")
        return chunk

    async def _write(self, body: bytes, more: bool = True) -> None:
        if not self._has_begun:
            self._has_begun = True
            headers = [pair for pair in self.raw_headers if pair[0] != b"content-length"]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        message = {"type": "http.response.body", "body": body, "more_body": more}
        patience = self._service.limits.patience
        try:
            with fail_after(patience):
                await self._send(message)
        except TimeoutError:
            raise Refused(408, f"nothing was taken for {patience:g} seconds") from None


def decoded(chunks: Iterable[bytes]) -> Iterator[str]:
    """The text that arrives in chunks, which may end inside a character.

    >>> "".join(decoded([b"caf\\xc3", b"\\xa9"]))
    'café'
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    n_bytes = 0
    try:
        for chunk in chunks:
            yield decoder.decode(chunk)
            n_bytes += len(chunk)
        yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise bad(f"not in UTF-8: {error.reason} near byte {n_bytes + error.start}") from error


def read_chunks(chunks: Iterator[bytes]) -> Iterator[Sentence]:
    """The sentences of CoNLL-U that arrives in chunks.

    >>> halves = b"1\\tAsk\\t_\\t_\\t_", b"\\t_\\t_\\t_\\t_\\t_\\n\\n"
    >>> [sentence.forms for sentence in read_chunks(iter(halves))]
    [['Ask']]
    """
    file = cast("IO[bytes]", _Arriving(chunks))
    try:
        yield from read(file, trees="ignored", name="data")
    except TreebankError as error:
        raise bad(explain(error)) from error


class _Arriving:
    """As much of a file as the reader wants to see."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks

    def read(self, _: int) -> bytes:
        """What arrives next; nothing at the end."""
        return next(filter(None, self._chunks), b"")
