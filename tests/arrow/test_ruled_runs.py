"""Rules of one's own in record batches and in resumable runs."""

from __future__ import annotations

import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest

from dodona import Rules
from dodona.storage.steps import StepError
from support.repository import LINEAR

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: dodona[arrow]")
MANIFEST = "_dodona.jsonl"
RULES = Rules(whole=["c/o"])
BATCH = pa.record_batch({"text": ["Send it c/o Zeus."]})


def write(path: Path, text: str) -> None:
    from pyarrow import parquet

    parquet.write_table(pa.table({"text": [text]}), path)


def run(model: Path, source: Path, out: Path, resume: bool = False, **options: Any) -> list[str]:
    """Parse a file into a folder, and return the words there."""
    from pyarrow import parquet

    from dodona.arrow.options import make_options
    from dodona.arrow.runs.corpus_run import RunSettings, parse_files

    parse_files([str(source)], str(out), make_options(model, **options), RunSettings(resume=resume))
    return forms([parquet.read_table(out / source.name)])


def header_of(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / MANIFEST).read_text(encoding="utf-8").split("\n")[0])
    return found


def forms(batches: Any) -> list[str]:
    return [form for batch in batches for form in batch.column("form").to_pylist()]


def test_a_mapper_takes_its_rules_along(tmp_path: Path) -> None:
    import dodona.arrow as da

    mapper = pickle.loads(pickle.dumps(da.mapper(LINEAR, rules=RULES)))
    assert "c/o" in forms(mapper([BATCH]))
    assert "c/o" not in forms(da.mapper(LINEAR)([BATCH]))
    file = tmp_path / "my.rules.toml"
    file.write_text('whole = ["c/o"]', encoding="utf-8")
    from_file = da.mapper(LINEAR, rules=file)
    file.unlink()  # it was read when the mapper was made
    assert "c/o" in forms(from_file([BATCH]))


def test_a_model_is_loaded_once_for_all_rules() -> None:
    from dodona.arrow.model_cache import load_cached

    model = str(LINEAR)
    plain, ruled = load_cached(model), load_cached(model, rules=RULES)
    assert ruled is load_cached(model, rules=Rules(whole=["c/o"])) is not plain
    assert ruled.scorer.state_scorer is not None and ruled.user_rules == RULES


def test_a_run_records_its_rules_and_is_not_resumed_with_others(tmp_path: Path) -> None:
    model, beside = tmp_path / "my.dodona", tmp_path / "my.rules.toml"
    shutil.copy(LINEAR, model)
    source, out = tmp_path / "in.parquet", tmp_path / "out"
    write(source, "Send it c/o Zeus.")
    files = model, source, out
    beside.write_text('whole = ["c/o"]', encoding="utf-8")
    assert "c/o" in run(*files)
    assert header_of(out)["settings"]["rules"] == {"whole": ["c/o"]}
    assert "c/o" in run(*files, resume=True) and "c/o" in run(*files, resume=True, rules=RULES)
    beside.write_text('whole = ["c/o", "Q4"]', encoding="utf-8")
    with pytest.raises(StepError, match=r"another settings\.rules\.whole: \['c/o'\], now"):
        run(*files, resume=True)
    beside.unlink()
    with pytest.raises(StepError, match=r"another settings\.rules"):
        run(*files, resume=True)


def test_a_run_without_rules_has_none_in_its_manifest(tmp_path: Path) -> None:
    source, out = tmp_path / "in.parquet", tmp_path / "out"
    write(source, "Listen!")
    run(LINEAR, source, out)
    assert "rules" not in header_of(out)["settings"]
