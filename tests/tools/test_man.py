"""The manual page dodona(1): every verb and flag, in roff that man shows."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from dodona.cli.flags import parameters
from dodona.cli.verbs import VERBS, load_verb
from tools.man import PAGE, escape, make_man_page


def test_every_verb_and_flag_is_described() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == make_man_page(), "python -m tools.pages --write"
    for verb in VERBS:
        assert f"\n.SS dodona {verb} " in page
        for parameter in parameters(load_verb(verb)):
            if not parameter.flag.positional:
                assert escape(parameter.long) in page, (verb, parameter.long)


def test_nothing_of_a_text_is_a_command_of_roff() -> None:
    assert escape(r".so \fB x") == r"\&.so \efB x"
    assert escape("'tis --o") == r"\&'tis \-\-o"


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_roff_has_no_complaint() -> None:
    done = subprocess.run(
        ["groff", "-k", "-man", "-Tutf8", "-ww", str(PAGE)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "") and "dodona parse" in done.stdout


def test_the_page_is_installed_where_man_looks() -> None:
    installed = Path(sysconfig.get_path("data"), "share", "man", "man1", "dodona.1")
    assert installed.read_text(encoding="utf-8").startswith(".TH DODONA 1")
