"""Runs whose model, input, output or manifest changes: refused or right, never mixed."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: dodona[arrow]")

from pyarrow import parquet  # noqa: E402

from dodona.arrow import kept_columns, sources  # noqa: E402
from dodona.arrow.options import make_options  # noqa: E402
from dodona.arrow.runs import inputs, planning  # noqa: E402
from dodona.arrow.runs.corpus_run import RunProgress, RunSettings, parse_files  # noqa: E402
from dodona.arrow.runs.manifest import MANIFEST  # noqa: E402
from dodona.cli import main  # noqa: E402
from dodona.storage.steps import Journal  # noqa: E402
from support.text_models import some_text, text_model  # noqa: E402

CHANGES = int(os.environ.get("DODONA_CHANGES", "25"))
WINDOWS = pytest.mark.skipif(os.name == "nt", reason="Windows replaces no open file")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model, in which a part is a row group and a chunk is a line."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(planning, "PART_BYTES", 1)
    monkeypatch.setattr(kept_columns, "CHUNK_CHARS", 1)
    (tmp_path / "m.dodona").write_bytes(text_model(1))
    (tmp_path / "in").mkdir()
    return tmp_path


def parse(out: str = "out", **options: Any) -> RunProgress:
    report = options.pop("report", lambda progress: None)
    settings = RunSettings(resume=options.pop("resume", False))
    model = options.pop("model", "m.dodona")
    names = options.pop("names", ["in"])
    return parse_files(names, out, make_options(model, **options), settings, report=report)


def json_lines(seed: int, n: int = 3) -> bytes:
    lines = [{"text": some_text(seed + i)} for i in range(n)]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def csv_lines(seed: int, n: int = 3) -> bytes:
    return "".join(["text\n", *(f'"{some_text(seed + i)}"\n' for i in range(n))]).encode()


def table(seed: int, n: int = 3) -> bytes:
    sink = pa.BufferOutputStream()
    texts = pa.table({"text": [some_text(seed + i) for i in range(n)]})
    parquet.write_table(texts, sink, row_group_size=1)
    return bytes(sink.getvalue())


def replace(path: Path, data: bytes) -> None:
    """Replace a file by another, as most programs do."""
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(data)
    new.replace(path)


def overwrite(path: Path, data: bytes) -> None:
    """Write into a file, as `cp` does."""
    with path.open("r+b") as file:
        file.write(data)
        file.truncate()


def overwrite_unseen(path: Path, data: bytes) -> None:
    """Write into a file and set its time back."""
    before = path.stat()
    overwrite(path, data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def manifest(out: str = "out") -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the header and the records by part."""
    header, *records = map(json.loads, Path(out, MANIFEST).read_bytes().splitlines())
    return header, {record["part"]: record for record in records if "output" in record}


def results(out: str | Path = "out") -> dict[str, bytes]:
    files = sorted(Path(out).rglob("*.parquet"))
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in files}


def once(change: Callable[[], None], n_parts: int = 0) -> Callable[[RunProgress], None]:
    """Return a report that makes a change when so many parts are done, or with the first rows."""
    left = [change]

    def report(progress: RunProgress) -> None:
        if left and progress.n_parts >= n_parts:
            left.pop()()

    return report


@WINDOWS
@pytest.mark.parametrize("write", [replace, overwrite, overwrite_unseen])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_keeps_the_model_that_it_began_with(
    here: Path, threads: int, write: Callable[[Path, bytes], None]
) -> None:
    for name in "abc":
        (here / "in" / f"{name}.jsonl").write_bytes(json_lines(ord(name)))
    parse("whole")
    model = here / "m.dodona"
    parse(threads=threads, report=once(lambda: write(model, text_model(2))))
    assert results() == results("whole")
    assert manifest()[0]["model"] == digest(text_model(1))
    with pytest.raises(ValueError, match="made with another model"):
        parse(resume=True)
    write(model, text_model(1))
    assert parse(resume=True).n_documents == 0


@WINDOWS
def test_a_mapped_model_may_be_replaced_but_not_overwritten(here: Path) -> None:
    for name in "ab":
        (here / "in" / f"{name}.jsonl").write_bytes(json_lines(ord(name)))
    parse("whole")
    model = here / "m.dodona"
    parse(mapped=True, report=once(lambda: replace(model, text_model(2))))
    assert results() == results("whole") and manifest()[0]["model"] == digest(text_model(1))
    model.write_bytes(text_model(1))
    with pytest.raises(ValueError, match=r"m\.dodona: the model file was written to while"):
        parse("other", mapped=True, report=once(lambda: overwrite(model, text_model(1))))
    assert not results("other")


def test_a_damaged_model_is_named(here: Path) -> None:
    (here / "in" / "a.jsonl").write_bytes(json_lines(1))
    (here / "m.dodona").write_bytes(text_model(1)[:-1])
    with pytest.raises(ValueError, match=r"m\.dodona: "):
        parse()
    assert not (here / "out").exists()


FILES = {"a.jsonl": json_lines, "a.csv": csv_lines, "a.parquet": table, "a.txt": json_lines}


@WINDOWS
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.txt"])
def test_a_replaced_input_is_read_as_it_was(here: Path, name: str) -> None:
    path, make = here / "in" / name, FILES[name]
    old, new = make(1), make(50)
    path.write_bytes(old)
    parse("whole")
    parse(report=once(lambda: replace(path, new)))
    assert results() == results("whole")
    [record] = manifest()[1].values()
    assert record["files"][0]["sha256"] == digest(old)
    with pytest.raises(ValueError, match=f"in/{name} has changed since the run began"):
        parse(resume=True)


@WINDOWS
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet"])
@pytest.mark.parametrize("write", [overwrite, overwrite_unseen])
def test_an_input_that_is_written_to_is_refused(
    here: Path, name: str, write: Callable[[Path, bytes], None], monkeypatch: Any
) -> None:
    if name == "a.parquet":  # one part: its second batch comes from the new file
        monkeypatch.setattr(planning, "PART_BYTES", 1 << 20)
        monkeypatch.setattr(inputs, "BATCH_BYTES", 1)
    path, make = here / "in" / name, FILES[name]
    path.write_bytes(make(1))
    os.utime(path, (1, 1))  # not young
    other = make(50)
    with pytest.raises(ValueError, match=rf"in/{name}(:| was changed while)"):
        parse(report=once(lambda: write(path, other)))
    assert not results() and not manifest()[1]
    parse(resume=True)
    assert [one["files"][0]["sha256"] for one in manifest()[1].values()] == [digest(other)]


@WINDOWS
@pytest.mark.parametrize("n_rows", [2, 3, 5])
@pytest.mark.parametrize("write", [replace, overwrite, overwrite_unseen])
def test_the_parts_of_a_file_come_from_one_version(
    here: Path, n_rows: int, write: Callable[[Path, bytes], None]
) -> None:
    path = here / "in" / "a.parquet"
    path.write_bytes(table(1))
    with pytest.raises(ValueError, match=r"a\.parquet(:| has changed since| was changed while)"):
        parse(report=once(lambda: write(path, table(50, n_rows)), n_parts=1))
    old = digest(table(1))
    assert all(record["files"][0]["sha256"] == old for record in manifest()[1].values())
    with pytest.raises(ValueError, match=r"a\.parquet has changed since the run began"):
        parse(resume=True)
    replace(path, table(1))
    parse(resume=True)
    parse("whole")
    assert results() == results("whole")


def test_a_part_is_not_made_again_from_another_version(here: Path) -> None:
    path = here / "in" / "a.parquet"
    path.write_bytes(table(1))
    parse()
    (here / "out" / "a-00000.parquet").unlink()
    replace(path, table(50))
    with pytest.raises(ValueError, match=r"a\.parquet has changed since the run began"):
        parse(resume=True)
    assert "a-00000.parquet" not in results()


@WINDOWS
def test_an_output_that_is_replaced_at_once_is_noticed(here: Path, monkeypatch: Any) -> None:
    """It has the size of what was written, and the time at which the part is recorded."""
    (here / "in" / "a.jsonl").write_bytes(json_lines(1))
    path, real = here / "out" / "a.parquet", Journal.add

    def add(journal: Any, name: str, record: Any) -> None:
        time.sleep(0.02)
        replace(path, b"x" * path.stat().st_size)
        real(journal, name, record)

    monkeypatch.setattr(Journal, "add", add)
    parse()
    with pytest.raises(ValueError, match=r"a\.parquet is not as this run wrote it"):
        parse(resume=True)


@pytest.mark.parametrize("is_remote", [False, True])
def test_a_file_of_many_parts_is_hashed_once(here: Path, is_remote: bool, monkeypatch: Any) -> None:
    path = here / "in" / "a.parquet"
    path.write_bytes(table(1, 8))
    os.utime(path, (1, 1))  # not young
    names, n_read = ["in"], []
    if is_remote:
        memory = pytest.importorskip("fsspec").filesystem("memory")
        monkeypatch.setattr(sources, "TICK_NS", 0)
        memory.put(str(here / "in"), "/hashed/in", recursive=True)
        names = ["memory://hashed/in"]
    for owner, name in ((sources.Source, "_reread"), (sources, "checksum")):
        real = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *args, real=real: n_read.append(1) or real(*args))
    parse(names=names)
    assert len(results()) == 8 and len(n_read) == 1
    if not is_remote:
        os.utime(path, (2, 2))
        assert parse(names=names, resume=True).n_documents == 0
        assert len(n_read) == 2


def test_a_manifest_that_is_removed_during_a_run_is_noticed(here: Path) -> None:
    for name in "ab":
        (here / "in" / f"{name}.jsonl").write_bytes(json_lines(ord(name)))
    with pytest.raises(ValueError, match=r"_dodona\.jsonl: the file was removed or replaced"):
        parse(report=once((here / "out" / MANIFEST).unlink))
    assert not (here / "out" / MANIFEST).exists()
    parse("whole")
    parse(resume=True)
    assert results() == results("whole")


EDITS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no inputs": lambda record: record.pop("inputs"),
    "inputs of numbers": lambda record: record.update(inputs=[1]),
    "empty inputs": lambda record: record.update(inputs=[], files=[]),
    "too many inputs": lambda record: record["inputs"].append("b"),
    "no row groups": lambda record: record.pop("row_groups"),
    "row groups of text": lambda record: record.update(row_groups="0"),
    "no files": lambda record: record.pop("files"),
    "files that are none": lambda record: record.update(files=[None]),
    "no size": lambda record: record["files"][0].pop("size"),
    "a size that is none": lambda record: record["files"][0].update(size="3"),
    "a huge size": lambda record: record["files"][0].update(size=2**70),
    "no checksum": lambda record: record["files"][0].pop("sha256"),
    "a checksum that is none": lambda record: record["output"].update(sha256=7),
    "no output": lambda record: record.pop("output"),
    "an output that is none": lambda record: record.update(output=3),
    "no size of the output": lambda record: record["output"].pop("size"),
    "a time that is none": lambda record: record["output"].update(mtime_ns="now"),
    "no part": lambda record: record.pop("part"),
    "a part that is none": lambda record: record.update(part=["a"]),
}
LINES = {
    "not JSON": b"oak",
    "half": b'{"part": "a", ',
    "brackets": b"[" * 100_000,
    "bytes": b"\xff",
}


@pytest.mark.parametrize("what", [*EDITS, *LINES])
def test_a_damaged_manifest_says_where_and_what_to_do(here: Path, capfd: Any, what: str) -> None:
    for name in "ab":
        (here / "in" / f"{name}.jsonl").write_bytes(json_lines(ord(name)))
    parse()
    path, made = here / "out" / MANIFEST, results()
    whole = path.read_bytes()
    header, first, second = whole.splitlines(keepends=True)
    if what in EDITS:
        record = json.loads(first)
        EDITS[what](record)
        damaged = json.dumps(record).encode()
    else:
        damaged = LINES[what]
    command = ["parse", "m.dodona", "in", "-o", "out"]
    path.write_bytes(header + damaged + b"\n" + second)
    for more in ([], ["--resume"]):
        with pytest.raises(SystemExit) as left:
            main([*command, *more])
        said = capfd.readouterr().err
        assert left.value.code == 1 and f"{MANIFEST}:2: not the record of a step" in said
        assert "remove this line and continue with --resume" in said and "Traceback" not in said
    before = {name: (here / "out" / name).stat().st_ino for name in made}
    path.write_bytes(header + second)
    parse(resume=True)
    assert results() == made and len(path.read_bytes().splitlines()) == 3
    assert {name: (here / "out" / name).stat().st_ino for name in made} == before
    path.write_bytes(damaged + b"\n" + first + second)
    with pytest.raises(ValueError, match=rf"{MANIFEST}(:1: not the header of a run|: made with)"):
        parse(resume=True)


class World:
    """A folder of inputs with a model, and every version of them that there ever was."""

    def __init__(self, here: Path, chance: Random) -> None:
        self.here, self.chance = here, chance
        self.contents: dict[str, bytes] = {}  # by checksum
        self.foreign: dict[Path, bytes] = {}
        self.seed = 0
        self.put(here / "m.dodona", text_model(1))
        for name in ("a.jsonl", "b.csv", "c.parquet", "d.txt", "e.txt"):
            self.put(here / "in" / name, self.new(name))

    def new(self, name: str) -> bytes:
        self.seed = self.chance.randrange(40)
        make = {".jsonl": json_lines, ".csv": csv_lines, ".parquet": table, ".txt": json_lines}
        return make[Path(name).suffix](self.seed, self.chance.choice([2, 3, 3, 4]))

    def put(self, path: Path, data: bytes, write: Callable[[Path, bytes], None] = replace) -> None:
        self.contents[digest(data)] = data
        write(path, data)

    def change(self) -> None:
        """Make one change, of anything in any way; what is not there yet is left alone."""
        with suppress(FileNotFoundError):
            self.chance.choice([self.change_model, self.change_input, self.change_output])()

    def change_model(self) -> None:
        write = self.chance.choice([replace, overwrite, overwrite_unseen])
        self.put(self.here / "m.dodona", text_model(self.chance.choice([1, 2])), write)

    def change_input(self) -> None:
        path = self.chance.choice(sorted((self.here / "in").glob("[!.]*")))
        how = self.chance.randrange(6)
        if how == 0:
            path.unlink()
        elif how == 1:
            os.utime(path)
        elif how == 2:
            name = f"new{self.chance.randrange(9)}{path.suffix}"
            self.put(path.with_name(name), self.new(name))
        else:
            write = [replace, overwrite, overwrite_unseen][how - 3]
            self.put(path, self.new(path.name), write)

    def change_output(self) -> None:
        out = self.here / "out"
        how = self.chance.randrange(5)
        if how == 0:
            self.place(out / self.chance.choice(["a.parquet", "b.parquet", "texts-00000.parquet"]))
        elif how == 1:
            path = out / MANIFEST
            path.write_bytes(path.read_bytes()[: self.chance.randrange(2000)])
        elif how == 2:
            (out / MANIFEST).unlink()
        elif files := sorted(out.glob("[!._]*")):
            path = self.chance.choice(files)
            if how == 3:
                path.unlink()
                self.foreign.pop(path, None)
            else:
                self.place(path)

    def place(self, path: Path) -> None:
        """Put a file of somebody else somewhere."""
        data = f"precious {self.chance.random()}".encode()
        path.parent.mkdir(exist_ok=True)
        replace(path, data)
        self.foreign[path] = data

    def run(self, resume: bool, seconds: float) -> bool:
        """Run while something changes, and return whether it ended well."""
        timer = threading.Timer(self.chance.uniform(0, seconds), self.change)
        timer.start()
        try:
            parse(resume=resume, keep=["file"])
        except (ValueError, OSError) as error:
            assert str(error), "every refusal says why"
            return False
        finally:
            timer.join()
        return True

    def check(self, folder: Path) -> int:
        """Check that every file is that of somebody else, or one that a clean run would make."""
        for path, data in self.foreign.items():
            assert path.read_bytes() == data, f"{path} was replaced"
        try:
            header, records = manifest()
        except (OSError, ValueError):  # cut or removed: nothing is claimed
            return 0
        n_checked = 0
        for part, record in records.items():
            path = self.here / "out" / f"{part}.parquet"
            if path in self.foreign or not path.exists():
                continue
            files = {
                name: self.contents[file["sha256"]]
                for name, file in zip(record["inputs"], record["files"], strict=True)
            }
            clean = clean_run(folder, self.contents[header["model"]], files)
            same = clean[sorted(clean)[0] if part.startswith("texts-") else path.name]
            assert path.read_bytes() == same, f"{path} is not what its inputs make"
            assert digest(same) == record["output"]["sha256"]
            n_checked += 1
        return n_checked


def clean_run(folder: Path, model: bytes, files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the output of a run in which nothing changes."""
    key = digest(model + b"".join(name.encode() + data for name, data in files.items()))
    at = folder / key
    if not at.exists():
        (at / "in").mkdir(parents=True)
        (at / "m.dodona").write_bytes(model)
        for name, data in files.items():
            (at / "in" / name).write_bytes(data)
        names, model = [str(at / "in")], str(at / "m.dodona")
        parse(str(at / "out"), names=names, model=model, keep=["file"])
    return results(at / "out")


@pytest.mark.thorough
@WINDOWS
def test_runs_with_changes_at_random_moments(here: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(planning, "PART_BYTES", 1 << 10)  # the texts in one part
    n_good, n_refused, n_checked = 0, 0, 0
    for number in range(CHANGES):
        folder = here / str(number)
        (folder / "in").mkdir(parents=True)
        monkeypatch.chdir(folder)
        world = World(folder, Random(number))
        for attempt in range(3):
            is_good = world.run(resume=attempt > 0, seconds=0.15)
            n_good, n_refused = n_good + is_good, n_refused + (not is_good)
            n_checked += world.check(here / "clean")
    print(f"{n_good} runs ended well, {n_refused} were refused, {n_checked} outputs compared")
    assert n_good > CHANGES // 5 and n_refused > CHANGES // 5 and n_checked > CHANGES
