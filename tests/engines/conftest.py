"""Real engines: `make test-engines` runs these tests, `make test` does not."""

import os

if not os.environ.get("DODONA_ENGINES"):
    collect_ignore_glob = ["test_*.py"]
