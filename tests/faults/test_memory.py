"""Failing allocations of the compiled core raise MemoryError and do no other harm.

Each job runs in its own process: first without faults, then with each allocation failing in turn,
then again without faults and with the same result. A sample of the allocations is tested, or all of
them (minutes) if ALL_FAULTS is set in the environment.
"""

from __future__ import annotations

import os

import pytest

from faults.inject import run_with_faults

MOST = int(os.environ.get("ALL_FAULTS", "0")) or 40  # faults per job

SETTING = """
import io, sys, tempfile
from pathlib import Path

import dodona
from dodona.clustering.clusters import cluster
from dodona.segmentation.segmenter_training import train_segmenter
from dodona.synthetic.generator import synthetic_treebank
from faults.inject import COMPILED, failing
from support.small import TEMPLATES, enhanced

TEXT = "Oaks whisper. Zeus doesn't hear them; the dove does!\\n\\nWho asks?"
folder = Path(tempfile.mkdtemp())
(folder / "templates.txt").write_text(TEMPLATES, encoding="utf-8")
quick = {"features": str(folder / "templates.txt"), "epochs": 1}


def made(sentence):
    columns = {"upos": sentence.upos, "feats": sentence.feats, "lemmas": sentence.forms}
    tree = {"heads": sentence.heads, "deprels": sentence.deprels}
    return dodona.Sentence.from_columns(sentence.forms, **columns, **tree)


BOOK = list(map(made, synthetic_treebank(8, 1, nonprojective=0.3)))
CONLLU = b"".join(map(bytes, BOOK))


def written(sentences):
    return b"".join(map(bytes, sentences))


def parser(**settings):
    return dodona.train(BOOK, **(quick | settings))
"""

JOBS = {
    "read": "def job(): return written(dodona.read(io.BytesIO(CONLLU), chunk_size=99))",
    "train": "def job(): return parser().to_bytes()",
    "train swap": "def job(): return parser(system='swap', projectivise='none').to_bytes()",
    "train hybrid": "def job(): return parser(system='arc-hybrid', learner='pa').to_bytes()",
    "train a beam": "def job(): return parser(beam=3, update='early', restart='bad').to_bytes()",
    "train a tagger": "def job(): return dodona.train_tagger(BOOK, epochs=1).to_bytes()",
    "train a tagger with a beam": (
        "def job(): return dodona.train_tagger(BOOK, epochs=1, search='beam', beam=3).to_bytes()"
    ),
    "train a segmenter": "def job(): return train_segmenter(BOOK, epochs=1).to_bytes()",
    "train graphs": (
        "GRAPHS = [enhanced(sentence) for sentence in BOOK]\n"
        "def job(): return dodona.train(GRAPHS, system='graph-eager', epochs=1).to_bytes()"
    ),
    "parse": "model = parser()\ndef job(): return written(model.pipe(BOOK))",
    "parse with a beam": "model = parser()\ndef job(): return written(model.pipe(BOOK, beam=3))",
    "parse into graphs": (
        "GRAPHS = [enhanced(sentence) for sentence in BOOK]\n"
        "model = dodona.train(GRAPHS, system='graph-standard', epochs=1)\n"
        "def job(): return written(model.pipe(BOOK))"
    ),
    "tag": (
        "model = dodona.train_tagger(BOOK, epochs=1)\ndef job(): return written(model.pipe(BOOK))"
    ),
    "segment": (
        "model = train_segmenter(BOOK, epochs=1)\n"
        "def job(): return written(model.segment(TEXT * 9))"
    ),
    "save and load": (
        "model = parser()\n"
        "def job():\n"
        "    model.save(folder / 'model')\n"
        "    return dodona.load(folder / 'model').to_bytes()"
    ),
    "load a pipeline": (
        "model = parser(pipeline='text')\n"
        "model.save(folder / 'model')\n"
        "def job(): return written(dodona.load(folder / 'model')(TEXT))"
    ),
    "load a network": "def job(): return dodona.load('en-small').labels",
    "parse text with a network": ("def job(): return written(dodona.load('en-small')(TEXT * 3))"),
    "parse with a network and a beam": (
        "model = dodona.load('en-small')\ndef job(): return written(model.pipe(BOOK, beam=3))"
    ),
    "search": (
        "patterns = [dodona.Pattern(p) for p in ('* > *', '* $ * .. *', '* >> * !< form=oak')]\n"
        "def job(): return [p.count(s) for p in patterns for s in BOOK]"
    ),
    "cluster": "def job(): return cluster([s.forms for s in BOOK], clusters=4)",
}

SWEEP = """
expected = job()
with failing("memory", 0, within=COMPILED) as fault:
    job()
n_calls = fault.n_calls
step = max(1, n_calls // MOST)
for n in [*range(1, n_calls + 1, step), n_calls]:
    print(n, file=sys.stderr)
    try:
        with failing("memory", n, within=COMPILED) as fault:
            job()
    except MemoryError:
        assert fault.n_failed == 1
    else:
        assert not fault.n_failed, f"allocation {n} failed, and nobody said so"
    assert job() == expected, f"after allocation {n} failed, the result is another one"
print(n_calls)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("name", JOBS)
def test_an_allocation_that_fails_is_a_memory_error_and_nothing_else(name: str) -> None:
    script = f"MOST = {MOST}\n{SETTING}\n{JOBS[name]}\n{SWEEP}"
    run = run_with_faults(script, timeout=3000)
    assert run.returncode == 0, run.stderr[-2000:]
    assert "Exception ignored" not in run.stderr, run.stderr[-2000:]
    assert int(run.stdout) > 20
