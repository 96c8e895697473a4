"""Memory stays in proportion to the text, whatever it is, and is returned afterwards.

Sentences are parsed one after the other and dropped, as `dodona parse` does; a `Doc`, which holds
all of them, takes memory of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SCRIPT = """
import gc, json, sys
import dodona

def memory(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(name))

model, text = json.load(sys.stdin)
chunks = [text[i:i + 60_000] for i in range(0, len(text), 60_000)]
parser = dodona.load(model)
parser("The old oak in the garden speaks to nobody.")
gc.collect()
start = memory("VmRSS")
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # begin the peak anew
n_words = sum(map(len, parser.pipe_text(iter(chunks))))
peak = memory("VmHWM")
gc.collect()
json.dump([n_words, start, peak, memory("VmRSS")], sys.stdout)
"""
SIZE = 400_000  # bytes
SCRATCH = 30_000_000  # bytes for any text: what is kept of words, room for pieces
TEXTS = {
    "one word, again and again": "a " * (SIZE // 2),
    "a list of words": "\n".join(f"w{i}" for i in range(SIZE // 7)),
    "words of 100 kB": " ".join(str(i) * 100_000 for i in range(SIZE // 100_000)),
    "one word": "oak" * (SIZE // 3),
    "prose": "The old oak in the garden speaks to nobody, and I wonder why. " * (SIZE // 62),
    "short paragraphs": "a\n\n" * (SIZE // 3),
    "signs": "(!" * (SIZE // 2),
}


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("model", ["en", "en-small", "en-linear"])
def test_memory_is_in_proportion_to_the_text_and_returned(model: str, name: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps([model, TEXTS[name]]),
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    n_words, start, peak, end = json.loads(run.stdout)
    assert n_words > 0
    # with a token for each byte, the words around every possible sentence end take more
    most = 75 if name == "signs" else 60
    assert peak - start <= SCRATCH + most * len(TEXTS[name].encode())
    assert end <= 1.25 * start
