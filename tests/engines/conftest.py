"""Tests with real engines, run by `make test-engines` and not by `make test`."""

import os

if not os.environ.get("DODONA_ENGINES"):
    collect_ignore_glob = ["test_*.py"]
