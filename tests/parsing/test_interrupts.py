"""Parsing without the interpreter lock is interrupted by signals: the handler's error ends it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import dodona
from dodona.core.search.beam import Beam

pytestmark = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="Windows has no such timer"
)
SENTENCE = dodona.Sentence.from_columns(["oak", "speaks", "to"] * 1000)


class WakeUpError(Exception):
    """Raised by the handler of the signal."""


@contextmanager
def alarm_soon() -> Iterator[None]:
    """Send a signal in a moment: much sooner than the work inside can be done."""

    def wake_up(*_: object) -> None:
        raise WakeUpError

    before = signal.signal(signal.SIGALRM, wake_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("model", ["en-small", "en-linear"])
def test_a_wide_beam_on_a_long_sentence_is_interrupted(model: str) -> None:
    parser = dodona.load(model)
    corpus = parser.encode(SENTENCE)
    search = Beam(parser.scorer.state_scorer, parser.actions, width=1000)
    with pytest.raises(WakeUpError), alarm_soon():
        search.parse(corpus)
    assert set(corpus.heads(0)) == {None}  # otherwise the signal came when all was done
    parser.search.parse(corpus)
    assert None not in corpus.heads(0)


@pytest.mark.thorough
def test_greedy_search_with_a_network_is_interrupted() -> None:
    parser = dodona.load("en")
    corpus = parser.encode(dodona.Sentence.from_columns(SENTENCE.forms * 10))
    with pytest.raises(WakeUpError), alarm_soon():
        parser.search.parse(corpus)
    assert set(corpus.heads(0)) == {None}
