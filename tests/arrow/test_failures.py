"""Bad files are left out within a budget, and named; every document is accounted for."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: dodona[arrow]")

from pyarrow import parquet  # noqa: E402

from dodona.arrow.batch_parser import TableRows  # noqa: E402
from dodona.arrow.options import make_options  # noqa: E402
from dodona.arrow.runs.corpus_run import RunProgress, RunSettings, parse_files  # noqa: E402
from dodona.cli import corpora, main  # noqa: E402
from support.text_models import some_text, text_model  # noqa: E402

TEXT = some_text(1, 1)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.dodona").write_bytes(text_model(1))
    (tmp_path / "in").mkdir()
    for name in "ac":
        table = pa.table({"x": [1, 2], "text": [TEXT, None]})
        parquet.write_table(table, tmp_path / "in" / f"{name}.parquet")
    return tmp_path


def parse(out: str = "out", **options: Any) -> RunProgress:
    names = ("resume", "max_errors", "workers", "shard")
    settings = RunSettings(**{name: options.pop(name) for name in names if name in options})
    given = make_options("m.dodona", **{"keep": ["x"], "level": "conllu", **options})
    return parse_files(["in"], out, given, settings)


def outputs(out: str = "out") -> list[str]:
    return sorted(path.name for path in Path(out).glob("[!_.]*"))


def failures(out: str = "out") -> list[tuple[str, Any]]:
    lines = map(json.loads, Path(out, "_failures.jsonl").read_text().splitlines())
    return [(line["file"], line["row"]) for line in lines if line["reason"]]


BAD = {
    "b.parquet": b"PAR1 oak PAR1",  # found when the footers are read
    "b.csv": f'x,text\n1,{TEXT}\n2,"open\n'.encode(),  # found when it is parsed
    "b.jsonl.gz": gzip.compress(json.dumps({"x": 1, "text": TEXT}).encode() * 99)[:-9],
    "b.tsv": b"x\ty\n1\t2\n",  # without texts
}


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_left_out_within_the_budget(here: Path, name: str, workers: int) -> None:
    (here / "in" / name).write_bytes(BAD[name])
    progress = parse(max_errors=1, workers=workers)
    assert progress.n_failed == 1 and progress.n_documents >= 4
    assert outputs() == ["a.parquet", "c.parquet"]
    [(where, row)] = {*failures()} - {("a.parquet", 2), ("c.parquet", 2)}
    assert where.removeprefix("in/") == name and row is None


@pytest.mark.parametrize("name", ["b.csv", "b.jsonl.gz"])
def test_a_resumed_run_goes_on_past_a_bad_file(here: Path, name: str) -> None:
    """It stopped there again, and never came to the files after it."""
    (here / "in" / name).write_bytes(BAD[name])
    with pytest.raises(ValueError, match=rf"{name}.*--max-errors 1 continues at once"):
        parse()
    assert outputs() == ["a.parquet"]
    with pytest.raises(ValueError, match=rf"{name}.*all other files are parsed"):
        parse(resume=True)
    assert outputs() == ["a.parquet", "c.parquet"]
    good = b"x,text\n1,a\n"
    (here / "in" / name).write_bytes(good if name == "b.csv" else gzip.compress(b'{"text": "a"}'))
    assert parse(resume=True).n_failed == 0
    assert outputs() == ["a.parquet", "b.parquet", "c.parquet"]
    assert failures() == [("a.parquet", 2), ("c.parquet", 2)]


def test_a_damaged_text_is_an_error_of_its_own_row(here: Path) -> None:
    """It stopped the run, though it is one document of thousands in its part."""
    for path in (here / "in").iterdir():
        path.unlink()
    (here / "in" / "a.txt").write_text(TEXT)
    (here / "in" / "b.txt.gz").write_bytes(gzip.compress(TEXT.encode() * 99)[:-9])
    assert parse(keep=[]).n_errors == 1
    [good, bad] = parquet.read_table("out/texts-00000.parquet").to_pylist()
    assert good["conllu"] and "b.txt.gz: damaged or unreadable" in bad["error"]
    assert failures() == [("b.txt.gz", None)]


def test_the_sums_are_in_the_manifest_and_in_the_footers(here: Path) -> None:
    parse()
    header, *records = map(json.loads, Path("out/_dodona.jsonl").read_text().splitlines())
    for record in records:
        counts = record["counts"]
        assert counts["documents"] == counts["parsed"] + counts["errors"] == 2
        assert counts["errors"] == 1 and counts["rows"] == 2 and counts["words"] > 0
        footer = parquet.read_metadata(f"out/{record['part']}.parquet").metadata
        about = {name.decode(): value.decode() for name, value in footer.items()}
        assert about["dodona.model"] == header["model"]
        assert about["dodona.version"] == header["version"]
        assert {name: int(about[f"dodona.{name}"]) for name in counts} == counts
        [sha256] = json.loads(about["dodona.inputs"]).values()
        assert sha256 == record["files"][0]["sha256"]


def test_a_missing_document_is_noticed(here: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(TableRows, "_add_nothing", lambda rows, row: None)
    with pytest.raises(ValueError, match=r"a\.parquet: documents are missing: .*documents=2"):
        parse(level="word")
    assert outputs() == []


def test_without_a_terminal_a_line_is_printed_every_minute(
    here: Path, capfd: Any, monkeypatch: Any
) -> None:
    """A run of hours printed nothing."""
    monkeypatch.setattr(corpora, "LOG_SECONDS", 0.0)
    command = ["parse", "m.dodona", "in", "-o"]
    with pytest.raises(SystemExit):
        main([*command, "out"])
    first, *_, summary, errors = capfd.readouterr().err.splitlines()
    assert first.endswith("errors") and "words/s" in first and "%: " in first
    assert summary.startswith("2 files, 4 documents, ")
    assert errors.startswith("2 of 4 documents could not be parsed")
    with pytest.raises(SystemExit):
        main([*command, "other", "--quiet"])
    assert len(capfd.readouterr().err.splitlines()) == 1
