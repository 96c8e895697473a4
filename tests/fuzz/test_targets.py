"""Every target: its seeds, among them all that was once found, and new inputs for a while."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fuzz.running import Limits, Result, fuzz
from fuzz.target import CORPUS, names

SECONDS = float(os.environ.get("DODONA_FUZZ_SECONDS", "4"))
EVERY = pytest.mark.parametrize("name", names())


def check(result: Result) -> None:
    stories = [f"{path}\n{path.read_text(encoding='utf-8')}" for path in result.findings]
    assert not stories, "\n".join(stories)


@pytest.fixture(autouse=True)
def _extras(name: str) -> None:
    if name in ("http", "messages", "pieces"):
        pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
    if name in ("csv", "jsonl", "manifest", "tables"):
        pytest.importorskip("pyarrow", reason='needs pip install "dodona[arrow]"')


@pytest.mark.thorough
@EVERY
def test_seeds_find_nothing(name: str, tmp_path: Path) -> None:
    result = fuzz(name, Limits(n_inputs=0), found=tmp_path)
    assert result.n_inputs >= len(list((CORPUS / name).iterdir())) > 0
    check(result)


@pytest.mark.thorough
@EVERY
def test_new_inputs_find_nothing(name: str, tmp_path: Path) -> None:
    result = fuzz(name, Limits(seconds=SECONDS), found=tmp_path)
    assert result.n_inputs > len(list((CORPUS / name).iterdir()))
    check(result)
