"""`dodona check` finds every hole, damage and duplicate of a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: dodona[arrow]")

from pyarrow import parquet  # noqa: E402

from dodona.arrow.options import make_options  # noqa: E402
from dodona.arrow.runs.corpus_run import RunSettings, parse_files  # noqa: E402
from dodona.arrow.runs.planning import Shard  # noqa: E402
from dodona.cli import main  # noqa: E402
from support.text_models import some_text, text_model  # noqa: E402

OUT = Path("out")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.dodona").write_bytes(text_model(1))
    (tmp_path / "in").mkdir()
    for i, name in enumerate("abc"):
        table = pa.table({"x": [i, i], "text": [some_text(i), None]})
        parquet.write_table(table, tmp_path / "in" / f"{name}.parquet")
    return tmp_path


def parse(out: str = "out", **settings: Any) -> None:
    parse_files(["in"], out, make_options("m.dodona", keep=["x"]), RunSettings(**settings))


def check(capfd: Any, *words: str) -> tuple[int, list[str]]:
    with pytest.raises(SystemExit) as left:
        main(["check", "out", *words])
    return int(left.value.code or 0), capfd.readouterr().out.splitlines()


@pytest.mark.parametrize("format", ["parquet", "json"])
def test_a_finished_run_has_no_faults(here: Path, capfd: Any, format: str) -> None:
    parse(format=format)
    code, [said] = check(capfd)
    assert code == 0 and said.startswith("out: 3 files, 6 documents = 3 parsed + 3 errors, ")
    assert said.endswith(" words, 0 faults")


def damage() -> None:
    data = bytearray((OUT / "b.parquet").read_bytes())
    data[20] ^= 1
    (OUT / "b.parquet").write_bytes(data)


def append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


def edit_record(change: Callable[[dict[str, Any]], Any]) -> None:
    header, first, *rest = (OUT / "_dodona.jsonl").read_text().splitlines()
    record = json.loads(first)
    change(record)
    lines = [header, json.dumps(record), *rest]
    (OUT / "_dodona.jsonl").write_text("".join(f"{line}\n" for line in lines))


def write_other_columns() -> None:
    table = parquet.read_table(OUT / "a.parquet").drop_columns(["xpos"])
    parquet.write_table(table, OUT / "a.parquet")


FAULTS: dict[str, tuple[Callable[[], Any], str]] = {
    "hole": ((OUT / "b.parquet").unlink, "out/b.parquet: missing, though"),
    "damage": (damage, "out/b.parquet: damaged: its checksum"),
    "size": (lambda: append(OUT / "_x", "") or (OUT / "b.parquet").write_bytes(b"PAR1"), "4 bytes"),
    "stray": (lambda: (OUT / "b (1).parquet").write_bytes(b""), "b (1).parquet: no manifest"),
    "line": (lambda: append(OUT / "_dodona.jsonl", "oak\n"), "_dodona.jsonl:5: not the record"),
    "name": (lambda: edit_record(lambda one: one.update(part="d")), "out/d.parquet: missing"),
    "rows of two": (
        lambda: edit_record(lambda one: one.update(inputs=["b.parquet"])),
        "out/b.parquet: holds rows of b.parquet that out/a.parquet holds, too",
    ),
    "lost documents": (
        lambda: edit_record(lambda one: one["counts"].update(documents=9)),
        "out/a.parquet: documents are missing",
    ),
    "lost rows": (
        lambda: edit_record(lambda one: one["counts"].update(rows=1)),
        "rows, not 1",
    ),
    "columns": (write_other_columns, "out/b.parquet: its columns differ from those of out/a"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_is_named(here: Path, capfd: Any, name: str) -> None:
    parse()
    (OUT / "_x").touch()
    change, said = FAULTS[name]
    change()
    code, lines = check(capfd)
    assert code == 1 and said in "\n".join(lines[:-1])


def test_a_quick_check_computes_no_checksums(here: Path, capfd: Any) -> None:
    parse()
    damage()
    assert check(capfd, "--quick")[0] == 0 and check(capfd)[0] == 1


def test_an_interrupted_run_has_holes(here: Path, capfd: Any) -> None:
    (here / "in" / "b.csv").write_text('x,text\n1,"open\n')
    (here / "in" / "b.parquet").unlink()
    with pytest.raises(ValueError, match="a quote"):
        parse()
    code, lines = check(capfd)
    assert code == 1 and len(lines) == 3
    assert lines[0].startswith("b.parquet: missing: in/b.csv:2: a quote that opens in this line")
    assert lines[1] == "c.parquet: missing: not parsed yet"


def test_a_file_that_a_killed_run_has_not_recorded_is_one_fault(here: Path, capfd: Any) -> None:
    parse()
    header, *records = (OUT / "_dodona.jsonl").read_text().splitlines()
    (OUT / "_dodona.jsonl").write_text("".join(f"{line}\n" for line in (header, *records[:-1])))
    code, [fault, _] = check(capfd)
    assert code == 1 and fault.startswith("c.parquet: no manifest lists it")
    parse(resume=True)
    assert check(capfd)[0] == 0


def test_shards_are_checked_together(here: Path, capfd: Any) -> None:
    parse(shard=Shard(0, 4))
    parse(shard=Shard(2, 4))
    code, lines = check(capfd)
    assert code == 1 and lines[:-1] == ["shard 1/4 has not begun", "shard 3/4 has not begun"]
    parse(shard=Shard(1, 4))
    parse(shard=Shard(3, 4))  # has nothing to do
    code, [said] = check(capfd)
    assert code == 0 and said.startswith("out: 3 files, 6 documents")


def test_a_folder_without_a_run_is_refused(here: Path, capfd: Any) -> None:
    OUT.mkdir()
    with pytest.raises(SystemExit) as left:
        main(["check", "out"])
    assert left.value.code == 1 and "no run of dodona parse" in capfd.readouterr().err
