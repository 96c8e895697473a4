"""Texts on several threads: what comes out does not depend on threads or on how texts are cut."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from random import Random
from typing import Any

import pytest

import dodona
from dodona.batches import Sentences
from dodona.rules.rules import Rules
from dodona.segmentation import pieces
from dodona.segmentation.pieces import LOOKAHEAD, JoinedScans, Source
from dodona.segmentation.text_stream import Annotated, annotate
from dodona.treebank.block import Block
from support.small import treebank

WORDS = [word for sentence in treebank(40, 1) for word in sentence.forms]


@cache
def segmenter() -> dodona.Segmenter:
    return dodona.train_segmenter(treebank(60, 1), epochs=1)


def prose(n_words: int, ends: list[str], seed: int = 1) -> str:
    """Words with one of these ends after about every tenth."""
    random = Random(seed)
    words = (random.choice(WORDS) for _ in range(n_words))
    return "".join(word + (random.choice(ends) if random.random() < 0.1 else " ") for word in words)


TEXTS = {
    "paragraphs": prose(4000, [". ", ".\n\n", "! "]),
    "a paragraph per line": prose(4000, [". ", ".\n"]),
    "wrapped lines": prose(4000, ["\n", ". ", ".\n"]),
    "one line": prose(4000, [". ", "? ", " Dr. "]),
    "no marks": prose(4000, [" "]),
    "lists": prose(3000, ["\n", "\n- ", "\n\n1. ", ".\n"]),
    "Windows": prose(4000, [".\r\n\r\n", "\r\n", ". "]),
    "no spaces": "".join(WORDS * 40),
    "Chinese": "橡树会说话。" * 3000,
    "white space": " \n\t\n " * 5000,
    "blank lines first": "\n\n  \n" * 2000 + prose(500, [".\n\n"]),
    "long words": " ".join("oak" * 2500 for _ in range(12)),
    "signs": prose(3000, ["\x00 ", "\ud800. ", "\u2029", "🌳🌳\n", "...\n\n", "\x85", "\ufeff"]),
    "short": "Oaks speak.",
    "nothing": "",
}


def by_hand(text: str, by_lines: bool = False) -> list[bytes]:
    """The sentences of a whole text, which is not cut."""
    found = segmenter().segment(text, sentences="lines" if by_lines else "learned")
    return [bytes(sentence) for sentence in found]


def join(found: list[Sentences]) -> bytes:
    return b"".join(bytes(sentence) for some in found for sentence in some)


def in_chunks(text: str, size: int) -> Iterator[str]:
    return (text[i : i + size] for i in range(0, len(text), size))


@pytest.mark.parametrize("by_lines", [False, True])
@pytest.mark.parametrize("name", TEXTS)
def test_bytes_do_not_depend_on_threads_or_on_cuts(
    name: str, by_lines: bool, monkeypatch: Any
) -> None:
    text = TEXTS[name]
    expected = b"".join(by_hand(text, by_lines))
    for threads, piece, chunk in (
        (1, 20_000, 1 << 16),
        (2, 700, 997),
        (3, 3000, 64),
        (5, 90, 5000),
    ):
        monkeypatch.setattr(pieces, "PIECE", piece)
        source = Source(in_chunks(text, chunk), by_lines=by_lines)
        parts = [*annotate([source], segmenter(), lambda block: block, join, threads)]
        assert b"".join(part.found for part in parts) == expected, (threads, piece, chunk)
        assert [part.is_end for part in parts] == [False] * (len(parts) - 1) + [True]


def test_texts_are_cut_into_several_pieces_in_this_test(monkeypatch: Any) -> None:
    """Otherwise the test above would not test anything."""
    monkeypatch.setattr(pieces, "PIECE", 700)
    n_pieces = {name: len([*pieces.cut(Source([text]))]) for name, text in TEXTS.items()}
    few = {name for name, n in n_pieces.items() if n < 10}
    assert few == {"white space", "blank lines first", "short", "nothing"}


def test_a_cut_inside_a_sentence_is_found_and_mended(monkeypatch: Any) -> None:
    again: list[int] = []
    scan = JoinedScans._scan

    def watched(self: JoinedScans, piece: Any, text: str, *, in_list: bool) -> Any:
        if text != piece.text:
            again.append(len(text) - len(piece.text))
        return scan(self, piece, text, in_list=in_list)

    monkeypatch.setattr(JoinedScans, "_scan", watched)
    monkeypatch.setattr(pieces, "PIECE", 700)
    test_bytes_do_not_depend_on_threads_or_on_cuts("no marks", False, monkeypatch)
    assert again


def test_a_long_sentence_is_not_scanned_again_with_every_piece(monkeypatch: Any) -> None:
    n_scanned = count()
    scan = JoinedScans._scan

    def watched(self: JoinedScans, piece: Any, text: str, *, in_list: bool) -> Any:
        n = len(text) // 1000
        for _ in range(n if text != piece.text else 0):
            next(n_scanned)
        return scan(self, piece, text, in_list=in_list)

    monkeypatch.setattr(JoinedScans, "_scan", watched)
    monkeypatch.setattr(pieces, "PIECE", 2000)
    text = " ".join("oak" * 300 for _ in range(400))  # 360,000 characters, one sentence
    source = Source([text])
    [*annotate([source], segmenter(), lambda block: block, join, 1)]
    assert next(n_scanned) < 6 * len(text) // 1000


def test_small_texts_are_annotated_together_and_told_apart() -> None:
    texts = [prose(n, [". ", ".\n\n"], seed=n) for n in (3, 0, 40, 1, 200)] * 30
    sources = [Source([text], context=i) for i, text in enumerate(texts)]
    sizes: list[int] = []

    def work(block: Sentences) -> Sentences:
        sizes.append(len(block))
        return block

    parts = [*annotate(sources, segmenter(), work, join, 2)]
    assert [part.source.context for part in parts] == [*range(len(texts))]
    assert all(part.is_end for part in parts)
    for part, text in zip(parts, texts, strict=True):
        assert part.found == b"".join(by_hand(text))
    assert len(sizes) < len(texts) // 4


def test_texts_and_given_sentences_alternate() -> None:
    oaks = dodona.Sentence.from_columns(["Oaks", "speak"])
    sources = [Source(["Elms listen."]), Source(None, [oaks] * 600), Source(["Oaks."])] * 3
    parts = [*annotate(sources, segmenter(), lambda some: some, join, 3)]
    found = b"".join(part.found for part in parts)
    one = b"".join([*by_hand("Elms listen."), bytes(oaks) * 600, *by_hand("Oaks.")])
    assert found == 3 * one
    assert sum(part.is_end for part in parts) == 9 and sum(p.n_words for p in parts) == 3 * 1205


def test_many_small_texts_keep_all_threads_busy() -> None:
    """Each thread waits for the others: with less than three groups at work none would go on."""
    together = threading.Barrier(3)

    def work(block: Sentences) -> Sentences:
        together.wait(60)
        return block

    sources = [Source([prose(180, [". "], seed=i)]) for i in range(60)]
    assert len([*annotate(sources, segmenter(), _in_threes(work), join, 3)]) == 60


def _in_threes(work: Callable[[Sentences], Sentences]) -> Callable[[Sentences], Sentences]:
    """Call work for the first three batches, and let the others pass."""
    number = count()
    return lambda block: work(block) if next(number) < 3 else block


class Broken(Exception):  # noqa: N818
    pass


def breaking(text: str) -> Iterator[str]:
    yield from in_chunks(text, 1000)
    raise Broken("the line went dead")


@pytest.mark.parametrize("threads", [1, 3])
def test_what_was_read_before_an_error_is_delivered_and_no_end_is_reported(threads: int) -> None:
    text = TEXTS["paragraphs"]
    parts: list[Annotated[bytes]] = []
    sources = [Source(["Oaks speak."]), Source(breaking(text)), Source(["Elms."])]
    with pytest.raises(Broken, match="the line went dead"):
        for part in annotate(sources, segmenter(), lambda block: block, join, threads):
            parts.append(part)
    assert b"".join(part.found for part in parts) == b"".join(
        [*by_hand("Oaks speak."), *by_hand(text)]
    )
    assert [part.is_end for part in parts].count(True) == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt, Broken])
def test_threads_end_when_the_work_is_interrupted(error: type[BaseException]) -> None:
    before = threading.active_count()

    def chunks() -> Iterator[str]:
        yield from [TEXTS["paragraphs"]] * 3
        raise error

    with pytest.raises(error):
        for _ in annotate([Source(chunks())], segmenter(), lambda block: block, join, 3):
            pass
    running = annotate(
        [Source([TEXTS["paragraphs"]] * 9)], segmenter(), lambda block: block, join, 3
    )
    next(running)
    running.close()
    assert threading.active_count() == before


def test_an_error_of_the_work_comes_in_its_place() -> None:
    def work(block: Sentences) -> Sentences:
        if any(sentence.forms == ["Elms", "."] for sentence in block):
            raise Broken("no elms")
        return block

    sources = [Source([TEXTS["paragraphs"]]), Source(["Elms."])]
    found = annotate(sources, segmenter(), work, join, 2)
    with pytest.raises(Broken, match="no elms"):
        list(found)


def test_rules_of_a_user_apply_to_texts_in_threads() -> None:
    ruled = segmenter().with_rules(Rules(whole=["c/o"], sentence_starts=["^Elms"]))
    text = "Oaks c/o us\nElms listen to us.\n" * 600
    whole = b"".join(bytes(s) for block in ruled.stream([text]) for s in block)
    found = annotate([Source(in_chunks(text, 500))], ruled, lambda some: some, join, 2)
    assert b"".join(part.found for part in found) == whole
    assert b"c/o" in whole


def test_a_piece_reads_on_as_far_as_the_scanner_may_look() -> None:
    first = next(pieces.cut(Source([2 * TEXTS["paragraphs"]])))
    assert len(first.text) - first.n_own == LOOKAHEAD


def test_blocks_are_what_reaches_the_work() -> None:
    kinds: set[type] = set()

    def work(some: Sentences) -> Sentences:
        assert isinstance(some, Block)
        kinds.add(type(some))
        return some

    [*annotate([Source(["Oaks speak."])], segmenter(), work, join, 1)]
    assert kinds
