"""One schema for the output of all files, fixed before the run; a row for every document."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: dodona[arrow]")

from pyarrow import ipc, parquet  # noqa: E402

import dodona.arrow as da  # noqa: E402
from dodona.arrow.options import make_options  # noqa: E402
from dodona.arrow.runs.corpus_run import RunProgress, RunSettings, parse_files  # noqa: E402
from dodona.arrow.value_types import fit_column, unify_types  # noqa: E402
from dodona.cli import main  # noqa: E402
from support.text_models import some_text, text_model  # noqa: E402

TEXT = some_text(1, 1)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.dodona").write_bytes(text_model(1))
    (tmp_path / "in").mkdir()
    return tmp_path


def parse(out: str = "out", names: tuple[str, ...] = ("in",), **options: Any) -> RunProgress:
    settings = RunSettings(resume=options.pop("resume", False))
    given = make_options("m.dodona", **{"keep": ["x"], "level": "conllu", **options})
    return parse_files(names, out, given, settings)


def table(out: str = "out") -> Any:
    """Return the rows of all files, whose schemas must be equal."""
    return pa.concat_tables(map(parquet.read_table, sorted(Path(out).rglob("*.parquet"))))


def write_lines(name: str, *values: Any) -> None:
    lines = (json.dumps({"x": value, "text": TEXT}) for value in values)
    Path("in", name).write_text("".join(f"{line}\n" for line in lines))


def write_table(name: str, column: Any) -> None:
    path = Path("in", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table({"x": column, "text": [TEXT] * len(column)}), path)


def test_all_files_have_one_schema(here: Path) -> None:
    """Whole numbers, nulls and floats in several files became as many types."""
    write_lines("a.jsonl", 1, None)
    write_lines("b.jsonl", None, None)
    write_lines("c.jsonl", 0.97, 2)
    write_table("d.parquet", pa.array([4], pa.int32()))
    parse()
    made = table()
    assert made.schema.field("x").type == pa.float64()
    assert made["x"].to_pylist() == [1.0, None, None, None, 0.97, 2.0, 4.0]
    assert json.loads(Path("out/_schema.json").read_text())["columns"] == {"x": "double"}
    header = json.loads(Path("out/_dodona.jsonl").read_text().splitlines()[0])
    assert header["columns"] == {"doc_key": "string", "x": "double"}


def test_structs_of_several_files_keep_all_keys(here: Path) -> None:
    """Values with a new key after a thousand others were errors."""
    write_lines("a.jsonl", *[{"a": 1}] * 1200, {"a": 1, "b": 2})
    write_table("b.parquet", pa.array([{"c": [True]}]))
    assert parse().n_errors == 0
    made = table()["x"]
    assert made[1200].as_py() == {"a": 1, "b": 2, "c": None}
    assert made[1201].as_py() == {"a": None, "b": None, "c": [True]}


def test_columns_without_a_common_type_hold_json(here: Path) -> None:
    columns = [pa.array([7]), pa.array(["oak"]), pa.array([[0.5]]), pa.array([True])]
    columns.append(pa.array([datetime.date(2020, 2, 29)]))
    for number, column in enumerate(columns):
        write_table(f"{number}.parquet", column)
    assert parse().n_errors == 0
    assert table()["x"].to_pylist() == ["7", "oak", "[0.5]", "true", "2020-02-29"]


def test_a_value_of_a_table_that_does_not_fit_is_an_error_of_its_row(here: Path) -> None:
    write_table("b.parquet", pa.array([1]))
    parse()
    write_table("a.parquet", pa.array([1.0, 0.97, None]))
    assert parse(resume=True).n_errors == 1
    made = parquet.read_table("out/a.parquet").to_pylist()
    assert [row["x"] for row in made] == [1, None, None]
    assert made[1]["error"] == "row 2: 'x' is 0.97, which does not fit the column: int64"
    assert made[0]["conllu"] and made[2]["conllu"]


@pytest.mark.parametrize(
    ("types", "wanted"),
    [
        ([pa.int8(), pa.int64()], pa.int64()),
        ([pa.uint32(), pa.int8()], pa.int64()),
        ([pa.uint64(), pa.int8()], pa.string()),
        ([pa.int64(), pa.float32()], pa.float64()),
        ([pa.large_string(), pa.dictionary(pa.int8(), pa.string())], pa.string()),
        ([pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("ms")], pa.timestamp("ns")),
        ([pa.timestamp("s"), pa.timestamp("s", "UTC")], pa.string()),
        ([pa.list_(pa.null()), pa.list_(pa.int8())], pa.list_(pa.int8())),
        ([pa.bool_(), pa.int64()], pa.string()),
        ([pa.binary(), pa.string()], pa.string()),
    ],
)
def test_the_common_type_is_the_narrowest_that_holds_all_values(
    types: list[Any], wanted: Any
) -> None:
    assert unify_types(types) == wanted
    assert unify_types([*reversed(types), pa.null()]) == wanted


@pytest.mark.parametrize(
    ("column", "kind", "misfits"),
    [
        (pa.array([1, 2**53 + 1]), pa.float64(), [1]),
        (pa.array([0.5, float("nan"), 0.1]), pa.float32(), [2]),
        (pa.array([300, 1]), pa.int8(), [0]),
        (pa.array([10**10]).cast(pa.timestamp("s")), pa.timestamp("ns"), [0]),
        (pa.array([{"a": 1, "b": 2}, {"a": 1, "b": None}]), pa.struct({"a": pa.int64()}), [0]),
        (pa.array([b"oak", b"\xff"]), pa.string(), [1]),
    ],
)
def test_no_value_of_a_column_is_changed(column: Any, kind: Any, misfits: list[int]) -> None:
    made, found = fit_column(column, kind)
    assert found == misfits and made.type == kind
    assert [i for i in range(len(made)) if not made[i].is_valid] == misfits


def test_a_run_that_finished_nothing_does_not_block_a_corrected_one(here: Path) -> None:
    Path("in/a.csv").write_text(f'x,text\n1,"{TEXT}\n')
    with pytest.raises(ValueError, match="a quote"):
        parse()
    Path("in/a.csv").write_text(f"x,y,text\n1,2,{TEXT}\n")
    assert parse(keep=["y"], level="word").n_errors == 0
    assert {*table()["y"].to_pylist()} == {"2"}


def test_every_document_has_a_row_and_a_key(here: Path) -> None:
    """A text without words had no row at the levels of words and sentences."""
    write_table("a/b.parquet", pa.array([1, 2, 3]))
    Path("in/c.jsonl").write_text('{"x": 4, "text": ""}\n\n{"x": 5, "text": " "}\n{"x": 6}\n')
    for level in da.LEVELS:
        parse(level, level=level)
        made = table(level).to_pylist()
        keys = dict.fromkeys(row["doc_key"] for row in made)
        assert [*keys] == [
            *(f"a/b.parquet#{i}" for i in (1, 2, 3)),
            *map("c.jsonl#{}".format, (1, 3, 4)),
        ]
        assert [row["x"] for row in made if row["doc_key"].startswith("c")] == [4, 5, 6]
    words = table("word").to_pylist()
    assert [row["error"] for row in words[-3:-1]] == [None, None]
    assert [row["id"] for row in words[-3:]] == [None] * 3
    sentences = {(row["doc_key"], row["sent_id"]) for row in table("sentence").to_pylist()}
    assert len(sentences) == table("sentence").num_rows, "key and number are unique"


def test_what_is_not_there_is_null(here: Path) -> None:
    """The table had _, which is a word in its own right in other places."""
    Path("in/a.jsonl").write_text('{"text": "_ runs"}\n')
    parse(keep=[], level="word")
    for row in table().to_pylist():
        assert row["form"] and "_" not in {row[name] for name in ("upos", "xpos", "feats")}
    assert table()["form"].to_pylist()[0].startswith("_")


def test_partition_columns_and_the_name_of_the_file_can_be_kept(here: Path) -> None:
    write_table("lang=en/year=2020/a.parquet", pa.array([1]))
    write_table("lang=n%C3%B6/year=__HIVE_DEFAULT_PARTITION__/b.parquet", pa.array([2]))
    for name in ("c.jsonl", "d.csv"):
        path = Path("in/lang=de/year=2021", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'{{"x": 3, "text": "{TEXT}"}}\n' if name[0] == "c" else f"x,text\n3,{TEXT}\n"
        )
    parse(keep={"lang": "lang", "year": "year", "file": "file"})
    found = {row["file"]: (row["lang"], row["year"]) for row in table().to_pylist()}
    assert found == {
        "lang=en/year=2020/a.parquet": ("en", "2020"),
        "lang=n%C3%B6/year=__HIVE_DEFAULT_PARTITION__/b.parquet": ("nö", None),
        "lang=de/year=2021/c.jsonl": ("de", "2021"),
        "lang=de/year=2021/d.csv": ("de", "2021"),
    }


def test_arrow_files_and_streams_are_read(here: Path) -> None:
    rows = pa.table({"x": [1, 2], "text": [TEXT, TEXT]})
    for name, write in (("a", ipc.new_file), ("b", ipc.new_stream)):
        with write(f"in/{name}.arrow", rows.schema) as writer:
            writer.write_table(rows, max_chunksize=1)
    assert parse().n_documents == 4
    assert table()["x"].to_pylist() == [1, 2, 1, 2]
    Path("in/c.arrow").write_bytes(b"oak")
    with pytest.raises(ValueError, match=r"c\.arrow: not Arrow, or damaged"):
        parse("other")


def test_patterns_match_folders_in_every_file_system(here: Path) -> None:
    memory = pytest.importorskip("fsspec").filesystem("memory")
    for name in ("lang=en/a.parquet", "lang=de/b.parquet", "lang=de/deep/c.parquet"):
        write_table(name, pa.array([1]))
    memory.put("in", "/globs/in", recursive=True)
    url = f"{here.as_uri()}/in"
    for above in ("in", "memory://globs/in", url):
        for pattern, wanted in (
            ("lang=*/*.parquet", ["lang=de/b", "lang=en/a"]),
            ("**/*.parquet", ["lang=de/b", "lang=de/deep/c", "lang=en/a"]),
            ("lang=en/[a-z].parquet", ["a"]),
        ):
            out = f"out{len(list(here.glob('out*')))}"
            parse(out, (f"{above}/{pattern}",))
            keys = sorted({row["doc_key"] for row in table(out).to_pylist()})
            assert keys == [f"{name}.parquet#1" for name in wanted]
    memory.rm("/globs", recursive=True)


@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "parquet", "arrow"])
def test_a_corpus_is_read_from_stdin(here: Path, monkeypatch: Any, kind: str) -> None:
    rows = pa.table({"x": [1, 2], "text": [TEXT, TEXT]})
    sink = pa.BufferOutputStream()
    if kind == "parquet":
        parquet.write_table(rows, sink)
    elif kind == "arrow":
        with ipc.new_stream(sink, rows.schema) as writer:
            writer.write_table(rows)
    else:
        lines = "".join(json.dumps(row) + "\n" for row in rows.to_pylist()).encode()
        sink.write(pa.compress(lines, "gzip", asbytes=True) if kind == "jsonl.gz" else lines)
    Path("stdin").write_bytes(sink.getvalue())
    with Path("stdin").open() as file:
        monkeypatch.setattr("sys.stdin", file)
        with pytest.raises(SystemExit) as left:
            main(["parse", "m.dodona", "-", "-o", "out", "--keep", "x"])
    assert not left.value.code
    made = parquet.read_table("out/stdin.parquet").to_pylist()
    assert {row["x"] for row in made} == {1, 2}
