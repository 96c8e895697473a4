"""Running the command line inside the test, and a small treebank to run it on."""

import io
import sys
from pathlib import Path

import pytest

from dodona.cli import main
from dodona.synthetic.generator import write_treebank
from support.shell import Result, Shell


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """`shell("parse", model, …, stdin=b"…")` runs `dodona parse …`."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(list(map(str, arguments)))
        return Result(int(left.value.code or 0), *capsys.readouterr())

    return run


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
