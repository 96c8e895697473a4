"""Runs never write into, onto or above their input, in whatever way that is written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed: dodona[arrow]")

from dodona.arrow.locations import list_files
from dodona.arrow.options import make_options
from dodona.arrow.runs.corpus_run import RunProgress, RunSettings, parse_files
from dodona.arrow.runs.manifest import MANIFEST
from dodona.cli import main
from support.text_models import some_text, text_model

IN, ABOVE, ONTO = "the output lies in the input", "the output holds the input", "the output is"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model, and a folder of two tables, one of them deeper."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.dodona").write_bytes(text_model(1))
    write(tmp_path / "in" / "a.jsonl")
    write(tmp_path / "in" / "deep" / "b.jsonl", 10)
    return tmp_path


def write(path: Path, first: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [{"d": first + i, "text": some_text(first + i)} for i in range(3)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def parse(names: list[str], out: str, **options: Any) -> RunProgress:
    of_run = {name: options.pop(name) for name in ("format", "resume") if name in options}
    given = make_options("m.dodona", **{"keep": ["d"], **options})
    return parse_files(names, out, given, RunSettings(**of_run))


def content(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def refused(folder: Path, names: list[str], out: str, said: str) -> None:
    """Check that a run is refused with and without --resume, and changes nothing."""
    before = content(folder)
    for resume in (False, True):
        for format in ("json", "parquet"):
            with pytest.raises(ValueError, match=said):
                parse(names, out, format=format, resume=resume)
    assert content(folder) == before, "not even a manifest"


@pytest.mark.parametrize(
    ("names", "out", "said"),
    [
        (["in"], "in", ONTO),
        (["in"], "./in/", ONTO),
        (["in"], "in/deep/..", ONTO),
        (["in"], "{here}/in", ONTO),
        (["in"], "file://{here}/in", ONTO),
        (["local://{here}/in"], "in", ONTO),
        (["in"], "in/out", IN),
        (["in"], "in/new/and/deeper", IN),
        (["in"], "in/deep", IN),
        (["in"], ".", ABOVE),
        (["in/deep"], "in", ABOVE),
        (["in/a.jsonl"], "in", ABOVE),
        (["in/*.jsonl"], "in", ABOVE),
        (["in/deep/b.jsonl"], "in", ABOVE),
        (["in/deep/b.jsonl"], "in/deep/../..", ABOVE),
    ],
)
def test_the_output_is_apart_from_the_input(
    here: Path, names: list[str], out: str, said: str
) -> None:
    if any("local://" in name for name in names):
        pytest.importorskip("fsspec")
    refused(here, [name.format(here=here) for name in names], out.format(here=here), said)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
@pytest.mark.parametrize(
    ("link", "to", "names", "out", "said"),
    [
        ("link", "in", ["in"], "link", ONTO),
        ("link", "in", ["link"], "in", ONTO),
        ("link", "in", ["in"], "link/out", IN),
        ("link", "in/deep", ["in"], "link", IN),
        ("link", ".", ["in"], "link", ABOVE),
        ("in/link", "other", ["in"], "other", ONTO),
        ("in/link", "other", ["in"], "other/out", IN),
        ("in/c.jsonl", "other/c.jsonl", ["in"], "other", ABOVE),
        ("out/deep", "in/deep", ["in"], "out", "a link leads to"),
        ("out/deep", "elsewhere", ["in"], "out", "a link leads to"),
        ("out/a.jsonl", "in/a.jsonl", ["in/a.jsonl"], "out", "a link leads to|exists already"),
        ("out/_dodona.jsonl", "in/a.jsonl", ["in/a.jsonl"], "out", "a link, not the manifest"),
    ],
)
def test_links_make_no_difference(
    here: Path, link: str, to: str, names: list[str], out: str, said: str
) -> None:
    write(here / "other" / "c.jsonl", 20)
    (here / "elsewhere").mkdir()
    (here / link).parent.mkdir(exist_ok=True)
    (here / link).symlink_to(here / to)
    before = content(here)
    for resume in (False, True):
        with pytest.raises(ValueError, match=said):
            parse(names, out, format="json", resume=resume)
    assert content(here) == before


def test_another_case_is_the_same_folder_where_case_is_ignored(here: Path) -> None:
    if not (here / "IN").exists():
        pytest.skip("this file system distinguishes case")
    refused(here, ["in"], "IN", ONTO)


def test_a_hard_link_to_the_input_is_not_replaced(here: Path) -> None:
    (here / "out").mkdir()
    os.link(here / "in" / "a.jsonl", here / "out" / "a.jsonl")
    before = content(here)
    for resume in (False, True):
        with pytest.raises(ValueError, match=r"a\.jsonl exists"):
            parse(["in"], "out", format="json", resume=resume)
    assert (content(here)["out/a.jsonl"], content(here / "in")) == (
        before["out/a.jsonl"],
        {"a.jsonl": before["in/a.jsonl"], "deep/b.jsonl": before["in/deep/b.jsonl"]},
    )


def test_a_table_under_the_name_of_the_manifest_is_left_as_it_is(here: Path) -> None:
    """Also its last line, which has no line end like a torn line of a manifest."""
    (here / "out").mkdir()
    text = (here / "in" / "a.jsonl").read_bytes().rstrip()
    for data in (text, text + b"\n", text.splitlines()[0]):
        (here / "in" / "a.jsonl").write_bytes(data)
        (here / "out" / MANIFEST).unlink(missing_ok=True)
        os.link(here / "in" / "a.jsonl", here / "out" / MANIFEST)
        refused(here, ["in"], "out", rf"{MANIFEST}:1: not the header|{MANIFEST}: made with")


def test_the_shell_refuses_too_and_advises_no_resume(here: Path, capfd: Any) -> None:
    """The command of a day of faults, which ended with 0 and without the texts."""
    before = content(here)
    for more in ([], ["--resume"], []):
        with pytest.raises(SystemExit) as left:
            main(["parse", "m.dodona", "in", "-o", "in", "--keep", "d", "--output", "json", *more])
        said = capfd.readouterr().err
        assert left.value.code == 1 and ONTO in said and "--resume" not in said
    assert content(here) == before


def test_files_of_others_are_never_replaced(here: Path) -> None:
    parse(["in/deep/b.jsonl"], "out", format="json")
    (here / "out" / "a.jsonl").write_text("precious")
    with pytest.raises(ValueError, match=r"a\.jsonl exists, and this run has not written it"):
        parse(["in/a.jsonl"], "out", format="json", resume=True)
    assert (here / "out" / "a.jsonl").read_text() == "precious"
    (here / "out" / "b.jsonl").write_text("also")
    with pytest.raises(ValueError, match=r"b\.jsonl is not as this run wrote it; move it away"):
        parse(["in/deep/b.jsonl"], "out", format="json", resume=True)
    assert (here / "out" / "b.jsonl").read_text() == "also"
    (here / "out" / "b.jsonl").unlink()
    assert parse(["in/deep/b.jsonl"], "out", format="json", resume=True).n_documents == 3


def test_a_file_that_appears_during_the_run_stays(here: Path) -> None:
    def write_it(progress: RunProgress) -> None:
        (here / "out" / "a.jsonl").write_text("precious")

    options = make_options("m.dodona", keep=["d"])
    with pytest.raises(ValueError, match=r"a\.jsonl exists, and this run has not written it"):
        parse_files(["in"], "out", options, RunSettings("json"), report=write_it)
    made = {name: data for name, data in content(here / "out").items() if name[0] != "_"}
    assert made == {"a.jsonl": b"precious"} and MANIFEST not in content(here / "out")


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_a_loop_of_links_gives_each_row_once(here: Path) -> None:
    (here / "in" / "deep" / "up").symlink_to(here / "in")
    (here / "in" / "again").symlink_to(here / "in" / "deep")
    (here / "in" / "self").symlink_to(here / "in" / "self")
    assert [file.below for file in list_files("in").files] == ["a.jsonl", "deep/b.jsonl"]
    write(here / "other" / "c.jsonl")
    (here / "in" / "more").symlink_to(here / "other")
    (here / "other" / "back").symlink_to(here / "in")
    listing = list_files("in")
    assert [file.below for file in listing.files] == ["a.jsonl", "deep/b.jsonl", "more/c.jsonl"]
    assert parse(["in"], "out").n_documents == 9


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_a_pipe_is_not_waited_for(here: Path) -> None:
    os.mkfifo(here / "in" / "pipe.jsonl")
    assert [file.below for file in list_files("in").files] == ["a.jsonl", "deep/b.jsonl"]
    with pytest.raises(ValueError, match=r"pipe\.jsonl: neither a file nor a folder"):
        list_files("in/pipe.jsonl")


def test_a_new_text_is_a_part_of_its_own(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.dodona").write_bytes(text_model(1))
    texts = tmp_path / "texts"
    texts.mkdir()
    for name in ("b", "d"):
        (texts / f"{name}.txt").write_text(some_text(ord(name)))
    parse(["texts"], "out", keep=[])
    for number, name in enumerate("ace", start=1):
        (texts / f"{name}.txt").write_text(some_text(ord(name)))
        assert parse(["texts"], "out", keep=[], resume=True).n_documents == 1
        assert (tmp_path / "out" / f"texts-{number:05}.parquet").exists()
    assert parse(["texts"], "out", keep=[], resume=True).n_documents == 0
    (texts / "d.txt").write_text("other")
    with pytest.raises(ValueError, match=r"^texts/d\.txt has changed since the run began"):
        parse(["texts"], "out", keep=[], resume=True)
    (texts / "d.txt").unlink()
    with pytest.raises(ValueError, match=r"d\.txt is missing, which .* together with b\.txt"):
        parse(["texts"], "out", keep=[], resume=True)


@pytest.mark.parametrize("name", ["a.parquet", "a.jsonl", "a.csv"])
def test_a_wrong_column_is_told_at_once_and_leaves_the_folder_usable(
    here: Path, capfd: Any, name: str
) -> None:
    from pyarrow import Table, csv, parquet

    table = Table.from_pylist([{"d": 1, "text": some_text(1)}])
    if name == "a.parquet":
        parquet.write_table(table, name)
    elif name == "a.csv":
        csv.write_csv(table, name)
    else:
        write(here / name)
    command = ["parse", "m.dodona", "in/deep", name, "-o", "out", "--text", "body"]
    for words in (command, command[:-2]):
        with pytest.raises(SystemExit) as left:
            main([*words, "--keep", "d"])
        said = capfd.readouterr().err
        if words is command:
            assert left.value.code == 1 and "'body'; there are: d, text" in said
            assert not content(here / "out") and "Traceback" not in said
        else:
            assert left.value.code == 0, said


@pytest.mark.parametrize(
    ("out", "said"),
    [("in", ONTO), ("in/", ONTO), ("x/../in", ONTO), ("in/out", IN), ("", ABOVE)],
)
def test_urls_are_compared_as_paths(here: Path, out: str, said: str) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.put(str(here / "in"), "/apart/in", recursive=True)
    try:
        with pytest.raises(ValueError, match=said):
            parse(["memory://apart/in"], f"memory://apart/{out}", resume=True)
        assert parse(["memory://apart/in"], "memory://apart/inner").n_documents == 6
        assert sorted(memory.find("/apart/in")) == ["/apart/in/a.jsonl", "/apart/in/deep/b.jsonl"]
    finally:
        memory.rm("/apart", recursive=True)
