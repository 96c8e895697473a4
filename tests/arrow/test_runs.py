"""Resumable runs over many files: equal rows for all formats and after interruptions."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: dodona[arrow]")

from pyarrow import parquet  # noqa: E402

import dodona  # noqa: E402
import dodona.arrow as da  # noqa: E402
from dodona.arrow import outputs  # noqa: E402
from dodona.arrow.options import make_options  # noqa: E402
from dodona.arrow.runs import inputs, planning  # noqa: E402
from dodona.arrow.runs.corpus_run import RunProgress, RunSettings, parse_files  # noqa: E402
from dodona.arrow.runs.manifest import MANIFEST  # noqa: E402
from dodona.cli import corpora, main  # noqa: E402
from dodona.storage.steps import StepError  # noqa: E402
from support.arrow_texts import TEXTS, n_words_of, parser, words_of  # noqa: E402
from support.small import treebank  # noqa: E402

KILLS = int(os.environ.get("DODONA_KILLS", "2"))
SETTINGS = [field.name for field in fields(RunSettings)]
BESIDE = [MANIFEST, "_plan.json", "_schema.json"]
START = [sys.executable, "-c", "from dodona.cli import main; main()"]


def parse(names: list[Path | str], out: Path | str, **options: Any) -> RunProgress:
    """Parse files from Python."""
    report = options.pop("report", lambda progress: None)
    of_run = {name: options.pop(name) for name in SETTINGS if name in options}
    given = make_options(options.pop("model", "en"), **{"keep": ["doc_id"], **options})
    return parse_files([*map(str, names)], str(out), given, RunSettings(**of_run), report=report)


def shell(*words: Any) -> int:
    with pytest.raises(SystemExit) as leaving:
        main([*map(str, words)])
    return int(leaving.value.code or 0)


def write(path: Path, texts: Any, first: int = 0, **options: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.table({"doc_id": range(first, first + len(texts)), "text": texts})
    parquet.write_table(table, path, **options)
    return path


def rows(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of all files, by document."""
    files = sorted(folder.rglob("*.parquet"))
    found = [row for file in files for row in without_doc(parquet.ParquetFile(file).read())]
    return sorted(found, key=lambda row: row["doc_id"])


def without_doc(table: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.drop_columns(["doc_key"]).to_pylist()
    return rows


def names(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


@pytest.fixture
def given(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    write(folder / "a.parquet", TEXTS[:3], row_group_size=1)
    write(folder / "lang=en" / "b.parquet", TEXTS[3:], first=3)
    (folder / "_SUCCESS").touch()
    return folder


def test_each_file_becomes_one_at_the_same_place(given: Path, tmp_path: Path) -> None:
    progress = parse([given], tmp_path / "out")
    assert names(tmp_path / "out") == [*BESIDE, "a.parquet", "lang=en/b.parquet"]
    assert rows(tmp_path / "out") == words_of(TEXTS)
    assert progress.n_words == n_words_of(TEXTS) and progress.n_documents == len(TEXTS)
    assert progress.n_bytes == progress.n_bytes_total


def test_large_files_are_several_parts(given: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(planning, "PART_BYTES", 1)
    monkeypatch.setattr(inputs, "BATCH_BYTES", 1)
    monkeypatch.setattr(outputs, "ROW_GROUP_BYTES", 1)
    parse([given / "a.parquet"], tmp_path / "out", threads=2)
    found = names(tmp_path / "out")
    assert found == [*BESIDE, *(f"a-{number:05}.parquet" for number in range(3))]
    assert rows(tmp_path / "out") == words_of(TEXTS[:3])


@pytest.mark.parametrize("level", da.LEVELS)
def test_files_hold_what_the_mapper_makes(given: Path, tmp_path: Path, level: str) -> None:
    parse([given / "a.parquet"], tmp_path / "out", level=level)
    file = parquet.ParquetFile(tmp_path / "out" / "a.parquet")
    table = parquet.read_table(given / "a.parquet")
    made = da.Mapper("en", keep=["doc_id"], level=level)(table)
    assert file.schema_arrow.names == ["doc_key", *made.schema.names]
    assert without_doc(file.read()) == made.to_pylist()


def test_many_words_come_back_as_they_were(tmp_path: Path, monkeypatch: Any) -> None:
    """Write dictionaries that are padded, full, and too large to be padded."""
    monkeypatch.setattr(outputs, "ROW_GROUP_BYTES", 1 << 16)
    monkeypatch.setattr(outputs, "ROWS_PER_UNUSED", 0.01)
    n = 6000
    table = pa.table(
        {
            "few": [f"v{i % 3}" for i in range(n)],
            "some": [None if i % 50 == 0 else f"v{i % 200}" for i in range(n)],
            "many": [f"v{i}" for i in range(n)],
            "one": ["v"] * n,
            "none": pa.nulls(n, pa.string()),
            "start": pa.array([None if i % 7 == 0 else i for i in range(n)], pa.int32()),
            "head": pa.array(range(n), pa.int32()),
        }
    )
    path = tmp_path / "words.parquet"
    with path.open("wb") as file:
        target = outputs.ParquetOutput(file, table.schema)
        for batch in table.to_batches(max_chunksize=1000):
            target.write(batch)
        target.finish()
    found = parquet.ParquetFile(path)
    assert found.num_row_groups > 1
    assert found.read().equals(table)


def test_what_repeats_after_many_rows_takes_little_room(tmp_path: Path, monkeypatch: Any) -> None:
    """A column is one page, since pages are compressed separately."""
    n = 30_000
    chance = Random(1)
    words = [f"w{chance.randrange(4000)}" for _ in range(n)]
    table = pa.table({"form": words * 2, "head": pa.array([*range(n)] * 2, pa.int32())})

    def size() -> int:
        path = tmp_path / "words.parquet"
        with path.open("wb") as file:
            target = outputs.ParquetOutput(file, table.schema)
            target.write(table.combine_chunks().to_batches()[0])
            target.finish()
        assert parquet.read_table(path).equals(table)
        return path.stat().st_size

    as_it_is = size()
    monkeypatch.setattr(outputs, "PAGE_BYTES", 10_000)
    assert as_it_is < 0.85 * size()


def test_lines_of_json_with_bad_ones_among_them(tmp_path: Path) -> None:
    lines = [json.dumps({"doc_id": i, "text": text}) for i, text in enumerate(TEXTS)]
    lines += ["", '{"doc_id": 5, "text": 7}', '{"doc_id": 6', '["a"]', '{"doc_id": 8}']
    lines += ['{"doc_id": 9, "text": "\\ud800"}']
    data = "\n".join(lines).encode() + b'\n{"doc_id": 10, "text": "\xff"}'
    (tmp_path / "a.jsonl").write_bytes(data)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(data))
    (tmp_path / "c.ndjson.zst").write_bytes(pa.compress(data, "zstd", asbytes=True))
    progress = parse([tmp_path / "a.jsonl"], tmp_path / "out")
    assert progress.n_errors == 6 and progress.n_documents == 11
    found = parquet.read_table(tmp_path / "out" / "a.parquet")
    assert str(found.schema.field("doc_id").type) == "int64"
    made = without_doc(found)
    assert [row for row in made if not row["error"]] == words_of(TEXTS)
    errors = [row["error"] for row in made if row["error"]]
    assert errors[0] == "line 7: 'text' is a int, not text"
    assert (
        errors[1].startswith("line 8 is not JSON: ") and errors[2] == "line 9 is not a JSON object"
    )
    assert errors[3] == "line 10 has no 'text'; it has doc_id" and "not UTF-8" in errors[4]
    assert errors[5].startswith("line 12 is not JSON")
    parse([tmp_path / "b.jsonl.gz", tmp_path / "c.ndjson.zst"], tmp_path / "other")
    for name in ("b", "c"):
        other = parquet.read_table(tmp_path / "other" / f"{name}.parquet")
        assert without_doc(other) == made


def test_csv_with_quotes_and_line_ends(tmp_path: Path) -> None:
    quoted = ['"' + text.replace('"', '""') + '"' for text in TEXTS]
    lines = "".join(f"{i},{text}\n" for i, text in enumerate(quoted))
    (tmp_path / "a.csv").write_text("\ufeffdoc_id,text\n" + lines + "8\n9,b,c\n", newline="")
    parse([tmp_path / "a.csv"], tmp_path / "out")
    made = without_doc(parquet.read_table(tmp_path / "out" / "a.parquet"))
    expected = [row | {"doc_id": str(row["doc_id"])} for row in words_of(TEXTS)]
    assert [row for row in made if not row["error"]] == expected
    errors = [row["error"] for row in made if row["error"]]
    assert [re.sub(r"line \d+", "line N", error) for error in errors] == [
        "line N has 1 values, not 2",
        "line N has 3 values, not 2",
    ]
    with pytest.raises(ValueError, match=r"a\.csv:1: no column 'body'; there are: doc_id, text"):
        parse([tmp_path / "a.csv"], tmp_path / "other", text="body")


def test_folders_of_plain_text(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_bytes(TEXTS[0].encode())
    (folder / "deep" / "b.txt.gz").write_bytes(gzip.compress(TEXTS[3].encode()))
    (folder / "c.txt").write_bytes(b"caf\xe9")
    assert shell("parse", "en", folder, "-o", tmp_path / "out", "--output", "parquet") == 0
    [file] = (tmp_path / "out").glob("*.parquet")
    made = parquet.ParquetFile(file).read().to_pylist()
    assert [row["error"] for row in made if row["file"] == "c.txt"] == [
        "the text is not UTF-8: byte 3 is 0xe9"
    ]
    for name, text in (("a.txt", TEXTS[0]), ("deep/b.txt.gz", TEXTS[3])):
        forms = [row["form"] for row in made if row["file"] == name]
        assert forms == [word.form for word in parser()(text).words]


def test_rows_as_json_lines(given: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert (
        shell("parse", given / "a.parquet", "-o", out, "--output", "json", "--keep", "doc_id") == 0
    )
    lines = (out / "a.jsonl").read_text().splitlines()
    made = [*map(json.loads, lines)]
    assert {row.pop("doc_key") for row in made} == {f"a.parquet#{i}" for i in (1, 2, 3)}
    assert made == words_of(TEXTS[:3])


def test_from_the_shell(given: Path, tmp_path: Path, capfd: Any) -> None:
    write(given / "c.parquet", [None], first=9)
    command = ["parse", "en", f"{given}/*.parquet", given / "lang=en", "-o", tmp_path / "out"]
    command += ["--keep", "doc_id=n, text", "--text", "text", "--level", "conllu"]
    assert shell(*command, "--threads", "2") == 0
    first, second = capfd.readouterr().err.splitlines()
    assert re.fullmatch(r"3 files, 6 documents, \d+ words in .* s: .* words/s", first)
    assert second == "1 of 6 documents could not be parsed; the column 'error' gives the reasons"
    beside = sorted([*BESIDE, "_failures.jsonl"])
    assert names(tmp_path / "out") == [*beside, "a.parquet", "b.parquet", "c.parquet"]
    table = parquet.read_table(tmp_path / "out" / "b.parquet")
    assert table.column_names == ["doc_key", "n", "text", "conllu", "error"]
    assert table.column("conllu")[0].as_py() == parser()(TEXTS[3]).to_conllu()
    assert shell(*command) == 1
    assert "3 finished parts: continue it with --resume, or choose" in capfd.readouterr().err
    assert shell(*command, "--resume") == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "-"], "the output of a corpus is a folder: use -o FOLDER"),
        (["-o", "o", "--retag"], "--retag does not apply to a corpus"),
        (
            ["-o", "o", "--output", "svg"],
            "--output svg does not apply to a corpus; use parquet or json",
        ),
        (
            ["-o", "o", "--input", "conllu"],
            "--input conllu does not apply to a corpus; use text or tokens",
        ),
        (["-o", "o", "--text", "body"], "no column 'body'; there are: doc_id, text"),
        (["-o", "o", "--keep", "x"], "no column 'x'; there are: doc_id, text"),
        (["-o", "o", "--level", "words"], "--level must be one of word"),
    ],
)
def test_mistakes_are_told(
    given: Path, tmp_path: Path, monkeypatch: Any, capfd: Any, words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert shell("parse", "en", given / "a.parquet", *words) != 0
    assert said in capfd.readouterr().err
    assert not list(tmp_path.glob("o/*.parquet")) and not list(tmp_path.rglob("*.part"))


def test_bad_files_are_named_and_leave_nothing(given: Path, tmp_path: Path) -> None:
    whole = (given / "a.parquet").read_bytes()
    (tmp_path / "bad.parquet").write_bytes(whole[:-10])
    (tmp_path / "bad.jsonl.gz").write_bytes(gzip.compress(b'{"text": "a"}\n' * 1000)[:-9])
    for name in ("bad.parquet", "bad.jsonl.gz"):
        with pytest.raises(ValueError, match=f"{name}: "):
            parse([tmp_path / name], tmp_path / "out" / name, keep=[])
        assert not list(tmp_path.rglob("*.part")) and not list(tmp_path.glob("out/*/[!_]*"))
    (tmp_path / "notes.md").write_text("An oak.")
    with pytest.raises(ValueError, match=r"notes\.md: expected files of \.parquet"):
        parse([tmp_path / "notes.md"], tmp_path / "out")
    with pytest.raises(FileNotFoundError):
        parse([tmp_path / "none.parquet"], tmp_path / "out")
    write(tmp_path / "one" / "a.parquet", [])
    with pytest.raises(ValueError, match="would become one file; give their common folder"):
        parse([given / "a.parquet", tmp_path / "one" / "a.parquet"], tmp_path / "out")


def test_tokens_are_read_from_parquet(tmp_path: Path) -> None:
    tokens = [["The", "oak"], ["speaks"]]
    table = pa.table({"doc_id": [1], "words": [tokens]})
    parquet.write_table(table, tmp_path / "a.parquet")
    command = ["parse", "en", tmp_path / "a.parquet", "-o", tmp_path / "out"]
    assert shell(*command, "--input", "tokens", "--text", "words", "--keep", "doc_id") == 0
    assert [row["form"] for row in rows(tmp_path / "out")] == ["The", "oak", "speaks"]
    (tmp_path / "a.jsonl").touch()
    with pytest.raises(ValueError, match=r"a\.jsonl: tokens are read from Parquet and Arrow only"):
        parse([tmp_path / "a.jsonl"], tmp_path / "other", tokens="words")


def test_files_of_others_are_not_replaced(given: Path, tmp_path: Path) -> None:
    mine = write(tmp_path / "out" / "a.parquet", ["precious"])
    before = mine.read_bytes()
    with pytest.raises(ValueError, match=r"a\.parquet exists already"):
        parse([given], tmp_path / "out")
    assert mine.read_bytes() == before


def test_empty_files_become_empty_files(tmp_path: Path) -> None:
    table = pa.schema({"doc_id": pa.int64(), "text": pa.string()}).empty_table()
    parquet.write_table(table, tmp_path / "a.parquet")
    (tmp_path / "b.jsonl").touch()
    parse([tmp_path / "a.parquet", tmp_path / "b.jsonl"], tmp_path / "out")
    for name in ("a", "b"):
        found = parquet.read_table(tmp_path / "out" / f"{name}.parquet")
        assert len(found) == 0
        assert found.column_names == ["doc_key", "doc_id", *da.schema("en").names]


class TestResume:
    def test_what_is_done_is_not_done_again(self, given: Path, tmp_path: Path) -> None:
        out = tmp_path / "out"
        parse([given], out)
        (out / "a.parquet").unlink()
        kept = (out / "lang=en" / "b.parquet").stat()
        progress = parse([given], out, resume=True)
        assert progress.n_documents == 3, "only what is missing"
        assert (out / "lang=en" / "b.parquet").stat().st_ino == kept.st_ino
        assert rows(out) == words_of(TEXTS)

    def test_new_files_are_added(self, given: Path, tmp_path: Path) -> None:
        parse([given], tmp_path / "out")
        write(given / "c.parquet", ["Oaks speak."], first=5)
        assert parse([given], tmp_path / "out", resume=True).n_documents == 1
        assert rows(tmp_path / "out") == words_of([*TEXTS, "Oaks speak."])

    def test_another_model_or_setting_is_refused(self, given: Path, tmp_path: Path) -> None:
        model = tmp_path / "my.dodona"
        parser().save(model)
        parse([given], tmp_path / "out", model=model)
        assert parse([given], tmp_path / "out", model=model, resume=True, threads=2)
        with pytest.raises(
            ValueError, match=r"made with another settings\.level: 'word', now 'conllu'"
        ):
            parse([given], tmp_path / "out", model=model, resume=True, level="conllu")
        dodona.train(treebank(20, 1), epochs=1).save(model)
        with pytest.raises(ValueError, match="made with another model"):
            parse([given], tmp_path / "out", model=model, resume=True)

    def test_changed_input_is_refused_and_a_touched_one_is_not(
        self, given: Path, tmp_path: Path
    ) -> None:
        parse([given], tmp_path / "out")
        os.utime(given / "a.parquet", (1, 1))
        assert parse([given], tmp_path / "out", resume=True).n_documents == 0
        write(given / "a.parquet", ["Other", "texts", "now."], row_group_size=1)
        with pytest.raises(ValueError, match=r"a\.parquet has changed since the run began"):
            parse([given], tmp_path / "out", resume=True)

    def test_half_a_line_of_the_manifest_is_forgotten(self, given: Path, tmp_path: Path) -> None:
        parse([given], tmp_path / "out")
        manifest = tmp_path / "out" / MANIFEST
        whole = manifest.read_bytes()
        for cut in (0, 5, len(whole) - 20):
            manifest.write_bytes(whole[:cut])
            parse([given], tmp_path / "out", resume=True)
            assert rows(tmp_path / "out") == words_of(TEXTS)
            assert len(manifest.read_bytes().splitlines()) == 3
        manifest.write_bytes(whole + b'{"part": "a"}\n')
        with pytest.raises(
            ValueError, match=r"_dodona\.jsonl:4: not the record of a step: 'inputs' is missing"
        ):
            parse([given], tmp_path / "out", resume=True)

    @pytest.mark.skipif(os.name == "nt", reason="Windows has no flock")
    def test_one_run_at_a_time(self, given: Path, tmp_path: Path) -> None:
        def parse_again(progress: RunProgress) -> None:
            parse([given], tmp_path / "out", resume=True)

        with pytest.raises(StepError, match="another run is at work in this folder"):
            parse([given], tmp_path / "out", report=parse_again)
        assert not list(tmp_path.rglob("*.part"))
        assert parse([given], tmp_path / "out", resume=True).n_documents == len(TEXTS)


def test_elsewhere_by_url(given: Path, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.put(str(given), "/corpus/in", recursive=True)
    progress = parse(["memory://corpus/in"], "memory://corpus/out")
    assert progress.n_documents == len(TEXTS)
    assert parse(["memory://corpus/in"], "memory://corpus/out", resume=True).n_documents == 0
    memory.get("/corpus/out", str(tmp_path / "out"), recursive=True)
    assert names(tmp_path / "out") == [*BESIDE, "a.parquet", "lang=en/b.parquet"]
    assert rows(tmp_path / "out") == words_of(TEXTS)
    memory.rm("/corpus", recursive=True)
    parse([given.as_uri()], tmp_path / "local")
    assert rows(tmp_path / "local") == words_of(TEXTS)


@pytest.mark.thorough
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_killed_at_any_moment_and_taken_up_again(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    texts = [" ".join([TEXTS[0], TEXTS[3]] * (1 + i % 5)) for i in range(120)]
    for i in range(4):
        write(folder / f"{i}.parquet", texts[30 * i : 30 * (i + 1)], first=30 * i)
    command = [*START, "parse", "en", folder, "--keep", "doc_id", "-o"]
    start = time.monotonic()
    subprocess.run([*map(str, command), str(tmp_path / "whole")], check=True)
    seconds = time.monotonic() - start
    expected, chance = rows(tmp_path / "whole"), Random(1)
    for i in range(KILLS):
        out = tmp_path / f"out{i}"
        process = subprocess.Popen([*map(str, command), str(out)])
        time.sleep(chance.uniform(0.2, 1.0) * seconds)
        process.kill()
        process.wait()
        subprocess.run([*map(str, command), str(out), "--resume"], check=True)
        assert rows(out) == expected
        assert names(out) == names(tmp_path / "whole"), "no debris"


def test_the_shell_knows_what_there_is() -> None:
    assert corpora.LEVELS == da.LEVELS
    assert corpora.TABLES == inputs.TABLES
    assert corpora.FORMATS == outputs.FORMATS


def test_categories_of_pandas_are_texts(tmp_path: Path) -> None:
    """Their columns are dictionary-encoded, which Parquet files keep in their schema."""
    categories = pa.array(TEXTS).dictionary_encode()
    parse([write(tmp_path / "in" / "a.parquet", categories)], tmp_path / "out")
    assert rows(tmp_path / "out") == words_of(TEXTS)
