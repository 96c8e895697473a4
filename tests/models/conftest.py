"""A small model for all tests of lookup and packaging."""

from pathlib import Path

import pytest

from support.small import train, treebank


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a model without a card, which tests only read."""
    path = tmp_path_factory.mktemp("models") / "oak.dodona"
    train(treebank(30, 1), dev=treebank(10, 2), epochs=1).save(path)
    return path
