"""Streams of sentences: order, threads, and errors at the end of the input."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import pytest

import dodona
from dodona.batches import AHEAD, BATCH, stream
from dodona.treebank.conllu.errors import BadSentence
from support.small import parser, treebank

Pipe = Callable[..., Iterator[Any]]
OAKS = dodona.Sentence.from_columns(["Oaks"])
threads = pytest.mark.parametrize("threads", [1, 2, 3])


@cache
def tagger() -> dodona.Tagger:
    return dodona.train_tagger(treebank(20, 1), epochs=1)


@cache
def segmenter() -> dodona.Segmenter:
    return dodona.train_segmenter(treebank(20, 1), epochs=1)


PIPES: dict[str, Callable[[], Pipe]] = {
    "parser": lambda: parser().pipe,
    "tagger": lambda: tagger().pipe,
    "plain": lambda: lambda items, threads: stream(items, lambda batch: batch, threads),
}
pipes = pytest.mark.parametrize("pipe", [give() for give in PIPES.values()], ids=[*PIPES])


class Broken(Exception):  # noqa: N818
    pass


def breaking(items: Iterable[Any]) -> Iterator[Any]:
    yield from items
    raise Broken("the line went dead")


# --- errors of the caller


@threads
@pipes
@pytest.mark.parametrize("n", [0, 1, BATCH - 1, BATCH, 2 * BATCH + 38])
def test_all_that_was_read_is_delivered_before_the_error(pipe: Pipe, threads: int, n: int) -> None:
    delivered: list[Any] = []
    with pytest.raises(Broken, match="the line went dead"):
        for sentence in pipe(breaking([OAKS] * n), threads=threads):
            delivered.append(sentence)
    assert [sentence.forms for sentence in delivered] == [["Oaks"]] * n


@threads
def test_a_file_that_turns_bad_is_parsed_up_to_there(threads: int, tmp_path: Any) -> None:
    path = tmp_path / "bad.conllu"
    path.write_bytes(bytes(OAKS) * 300 + b"1\tnine columns\n\n")
    delivered = 0
    with pytest.raises(ValueError, match=r"bad\.conllu:601"):
        for _ in parser().pipe(dodona.read(path, trees="ignored"), threads=threads):
            delivered += 1
    assert delivered == 300


@threads
def test_an_error_of_the_work_comes_in_its_place(threads: int) -> None:
    def work(batch: list[dodona.Sentence]) -> list[dodona.Sentence]:
        if any(sentence.forms == ["Elms"] for sentence in batch):
            raise Broken("no elms")
        return batch

    elms = dodona.Sentence.from_columns(["Elms"])
    delivered = 0
    with pytest.raises(Broken, match="no elms"):
        for _ in stream([OAKS] * BATCH + [elms] + [OAKS] * AHEAD * BATCH, work, threads):
            delivered += 1
    assert delivered == BATCH


@threads
def test_ctrl_c_is_not_held_up(threads: int) -> None:
    def interrupted() -> Iterator[dodona.Sentence]:
        yield OAKS
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(stream(interrupted(), lambda batch: batch, threads))


def test_a_text_that_breaks_off_is_segmented_up_to_there() -> None:
    text = ["Zeus sees oaks. ", "Elms hear Ze"]
    delivered: list[dodona.Sentence] = []
    with pytest.raises(Broken):
        for sentences in segmenter().stream(breaking(text)):
            delivered += sentences
    whole = segmenter().segment("".join(text))
    assert list(map(bytes, delivered)) == list(map(bytes, whole))


# --- threads


@pipes
def test_no_thread_is_left_behind(pipe: Pipe) -> None:
    before = threading.active_count()
    running = pipe(iter([OAKS] * 20 * BATCH), threads=3)
    next(running)
    assert threading.active_count() > before
    running.close()  # type: ignore[attr-defined]
    assert threading.active_count() == before
    with pytest.raises(Broken):
        list(pipe(breaking([OAKS] * 20 * BATCH), threads=3))
    assert threading.active_count() == before


def test_what_waits_is_not_begun_after_closing() -> None:
    begun: list[int] = []
    go_on = threading.Event()

    def work(batch: list[dodona.Sentence]) -> list[dodona.Sentence]:
        begun.append(len(batch))
        if len(begun) > 1:
            go_on.wait(60)
        return batch

    running = stream([OAKS] * 20 * BATCH, work, threads=2)
    next(running)
    timer = threading.Timer(0.2, go_on.set)
    timer.start()
    running.close()  # type: ignore[attr-defined]
    timer.join()
    assert len(begun) <= 4


# --- what is no sentence


@threads
@pipes
@pytest.mark.parametrize("item", ["Oaks", None, 7, ["Oaks"], b"Oaks"])
def test_what_is_no_sentence_is_refused_in_its_place(
    pipe: Pipe, threads: int, item: object
) -> None:
    bad = BadSentence(b"1\n\n", ValueError("nine columns"))  # type: ignore[arg-type]
    delivered: list[Any] = []
    with pytest.raises(TypeError, match=f"expected a dodona.Sentence, not {type(item).__name__}"):
        for done in pipe([OAKS, bad, item, OAKS], threads=threads):
            delivered.append(done)
    assert len(delivered) == 2 and delivered[1] is bad


@pytest.mark.parametrize(
    "call",
    [
        lambda: parser().parse("Oaks speak."),  # type: ignore[arg-type]
        lambda: parser().parse(["Oaks", "speak"]),  # type: ignore[arg-type]
        lambda: parser().trace(None),  # type: ignore[arg-type]
        lambda: tagger().tag("Oaks"),  # type: ignore[arg-type]
        lambda: list(parser().pipe("Oaks")),  # type: ignore[type-var]
        lambda: list(parser().pipe(OAKS)),  # type: ignore[type-var]
        lambda: list(segmenter().stream([b"Oaks"])),  # type: ignore[list-item]
        lambda: parser().pipe(None),  # type: ignore[arg-type]
    ],
)
def test_what_to_pass_is_said(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match=r"expected a dodona\.Sentence|strings|not iterable"):
        call()
