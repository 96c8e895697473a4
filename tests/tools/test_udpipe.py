"""The script that trains UDPipe 1 for comparison, as far as it needs no UDPipe."""

from __future__ import annotations

import gzip
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

import dodona
from dodona.treebank import raw_text

SCRIPT = Path(__file__).parents[2] / "bench" / "udpipe.py"
EMPTY = "\t_" * 5
TREEBANK = f"""\
# newdoc
# text = Du vin!
1-2\tDu\t_\t_{EMPTY}\t_
1\tDe\tde\tADP\t_\t_\t3\tcase\t_\t_
2\tle\tle\tDET\t_\t_\t3\tdet\t_\t_
3\tvin\tvin\tNOUN\t_\t_\t0\troot\t_\tSpaceAfter=No
4\t!\t!\tPUNCT\t_\t_\t3\tpunct\t_\tSpaceAfter=No

# text = Oui
1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\t_

# newpar
# text = Va du
1\tVa\taller\tVERB\t_\t_\t0\troot\t_\t_
2-3\tdu\t_\t_{EMPTY}\tSpaceAfter=No
2\tde\tde\tADP\t_\t_\t1\tcase\t_\t_
3\tle\tle\tDET\t_\t_\t1\tdet\t_\t_

# text = Bon
1\tBon\tbon\tADJ\t_\t_\t0\troot\t_\t_

"""


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = spec_from_file_location("udpipe_script", SCRIPT)
    assert spec and spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data" / "fr_oak"
    folder.mkdir(parents=True)
    for part in ("train", "dev"):
        with gzip.open(folder / f"{part}.conllu.gz", "wt", encoding="utf-8") as file:
            file.write(TREEBANK)
    return folder.parent


def test_the_text_is_that_of_our_own_evaluation(script: ModuleType, data: Path) -> None:
    path = script.find(data, "fr_oak", "dev")
    ours = "".join(raw_text.raw_text(dodona.read(path)))
    assert script.raw_text(path) == ours + "\n" == "Du vin!Oui\n\nVa duBon\n"


def test_gold_words_are_given_without_their_annotation(
    script: ModuleType, data: Path, tmp_path: Path
) -> None:
    path = script.find(data, "fr_oak", "dev")
    words = tmp_path / "words.conllu"
    words.write_text(script.words_alone(path), encoding="utf-8")
    found, gold = list(dodona.read(words, trees="ignored")), list(dodona.read(path))
    assert [s.forms for s in found] == [s.forms for s in gold]
    assert {tag for s in found for tag in (*s.upos, *s.lemmas, *s.feats)} == {"_"}


def test_predictions_are_scored_and_missing_ones_left_out(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for given in ("text", "words"):
        (out / f"fr_oak.dev.{given}.conllu").write_text(TREEBANK, encoding="utf-8")
    command = [sys.executable, SCRIPT, "score", "--data", data, "--out", out]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    (line,) = run.stdout.splitlines()
    assert '"part": "dev"' in line
    assert line.count('"las": 100.0') == 2


def test_without_udpipe_it_is_skipped_with_a_reason(data: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-S", SCRIPT, "predict", "--data", data, "--out", tmp_path]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 1
    assert "skipped: ufal.udpipe is not installed" in run.stderr
