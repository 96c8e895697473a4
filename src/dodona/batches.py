"""Processing of a stream of sentences in batches, on several threads, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from dodona.core.base.heaps import return_memory
from dodona.core.base.values import show, to_int
from dodona.settings import SettingsError
from dodona.treebank.block import Block
from dodona.treebank.conllu.errors import BadSentence
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

BATCH = 256  # sentences: with 64, tagger and parser evict each other from the cache, 1.2x slower
MAX_BATCH_WORDS = 4096
MAX_THREADS = 1024
AHEAD = 4  # batches in flight per thread
MANY = 2_500_000  # bytes of sentences after which free memory is returned: with fewer, 1% slower

S = TypeVar("S")
T = TypeVar("T")
Sentences: TypeAlias = list[Sentence] | Block
Work = Callable[[list[Sentence]], Sentences]


def stream(items: Iterable[Any], work: Work, threads: int) -> Iterator[Any]:
    """Apply `work` to batches of sentences, by `map_in_order`; bad sentences pass unchanged.

    >>> oaks = Sentence.from_columns(["Oaks"])
    >>> len(list(stream([oaks] * 100, lambda batch: batch, threads=2)))
    100
    """
    check_threads(threads)
    done = map_in_order(partial(apply_to, work), batches_of(items), threads, AHEAD)
    return _items(done)


def _items(batches: Iterator[list[Any]]) -> Iterator[Any]:
    """Yield the items of all batches; then return the memory that many of them took."""
    n_bytes = 0
    try:
        for batch in batches:
            n_bytes += sum(map(len, map(bytes, batch)))
            yield from batch
    finally:
        if n_bytes >= MANY:
            return_memory()


def check_threads(threads: int) -> None:
    """Raise SettingsError for a number of threads that cannot be started.

    >>> check_threads(0)
    Traceback (most recent call last):
    dodona.settings.SettingsError: threads must be from 1 to 1,024, not 0
    """
    if not 1 <= to_int(threads, "threads") <= MAX_THREADS:
        raise SettingsError(f"threads must be from 1 to {MAX_THREADS:,}, not {show(threads)}")


def map_in_order(
    work: Callable[[S], T], items: Iterable[S], threads: int, ahead: int
) -> Iterator[T]:
    """Map items in threads and yield results in order; `ahead` items per thread are in flight.

    If the items end in an error, it is raised after the results of all items before it.

    >>> list(map_in_order(len, ["oak", "speaks"], threads=2, ahead=1))
    [3, 6]
    """
    with Pool(threads) as pool:
        yield from pool.map(work, items, ahead)


class Pool:
    """Threads that share the work of several maps; one thread is the caller's own."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Pool:
        if self.threads > 1:
            # imported here, as it imports logging, which takes longer than one sentence
            from concurrent.futures import ThreadPoolExecutor

            self._pool = ThreadPoolExecutor(self.threads)
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def map(self, work: Callable[[S], T], items: Iterable[S], ahead: int) -> Iterator[T]:
        """Map items as `map_in_order` does. A map can be the input of another."""
        if self._pool is None:
            yield from map(work, items)
            return
        waiting: deque[Future[T]] = deque()
        for future in _submit(self._pool, work, items):
            waiting.append(future)
            if len(waiting) > self.threads * ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _submit(
    pool: ThreadPoolExecutor, work: Callable[[S], T], items: Iterable[S]
) -> Iterator[Future[T]]:
    """Yield the future of each item; an error of the input becomes the last future."""
    from concurrent.futures import Future

    try:
        for item in items:
            yield pool.submit(work, item)
    except Exception as error:
        failed: Future[T] = Future()
        failed.set_exception(error)
        yield failed


def require_sentence(item: object) -> Sentence:
    """Return the item if it is a sentence; else raise TypeError."""
    if not isinstance(item, Sentence):
        raise TypeError(
            f"expected a dodona.Sentence, not {type(item).__name__}; "
            'dodona.Sentence.from_columns(["Oaks", "speak"]) makes one from words, and a parser '
            "with a segmenter reads plain text: parser(text), or parser.docs(texts) for several"
        )
    return item


def require_text(item: object) -> str:
    """Return a text, of whatever subclass of str, as a plain string; else raise TypeError.

    >>> require_text(["Oaks speak."])
    Traceback (most recent call last):
    TypeError: expected a text, not list; parser.docs(texts) parses several texts, \
parser.pipe(sentences) sentences
    """
    if not isinstance(item, str):
        raise TypeError(
            f"expected a text, not {type(item).__name__}; parser.docs(texts) parses several texts, "
            "parser.pipe(sentences) sentences"
        )
    return str.__str__(item)  # compiled code takes no subclass, such as a string of NumPy


def apply_to(work: Work, batch: list[Any]) -> list[Any]:
    """Return a batch with its sentences annotated; bad ones stay as they are."""
    good = [item for item in batch if isinstance(item, Sentence)]
    done = [*work(good)]
    if len(good) == len(batch):
        return done
    rest = iter(done)
    return [next(rest) if isinstance(item, Sentence) else item for item in batch]


def batches_of(items: Iterable[Any]) -> Iterator[list[Any]]:
    """Group items into batches; an error of the input is raised after the last batch."""
    batch: list[Any] = []
    n_words = 0
    try:
        for item in items:
            is_bad = isinstance(item, BadSentence)
            n_words += len(bytes(item) if is_bad else require_sentence(item))
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


def n_words_of(found: list[Any] | Block) -> int:
    """Return the number of words of the sentences among some items."""
    if isinstance(found, Block):
        return found.n_words
    return sum(len(item) for item in found if isinstance(item, Sentence))
