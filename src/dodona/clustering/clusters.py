"""Brown clusters of the words of a text, for use in feature templates."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from dodona.core.base.values import show, to_int
from dodona.core.clustering.brown import Brown
from dodona.settings import SettingsError
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.files import Source, open_input, open_output
from dodona.treebank.conllu.reader import read

CHUNK = 32  # words added between two checks for Ctrl-C
MAX_CLUSTERS = 10_000  # whose tables take 3 GB
EDGE, EXCLUDED = -1, -2  # sentence boundaries and excluded words in the text of `Brown`


class ClusteredWord(NamedTuple):
    """A word, the bit string of its cluster, and how often it occurs."""

    bits: str
    word: str
    frequency: int


def cluster(
    sentences: Iterable[Sequence[str]],
    *,
    clusters: int = 1000,
    min_count: int = 1,
    report: Callable[[int, int], None] | None = None,
) -> list[ClusteredWord]:
    """Cluster the words of a text by their neighbours (Brown et al. 1992).

    Words that occur less than `min_count` times are excluded. A text with fewer words than
    `clusters` gives as many clusters as words. `report` is called with the number of steps done
    and their total.

    >>> text = ["the oak speaks", "the elm speaks", "the oak sleeps", "an elm sleeps"]
    >>> for found in cluster([line.split() for line in text], clusters=3):
    ...     print(*found)
    00 the 3
    00 an 1
    01 elm 2
    01 oak 2
    1 sleeps 2
    1 speaks 2
    """
    if not 2 <= to_int(clusters, "clusters") <= MAX_CLUSTERS:
        raise SettingsError(f"clusters must be from 2 to {MAX_CLUSTERS:,}, not {show(clusters)}")
    if to_int(min_count, "min_count") < 1:
        raise SettingsError(f"min_count must be at least 1, not {show(min_count)}")
    text, counts = _number_words(sentences)
    # the most frequent first; the order of the text does not matter
    words = sorted((-count, word) for word, count in counts.items() if count >= min_count)
    if len(words) < 2:
        raise SettingsError(_too_few(len(words), len(counts), min_count))
    index = {word: i for i, (_, word) in enumerate(words)}
    numbers = [*(index.get(word, EXCLUDED) for word in counts), EDGE]
    brown = Brown(array("i", [numbers[number] for number in text]), len(words), clusters)
    while brown.n_done < brown.n_steps:
        brown.advance(CHUNK)
        if report:
            report(brown.n_done, brown.n_steps)
    found = zip(brown.paths(), words, strict=True)
    return [ClusteredWord(bits, word, -less) for bits, (less, word) in sorted(found)]


def read_words(source: Source) -> Iterator[list[str]]:
    """Yield the sentences of a file: CoNLL-U by name, or text with one tokenised sentence per line.

    >>> import io
    >>> list(read_words(io.BytesIO(b"an oak\\nspeaks\\n")))
    [['an', 'oak'], ['speaks']]
    """
    file, name, is_ours = open_input(source)
    try:
        if name.removesuffix(".gz").endswith((".conllu", ".conll")):
            yield from (sentence.forms for sentence in read(file, trees="ignored", name=name))
        else:
            yield from _lines(file, name)
    finally:
        if is_ours:
            file.close()


def write_clusters(words: Iterable[ClusteredWord], target: Source) -> None:
    """Write `bits<TAB>word<TAB>count` lines, which `Clusters.read` and other programs read."""
    with open_output(target) as file:
        for word in words:
            file.write("{}\t{}\t{}\n".format(*word).encode())


def _lines(file: Iterable[bytes], name: str) -> Iterator[list[str]]:
    for number, line in enumerate(file, 1):
        try:
            # split before decoding: a no-break space is part of a word
            yield [word.decode() for word in line.split()]
        except UnicodeDecodeError as error:
            raise TreebankError(name, number, f"the text is not UTF-8: {error}") from None


def _number_words(sentences: Iterable[Sequence[str]]) -> tuple[array[int], dict[str, int]]:
    """Return the text as word numbers, in the order of the returned word counts."""
    numbers: dict[str, int] = {}
    text = array("i", [EDGE])
    for sentence in sentences:
        if sentence:
            text.extend([numbers.setdefault(word, len(numbers)) for word in sentence])
            text.append(EDGE)
    counts = [0] * (len(numbers) + 1)
    for number in text:
        counts[number] += 1  # EDGE is the last entry
    return text, dict(zip(numbers, counts[:-1], strict=True))


def _too_few(n_words: int, n_all: int, min_count: int) -> str:
    if n_all == n_words == 0:
        return "there is no word in the text"
    rare = f" that occurs {min_count} times or more" if min_count > 1 else ""
    return f"there is {'no' if n_words == 0 else 'only one'} word{rare}: nothing can be clustered"
