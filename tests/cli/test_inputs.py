"""What a file is, is found out; text is UTF-8, or said not to be; folders become folders."""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.cli import progress
from dodona.cli.input_files import guess_encoding
from support.shell import Shell

TEXT = "Old oaks speak. The priests listened!\n"
CONLLU = "1\tOaks\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tspeak\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def n_sentences(output: str) -> int:
    return len(dodona.Doc.from_conllu(output))


def test_a_model_for_text_reads_text_from_stdin(shell: Shell) -> None:
    result = shell("parse", "en", stdin=TEXT.encode())
    assert result.code == 0
    assert dodona.Doc.from_conllu(result.out)[0].forms == ["Old", "oaks", "speak", "."]
    assert shell("parse", stdin=TEXT.encode()).out == result.out


@pytest.mark.parametrize("first", ["", "# sent_id = 1\n", "\n\n# a\n# b\n", "\ufeff", "\r\n"])
def test_conllu_is_known_by_its_first_lines(shell: Shell, first: str) -> None:
    result = shell("parse", "en", stdin=(first + CONLLU).encode())
    assert result.code == 0
    assert dodona.Doc.from_conllu(result.out)[0].forms == ["Oaks", "speak"]


def test_a_page_of_markdown_is_text(shell: Shell) -> None:
    result = shell("parse", "en", stdin=b"# Oracles\n\nOaks speak.\n")
    assert result.code == 0 and "Oracles" in result.out


def test_a_damaged_line_of_words_is_told_with_what_to_do(shell: Shell) -> None:
    result = shell("parse", "en", stdin=b"1\tOaks\t_\tNOUN\t_\t_\t2\n\n")
    assert result.code == 1
    assert "expected 10 tab-separated columns, found 7" in result.err
    assert "--input text, lines or tokens" in result.err


def test_a_model_of_words_told_nothing_reads_conllu(shell: Shell, model: Path) -> None:
    result = shell("parse", model, stdin=b"Oaks speak.\n")
    assert result.code == 1 and "--input" in result.err


@pytest.mark.parametrize(
    ("encoding", "advice"),
    [("latin-1", "latin-1"), ("cp1252", "latin-1"), ("utf-16", "utf-16"), ("utf-16-le", "")],
)
def test_text_in_another_encoding_is_an_error_with_a_guess(
    shell: Shell, tmp_path: Path, encoding: str, advice: str
) -> None:
    file = tmp_path / "a.txt"
    text = "Oaks speak.\nA café by the oak tree.\n"
    file.write_bytes(text.encode(encoding))
    if encoding != "utf-16-le":  # which is UTF-8, if an odd one
        result = shell("parse", "en", file)
        assert result.code == 1
        assert result.err.startswith(f"{file}:")
        assert f"this looks like {advice}: use --encoding {advice}" in result.err
    if encoding == "latin-1":
        assert f"{file}:2: byte 0xe9 at character 6 is not UTF-8" in result.err
    converted = shell("parse", "en", file, "--encoding", encoding)
    assert converted.code == 0 and "café" in converted.out


def test_wrong_names_of_encodings_and_wrong_encodings(shell: Shell, tmp_path: Path) -> None:
    unknown = shell("parse", "en", "--encoding", "klingon", stdin=b"x")
    assert (unknown.code, "encodings are utf-8" in unknown.err) == (2, True)
    wrong = shell("parse", "en", "--encoding", "ascii", stdin="é".encode())
    assert (wrong.code, "this is not ascii" in wrong.err) == (1, True)


def test_a_byte_order_mark_is_dropped(shell: Shell) -> None:
    marked = shell("parse", "en", stdin=b"\xef\xbb\xbf" + TEXT.encode())
    assert marked.out == shell("parse", "en", stdin=TEXT.encode()).out


def test_treebanks_are_converted_too(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    file.write_bytes(CONLLU.replace("Oaks", "Chênes").encode("latin-1"))
    refused = shell("parse", "en", file)
    assert refused.code == 1 and "--encoding" in refused.err
    assert "Chênes" in shell("parse", "en", file, "--encoding", "latin-1").out


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_text(TEXT)
    (folder / "b.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
    (folder / "deep" / "a.txt").write_text("Oaks sleep.")
    (folder / "deep" / "c.conllu").write_text(CONLLU)
    (folder / "notes.md").write_text("not this")
    (folder / ".hidden.txt").write_text("nor this")
    return folder


def test_a_folder_becomes_one_output_with_ids_that_never_repeat(shell: Shell, folder: Path) -> None:
    result = shell("parse", "en", folder)
    assert result.code == 0
    doc = dodona.Doc.from_conllu(result.out)
    ids = [sentence.sent_id for sentence in doc if sentence.sent_id]
    assert len(ids) == len(set(ids)) == 5
    assert "# newdoc id = b\n" in result.out
    assert result.out.count("# newdoc id = ") == 3  # a treebank has its own, or none
    names = [name for name in result.out.split("\n") if name.startswith("# newdoc id")]
    assert names[0] != names[2] and names[0].endswith("a") and names[2].endswith("deep/a")


def test_a_folder_becomes_a_folder(shell: Shell, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "parsed"
    assert shell("parse", "en", folder, "-o", f"{out}/").code == 0
    found = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    assert found == ["a.conllu", "b.conllu", "deep/a.conllu", "deep/c.conllu"]
    assert (out / "a.conllu").read_text().startswith("# newdoc id = ")
    assert shell("parse", "en", folder / "a.txt", "-o", out, "--output", "json").code == 0
    assert json.loads((out / "a.jsonl").read_text().splitlines()[0])["words"]


def test_nothing_is_written_over_another(shell: Shell, folder: Path, tmp_path: Path) -> None:
    both = shell("parse", "en", folder / "a.txt", folder / "deep" / "a.txt", "-o", tmp_path)
    assert (both.code, "would both become" in both.err) == (2, True)
    itself = shell("parse", "en", folder / "deep", "-o", folder / "deep")
    assert (itself.code, "overwritten by its own output" in itself.err) == (2, True)


def test_an_empty_folder_is_an_error(shell: Shell, tmp_path: Path) -> None:
    result = shell("parse", "en", tmp_path)
    assert result.code == 1
    assert "no file in this folder ends in" in result.err


@pytest.mark.parametrize("name", ["english", "en_core_web_sm"])
def test_a_wrong_model_lists_those_there_are(
    shell: Shell, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DODONA_MODELS")
    shipped = "en, en-small"
    for verb in (["parse", name], ["info", name], ["tag", name]):
        result = shell(*verb)
        assert (result.code, result.err) == (
            1,
            f"{name}: no such file, and no model of that name; models that ship: {shipped}\n",
        )


def test_a_text_for_a_file_is_told_how_to_be_parsed(shell: Shell) -> None:
    result = shell("parse", "Oaks speak.")
    assert result.code == 1 and 'echo "…" | dodona parse en' in result.err


@pytest.mark.thorough
def test_a_terminal_sees_how_far_it_is(
    shell: Shell, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    shown: list[tuple[int, str]] = []

    class Bar(progress.ProgressBar):
        def update(self, *args: Any, **options: Any) -> None:
            super().update(*args, **options)
            task = self._bar.tasks[0]
            shown.append((task.completed / (task.total or 1), task.fields["note"]))

    monkeypatch.setattr(progress, "ProgressBar", Bar)
    result = shell("parse", "en", folder)
    assert result.code == 0
    assert shown and shown[-1][0] == 1.0
    assert "words/s" in shown[-1][1] and "words/s" in result.err

    parsed = tmp_path / "parsed.conllu"
    assert shell("parse", "en", folder, "-o", parsed).code == 0
    for words in (
        ("evaluate", parsed, parsed),
        ("evaluate", parsed, parsed, parsed),
        ("evaluate", parsed, parsed, "--errors"),
        ("evaluate", parsed, parsed, "--text"),
        ("evaluate", parsed, parsed, parsed, "--text"),
        ("bench", "en", parsed, "--repeats", "1", "--threads", "1"),
    ):
        shown.clear()
        assert shell(*words).code == 0
        assert shown[-1][0] == 1.0 and "words/s" in shown[-1][1]


@pytest.mark.parametrize(
    ("data", "guess"),
    [
        (b"caf\xe9", "latin-1"),
        (b"\x93oak\x94", "cp1252"),
        ("oak".encode("utf-16-be"), "utf-16-be"),
        (b"\xff\xfe\0\0o\0\0\0", "utf-32"),
        (b"\xff" * 40 + b"\0", None),
    ],
)
def test_guesses(data: bytes, guess: str | None) -> None:
    assert guess_encoding(data) == guess
