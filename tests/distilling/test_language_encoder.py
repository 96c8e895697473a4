"""The encoder of all languages: `python -m tools.languages.encoder`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason='needs pip install "dodona[teachers]"')
pytest.importorskip("transformers", reason='needs pip install "dodona[teachers]"')

from dodona.distilling.joint_layers import JointLayers
from dodona.treebank.conllu.writer import Writer
from support.small import treebank
from tools.languages.recipe import encoder_of
from tools.treebanks import ROOT

pytestmark = pytest.mark.thorough  # trains networks

SMALL = """
from dodona.distilling.pretraining import PretrainingSettings
from tools.languages import encoder

encoder.MASKED = PretrainingSettings(
    vocabulary=60, embedding=8, width=16, layers=1, heads=2, epochs=2, batch_pieces=256
)
encoder.JOINT = {"epochs": 500, "width": 16, "layers": 1}
encoder.main()
"""
PATIENCE = 180  # seconds: a forked process would wait for ever


def run(*words: str) -> int:
    """Make a small encoder, with threads of the tokenizer, which do not survive a fork."""
    known = os.environ | {"TOKENIZERS_PARALLELISM": "true"}
    command = [sys.executable, "-c", SMALL, *words]
    with subprocess.Popen(command, cwd=ROOT, env=known, start_new_session=True) as process:
        try:
            return process.wait(PATIENCE)
        finally:
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)


def test_the_encoder_of_all_languages(tmp_path: Path) -> None:
    for name in ("cy_ccg", "fa_seraji"):
        folder = tmp_path / "treebanks" / name
        folder.mkdir(parents=True)
        for part, seed in (("train", 1), ("dev", 2)):
            with Writer(folder / f"{part}.conllu") as writer:
                for sentence in treebank(40, seed):
                    writer.write(sentence)
    out = tmp_path / "out"
    limits = "--seconds", "9,0", "--jobs", "2"  # 0: as few epochs as possible, not 500
    assert run("--data", str(tmp_path), "--out", str(out), *limits) == 0
    layers = JointLayers.read(str(encoder_of(out)))
    assert layers is not None and layers.width == 16
    train = [word for sentence in treebank(40, 1) for word in sentence.deprels]
    assert set(train) == set(layers.labels)
    assert run("--seconds", "9") == 2  # the second limit is missing
