"""`dodona train --pipeline text` and what parse and tag make of plain text."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.parsing.trainer import Trainer
from dodona.segmentation.segmenter_training import SegmenterTrainer
from dodona.tagging.tagger_training import TaggerTrainer
from dodona.training.loop import Learner
from dodona.treebank.raw_text import raw_text
from support.interrupted import interrupt
from support.shell import Shell


@pytest.fixture(scope="module")
def text_model(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "text.dodona"
    files = data / "train.conllu", data / "dev.conllu"
    model = dodona.train(*files, pipeline="text", epochs=2)
    model.save(path)
    return path


@pytest.fixture(scope="module")
def text(data: Path) -> str:
    return "".join(raw_text(dodona.read(data / "test.conllu")))


def test_one_command_trains_all_parts(
    shell: Shell, data: Path, text_model: Path, tmp_path: Path
) -> None:
    files = ["--train", data / "train.conllu", "--dev", data / "dev.conllu"]
    out = tmp_path / "m.dodona"
    result = shell("train", "--pipeline", "text", *files, "-o", out, "--epochs", "2")
    assert result.code == 0
    assert "segmenter, epoch 1" in result.err
    assert "Dev set from raw text" in result.out
    assert all(name in result.out for name in ("tokens", "sentences", "lemmas", "blex"))
    assert out.read_bytes() == text_model.read_bytes()


def test_the_result_as_json(shell: Shell, data: Path, tmp_path: Path) -> None:
    files = ["--train", data / "train.conllu", "--dev", data / "dev.conllu"]
    options = ["--epochs", "1", "--quiet", "--json"]
    result = shell("train", "--pipeline", "text", *files, "-o", tmp_path / "m", *options)
    found = json.loads(result.out)
    assert found["dev_text"] == dodona.load(tmp_path / "m").record["dev_text"]
    assert 0 < found["dev_text"]["las"] <= 100


def test_text_from_stdin_and_from_files(
    shell: Shell, text_model: Path, text: str, tmp_path: Path
) -> None:
    expected = dodona.load(text_model)(text).to_conllu()
    from_stdin = shell("parse", text_model, "--input", "text", stdin=text.encode())
    assert (from_stdin.code, from_stdin.out) == (0, expected)
    plain, packed = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    plain.write_text(text, encoding="utf-8")
    packed.write_bytes(gzip.compress(text.encode()))
    assert shell("parse", text_model, plain).out == expected
    both = shell("parse", text_model, plain, packed, "--threads", "2").out
    numbered = expected.replace("# newdoc\n", "# newdoc id = {0}\n")
    numbered = numbered.replace("# sent_id = ", "# sent_id = {0}-")
    assert both == numbered.format("a") + numbered.format("b")


def test_lines_and_tokens(shell: Shell, text_model: Path, text: str) -> None:
    tokens = [sentence.forms for sentence in dodona.load(text_model)(text)][:2]
    lines = "".join(" ".join(forms) + "\n" for forms in tokens)
    for kind, count in (("lines", 2), ("tokens", 2)):
        result = shell("parse", text_model, "--input", kind, stdin=lines.encode())
        assert result.code == 0
        assert result.out.count("# text = ") == count
    parsed = dodona.Doc.from_conllu(result.out)
    assert [sentence.forms for sentence in parsed] == tokens


@pytest.mark.parametrize("kind", ["svg", "html", "tree", "json"])
def test_pictures_of_text(shell: Shell, text_model: Path, text: str, kind: str) -> None:
    result = shell("parse", text_model, "--input", "text", "--output", kind, stdin=text.encode())
    assert result.code == 0
    form = dodona.load(text_model)(text)[0].forms[0]
    assert form in result.out
    if kind == "json":
        assert json.loads(result.out.splitlines()[0])["words"][0]["form"] == form


def test_nothing_comes_of_nothing(shell: Shell, text_model: Path) -> None:
    assert shell("parse", text_model, stdin=b"") == (0, "", "")


def test_tagging_text(shell: Shell, text_model: Path, text: str) -> None:
    tagged = shell("tag", text_model, "--input", "text", stdin=text.encode())
    parsed = shell("parse", text_model, "--input", "text", stdin=text.encode())
    columns = [line.split("\t")[:6] for line in parsed.out.splitlines()]
    assert [line.split("\t")[:6] for line in tagged.out.splitlines()] == columns


def test_a_parser_of_words_reads_no_text(shell: Shell, model: Path) -> None:
    result = shell("parse", model, "--input", "text", stdin=b"Oaks speak.")
    assert result.code == 1
    assert result.err.startswith("-: this model has no segmenter")


def test_parts(shell: Shell, data: Path, text_model: Path, text: str, tmp_path: Path) -> None:
    files, out = ["--train", data / "train.conllu"], tmp_path / "m.dodona"
    common = ["train", "--pipeline", "text", *files, "-o", out]
    assert shell(*common, "--parser", text_model, "--segmenter", text_model).code == 0
    assert [s.forms for s in dodona.load(out)(text)] == [
        s.forms for s in dodona.load(text_model)(text)
    ]
    refused = shell(*common, "--parser", text_model, "--epochs", "3")
    assert (
        refused.code,
        "--epochs: no effect, since the parser is not trained" in refused.err,
    ) == (2, True)
    misplaced = shell("train", *files, "-o", out, "--segmenter", "none")
    assert (misplaced.code, "only with --pipeline text" in misplaced.err) == (2, True)
    nothing = shell(*common, "--parser", "none", "--tagger", "none")
    assert (nothing.code, "nothing to make a model of" in nothing.err) == (1, True)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("trainer", "number", "saved"),
    [(SegmenterTrainer, 3, False), (Trainer, 1, False), (Trainer, 2, True)],
)
def test_a_run_interrupted_in_any_part_is_resumed_to_the_same_bytes(
    trainer: type[Learner[Any]],
    number: int,
    saved: bool,
    shell: Shell,
    data: Path,
    text_model: Path,
    tmp_path: Path,
) -> None:
    files = ["--train", data / "train.conllu", "--dev", data / "dev.conllu"]
    out = tmp_path / "m.dodona"
    common = ["train", "--pipeline", "text", *files, "-o", out, "--epochs", "2"]
    with interrupt(trainer, number):
        broken = shell(*common)
    assert broken.code == 130 and out.exists() == saved
    assert ("no parser is saved" in broken.err) != saved
    assert f"to continue from {out}.checkpoint, repeat the command with --resume" in broken.err
    resumed = shell(*common, "--resume")
    assert resumed.code == 0 and "segmenter, epoch 1" not in resumed.err
    assert out.read_bytes() == text_model.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["m.dodona"]


@pytest.mark.thorough
@pytest.mark.parametrize("trainer", [SegmenterTrainer, TaggerTrainer])
def test_parts_for_no_parser_are_resumed_to_the_same_bytes(
    trainer: type[Learner[Any]], shell: Shell, data: Path, tmp_path: Path
) -> None:
    common = ["train", "--pipeline", "text", "--parser", "none", "--train", data / "train.conllu"]
    assert shell(*common, "-o", tmp_path / "whole", "--quiet") == (0, "", "")
    with interrupt(trainer, 3):
        assert shell(*common, "-o", tmp_path / "broken").code == 130
    resumed = shell(*common, "-o", tmp_path / "broken", "--resume")
    assert resumed.code == 0 and "segmenter, epoch 2" not in resumed.err
    assert "tagger, epoch 10" in resumed.err
    assert (tmp_path / "broken").read_bytes() == (tmp_path / "whole").read_bytes()


def test_raw_text_and_a_list_teach_the_segmenter(shell: Shell, data: Path, tmp_path: Path) -> None:
    raw, given = tmp_path / "raw.txt", tmp_path / "list.txt"
    raw.write_text("We met Gen. Oak here. The river is deep.\n" * 50, encoding="utf-8")
    given.write_text("Prof. name\n", encoding="utf-8")
    files = ["--train", data / "train.conllu", "--dev", data / "dev.conllu"]
    options = ["--pipeline", "text", "--parser", "none", "--quiet"]
    sources = ["--raw", f"{raw},{raw}", "--abbreviations", given]
    result = shell("train", *options, *files, *sources, "-o", tmp_path / "m")
    assert result.code == 0, result.err
    segmenter = dodona.Tagger.load(tmp_path / "m").segmenter
    assert segmenter is not None
    assert segmenter.lexicon is not None
    assert {"gen", "prof"} <= segmenter.lexicon.abbreviations.keys()
    refused = shell("train", *files, "--raw", raw, "-o", tmp_path / "x")
    assert refused.code != 0
    assert "--raw: only with --pipeline text" in refused.err
    refused = shell("train", *options, *files, "--raw", tmp_path / "no.txt", "-o", tmp_path / "x")
    assert refused.code != 0
    assert "no.txt" in refused.err
    assert not (tmp_path / "x").exists()


def test_text_in_another_language_is_warned_of_once(
    shell: Shell, text_model: Path, text: str, tmp_path: Path
) -> None:
    strange = "Δεν είναι μικρή και δεν κόσμος μεγάλος όσο ποτέ άλλοτε. " * 20
    (tmp_path / "a.txt").write_text(strange, encoding="utf-8")
    (tmp_path / "b.txt").write_text(strange, encoding="utf-8")
    result = shell("parse", text_model, tmp_path / "a.txt", tmp_path / "b.txt")
    assert result.code == 0
    assert result.err.count("another language") == 1
    (tmp_path / "c.txt").write_text(text, encoding="utf-8")
    assert "another language" not in shell("parse", text_model, tmp_path / "c.txt").err
    parser = dodona.load(text_model)
    assert parser(strange).is_strange
    assert not parser(text).is_strange
    assert not parser("Δεν είναι μικρή.").is_strange, "too short to tell"
