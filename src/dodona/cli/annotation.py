"""What `parse` and `tag` share: sentences through a model, from files to a file."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator

from dodona.cli.errors import say
from dodona.cli.inputs import Item, Skipped
from dodona.cli.outputs import open_writer
from dodona.treebank.sentence import Sentence


def annotate(
    items: Iterable[Item], pipe: Callable[[Iterable[Item]], Iterator[Item]], out: str, format: str
) -> None:
    """Write what the pipe makes of the items; on a terminal, tell how fast that was."""
    start = time.perf_counter()
    skipped, n_words = Skipped(), 0
    with open_writer(out, format) as writer:
        for item in pipe(skipped.watch(items)):
            writer.write(item)
            n_words += len(item) if isinstance(item, Sentence) else 0
    skipped.say()
    if sys.stderr.isatty():
        seconds = time.perf_counter() - start
        say(f"{n_words:,} words in {seconds:.2f} s: {n_words / seconds:,.0f} words/s")
