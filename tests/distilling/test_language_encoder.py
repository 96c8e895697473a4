"""The encoder of all languages: `python -m tools.languages.encoder`."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason='needs pip install "dodona[teachers]"')
pytest.importorskip("transformers", reason='needs pip install "dodona[teachers]"')

from dodona.distilling.joint_layers import JointLayers
from dodona.distilling.pretraining import PretrainingSettings
from dodona.treebank.conllu.writer import Writer
from support.small import treebank
from tools.languages import encoder
from tools.languages.recipe import encoder_of

pytestmark = pytest.mark.thorough  # trains networks

TINY = PretrainingSettings(
    vocabulary=60, embedding=8, width=16, layers=1, heads=2, epochs=2, batch_pieces=256
)


def test_the_encoder_of_all_languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cy_ccg", "fa_seraji"):
        folder = tmp_path / "treebanks" / name
        folder.mkdir(parents=True)
        for part, seed in (("train", 1), ("dev", 2)):
            with Writer(folder / f"{part}.conllu") as writer:
                for sentence in treebank(40, seed):
                    writer.write(sentence)
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "true")  # threads, which do not survive a fork
    monkeypatch.setattr(encoder, "MASKED", TINY)
    monkeypatch.setattr(encoder, "JOINT", {"epochs": 500, "width": 16, "layers": 1})
    out = tmp_path / "out"
    encoder.main(["--data", str(tmp_path), "--out", str(out), "--seconds", "9,0", "--jobs", "2"])
    layers = JointLayers.read(str(encoder_of(out)))
    assert layers is not None and layers.width == 16
    train = [word for sentence in treebank(40, 1) for word in sentence.deprels]
    assert set(train) == set(layers.labels)
