"""Two small treebanks, for all tests of experiments."""

from pathlib import Path

import pytest

from support.split_treebanks import write_split


@pytest.fixture(scope="session")
def two_treebanks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of a language that papers have, eu_oak, one of none, xx_elm; tests only read them."""
    sizes = {"train": 40, "dev": 15, "test": 25}
    return write_split(tmp_path_factory.mktemp("two"), ["eu_oak", "xx_elm"], sizes)
