"""A process without memory for a model or a text ends with MemoryError, and not by an abort."""

from __future__ import annotations

import subprocess
import sys

import pytest

REASONS = ("MemoryError", "Cannot allocate memory", "failed to map segment")  # of a library
SCRIPT = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
import dodona
parser = dodona.load(sys.argv[1])
parser("The old oak in the garden speaks to nobody, and I wonder why it does. " * 300)
parser("a list of words " * 3000)
"""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform != "linux", reason="the address space is limited as on Linux")
@pytest.mark.parametrize("model", ["en", "en-small", "en-linear"])
def test_a_small_address_space_is_a_memory_error(model: str) -> None:
    outcomes = set()
    for megabytes in (*range(60, 200, 10), *range(200, 401, 50)):
        command = [sys.executable, "-c", SCRIPT, model, str(megabytes * 1_000_000)]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300)
        outcomes.add(run.returncode)
        assert run.returncode in (0, 1), (megabytes, run.returncode, run.stderr[-2000:])
        if run.returncode:
            assert any(reason in run.stderr for reason in REASONS), run.stderr[-2000:]
    assert outcomes == {0, 1}
