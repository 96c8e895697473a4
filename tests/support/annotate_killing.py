"""A process that annotates at random until it is killed, and what must be there after it."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import sleep
from zlib import crc32

from dodona.annotate import Workbench
from dodona.annotate.errors import ChangeError
from dodona.treebank.conllu.reader import read

USE = """
import sys
from random import Random
from zlib import crc32
from dodona.annotate import Workbench
from dodona.annotate.changes import MergeSentence, SetArc, SplitSentence
rng = Random(int(sys.argv[2]))
bench = Workbench(sys.argv[1], model=sys.argv[3])
print("open", flush=True)
while True:
    index = rng.randrange(bench.n_sentences)
    view = bench.sentence(index)
    n_words = len(view.words)
    kind = rng.random()
    if kind < 0.1:
        bench.save()
    elif kind < 0.2 and bench.overview().can_undo:
        view = bench.undo()
    elif kind < 0.25 and n_words > 3 and not view.ranges:
        view = bench.change(index, view.revision, SplitSentence(3))
    elif kind < 0.3 and 1 <= index < bench.n_sentences - 1:
        view = bench.change(index, view.revision, MergeSentence())
    elif n_words > 1:
        word, head = rng.sample(range(1, n_words + 1), 2)
        view = bench.change(index, view.revision, SetArc(word, head, "x" * rng.randrange(1, 9)))
    else:
        continue
    print(bench.n_sentences, view.index, crc32(repr(view.words).encode()), flush=True)
"""


def kill_once(path: Path, seed: int, seconds: float, name: str = "none") -> int:
    """Kill a process that annotates; check that its last acknowledged change is there."""
    command = [sys.executable, "-c", USE, str(path), str(seed), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        sleep(seconds)
        process.send_signal(signal.SIGKILL)
        lines = [line.split() for line in process.stdout.read().splitlines()]
    acknowledged = [line for line in lines if len(line) == 3]
    list(read(path, trees="optional"))  # a valid file, whenever it happened
    with Workbench(path, model=name) as bench:
        if acknowledged:
            assert is_there(bench, *map(int, acknowledged[-1]))
    return len(acknowledged)


def is_there(bench: Workbench, n_sentences: int, index: int, checksum: int) -> bool:
    """Whether a sentence is as acknowledged; one more step may have reached the journal."""
    for step in (bench.overview, bench.undo, bench.redo, bench.redo):
        with suppress(ChangeError):
            step()
        words = bench.sentence(index).words if index < bench.n_sentences else ()
        if (bench.n_sentences, crc32(repr(words).encode())) == (n_sentences, checksum):
            return True
    return False
