"""A small treebank for the command line to run on, and a model of it."""

from pathlib import Path

import pytest

from dodona.cli import main
from dodona.synthetic.generator import write_treebank


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with train, dev, test and projective.conllu in an invented language."""
    folder = tmp_path_factory.mktemp("treebank")
    for seed, (part, size) in enumerate({"train": 120, "dev": 40, "test": 40}.items(), start=7):
        write_treebank(folder / f"{part}.conllu", size, seed, nonprojective=0.2)
    write_treebank(folder / "projective.conllu", 3, seed=1, nonprojective=0)
    return folder


@pytest.fixture(scope="session")
def model(data: Path) -> Path:
    """A model trained by the command line."""
    path = data / "model.dodona"
    files = ["--train", str(data / "train.conllu"), "--dev", str(data / "dev.conllu")]
    with pytest.raises(SystemExit) as left:
        main(["train", *files, "-o", str(path), "--epochs", "3", "--quiet"])
    assert left.value.code == 0
    return path
