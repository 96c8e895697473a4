"""Text, names and models from elsewhere: no control character, pipe or odd file does harm."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.cli.input_files import find_files, guess_encoding
from dodona.cli.streams import printable
from dodona.models.cards import scores_of
from dodona.models.listing import list_models
from dodona.storage import container
from support.shell import Shell
from support.small import treebank

START = [sys.executable, "-m", "dodona"]
EVIL = "oak\x1b]0;owned\x07\x1b[2J\x9b2J"


@pytest.fixture(scope="module")
def small() -> dodona.Parser:
    return dodona.train(treebank(8, 3), epochs=1)


def saved(parser: dodona.Parser, path: Path, **record: Any) -> Path:
    """Save a parser with a changed record; a right checksum makes it a valid file."""
    about, arrays = parser._with_parts()
    about["record"] = about["record"] | record
    container.write(path, "model", parser.FORMAT.version, about, arrays)
    return path


def run_on_terminal(*words: str | Path, stdin: bytes = b"", **environment: str) -> str:
    """Run a command whose stdout is a terminal, and return what the terminal got."""
    ours, theirs = pty.openpty()
    plain = {"TERM": "xterm", "COLUMNS": "200"}
    process = subprocess.Popen(
        [*START, *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **plain, **environment},
    )
    os.close(theirs)
    assert process.stdin is not None
    process.stdin.write(stdin)
    process.stdin.close()
    found = b""
    try:
        while data := os.read(ours, 1 << 16):
            found += data
    except OSError:  # Linux: the other side is closed
        pass
    process.wait(60)
    os.close(ours)
    return found.decode()


def test_control_characters_are_shown() -> None:
    assert printable(EVIL) == r"oak\x1b]0;owned\x07\x1b[2J\x9b2J"
    assert printable("an\toak\n") == "an\toak\n"


def test_info_shows_escape_sequences_of_a_model(
    small: dodona.Parser, tmp_path: Path, shell: Shell
) -> None:
    path = saved(small, tmp_path / "evil.dodona", checksums={EVIL: EVIL})
    result = shell("info", path)
    assert result.code == 0 and "\x1b" not in result.out and "\x9b" not in result.out
    assert r"oak\x1b]0;owned" in result.out


def test_messages_show_escape_sequences_of_files(tmp_path: Path, shell: Shell) -> None:
    file = tmp_path / "a.conllu"
    file.write_text(f"1\tOak\t_\t_\t_\t_\t{EVIL}\troot\t_\t_\n\n", "utf-8")
    result = shell("evaluate", file, file)
    assert result.code == 1 and "\x1b" not in result.err and "x1b" in result.err


@pytest.mark.parametrize("output", ["conllu", "tree", "json"])
def test_a_terminal_gets_no_control_characters_of_a_text(tmp_path: Path, output: str) -> None:
    file = tmp_path / "evil.conllu"
    file.write_text(f"1\t{EVIL}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    if output == "tree":
        found = run_on_terminal("draw", file)
    else:
        found = run_on_terminal("grep", "upos=NOUN", file, "--output", output)
    assert "owned" in found and "\x1b" not in found and "\x07" not in found and "\x9b" not in found


def test_a_pipe_gets_the_text_as_it_is(tmp_path: Path, shell: Shell) -> None:
    file = tmp_path / "evil.conllu"
    file.write_text(f"1\t{EVIL}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    assert EVIL in shell("grep", "upos=NOUN", file, "--output", "conllu").out


def test_grep_marks_words_in_colour_unless_told_not_to(tmp_path: Path) -> None:
    file = tmp_path / "oak.conllu"
    file.write_text("1\tOak\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    assert "\x1b[1;31mOak\x1b[0m" in run_on_terminal("grep", "upos=NOUN", file)
    for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "[Oak]" in run_on_terminal("grep", "upos=NOUN", file, **plain)


ODD_RECORDS: list[dict[str, Any]] = [
    {"dev_tags": [1, 2]},
    {"dev_text": "text"},
    {"dev_las": 10**400, "dev_tags": {"upos": 10**400}},
    {"dev_las": "high", "dev_uas": True},
    {"card": []},
    {"card": {"language": 7}},
    {"card": {"language": EVIL}},
    {"card": {"licence": "x" * 100_000}},
    {"card": {"language": "\ud800"}},
    {"card": None},
]


@pytest.mark.parametrize("record", ODD_RECORDS, ids="-".join)
def test_one_odd_card_does_not_hide_the_other_models(
    small: dodona.Parser,
    record: dict[str, Any],
    tmp_path: Path,
    shell: Shell,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    saved(small, tmp_path / "odd.dodona", **record)
    small.save(tmp_path / "sound.dodona")
    monkeypatch.setenv("DODONA_MODELS", str(tmp_path))
    for more in ((), ("--json",)):
        result = shell("models", *more)
        assert result.code == 0 and "odd" in result.out and "sound" in result.out
        assert "\x1b" not in result.out + result.err


def test_scores_are_finite_numbers() -> None:
    odd = {"dev_las": True, "dev_uas": float("nan"), "dev_tags": {"upos": 10**400}}
    assert scores_of(odd) == {}


def test_pipes_in_folders_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> None:
    os.mkfifo(tmp_path / "pipe.dodona")
    os.mkfifo(tmp_path / "pipe.conllu")
    (tmp_path / "oak.conllu").write_text("1\tOak\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    assert list(find_files([str(tmp_path)])) == [str(tmp_path / "oak.conllu")]
    monkeypatch.setenv("DODONA_MODELS", str(tmp_path))
    assert "pipe" not in [one.name for one in list_models()]
    assert shell("parse", "en-small", tmp_path).out.startswith("1\tOak")
    refused = shell("info", tmp_path / "pipe.dodona")
    assert (refused.code, refused.err) == (
        1,
        f"{tmp_path}/pipe.dodona: this is a pipe or a device; expected a file\n",
    )


def test_a_text_from_a_named_pipe_is_read_whole(tmp_path: Path) -> None:
    pipe = tmp_path / "text"
    os.mkfifo(pipe)
    command = [*START, "parse", "en-linear", "--input", "lines", str(pipe)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        pipe.write_text("Oaks speak", "utf-8")
        found, _ = process.communicate(timeout=60)
    assert "# text = Oaks speak\n" in found


BROKEN = ["[dodona_models]\noak\n", "[dodona.verbs]\n= x\n=\n[", "a = b\n", b"\xff\xfe[x]"]


@pytest.mark.parametrize("text", BROKEN, ids=repr)
def test_a_malformed_file_of_another_distribution_is_passed_over(
    text: str | bytes, tmp_path: Path
) -> None:
    for name, content in (
        ("broken", text),
        ("sound", "[dodona.verbs]\nspeak = support.bad_target:run\n"),
    ):
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        data = content if isinstance(content, bytes) else content.encode()
        (about / "entry_points.txt").write_bytes(data)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for words in (["models"], ["--help"], ["parse", "no-such-model"]):
        done = subprocess.run(
            [*START, *words], capture_output=True, text=True, env=environment, timeout=60
        )
        assert "Traceback" not in done.stderr
    listed = subprocess.run(
        [*START, "--help"], capture_output=True, text=True, env=environment, timeout=60
    )
    assert "speak" in listed.stdout  # of the distribution that is sound


@pytest.mark.parametrize("name", ["base64", "rot13", "hex", "zlib", "undefined", "a\0b", "x" * 999])
def test_what_is_no_encoding_of_text_is_refused(name: str, shell: Shell) -> None:
    result = shell("parse", "en-linear", "--encoding", name, stdin=b"b2Frcw==")
    assert result.code == 2 and "is no encoding of text that Python knows" in result.err
    assert len(result.err) < 400


@pytest.mark.parametrize(
    "data",
    [
        bytes(range(256)) * 4,
        b"\x7fELF" + b"\x00\x00\x00\xb7" * 100,
        b"PK\x03\x04\x14\x00" + bytes(200) + b"\xff",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(range(200)),
    ],
)
def test_a_binary_file_is_not_taken_for_text_in_another_encoding(
    data: bytes, tmp_path: Path, shell: Shell
) -> None:
    assert guess_encoding(data) is None
    file = tmp_path / "picture.txt"
    file.write_bytes(data)
    result = shell("parse", "en-linear", file)
    assert result.code == 1 and "this seems to be a binary file; expected text" in result.err


def test_text_in_other_encodings_is_still_recognised() -> None:
    text = "Les chênes parlent, et les hêtres écoutent.\n"
    for name in ("utf-16-le", "utf-16-be", "latin-1"):
        assert guess_encoding(text.encode(name)) == name
