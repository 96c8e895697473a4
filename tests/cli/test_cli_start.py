"""The command line itself: it starts at once and tells what there is."""

import ast
import gc
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dodona
from dodona.cli.flags import parameters
from dodona.cli.verbs import VERBS, load_verb
from dodona.records import flat_fields
from support.shell import Shell


@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_every_flag(verb: str, shell: Shell) -> None:
    result = shell(verb, "--help")
    assert result.code == 0
    for parameter in parameters(load_verb(verb)):
        assert parameter.title in result.out
        assert isinstance(parameter.metavar, str)


def test_help_has_colours_on_a_terminal_and_the_same_words(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = shell("train", "--help").out
    for name, value in {"TERM": "xterm", "COLUMNS": "80"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    coloured = shell("train", "--help").out
    assert "\x1b[1mOptions:" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).split() == plain.split()


def test_every_setting_is_a_flag_of_train() -> None:
    flags = {parameter.name: parameter for parameter in parameters(load_verb("train"))}
    for setting in flat_fields(dodona.Settings):
        flag = flags[setting.name].flag
        assert flag.default == str(setting.default)
        assert flag.choices == (setting.metadata["choices"] or ())


def test_version(shell: Shell) -> None:
    result = shell("--version")
    assert result.code == 0
    assert result.out.startswith("dodona 0.")


def test_no_verb_shows_them_all(shell: Shell) -> None:
    result = shell("--help")
    assert result.code == 0
    for verb in VERBS:
        assert verb in result.out
    nothing = shell()
    assert nothing.code == 2
    assert nothing.out == result.out


def test_one_sentence_waits_for_neither_help_nor_rich_nor_training(
    model: Path, data: Path, tmp_path: Path
) -> None:
    program = (
        "import sys, dodona.cli\n"
        "try: dodona.cli.main()\n"
        "except SystemExit as left: assert not left.code, left.code\n"
        "slow = {'rich', 'logging', 'html', 'tempfile', 'textwrap', 'difflib', 'dodona.cli.help',\n"
        "    'dodona.parsing.trainer', 'dodona.evaluation', 'dodona.treebank.graphs.graphs',\n"
        "    'gzip', 'inspect', 'dataclasses', 'ast', 'threading',\n"
        "    'dodona.segmentation.lexicon_learning', 'dodona.tagging.network_tagger'}\n"
        "print(*slow & set(sys.modules), file=sys.stderr, end='')\n"
    )
    words = ["parse", str(model), str(data / "dev.conllu"), "--keep-tags"]
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stderr == b""
    assert done.stdout.count(b"\n\n") == 40


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="from 3.14 on, nothing compiles them")
def test_a_start_compiles_no_annotation(model: Path, data: Path) -> None:
    """A named tuple compiles those that are text, as they are after `from __future__ import …`.

    The first of them takes two milliseconds.
    """
    program = (
        "import sys, typing, dodona.cli\n"
        "found = []\n"
        "class Watched(typing.ForwardRef, _root=True):\n"
        "    def __init__(self, text, *rest, **named):\n"
        "        found.append(text)\n"
        "        super().__init__(text, *rest, **named)\n"
        "typing.ForwardRef = Watched\n"
        "try: dodona.cli.main()\n"
        "except SystemExit as left: assert not left.code, left.code\n"
        "print(found, file=sys.stderr, end='')\n"
    )
    words = ["parse", str(model), str(data / "dev.conllu"), "--keep-tags"]
    command = [sys.executable, "-c", program, *words]
    assert subprocess.run(command, capture_output=True, check=True).stderr == b"[]"


def test_garbage_is_looked_for_while_a_verb_runs() -> None:
    program = (
        "import gc, sys, dodona.cli, dodona.cli.verbs.info as verb\n"
        "def info(model: verb.info.__annotations__['model']) -> None:\n"
        "    print(gc.isenabled(), gc.get_freeze_count() > 0)\n"
        "verb.info = info\n"
        "dodona.cli.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program, "info", "en"], capture_output=True)
    assert (done.returncode, done.stdout.split()) == (0, [b"True", b"True"]), done.stderr


def test_main_in_a_program_of_somebody_else_leaves_the_garbage_to_them(shell: Shell) -> None:
    before = gc.isenabled(), gc.get_freeze_count()
    assert shell("--version").code == 0
    assert (gc.isenabled(), gc.get_freeze_count()) == before


def test_output_is_utf8_whatever_the_locale(data: Path) -> None:
    command = [sys.executable, "-c", "from dodona.cli import main; main()"]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [*command, "oracle", "--gold", str(data / "projective.conllu")],
        env=environment,
        capture_output=True,
        check=True,
    )
    assert "→" in done.stdout.decode()


def test_names_for_type_checkers_are_those_imported_when_asked_for() -> None:
    source = Path(dodona.__file__).read_text(encoding="utf-8")
    checked = next(node for node in ast.parse(source).body if isinstance(node, ast.If))
    imported = {
        alias.name: line.module
        for line in checked.body
        if isinstance(line, ast.ImportFrom)
        for alias in line.names
        if line.module != "pathlib"
    }
    assert imported == dodona._HOMES
    for name in dodona.__all__:
        assert getattr(dodona, name) is not None
        assert name in dir(dodona)
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        dodona.lode  # noqa: B018
