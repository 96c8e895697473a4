"""Work on a stream of sentences: in batches, on several threads, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

# sentences in one go: with 64, tagger and parser take the cache from each other, 1.2x slower
BATCH = 256
MAX_BATCH_WORDS = 4096
AHEAD = 4  # batches in flight per thread

Work = Callable[[list[Sentence]], list[Sentence]]


def stream(items: Iterable[Any], work: Work, threads: int) -> Iterator[Any]:
    """What `work` makes of the sentences; bad ones pass through untouched.

    Where the items end in an error, all that came before is worked on and given out first.

    >>> oaks = Sentence.from_columns(["Oaks"])
    >>> len(list(stream([oaks] * 100, lambda batch: batch, threads=2)))
    100
    """
    if threads < 1:
        raise ValueError(f"at least one thread is needed, not {threads}")
    batches = _batches(iter(items))
    return _work(work, batches) if threads == 1 else _work_in_threads(work, batches, threads)


def require_sentence(item: object) -> Sentence:
    """The item, if it is a sentence.

    >>> require_sentence(Sentence.from_columns(["Oaks"])).forms
    ['Oaks']
    """
    if not isinstance(item, Sentence):
        raise TypeError(
            f"expected a dodona.Sentence, not {type(item).__name__}; "
            'dodona.Sentence.from_columns(["Oaks", "speak"]) makes one of words, and a parser with '
            "a segmenter, called as parser(text), reads plain text"
        )
    return item


def require_text(item: object) -> str:
    """The item, if it is a text.

    >>> require_text(["Oaks speak."])
    Traceback (most recent call last):
    TypeError: expected a text, not list; parser.docs(texts) makes a document of each of several, \
and parser.pipe(sentences) parses sentences
    """
    if not isinstance(item, str):
        raise TypeError(
            f"expected a text, not {type(item).__name__}; parser.docs(texts) makes a document of "
            "each of several, and parser.pipe(sentences) parses sentences"
        )
    return item


def _work(work: Work, batches: Iterator[list[Any]]) -> Iterator[Any]:
    for batch in batches:
        yield from _do(work, batch)


def _work_in_threads(work: Work, batches: Iterator[list[Any]], threads: int) -> Iterator[Any]:
    # imported here: it brings logging along, which one sentence should not wait for
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads)
    waiting: deque[Future[list[Any]]] = deque()
    try:
        for future in _submit(pool, work, batches):
            waiting.append(future)
            if len(waiting) > threads * AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _submit(
    pool: ThreadPoolExecutor, work: Work, batches: Iterator[list[Any]]
) -> Iterator[Future[list[Any]]]:
    """What will become of each batch; an error of the batches themselves becomes the last."""
    from concurrent.futures import Future

    try:
        for batch in batches:
            yield pool.submit(_do, work, batch)
    except Exception as error:
        failed: Future[list[Any]] = Future()
        failed.set_exception(error)
        yield failed


def _do(work: Work, batch: list[Any]) -> list[Any]:
    good = [item for item in batch if isinstance(item, Sentence)]
    done = work(good)
    if len(good) == len(batch):
        return done
    rest = iter(done)
    return [next(rest) if isinstance(item, Sentence) else item for item in batch]


def _batches(items: Iterator[Any]) -> Iterator[list[Any]]:
    """The items, some at a time; where they end in an error, that comes after the last of them."""
    batch: list[Any] = []
    n_words = 0
    try:
        for item in items:
            if isinstance(item, BadSentence):
                n_words += len(bytes(item))
            else:
                n_words += len(require_sentence(item))
            batch.append(item)
            if len(batch) == BATCH or n_words >= MAX_BATCH_WORDS:
                yield batch
                batch, n_words = [], 0
    except Exception:
        if batch:
            yield batch
        raise
    if batch:
        yield batch
