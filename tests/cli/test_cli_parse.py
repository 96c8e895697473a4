"""`dodona parse`: streams in, streams out, and nothing half done."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dodona
from support.shell import BAD, Shell


def test_output_is_that_of_the_parser(shell: Shell, model: Path, data: Path) -> None:
    result = shell("parse", model, data / "test.conllu")
    parsed = dodona.load(model).pipe(dodona.read(data / "test.conllu"))
    assert result.code == 0
    assert result.out == b"".join(map(bytes, parsed)).decode()
    assert result.err.count("\n") == 1  # what is kept of the input; it is no terminal


def test_heads_of_the_input_are_ignored(shell: Shell, model: Path, data: Path) -> None:
    text = (data / "test.conllu").read_bytes()
    blank = b"\n".join(
        b"\t".join([*line.split(b"\t")[:6], b"_", b"_", *line.split(b"\t")[8:]])
        if line[:1].isdigit()
        else line
        for line in text.split(b"\n")
    )
    assert shell("parse", model, stdin=blank).out == shell("parse", model, stdin=text).out


@pytest.mark.parametrize("inputs", [[], ["-"]])
def test_stdin_is_the_default(shell: Shell, model: Path, data: Path, inputs: list[str]) -> None:
    from_stdin = shell("parse", model, *inputs, stdin=(data / "dev.conllu").read_bytes())
    assert from_stdin.out == shell("parse", model, data / "dev.conllu").out


def test_several_inputs_become_one_output(
    shell: Shell, model: Path, data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "both.conllu.gz"
    result = shell("parse", model, data / "dev.conllu", data / "test.conllu", "-o", out)
    assert (result.code, result.out) == (0, "")
    both = (
        shell("parse", model, data / "dev.conllu").out
        + shell("parse", model, data / "test.conllu").out
    )
    assert gzip.decompress(out.read_bytes()).decode() == both


def test_threads_change_nothing(shell: Shell, model: Path, data: Path) -> None:
    files = [data / "dev.conllu", data / "test.conllu"] * 4
    assert shell("parse", model, *files, "--threads", "3") == shell("parse", model, *files)


def test_roots(shell: Shell, model: Path, data: Path) -> None:
    one = shell("parse", model, data / "train.conllu", "--roots", "one").out
    assert all(block.count("\t0\troot\t") == 1 for block in one.strip().split("\n\n"))
    assert shell("parse", model, data / "train.conllu", "--roots", "some").code == 2


def test_constraints(shell: Shell, model: Path, data: Path, tmp_path: Path) -> None:
    """Those of the model by default; --constraints replaces them."""
    free, bound = dodona.load(model), tmp_path / "bound.dodona"
    free.with_constraints("ud").save(bound)
    gold = list(dodona.read(data / "test.conllu"))
    wrong = [s.replace(upos=[*s.upos[1:], s.upos[0]], deprels=["_"] * len(s)) for s in gold]
    path = tmp_path / "wrong.conllu"
    path.write_text("".join(s.to_conllu() for s in wrong), encoding="utf-8")
    expected = {
        name: "".join(s.to_conllu() for s in free.pipe(wrong, constraints=name))
        for name in ("none", "ud")
    }
    assert expected["none"] != expected["ud"]
    for name, parsed in expected.items():
        assert shell("parse", model, path, "--constraints", name).out == parsed
        assert shell("parse", bound, path, "--constraints", name).out == parsed
    assert shell("parse", model, path).out == expected["none"]
    assert shell("parse", bound, path).out == expected["ud"]
    assert json.loads(shell("info", bound, "--json").out)["settings"]["constraints"] == "ud"


def test_beam(shell: Shell, model: Path, data: Path) -> None:
    """A greedy model can be asked to look further; 1 is what it does anyway."""
    greedy = shell("parse", model, data / "test.conllu").out
    assert shell("parse", model, data / "test.conllu", "--beam", "1").out == greedy
    wide = shell("parse", model, data / "test.conllu", "--beam", "4")
    parsed = dodona.load(model).pipe(dodona.read(data / "test.conllu"), beam=4)
    assert wide.out == b"".join(map(bytes, parsed)).decode() != greedy
    assert "beam must be from 1 to 1000, not 0" in shell("parse", model, "--beam", "0").err


def test_json_output(shell: Shell, model: Path, data: Path) -> None:
    lines = shell("parse", model, data / "test.conllu", "--output", "json").out.splitlines()
    sentences = list(dodona.load(model).pipe(dodona.read(data / "test.conllu")))
    assert len(lines) == len(sentences)
    for line, sentence in zip(lines, sentences, strict=True):
        found = json.loads(line)
        assert found["comments"] == sentence.comments
        for name, column in {
            "id": list(range(1, len(sentence) + 1)),
            "form": sentence.forms,
            "lemma": sentence.lemmas,
            "upos": sentence.upos,
            "xpos": sentence.xpos,
            "feats": [word.features for word in sentence],
            "head": sentence.heads,
            "deprel": sentence.deprels,
        }.items():
            assert [word[name] for word in found["words"]] == column


def test_conllx_in_and_out(shell: Shell, model: Path, data: Path) -> None:
    conllx = shell("convert", data / "test.conllu", "--to", "conllx").out
    parsed = shell("parse", model, "--input", "conllx", "--output", "conllx", stdin=conllx.encode())
    expected = shell("parse", model, data / "test.conllu", "--output", "conllx")
    assert parsed.code == 0
    assert parsed.out == expected.out
    assert "#" not in parsed.out


def test_a_bad_sentence_stops_it_and_leaves_the_old_output(
    shell: Shell, model: Path, data: Path, tmp_path: Path
) -> None:
    text = (data / "dev.conllu").read_bytes()
    source, out = tmp_path / "in.conllu", tmp_path / "out.conllu"
    source.write_bytes(text + BAD)
    out.write_text("precious")
    result = shell("parse", model, source, "-o", out, "--quiet")
    line = text.count(b"\n") + 1
    assert result.code == 1
    assert result.err == f"{source}:{line}: expected 10 tab-separated columns, found 9\n"
    assert out.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.conllu", "out.conllu"]


def test_skip_bad_passes_it_on_and_counts_it(shell: Shell, model: Path, data: Path) -> None:
    text = (data / "dev.conllu").read_bytes()
    result = shell("parse", model, "--skip-bad", "--quiet", stdin=BAD + text + BAD)
    good = shell("parse", model, data / "dev.conllu").out
    assert result.code == 0
    assert result.out == BAD.decode() + good + BAD.decode()
    assert result.err == (
        "2 invalid sentences passed through unchanged; the first: "
        "<stdin>:1: expected 10 tab-separated columns, found 9\n"
    )


def test_skip_bad_in_json_says_what_was_wrong(shell: Shell, model: Path) -> None:
    result = shell("parse", model, "--skip-bad", "--output", "json", stdin=BAD)
    assert json.loads(result.out) == {
        "error": "<stdin>:1: expected 10 tab-separated columns, found 9",
        "text": BAD.decode(),
    }


def test_a_missing_file_is_one_line(shell: Shell, model: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    result = shell("parse", model, missing)
    assert (result.code, result.err) == (1, f"{missing}: No such file or directory\n")
    result = shell("parse", missing)
    said = f"{missing}: no such file, and no model of that name; models that ship: en, "
    assert result.code == 1 and result.err.startswith(said) and result.err.count("\n") == 1


def test_a_file_that_is_no_model_is_one_line(shell: Shell, tmp_path: Path) -> None:
    model = tmp_path / "bad.dodona"
    model.write_bytes(b"Dodona")
    result = shell("parse", model)
    assert result.code == 1
    problem = "not a Dodona model, or damaged at its beginning; get a fresh copy"
    assert result.err == f"{model}: {problem}\n"


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    from dodona.cli import main

    model = tmp_path / "bad.dodona"
    model.write_bytes(b"Dodona")
    with pytest.raises(ValueError, match="not a Dodona model"):
        main(["parse", str(model), "--debug"])


def test_too_few_threads(shell: Shell, model: Path, data: Path) -> None:
    result = shell("parse", model, data / "dev.conllu", "--threads", "0")
    assert (result.code, result.err) == (1, "threads must be from 1 to 1,024, not 0\n")


def test_a_terminal_is_told_the_speed(
    shell: Shell, model: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    result = shell("parse", model, data / "dev.conllu", "--retag")
    n_words = sum(map(len, dodona.read(data / "dev.conllu")))
    assert result.err.startswith(f"{n_words:,} words in ")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGPIPE")
def test_a_reader_that_leaves_is_no_error(model: Path, data: Path) -> None:
    program = "from dodona.cli import main; main()"
    files = [str(data / "train.conllu")] * 40  # more than a pipe holds
    command = [sys.executable, "-c", program, "parse", str(model), *files, "--retag"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


def test_a_mapped_model_parses_as_any_other(shell: Shell, model: Path, data: Path) -> None:
    expected = shell("parse", model, data / "test.conllu")
    assert shell("parse", model, data / "test.conllu", "--mapped") == expected
    assert expected.code == 0


def test_a_text_that_cannot_be_read_is_named(
    shell: Shell, model: Path, data: Path, tmp_path: Path
) -> None:
    path = tmp_path / "cut.txt.gz"
    path.write_bytes(gzip.compress(b"Zeus sees oaks. " * 999)[:-20])
    result = shell("parse", model, path, "--input", "tokens")
    assert result.code == 1
    assert result.err.startswith(f"{path}: the file is damaged or cannot be read: ")
