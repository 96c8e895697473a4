"""Measure the speed of searching a treebank for patterns, compared with reading it.

python bench/grep.py DIR/en_ewt/train.conllu
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import dodona

PATTERNS = (
    "upos=VERB >nsubj upos=NOUN",
    "upos=NOUN !>det *",
    "lemma=/.*ing/ >obj (upos=NOUN >amod *)",
    "upos=VERB >> upos=PRON",
    "[upos=ADJ]* [upos=NOUN]+",
    "[upos=DET] ([upos=ADV]? [upos=ADJ])* [upos=NOUN]+ [lemma=of]",
)
REPEATS = 5


def speed(task: Callable[[], object], n_words: int) -> float:
    """Return words per second of CPU time, the median of several runs."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        task()
        times.append(time.process_time() - start)
    return n_words / statistics.median(times)


def main() -> None:
    (path,) = sys.argv[1:]
    n_words = sum(map(len, dodona.read(path, trees="ignored")))
    alone = speed(lambda: sum(map(len, dodona.read(path, trees="ignored"))), n_words)
    print(f"{n_words:,} words; reading alone: {alone:,.0f} words/s")
    for text in PATTERNS:
        pattern = dodona.Pattern(text)

        def search(pattern: dodona.Pattern = pattern) -> int:
            return sum(map(pattern.count, dodona.read(path, trees="ignored")))

        found = speed(search, n_words)
        print(f"{found:>12,.0f} words/s  {found / alone:.2f} of reading  {search():>7,}  {text}")


if __name__ == "__main__":
    main()
