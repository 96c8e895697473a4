"""Rules of one's own in the shell: --rules, and a file beside the model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.repository import LINEAR
from support.shell import Shell

RULES = (
    'whole = ["c/o"]\nunbroken = ["over\\\\. Then"]\n[[tags]]\nform = "c/o"\nlemma = "care of"\n'
)
TEXT = b"It is over. Then send it c/o Zeus."
UNSPLIT = "\tc/o\tcare of\t"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "my.rules.toml"
    path.write_text(RULES, encoding="utf-8")
    return path


@pytest.mark.parametrize("verb", ["parse", "tag"])
def test_a_file_of_rules_applies(shell: Shell, rules: Path, verb: str) -> None:
    plain = shell(verb, "en-linear", "--input", "text", "-", stdin=TEXT)
    ruled = shell(verb, "en-linear", "--input", "text", "--rules", rules, "-", stdin=TEXT)
    assert plain.code == ruled.code == 0
    assert UNSPLIT in ruled.out and UNSPLIT not in plain.out
    assert ruled.out.count("# sent_id") == 1 and plain.out.count("# sent_id") == 2


@pytest.mark.parametrize("verb", ["parse", "tag"])
def test_a_file_beside_the_model_applies(shell: Shell, rules: Path, verb: str) -> None:
    model = shutil.copy(LINEAR, rules.parent / "my.dodona")
    assert UNSPLIT in shell(verb, model, "--input", "text", "-", stdin=TEXT).out
    other = rules.parent / "none.toml"
    other.write_text("", encoding="utf-8")
    without = shell(verb, model, "--input", "text", "--rules", other, "-", stdin=TEXT)
    assert without.code == 0 and UNSPLIT not in without.out


def test_errors_in_rules_name_the_file_and_the_line(shell: Shell, rules: Path) -> None:
    rules.write_text('whole = ["c/o"]\nwholes = []\n', encoding="utf-8")
    done = shell("parse", "en-linear", "--rules", rules, "-", stdin=TEXT)
    assert done.code == 1 and f"{rules}:2: unknown rules 'wholes'" in done.err
    missing = shell("parse", "en-linear", "--rules", rules.parent / "no.toml", stdin=TEXT)
    assert missing.code == 1 and "no.toml" in missing.err
    training = shell("tag", "--train", "x.conllu", "-o", "m.dodona", "--rules", rules)
    assert training.code == 2 and "--rules does not apply to training" in training.err


def test_a_server_applies_rules(rules: Path) -> None:
    pytest.importorskip("starlette", reason="starlette is not installed: dodona[server]")
    from dodona.server.models import load_models

    [model] = load_models([str(LINEAR)], None, str(rules))
    assert "c/o" in model.parser("Send it c/o Zeus.")[0].forms
