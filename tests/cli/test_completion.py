"""What shells offer while a command is typed, asked of the shells themselves where they are."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dodona.cli.flags import parameters
from dodona.cli.program import SHELLS, complete
from dodona.cli.verbs import VERBS, find_added, load_verb
from support.shell import Shell

# how to ask a shell that has read the script: $@ are the words, the last of them unfinished
ASK = {
    "bash": """
        complete() { :; }
        source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
        _dodona dodona
        printf '%s\\n' "${COMPREPLY[@]:-files}"
    """,
    "zsh": """
        compdef() { :; }
        _describe() { print -rl -- "${found[@]}"; }
        _files() { print files; }
        source "$1"; shift
        words=("$@"); CURRENT=$#
        _dodona
    """,
    "fish": """
        function __fish_complete_path; echo files; end
        source $argv[1]
        complete -C (string join -- " " $argv[2..-1])
    """,
}


def ask(shell: str, folder: Path, *words: str) -> list[str]:
    """The words that a shell offers for the last one."""
    command = folder / "dodona"
    program = "from dodona.cli import main; main()"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{program}" "$@"\n')
    command.chmod(0o755)
    (folder / "script").write_text(SHELLS[shell].script)
    before = "--" if shell == "fish" else "$0"  # bash and zsh call the first word so
    done = subprocess.run(
        [shell, "-c", ASK[shell], before, str(folder / "script"), "dodona", *words],
        env=os.environ | {"PATH": f"{folder}:/usr/bin:/bin:/usr/local/bin", "HOME": str(folder)},
        capture_output=True,
        check=True,
        text=True,
    )
    offered = done.stdout.splitlines()
    return [line.partition(":" if shell == "zsh" else "\t")[0] for line in offered]


def is_missing(shell: str) -> bool:
    return sys.platform == "win32" or not shutil.which(shell)


installed = pytest.mark.parametrize(
    "shell",
    [
        pytest.param(shell, marks=pytest.mark.skipif(is_missing(shell), reason=f"no {shell}"))
        for shell in SHELLS
    ],
)


@installed
def test_a_shell_offers_verbs_flags_and_choices(shell: str, tmp_path: Path) -> None:
    assert ask(shell, tmp_path, "in") == ["info"]
    assert ask(shell, tmp_path, "parse", "m.dodona", "--thr") == ["--threads"]
    assert sorted(ask(shell, tmp_path, "parse", "--roots", "")) == ["many", "one"]


@installed
def test_a_shell_offers_files_where_a_file_is_expected(shell: str, tmp_path: Path) -> None:
    assert ask(shell, tmp_path, "parse", "") == ["files"]
    assert ask(shell, tmp_path, "parse", "-o", "") == ["files"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_flag_is_offered(verb: str) -> None:
    offered = {line.partition("\t")[0] for line in complete([verb, "-"])}
    assert offered == {name for p in parameters(load_verb(verb)) for name in p.spellings}


def test_before_the_verb_there_are_verbs_and_the_flags_of_the_program() -> None:
    assert [line.partition("\t")[0] for line in complete([""])] == [*VERBS, *sorted(find_added())]
    assert [line.partition("\t")[0] for line in complete(["--v"])] == ["--version"]
    assert complete(["--install-completion", "z"]) == ["zsh"]


@pytest.mark.parametrize(
    "words", [["--output=j"], ["--output", "=", "j"], ["--output", "j"], ["x", "--output", "j"]]
)
def test_a_value_is_completed_however_it_is_joined(words: list[str]) -> None:
    joined = "--output=" if "=" in words[0] else ""
    assert complete(["parse", *words]) == [f"{joined}json"]


def test_no_flag_is_offered_after_two_dashes() -> None:
    assert complete(["parse", "--", "--thr"]) == []


@pytest.mark.parametrize("shell_name", SHELLS)
def test_completion_is_installed_once(
    shell_name: str, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))  # the home on Windows
    kept = "alias ll='ls -l'"
    (tmp_path / ".bashrc").write_text(kept)  # without an end of line
    for _ in range(2):
        assert shell("--install-completion", shell_name).code == 0
    known = SHELLS[shell_name]
    assert (tmp_path / known.path).read_text() == known.script
    if known.startup == ".bashrc":
        assert (tmp_path / ".bashrc").read_text() == f"{kept}\n{known.line}\n"
    elif known.startup:
        assert (tmp_path / known.startup).read_text() == f"{known.line}\n"


def test_the_shell_is_that_of_the_user_unless_named(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    assert shell("--show-completion").out == SHELLS["fish"].script
    assert shell("--show-completion", "zsh").out == SHELLS["zsh"].script
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    refused = shell("--show-completion")
    assert refused.code == 2
    assert "bash, zsh, fish" in refused.err
