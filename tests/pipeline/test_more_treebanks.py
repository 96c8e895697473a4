"""Further treebanks of a network: what is refused, and what is learned from them."""

from __future__ import annotations

from pathlib import Path

import pytest

import dodona
from dodona.settings import SettingsError
from dodona.synthetic.generator import write_treebank
from support.shell import Shell

TINY = {"width": 32, "layers": 1, "hidden": 16, "batch_words": 300, "learning_rate": 0.01}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small treebank, a larger one of a relative, and a dev set."""
    folder = tmp_path_factory.mktemp("more")
    for name, n, seed in (("few", 8, 1), ("relative", 150, 2), ("dev", 40, 3)):
        write_treebank(folder / f"{name}.conllu", n, seed=seed)
    return folder


def test_a_linear_model_learns_from_one_treebank(data: Path, shell: Shell) -> None:
    few, relative = data / "few.conllu", data / "relative.conllu"
    with pytest.raises(SettingsError, match="scorer='neural'"):
        dodona.train(few, more=[relative])
    found = shell("train", "--train", few, "--more", relative, "-o", data / "x.dodona")
    assert found.code != 0
    assert "scorer='neural'" in found.err
    assert not (data / "x.dodona").exists()


def test_a_model_that_continues_rehearses_instead(data: Path, shell: Shell) -> None:
    few, relative = data / "few.conllu", data / "relative.conllu"
    with pytest.raises(SettingsError, match="rehearse"):
        dodona.train(few, more=[relative], from_="en-linear")
    words = ["train", "--train", few, "--more", relative, "--from", "en-linear"]
    found = shell(*words, "-o", data / "x.dodona")
    assert found.code == 2
    assert "--rehearse" in found.err


@pytest.mark.thorough
def test_a_relative_teaches_what_few_sentences_cannot(data: Path) -> None:
    pytest.importorskip("jax")
    dev = list(dodona.read(data / "dev.conllu"))
    scores = []
    for more in ([], [data / "relative.conllu"]):
        parser = dodona.train(
            data / "few.conllu", dev, more=more, scorer="neural", epochs=4, **TINY
        )
        scores.append(dodona.evaluate(dev, list(parser.pipe(dev, retag=True))).las)
    assert scores[1] > scores[0] + 5


@pytest.mark.thorough
def test_a_segmenter_learns_from_the_first_treebank_alone(data: Path) -> None:
    pytest.importorskip("jax")
    settings = {"scorer": "neural", "epochs": 1, "pipeline": "text", **TINY}
    together = dodona.train(data / "few.conllu", more=[data / "relative.conllu"], **settings)
    alone = dodona.train(data / "few.conllu", **settings)
    for parser, name in ((together, "together"), (alone, "alone")):
        assert parser.segmenter is not None
        parser.segmenter.save(data / f"{name}.segmenter")
    found = [(data / f"{name}.segmenter").read_bytes() for name in ("together", "alone")]
    assert found[0] == found[1]
