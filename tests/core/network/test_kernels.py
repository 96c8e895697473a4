"""All kernels give identical results: builds and runs `kernels_check.cpp`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CORE = HERE.parent.parent.parent / "src" / "dodona" / "core"
HEADERS = [f"-I{CORE / name}" for name in ("base", "network")]
COMPILER = next(filter(None, map(shutil.which, ("c++", "g++", "clang++"))), None)


@pytest.mark.thorough
@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler here")
@pytest.mark.parametrize("flags", [[], ["-DDODONA_PORTABLE"]], ids=["this machine", "any machine"])
def test_all_kernels_are_equal_to_the_bit(flags: list[str], tmp_path: Path) -> None:
    assert COMPILER is not None
    program = tmp_path / "kernels_check"
    options = ["-std=c++17", "-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", *flags]
    source = HERE / "kernels_check.cpp"
    subprocess.run([COMPILER, *options, *HEADERS, source, "-o", program], check=True)
    found = subprocess.run([program], capture_output=True, text=True, check=False)
    lines = found.stdout.splitlines()
    assert lines[0].startswith("plain: ")
    assert flags == [] or len(lines) == 1
    for line in lines:
        n_equal, n_cases = (int(word) for word in line.split() if word.isdigit())
        assert n_equal == n_cases > 0, line
    assert found.returncode == 0
