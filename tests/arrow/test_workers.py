"""Several processes, shards and machines: the same rows as one process, none twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: dodona[arrow]")

from pyarrow import parquet  # noqa: E402

from dodona.arrow.options import make_options  # noqa: E402
from dodona.arrow.runs import leases  # noqa: E402
from dodona.arrow.runs.checking import check_run  # noqa: E402
from dodona.arrow.runs.corpus_run import RunProgress, RunSettings, parse_files  # noqa: E402
from dodona.arrow.runs.planning import Shard  # noqa: E402
from dodona.cli import main  # noqa: E402
from dodona.storage.steps import StepError  # noqa: E402
from support.text_models import some_text, text_model  # noqa: E402

KILLS = int(os.environ.get("DODONA_KILLS", "5"))
START = [sys.executable, "-c", "from dodona.cli import main; main()"]
NO_SIGNALS = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.dodona").write_bytes(text_model(1))
    write_inputs(tmp_path / "in", 8, 3)
    return tmp_path


def write_inputs(folder: Path, n_files: int, n_texts: int) -> None:
    folder.mkdir()
    for i in range(n_files):
        texts = [some_text(n_texts * i + k) for k in range(n_texts)]
        table = pa.table({"x": [n_texts * i + k for k in range(n_texts)], "text": texts})
        parquet.write_table(table, folder / f"{i:02}.parquet", row_group_size=1)
    for i in range(5):
        (folder / f"t{i}.txt").write_text(some_text(100 + i))


def parse(out: str = "out", names: tuple[str, ...] = ("in",), **settings: Any) -> RunProgress:
    report = settings.pop("report", lambda progress: None)
    given = make_options("m.dodona", keep=["file"])
    return parse_files(names, out, given, RunSettings(**settings), report=report)


def rows(out: str | Path = "out") -> list[dict[str, Any]]:
    files = sorted(Path(out).rglob("*.parquet"))
    found = [row for file in files for row in parquet.ParquetFile(file).read().to_pylist()]
    names = ("doc_key", "sent_id", "id")
    return sorted(found, key=lambda row: [str(row[name]).zfill(30) for name in names])


@pytest.mark.thorough
def test_workers_make_the_same_rows(here: Path) -> None:
    alone = parse("alone")
    together = parse(workers=2)
    assert rows() == rows("alone") and not check_run("out").faults
    assert together == alone


@pytest.mark.thorough
def test_an_error_of_a_worker_is_that_of_the_run(here: Path) -> None:
    def replace_model(progress: RunProgress) -> None:
        (here / "out" / "07.parquet").write_bytes(b"precious")

    with pytest.raises(ValueError, match=r"07\.parquet exists, and this run has not written it"):
        parse(workers=2, report=replace_model)


def test_shards_make_the_same_rows_in_one_folder(here: Path) -> None:
    parse("alone")
    n = 5
    for i in range(n):
        parse(shard=Shard(i, n))
    assert rows() == rows("alone") and not check_run("out").faults
    assert [parse(shard=Shard(i, n), resume=True).n_documents for i in range(n)] == [0] * n


def test_files_that_are_added_move_no_finished_part_to_another_shard(here: Path) -> None:
    for i in range(3):
        parse(shard=Shard(i, 3))
    before = rows()
    parquet.write_table(pa.table({"text": ["oak"]}), "in/000.parquet")
    n_new = [parse(shard=Shard(i, 3), resume=True).n_documents for i in range(3)]
    assert sum(n_new) == 1 and len(rows()) == len(before) + 1
    (here / "out" / "03.parquet").unlink()
    n_new = [parse(shard=Shard(i, 3), resume=True).n_documents for i in range(3)]
    assert sum(n_new) == 3 and len(rows()) == len(before) + 1
    assert not check_run("out").faults


def test_an_empty_shard_is_a_success(here: Path) -> None:
    assert parse(shard=Shard(98, 99)).n_parts == 0
    assert not list((here / "out").glob("[!_]*"))


def test_shards_have_one_schema(here: Path, monkeypatch: Any) -> None:
    """The first one reads all lines, and the others keep to what it found."""
    for path in (here / "in").iterdir():
        path.unlink()
    for i, value in enumerate([1, 0.5, None]):
        line = json.dumps({"x": value, "text": some_text(i)})
        (here / "in" / f"{i}.jsonl").write_text(f"{line}\n")
    options = make_options("m.dodona", keep=["x"])
    parse_files(["in"], "out", options, RunSettings(plan_only=True))
    assert not list(here.glob("out/*.parquet"))
    monkeypatch.setattr("dodona.arrow.runs.contract._scan", None)  # not again
    for i in range(3):
        parse_files(["in"], "out", options, RunSettings(shard=Shard(i, 3)))
    types = {parquet.read_schema(path).field("x").type for path in here.glob("out/*.parquet")}
    assert types == {pa.float64()}


def test_other_shards_continue_what_was_begun(here: Path) -> None:
    """Also after a plan, which names files of a run without shards."""
    parse("alone")
    parse(plan_only=True)
    parse(shard=Shard(0, 2))
    for i in range(3):
        parse(shard=Shard(i, 3), resume=True)
    assert rows() == rows("alone")
    assert [one for one in check_run("out").faults if "shard 1/2" not in one] == []


@pytest.mark.parametrize("shard", ["3/3", "1", "a/b", "-1/3", "1/0"])
def test_what_is_no_shard_is_refused(here: Path, capfd: Any, shard: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(["parse", "m.dodona", "in", "-o", "out", f"--shard={shard}"])
    assert left.value.code == 2 and "a shard is I/N" in capfd.readouterr().err


def processes_of(parent: int) -> list[int]:
    """Return a process and those that it has started, from /proc."""
    found = [parent]
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            number, _, rest = path.read_text().partition(" (")
            if int(rest.rpartition(") ")[2].split()[1]) == parent:
                found.append(int(number))
    return found


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_any_process_may_be_killed_at_any_moment(here: Path, monkeypatch: Any) -> None:
    write_inputs(here / "more", 12, 40)
    command = [*START, "parse", "m.dodona", "more", "--keep", "file", "--workers", "2", "-o"]
    began = time.monotonic()
    subprocess.run([*command, "whole"], check=True, capture_output=True)
    seconds, expected, chance = time.monotonic() - began, rows("whole"), Random(1)
    n_survived = 0
    for number in range(KILLS):
        out = f"out{number}"
        process = subprocess.Popen([*command, out], stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.2, 1.0) * seconds)
        with suppress(ProcessLookupError):
            os.kill(chance.choice(processes_of(process.pid)), signal.SIGKILL)
        n_survived += process.wait() == 0
        resumed = subprocess.run([*command, out, "--resume"], capture_output=True, text=True)
        assert resumed.returncode == 0, resumed.stderr
        assert rows(out) == expected and not check_run(out).faults
    print(f"{KILLS} kills, of which {n_survived} runs took no notice")


class TestLeases:
    """Two runs in one folder of an object store, where nothing can be locked."""

    @pytest.fixture
    def memory(self, here: Path) -> Iterator[Any]:
        memory = pytest.importorskip("fsspec").filesystem("memory")
        memory.put(str(here / "in"), "/leases/in", recursive=True)
        yield memory
        memory.rm("/leases", recursive=True)

    def parse(self, **settings: Any) -> RunProgress:
        return parse("memory://leases/out", ("memory://leases/in",), **settings)

    def lease(self, memory: Any, **about: Any) -> None:
        given = {"host": "other", "process": 1, "token": "t", "renewed": time.time(), **about}
        memory.makedirs("/leases/out", exist_ok=True)
        memory.pipe("/leases/out/_lease.json", json.dumps(given).encode())

    def test_a_second_run_is_refused(self, memory: Any) -> None:
        """Both did the same work."""

        def parse_again(progress: RunProgress) -> None:
            self.parse(resume=True)

        with pytest.raises(StepError, match=r"_lease\.json: another run is at work in this folder"):
            self.parse(report=parse_again)
        assert not memory.exists("/leases/out/_lease.json")
        assert self.parse(resume=True).n_documents > 0

    def test_the_lease_of_another_machine_holds_until_it_is_stale(self, memory: Any) -> None:
        self.lease(memory)
        with pytest.raises(StepError, match=r"process 1 on other; if it was killed, wait until"):
            self.parse()
        self.lease(memory, renewed=time.time() - leases.STALE - 1)
        assert self.parse().n_documents > 0
        assert not memory.exists("/leases/out/_lease.json")

    @NO_SIGNALS
    def test_the_lease_of_a_process_that_has_ended_is_taken_over(self, memory: Any) -> None:
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        self.lease(memory, host=leases.socket.gethostname(), process=ended.pid)
        assert self.parse().n_documents > 0

    def test_a_run_that_has_lost_its_lease_stops(self, memory: Any, monkeypatch: Any) -> None:
        monkeypatch.setattr(leases, "RENEWAL", 0.01)

        def take(progress: RunProgress) -> None:
            self.lease(memory)
            time.sleep(0.2)

        with pytest.raises(StepError, match="another run has taken it"):
            self.parse(report=take)
        assert json.loads(memory.cat("/leases/out/_lease.json"))["host"] == "other"

    def test_the_last_writer_wins_where_objects_cannot_be_created(
        self, memory: Any, monkeypatch: Any
    ) -> None:
        monkeypatch.setattr(leases, "_fsspec_of", lambda system: None)
        monkeypatch.setattr(leases, "SETTLING", 0.0)
        assert self.parse().n_documents > 0
        monkeypatch.setattr(leases.time, "sleep", lambda seconds: self.lease(memory))
        with pytest.raises(StepError, match="another run has just begun"):
            self.parse(resume=True)
