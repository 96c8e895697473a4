"""Recipes of the documentation, run unchanged."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from pyarrow import dataset

import dodona.arrow as da
from dodona.arrow.documents import CHUNK_CHARS
from dodona.arrow.options import make_options
from dodona.arrow.runs.corpus_run import parse_files
from support.arrow_texts import TEXTS, batch

RECIPES = Path(__file__).parents[2] / "docs" / "recipes"
# the file: what it needs
NEEDED = {
    "spark.py": "pyspark",
    "spark_pandas_udf.py": "pyspark",
    "ray_data.py": "ray",
    "polars_frame.py": "polars",
    "duckdb_query.py": "duckdb",
    "dask_frame.py": "dask",
    "daft_frame.py": "daft",
}


# queries of the output of a run: what they need, and what they print
QUERIES = {
    "duckdb_pairs.py": ("duckdb", r"see\s+│ oak\s+│\s+12"),
    "polars_concordance.py": ("polars", r"Anna sees an old\s+┆ oak"),
}


def test_every_recipe_is_run() -> None:
    assert {path.name for path in RECIPES.glob("*.py")} == {*NEEDED, *QUERIES}


@pytest.mark.parametrize("recipe", QUERIES)
def test_a_query_finds_what_is_there(recipe: str, tmp_path: Path) -> None:
    needed, printed = QUERIES[recipe]
    pytest.importorskip(needed, reason=f"{needed} is not installed here")
    for name in ("a", "lang=en/b"):
        path = tmp_path / "in" / f"{name}.parquet"
        path.parent.mkdir(exist_ok=True, parents=True)
        texts = ["Anna sees an old oak."] * 6 + ["", None]
        pa.parquet.write_table(pa.table({"text": texts}), path)
    parse_files([str(tmp_path / "in")], str(tmp_path / "out"), make_options("en"))
    done = subprocess.run(
        [sys.executable, str(RECIPES / recipe)],
        cwd=tmp_path,
        env=os.environ | {"POLARS_FMT_STR_LEN": "40"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert re.search(printed, done.stdout), done.stdout


@pytest.mark.parametrize("recipe", NEEDED)
def test_a_recipe_gives_the_rows_that_it_gives_in_process(recipe: str, tmp_path: Path) -> None:
    pytest.importorskip(NEEDED[recipe], reason=f"{NEEDED[recipe]} is not installed here")
    if NEEDED[recipe] == "pyspark" and shutil.which("java") is None:
        pytest.skip("there is no Java here, which Spark needs")
    texts = [*TEXTS, *(f"The oak speaks {i} times." for i in range(20))]
    texts += ["The oak speaks, and nobody listens. " * 400] * 12  # several chunks of output
    assert sum(map(len, texts)) > 2 * CHUNK_CHARS
    pa.parquet.write_table(pa.Table.from_batches([batch(texts)]), tmp_path / "texts.parquet")
    environment = os.environ | {
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
    }
    done = subprocess.run(
        [sys.executable, str(RECIPES / recipe)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = dataset.dataset(tmp_path / "words.parquet").to_table()
    level = "conllu" if "conllu" in found.column_names else "word"
    expected = da.Mapper("en", keep=["doc_id"], level=level)(batch(texts))
    columns = [name for name in expected.column_names if name in found.column_names]
    assert len(columns) > 1
    key = [(name, "ascending") for name in ("doc_id", "sent_id", "id") if name in columns]
    rows = found.select(columns).sort_by(key).to_pylist()
    assert rows == expected.select(columns).sort_by(key).to_pylist()
