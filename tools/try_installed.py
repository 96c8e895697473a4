"""Test the installed Dodona: parse a sentence and run some tests.

python tools/try_installed.py    requires pytest and hypothesis
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import dodona

TESTS = ("core/weights", "core/features", "treebank")  # fast tests of compiled code

if __name__ == "__main__":
    print(dodona.load("en")("Its oak still speaks.")[0].tree(), flush=True)
    folder = Path(__file__).parents[1] / "tests"
    sys.exit(pytest.main(["-p", "no:cacheprovider", *(str(folder / name) for name in TESTS)]))
