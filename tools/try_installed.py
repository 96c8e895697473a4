"""See whether the Dodona that is installed works: parse a sentence, run some tests.

python tools/try_installed.py    needs pytest and hypothesis
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import dodona

TESTS = ("core/weights", "core/features", "treebank")  # quick, and each close to C++

if __name__ == "__main__":
    print(dodona.load("en")("Its oak still speaks.")[0].tree(), flush=True)
    folder = Path(__file__).parents[1] / "tests"
    sys.exit(pytest.main(["-p", "no:cacheprovider", *(str(folder / name) for name in TESTS)]))
