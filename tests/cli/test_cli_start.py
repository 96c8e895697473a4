"""The command line itself: it starts at once, and both of its readers agree."""

import ast
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.cli import VERBS, function, quick, typed
from dodona.cli.flags import parameters
from support.shell import Shell

PLAIN = [
    "parse m.dodona",
    "parse m.dodona a.conllu -",
    "parse m.dodona a.conllu b.conllu.gz -o out.conllu --threads 2 --roots many --skip-bad",
    "parse --output=json m.dodona --out - -- --odd-name",
    "train --train a --dev b -o m --epochs 3 --explore-rate 0.5 --no-checkpoint",
    "train --config t.toml --resume --checkpoint --training static --projectivise head+path",
    "evaluate gold system",
    "evaluate gold one two --no-punctuation --labels universal --test bootstrap --json --debug",
    "convert - --from conllx --to conllu --projectivise path",
    "cluster a.txt b.conllu.gz -o c.txt --clusters 50 --min-count 2 --quiet",
    "info m.dodona --json",
    "oracle --gold a.conllu --root none --sentence 3",
    "experiment some-paper --data d --treebanks a,b --seeds 2 --quick",
    "serve m.dodona en=n.dodona --port 0 --host :: --timeout 2.5 --quiet",
    "bench m.dodona a.conllu --repeats 1 --threads 4",
]
NOT_PLAIN = [
    "info",
    "parse m.dodona --help",
    "parse m.dodona --treads 2",
    "parse m.dodona --threads two",
    "parse m.dodona --threads",
    "parse m.dodona --output yaml",
    "parse m.dodona --skip-bad=yes",
    "info m.dodona n.dodona",
    "oracle --sentence 3",
]


def read_by_typer(verb: str, words: list[str]) -> dict[str, Any]:
    """What Typer makes of a command line."""
    found: list[dict[str, Any]] = []

    def keep(_: object, values: dict[str, Any]) -> int:
        found.append(values)
        return 0

    app = typed.app({name: function(name) for name in VERBS}, keep)
    with pytest.raises(SystemExit) as left:
        app([verb, *words])
    assert left.value.code == 0
    return found[0]


@pytest.mark.parametrize("line", PLAIN)
def test_both_readers_understand_a_plain_command_line_alike(line: str) -> None:
    verb, *words = line.split()
    values = quick.read(words, parameters(function(verb)))
    assert values is not None
    by_typer = read_by_typer(verb, words)
    for name, value in values.items():
        assert (value or None) == (by_typer[name] or None), name


@pytest.mark.parametrize("line", NOT_PLAIN)
def test_what_is_not_plain_is_left_to_typer(line: str) -> None:
    verb, *words = line.split()
    assert quick.read(words, parameters(function(verb))) is None


@pytest.mark.parametrize("line", [line for line in NOT_PLAIN if "--help" not in line])
def test_misuse_is_explained_with_exit_code_2(line: str, shell: Shell) -> None:
    result = shell(*line.split())
    assert result.code == 2
    assert "Error" in result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_every_flag(verb: str, shell: Shell) -> None:
    result = shell(verb, "--help")
    assert result.code == 0
    for parameter in parameters(function(verb)):
        shown = parameter.name[:4].upper() if parameter.flag.positional else parameter.long
        assert shown in result.out


def test_every_setting_is_a_flag_of_train() -> None:
    flags = {parameter.name: parameter for parameter in parameters(function("train"))}
    for setting in fields(dodona.Settings):
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
    assert shell("pray").code == 2


def test_one_sentence_waits_for_neither_typer_nor_rich_nor_training(
    model: Path, data: Path, tmp_path: Path
) -> None:
    program = (
        "import sys, dodona.cli\n"
        "try: dodona.cli.main()\n"
        "except SystemExit as left: assert not left.code, left.code\n"
        "slow = {'typer', 'rich', 'logging', 'dodona.parsing.training', 'dodona.evaluation'}\n"
        "print(*slow & set(sys.modules), file=sys.stderr, end='')\n"
    )
    command = [sys.executable, "-c", program, "parse", str(model), str(data / "dev.conllu")]
    done = subprocess.run(command, capture_output=True, check=True)
    assert done.stderr == b""
    assert done.stdout.count(b"\n\n") == 40


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
