"""Models in use while their file changes, and limits of the memory that a file may need."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.storage import container
from dodona.storage.container import Array, ContainerError
from support.small import parser, treebank

posix = pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody change a file in use")


def run(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a script in a separate process, which may crash."""
    folder = str(Path(__file__).parent.parent)
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": folder},
        capture_output=True,
        text=True,
        timeout=60,
    )


IN_USE = """
import sys
from pathlib import Path
import dodona
from support.small import treebank

path = Path(sys.argv[1])
model = dodona.load(path)
before = [*map(bytes, model.pipe(treebank(30, 2)))]
size = path.stat().st_size
with path.open("r+b") as file:
    if sys.argv[2] == "cut short":
        file.truncate(0)
    else:
        file.write(b"\\xff" * size)
again = [*map(bytes, model.pipe(treebank(30, 2)))]
assert again == before
model.save(path)
assert [*map(bytes, dodona.load(path).pipe(treebank(30, 2)))] == before
"""


@posix
@pytest.mark.parametrize("how", ["cut short", "written over"])
def test_what_becomes_of_the_file_is_nothing_to_the_model(how: str, tmp_path: Path) -> None:
    parser().save(tmp_path / "model")
    done = run(IN_USE, tmp_path / "model", how)
    assert done.returncode == 0, done.stderr


def test_a_mapped_model_is_the_same(tmp_path: Path) -> None:
    parser().save(tmp_path / "model")
    mapped = dodona.load(tmp_path / "model", mapped=True)
    corpus = treebank(30, 2)
    assert [*map(bytes, mapped.pipe(corpus))] == [*map(bytes, parser().pipe(corpus))]
    assert mapped.to_bytes() == parser().to_bytes()


@posix
def test_only_a_mapped_model_keeps_its_file(tmp_path: Path) -> None:
    if not Path("/proc/self/maps").exists():
        pytest.skip("what is mapped is told by Linux only")
    for mapped in (False, True):
        path = tmp_path / f"model-{mapped}"
        parser().save(path)
        kept = dodona.load(path, mapped=mapped)
        assert (str(path) in Path("/proc/self/maps").read_text()) is mapped
        del kept


@pytest.mark.parametrize("mapped", [False, True])
def test_a_mapped_file_is_checked_as_well(tmp_path: Path, mapped: bool) -> None:
    path = tmp_path / "model"
    data = parser().to_bytes()
    for changed in (data[:-1], data[:-1] + bytes([data[-1] ^ 1]), data[:100], b""):
        path.write_bytes(changed)
        with pytest.raises(ContainerError, match=r"damaged|cut short|empty"):
            dodona.load(path, mapped=mapped)


# --- sizes

ROOM = """
import resource, sys
import dodona
from dodona.storage.container import ContainerError

size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
room = size + (256 << 20)
resource.setrlimit(resource.RLIMIT_AS, (room, room))
for kind in (dodona.Parser, dodona.Tagger, dodona.Segmenter):
    try:
        kind.load(sys.argv[1])
    except ContainerError as error:
        print(error)
    else:
        print("opened")
"""


def lines(path: Path) -> list[str]:
    """Return the error about a file in a process limited to 256 MB of additional memory."""
    if not Path("/proc/self/statm").exists():
        pytest.skip("how large a process is, Linux tells")
    done = run(ROOM, path)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def header(changed: dict[str, Any]) -> bytes:
    about = {"kind": "model", "version": "3", "about": "{}", "sha256": "0"}
    text = json.dumps({"__metadata__": about, **changed}).encode()
    return struct.pack("<Q", len(text)) + text


BUCKETS = {"dtype": "U64", "shape": [2**33], "data_offsets": [0, 2**36]}


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("<Q", 99_999_999) + b"{}",
        struct.pack("<Q", 2**62) + b"{}",
        header({"weights.buckets": BUCKETS}),
        header({"weights.buckets": BUCKETS | {"data_offsets": [2**62, 2**62]}}),
        header({"weights.buckets": BUCKETS | {"data_offsets": [-(2**40), 0]}}),
    ],
    ids=range(5),
)
def test_a_file_asks_for_no_more_room_than_it_has(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(data)
    assert all("get a fresh copy" in line or "open it as" in line for line in lines(path))


def pieces(model: Any) -> tuple[dict[str, Any], dict[str, Array]]:
    about, views = container.from_bytes(model.to_bytes(), *model.FORMAT.readable)
    types = {form: name for name, form in container.FORMATS.items()}
    return about, {name: Array(types[view.format], bytes(view)) for name, view in views.items()}


def test_twelve_bytes_do_not_ask_for_gigabytes(tmp_path: Path) -> None:
    """The index of a form with a certain tag was used as the size of a table."""
    tagger = dodona.train_tagger(treebank(40, 3), epochs=1)
    about, arrays = pieces(tagger)
    name = "tagger.upos.entries"
    data = bytes(arrays[name].data)
    arrays[name] = Array("U32", data[:-4] + struct.pack("<I", (1 << 30) - 1))
    path = tmp_path / "tagger"
    container.write(path, "tagger", dodona.Tagger.FORMAT.version, about, arrays)
    said = lines(path)[1]
    assert "does not fit together: word 1073741823 has a fixed class, but" in said


@pytest.mark.parametrize("name", ["beam", "epochs"])
def test_a_beam_asks_for_no_more_than_any_may(name: str, tmp_path: Path) -> None:
    tagger = dodona.train_tagger(treebank(40, 3), epochs=1, search="beam")
    about, arrays = pieces(tagger)
    about["settings"][name] = 10**9
    path = tmp_path / "tagger"
    container.write(path, "tagger", dodona.Tagger.FORMAT.version, about, arrays)
    assert lines(path)[1] == "opened" if name == "epochs" else "beam must be at most" in lines(path)[1]
