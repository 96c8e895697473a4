"""What tests compare with and cannot bring along: treebanks, and the official evaluation."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest

from support.treebanks import DATA

TREEBANKS = sorted(path.parent.name for path in DATA.glob("*/dev.conllu"))


def dev_set(treebank: str) -> Path:
    """The dev set of one of TREEBANKS; skips the test where there are none."""
    if not TREEBANKS:
        pytest.skip(f"no treebanks in {DATA}: set DODONA_DATA")
    return DATA / treebank / "dev.conllu"


def official_evaluation() -> Any:
    """The module that DODONA_UD_EVAL names; skips the test where it names none."""
    path = os.environ.get("DODONA_UD_EVAL")
    if not path:
        pytest.skip("DODONA_UD_EVAL does not name the official conll18_ud_eval.py")
    spec = importlib.util.spec_from_file_location("ud_eval", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
