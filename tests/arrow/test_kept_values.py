"""Kept values come back as they were, or their row is an error; a run never stops for one line."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: dodona[arrow]")

from pyarrow import parquet  # noqa: E402

import dodona.arrow as da  # noqa: E402
from dodona.arrow import outputs  # noqa: E402
from dodona.arrow.options import make_options  # noqa: E402
from dodona.arrow.runs.corpus_run import RunProgress, RunSettings, parse_files  # noqa: E402
from dodona.cli import main  # noqa: E402
from support.text_models import some_text, text_model  # noqa: E402

TEXT = some_text(1, 1)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.dodona").write_bytes(text_model(1))
    return tmp_path


def parse(name: str, out: str = "out", **options: Any) -> RunProgress:
    settings = RunSettings(options.pop("format", "parquet"), options.pop("resume", False))
    given = make_options("m.dodona", **{"keep": ["x"], "level": "conllu", **options})
    return parse_files([name], out, given, settings)


def rows(out: str = "out") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = parquet.read_table(f"{out}/a.parquet").to_pylist()
    return found


def json_rows(out: str) -> list[dict[str, Any]]:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    lines = Path(out, "a.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line, parse_constant=refuse) for line in lines]


def write_lines(*lines: str | bytes) -> None:
    data = [line.encode() if isinstance(line, str) else line for line in lines]
    Path("a.jsonl").write_bytes(b"".join(line + b"\n" for line in data))


def line(value: Any) -> str:
    return json.dumps({"x": value, "text": TEXT})


@pytest.mark.parametrize(
    ("first", "other"),
    [
        (1, 2.75),
        (1, "2"),
        (1, True),
        (1, 2**63),
        (1, -(2**63) - 1),
        (1, 10**30),
        (0.5, 2**53 + 1),
        (0.5, "x"),
        (True, 1),
        ("x", "\ud800"),
        ([1], [2.75]),
        ([1], ["x"]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1}, {"a": 1.5}),
        ({"a": 1}, [1]),
        ({"a": {"b": "x"}}, {"a": {"b": "\ud800"}}),
    ],
)
def test_what_does_not_fit_the_schema_is_an_error_of_its_row(
    here: Path, first: Any, other: Any
) -> None:
    """The schema is fixed by the first run; a file that is added later cannot change it."""
    folder = here / "in"
    folder.mkdir()
    (folder / "b.jsonl").write_text(f"{line(first)}\n")
    parse("in")
    lines = [line(first), line(other), line(None), line(first)]
    (folder / "a.jsonl").write_text("".join(f"{one}\n" for one in lines))
    assert parse("in", resume=True).n_errors == 1
    made = rows()
    assert [row["x"] for row in made] == [first, None, None, first]
    bad = made[1]
    assert bad["conllu"] is None and "line 2: 'x' is " in bad["error"]
    assert all(row["conllu"] and row["error"] is None for i, row in enumerate(made) if i != 1)
    [failure] = map(json.loads, Path("out/_failures.jsonl").read_text().splitlines())
    assert failure == {"file": "a.jsonl", "row": 2, "reason": bad["error"]}


def test_whole_numbers_stay_whole_and_others_are_not_cut(here: Path) -> None:
    """0.97 became an error, and once 0, after a thousand whole numbers."""
    write_lines(*map(line, [1, 2.75, 3]))
    parse("a.jsonl")
    assert [row["x"] for row in rows()] == [1.0, 2.75, 3.0]
    write_lines(*[line(7)] * 1000, line(0.97))
    assert parse("a.jsonl", "other").n_errors == 0
    assert [row["x"] for row in rows("other")] == [7.0] * 1000 + [0.97]


@pytest.mark.parametrize(
    "values",
    [
        [1, "x", None, [2], {"a": None}],
        [{}, {}],
        [[], []],
        [{"a": []}, {"a": [{}]}],
        [2**63, 1],
        [True, 0],
        [[[[[[1]]]]], "x"],
        [{"a": "\ud800"}, 1],
    ],
)
def test_values_without_a_common_type_are_json(here: Path, values: list[Any]) -> None:
    write_lines(*map(line, values))
    for format in outputs.FORMATS:
        assert parse("a.jsonl", format, format=format).n_errors == 0
        made = rows(format) if format == "parquet" else json_rows(format)
        for row, value in zip(made, values, strict=True):
            text = value if isinstance(value, str | None) else json.dumps(value)
            assert row["x"] == text and row["error"] is None


@pytest.mark.parametrize("level", da.LEVELS)
@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"x": ' + "[" * 100_000, "nested too deeply"),
        ('{"text": "a", "x": ' + "[" * 500 + "]" * 500 + "}", "does not fit the column"),
        ('{"text": "a", "x": NaN}', "is not JSON: NaN is not a number"),
        ('{"text": "a", "x": -Infinity}', "is not JSON: -Infinity is not a number"),
        ('{"text": "a", "x": 1e999}', "is not JSON: 1e999 is too large"),
        ('{"text": "a", "x": ' + "1" * 5000 + "}", "line 2"),
        ('{"text": "a", "x": "\\ud800"}', "does not fit the column"),
        ('{"\\ud800": "a"}', r"it has \ud800"),
        ('{"text": {"\\ud800": 1}}', "is a dict, not text"),
        (b'{"text": "a", "x": "\xff"}', "is not JSON"),
        ("\0", "is not JSON"),
    ],
)
def test_a_bad_line_is_a_row(here: Path, bad: str | bytes, why: str, level: str) -> None:
    write_lines(line("fine"), bad, line("also fine"))
    for format in outputs.FORMATS:
        assert parse("a.jsonl", format, format=format, level=level).n_errors == 1
        made = rows(format) if format == "parquet" else json_rows(format)
        [row] = [row for row in made if row["error"]]
        assert why in row["error"] and row["x"] is None
        assert {row["x"] for row in made if not row["error"]} == {"fine", "also fine"}


NS = pa.array([1, None, 10**18 + 1], pa.int64())
COLUMNS: dict[str, Any] = {
    "large_string": pa.array(["a", None, "é"], pa.large_string()),
    "dictionary": pa.array(["a", None, "a"]).dictionary_encode(),
    "dictionary of numbers": pa.array([5, None, 5]).dictionary_encode(),
    "binary": pa.array([b"a", None, b"\xff"]),
    "timestamp[ns]": NS.cast(pa.timestamp("ns")),
    "timestamp[ns, UTC]": NS.cast(pa.timestamp("ns", "UTC")),
    "list of timestamp[ns]": pa.array([[1], None, []], pa.list_(pa.timestamp("ns"))),
    "timestamp[us]": pa.array([1, None, 2], pa.timestamp("us")),
    "date": pa.array([datetime.date(2020, 2, 29), None, datetime.date(1, 1, 1)]),
    "decimal": pa.array([Decimal("1.50"), None, Decimal("2.25")]),
    "double": pa.array([0.5, None, float("inf")]),
    "list": pa.array([[1, 2], None, []]),
    "struct": pa.array([{"a": 1}, None, {"a": None}]),
    "boolean": pa.array([True, None, False]),
    "null": pa.nulls(3),
    "duration[ns]": NS.cast(pa.duration("ns")),
    "time64[ns]": pa.array([1, None, 2], pa.time64("ns")),
    "struct of timestamp[ns]": pa.array([{"a": 1}, None, {}], pa.struct({"a": pa.timestamp("ns")})),
}
if hasattr(pa, "string_view"):  # newer than the oldest version that we support
    COLUMNS["string_view"] = pa.array(["a", None, "é"], pa.string_view())
    COLUMNS["binary_view"] = pa.array([b"a", None, b"\xff"], pa.binary_view())


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("level", ["word", "conllu"])
def test_columns_of_every_type_are_kept(here: Path, name: str, level: str) -> None:
    column = COLUMNS[name]
    table = pa.table({"x": column, "text": [TEXT] * 3})
    parquet.write_table(table, "a.parquet")
    parse("a.parquet", level=level)
    made = parquet.read_table("out/a.parquet")["x"].combine_chunks()
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if name == "null":  # a column that holds nothing anywhere is one of strings
        column, kind = column.cast(pa.string()), pa.string()
    for i in range(3):
        assert made.cast(kind)[len(made) // 3 * i].equals(column.cast(kind)[i])
    mapped = da.Mapper("m.dodona", keep=["x"], level=level)(table)
    assert mapped["x"].type == COLUMNS[name].type and len(mapped) == len(made)
    parse("a.parquet", "json", format="json", level=level)
    values = [row["x"] for row in json_rows("json")]
    assert values[len(values) // 3] is None and len(values) == len(made)
    if name == "timestamp[ns]":
        assert values[-1] == "2001-09-09 01:46:40.000000001"
    if name == "binary":
        assert values[-1] == "/w=="
    parquet.write_table(table.slice(0, 0), "a.parquet")
    parse("a.parquet", "empty", level=level)
    assert len(parquet.read_table("empty/a.parquet")) == 0


def test_json_has_no_infinities(here: Path) -> None:
    column = pa.array([float("nan"), float("inf"), float("-inf"), 1.5])
    nested = pa.array([[float("nan")], [1.5], None, []])
    table = pa.table({"x": column, "y": nested, "text": [TEXT] * 4})
    parquet.write_table(table, "a.parquet")
    parse("a.parquet", "json", format="json", keep=["x", "y"])
    made = json_rows("json")
    assert [row["x"] for row in made] == [None, None, None, 1.5]
    assert [row["y"] for row in made] == [[None], [1.5], None, []]


def test_kept_columns_may_have_the_names_of_columns_that_are_not_there(here: Path) -> None:
    names = ["start", "end", "id", "head", "sent_id", "form"]
    table = pa.table({name: ["oak", None] for name in names} | {"text": [TEXT] * 2})
    parquet.write_table(table, "a.parquet")
    parse("a.parquet", keep=names)
    assert [[row[name] for name in names] for row in rows()] == [["oak"] * 6, [None] * 6]


def test_the_shell_names_its_own_flags(here: Path, capfd: Any) -> None:
    write_lines('{"id": 1, "url": "u", "text": "a"}')

    def said(*words: str) -> str:
        with pytest.raises(SystemExit) as left:
            main(["parse", "m.dodona", "a.jsonl", "-o", "out", *words])
        assert left.value.code == 2 and not list(here.glob("out/*"))
        return str(capfd.readouterr().err)

    assert said("--keep", "id").endswith("rename it: --keep id=doc_id\n")
    assert said("--keep", "url=form").endswith("rename it: --keep url=doc_form\n")
    assert "'id' twice" in said("--keep", "id=a,id=b")
    assert "COLUMN=NAME" in said("--keep", "id=") and "COLUMN=NAME" in said("--keep", "=id")


def test_numbers_as_texts_are_refused_in_plain_words(here: Path, capfd: Any) -> None:
    parquet.write_table(pa.table({"text": [1, 2]}), "a.parquet")
    with pytest.raises(SystemExit) as left:
        main(["parse", "m.dodona", "a.parquet", "-o", "out"])
    assert left.value.code == 1
    assert capfd.readouterr().err == (
        "a.parquet: the column 'text' holds int64; expected text: string or binary\n"
    )


def test_a_kept_text_is_stored_once(here: Path) -> None:
    """Each word had a copy of it in memory: 120 MB for this text of 24 kB."""
    text = " ".join([TEXT] * 800)
    parquet.write_table(pa.table({"text": [text]}), "a.parquet")
    pool = pa.system_memory_pool()
    default = pa.default_memory_pool()
    pa.set_memory_pool(pool)
    try:
        before = pool.max_memory()
        parse("a.parquet", level="word", keep={"text": "t"})
        assert pool.max_memory() - before < 500 * len(text)
    finally:
        pa.set_memory_pool(default)
    found = parquet.ParquetFile("out/a.parquet", read_dictionary=["t"]).read()["t"]
    assert len(found) > 4000 and found[0].as_py() == found[-1].as_py() == text
    assert Path("out/a.parquet").stat().st_size < 10 * len(text)


class TestCsv:
    def parse(self, data: str | bytes, **options: Any) -> list[dict[str, Any]]:
        Path("a.csv").write_bytes(data if isinstance(data, bytes) else data.encode())
        parse("a.csv", **options)
        return rows()

    @pytest.mark.parametrize(
        ("data", "where"),
        [
            (f'x,text\n1,{TEXT}\n2,"open\n3,{TEXT}\n', "a.csv:3: a quote .* at line 4"),
            (f'x,text\n1,{TEXT}\n"2,{TEXT}\n', "a.csv:3: a quote .* at line 3"),
            (f'x,text\n1,"open\n2,"{TEXT}"\n3,b\n', "a.csv:2: a quote .* at line 3"),
            (f'x,"text\n1,{TEXT}\n', "a.csv:1: the header is not CSV: unexpected end"),
        ],
    )
    def test_an_unclosed_quote_swallows_nothing(self, here: Path, data: str, where: str) -> None:
        with pytest.raises(ValueError, match=where):
            self.parse(data)
        assert not list(here.glob("out/[!_]*"))

    def test_text_after_a_quote_is_an_error_of_its_line(self, here: Path) -> None:
        made = self.parse(f'x,text\n1,"a"b\n2,{TEXT}\n')
        assert made[0]["error"].startswith("line 2 is not CSV: ") and made[0]["x"] is None
        assert (made[1]["x"], made[1]["error"]) == ("2", None)

    def test_two_columns_of_one_name_are_refused_if_one_is_meant(self, here: Path) -> None:
        for header in ("text,x,text", "x,text,x"):
            with pytest.raises(ValueError, match=r"a\.csv:1: 2 columns are called '"):
                self.parse(f"{header}\n1,2,3\n")
        assert self.parse("x,y,text,y\n1,2,a,3\n")[0]["x"] == "1"

    def test_a_header_that_is_not_utf8_is_refused(self, here: Path) -> None:
        with pytest.raises(ValueError, match=r"a\.csv:1: the header is not UTF-8"):
            self.parse(b"x,text,caf\xe9\n1,a,b\n")

    def test_a_kept_value_that_is_not_utf8_is_an_error(self, here: Path) -> None:
        made = self.parse(b"x,text\n\xe9,a\n2,b\n")
        assert [row["x"] for row in made] == [None, "2"] and "line 2: 'x'" in made[0]["error"]


def test_two_columns_of_one_name_in_parquet_are_refused(here: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["a"])] * 2, ["text", "text"])
    parquet.write_table(table, "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet: 2 columns are called 'text'"):
        parse("a.parquet", keep=[])
