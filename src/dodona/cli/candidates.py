"""The k best trees of a stream of sentences, for `dodona parse --k-best`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from dodona.batches import AHEAD, check_threads, map_in_order
from dodona.cli.inputs import SentenceOrBad
from dodona.parsing.given import GivenOf
from dodona.parsing.given_parsing import Candidate
from dodona.treebank.comments import with_comments
from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.sentence import Sentence


def pipe_candidates(
    find_best: Callable[..., list[Candidate]],
    known: GivenOf | None,
    threads: int,
    sentences: Iterable[SentenceOrBad],
) -> Iterator[SentenceOrBad]:
    """Yield the k best trees of each sentence, with their ranks and scores as comments."""

    def find(item: SentenceOrBad) -> list[SentenceOrBad]:
        if isinstance(item, BadSentence):
            return [item]
        given = known(item) if known else None
        best = find_best(item, given=given)
        return [_with_rank(rank, *candidate) for rank, candidate in enumerate(best, 1)]

    check_threads(threads)
    return chain.from_iterable(map_in_order(find, sentences, threads, AHEAD))


def _with_rank(rank: int, sentence: Sentence, score: float) -> Sentence:
    return with_comments(sentence, [f"# rank = {rank}", f"# score = {score:.0f}"])
