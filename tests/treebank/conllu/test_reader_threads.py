"""A reader is for one thread at a time, as a generator is."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

import dodona
from dodona.treebank.conllu.reader import Reader
from dodona.treebank.encoding.encoding import Encoder

BLOCK = b"1\tSpeak\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"


class SlowFile(io.BytesIO):
    """A file whose first read blocks until it is released."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.is_reading, self.may_go_on = Event(), Event()

    def read1(self, size: int | None = -1) -> bytes:
        self.is_reading.set()
        assert self.may_go_on.wait(30)
        return super().read1(size)


@pytest.mark.parametrize("ask", [next, Reader.close])
def test_a_second_thread_is_refused_and_the_first_is_not_disturbed(ask: object) -> None:
    assert callable(ask)
    file = SlowFile(BLOCK * 3)
    reader = dodona.read(file, name="slow.conllu")
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(list, reader)
        assert file.is_reading.wait(30)
        with pytest.raises(ValueError, match=r"slow\.conllu: already reading"):
            ask(reader)
        file.may_go_on.set()
        assert [bytes(sentence) for sentence in found.result()] == [BLOCK] * 3
    reader.close()


def test_a_file_that_reads_itself_is_refused() -> None:
    class Snake(io.BytesIO):
        def read1(self, size: int | None = -1) -> bytes:
            next(reader)
            return b""

    reader = dodona.read(Snake(), name="snake.conllu")
    with pytest.raises(ValueError, match="already reading"):
        next(reader)
    with pytest.raises(ValueError, match="already reading"):  # it has not got stuck there
        next(reader)


def test_threads_in_turn_get_every_sentence_once() -> None:
    reader = dodona.read(io.BytesIO(BLOCK * 5))
    found = []
    for _ in range(5):
        with ThreadPoolExecutor(1) as pool:
            found.append(pool.submit(next, reader).result())
    assert len(found) == 5
    assert next(reader, None) is None


def test_a_label_that_many_threads_add_has_one_id() -> None:
    encoder = Encoder(["form"])
    labels = [b"label%d" % (i // 8) for i in range(4000)]
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(encoder.add_label, labels))
    assert sorted(encoder.labels) == sorted(set(labels))
    assert [encoder.labels[i] for i in ids] == labels
