"""A system call that fails while a file is written raises an error that names the file.

No temporary file is left, and the old file is intact, unless the complete new one was renamed
already and only the fsync of the folder failed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from faults.inject import run_with_faults

SCRIPT = """
import contextlib, errno, io, sys
from functools import partial
from pathlib import Path

import dodona
from dodona.cli import main
from dodona.parsing.trainer import Trainer
from faults.inject import failing
from support.small import parser, treebank

folder, what = Path(sys.argv[1], "faulty"), sys.argv[2]
folder.mkdir()
OLD = b"old" * 10_000
corpus, text = folder / "in.conllu", folder / "words.txt"
model, out = folder / "my.dodona", folder / "out"
with dodona.Writer(corpus) as writer:
    for sentence in treebank(300, 1):
        writer.write(sentence)
text.write_text("the oak speaks\\nan elm hears the oak\\n" * 100)
parser().save(model)
trainer = Trainer(treebank(20, 1), None, dodona.Settings(epochs=1))
list(trainer.epochs())
trained = dodona.Parser.from_bytes(parser().to_bytes())

def shell(*words):
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            main([*map(str, words)])
    except SystemExit as left:
        if left.code:
            assert left.code == 1 and said.getvalue().count("\\n") == 1, (left, said.getvalue())
            raise OSError(errno.EIO, said.getvalue(), said.getvalue().partition(": ")[0])

AGAIN = "parse", model, corpus, "--retag"
WORK = {
    "save": (out, lambda: trained.save(out)),
    "checkpoint": (out, lambda: trainer.save_checkpoint(out)),
    "parse": (out, lambda: shell(*AGAIN, "-o", out)),
    "parse to json": (out, lambda: shell(*AGAIN, "-o", out, "--output", "json")),
    "threads": (out, lambda: shell(*AGAIN, "-o", out, "--threads", "2")),
    "convert": (out, lambda: shell("convert", corpus, "-o", out, "--to", "conllx")),
    "compress": (folder / "out.gz", lambda: shell("convert", corpus, "-o", folder / "out.gz")),
    "cluster": (out, lambda: shell("cluster", text, "-o", out, "--clusters", "3", "--quiet")),
}
target, work = WORK[what]
others = {path.name for path in folder.iterdir()}

def attempt(kind, n, **options):
    target.write_bytes(OLD)
    error = None
    try:
        with failing(kind, n, within="faulty", **options) as fault:
            work()
    except OSError as caught:
        error = caught
    left = {path.name for path in folder.iterdir()}
    assert left == {*others, target.name}, left
    if fault.n_failed and error is None:
        assert kind == "open" and fault.n_calls > 1, "nothing was said of it"
    if error is not None:
        assert error.filename and Path(error.filename).parent == folder, error.filename
        assert not Path(error.filename).name.startswith("."), error.filename
        assert target.read_bytes() == OLD or kind == "sync" and target.read_bytes() == whole
    else:
        assert target.read_bytes() == whole
    return fault

work()
whole = target.read_bytes()
for kind in ("open", "write", "sync", "rename"):
    n_calls = attempt(kind, 0).n_calls
    for n in range(1, n_calls + 1):
        assert attempt(kind, n, error=errno.EIO).n_failed == 1
        assert attempt(kind, n, last=0, error=errno.ENOSPC).n_failed > 0
    print(n_calls)
"""
WORK = ("save", "checkpoint", "parse", "parse to json", "threads", "convert", "compress", "cluster")


@pytest.mark.thorough
@pytest.mark.parametrize("work", WORK)
def test_a_fault_leaves_the_old_file_and_nothing_else(work: str, tmp_path: Path) -> None:
    run = run_with_faults(SCRIPT, tmp_path, work)
    assert run.returncode == 0, run.stderr
    opened, written, synced, renamed = map(int, run.stdout.split())
    assert opened >= 2 and written >= 1 and (synced, renamed) == (2, 1)


READING = """
import errno, sys
import dodona
from dodona.parsing.trainer import Trainer
from faults.inject import failing
from support.small import parser, treebank

path = sys.argv[1]
def load():
    dodona.load(path).parse(treebank(1, 1)[0])

parser().save(path)
for kind in ("open", "read"):
    with failing(kind, 0, within="faulty") as fault:
        load()
    assert fault.n_calls > 0
    for n in range(1, fault.n_calls + 1):
        try:
            with failing(kind, n, within="faulty", error=errno.EIO) as fault:
                load()
        except (OSError, dodona.storage.container.ContainerError) as error:
            assert path in str(error), error
        else:
            raise SystemExit(f"the {kind} number {n} of a model failed, and nothing was said")
"""


def test_a_fault_of_reading_is_told_by_the_name_of_the_file(tmp_path: Path) -> None:
    run = run_with_faults(READING, tmp_path / "faulty.dodona")
    assert run.returncode == 0, run.stderr
