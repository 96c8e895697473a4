"""Tags that the input brings along: what is kept is said, and what is missing is refused."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

import dodona
from dodona.treebank.sentence import Sentence
from support.shell import Shell


@pytest.fixture(scope="module")
def gold_model(data: Path) -> Path:
    path = data / "gold-tags.dodona"
    dodona.train(data / "train.conllu", tags="gold", epochs=2).save(path)
    return path


def test_by_default_a_model_works_on_words(shell: Shell, model: Path) -> None:
    parser = dodona.load(model)
    assert parser.settings.tags == "predicted"
    assert parser.tagger is not None
    assert not parser.needs_tags
    found = shell("parse", model, "--input", "tokens", stdin=b"na tolu mira .\n")
    assert found.code == 0
    assert "\troot\t" in found.out


def test_without_tags_to_learn_a_model_has_no_tagger(data: Path, tmp_path: Path) -> None:
    blank = [
        s.replace(upos=["_"] * len(s), xpos=["_"] * len(s), feats=["_"] * len(s))
        for s in dodona.read(data / "train.conllu")
    ]
    parser = dodona.train(blank, epochs=1)
    assert parser.tagger is None
    assert not parser.needs_tags
    assert parser.parse(Sentence.from_columns(["na", "tolu"])).heads.count(0) == 1


def test_untagged_words_are_refused_by_a_model_of_gold_tags(shell: Shell, gold_model: Path) -> None:
    found = shell("parse", gold_model, "--input", "tokens", stdin=b"na tolu mira .\n")
    assert found.code != 0
    assert "trained on gold tags" in found.err
    assert "--tags predicted" in found.err
    with pytest.raises(ValueError, match="no UPOS or XPOS"):
        dodona.load(gold_model).parse(Sentence.from_columns(["na", "tolu"]))


def test_info_says_that_a_model_needs_tags(shell: Shell, gold_model: Path, model: Path) -> None:
    assert "gold: it parses words with tags only" in shell("info", gold_model).out
    assert "parses words with tags only" not in shell("info", model).out


def test_parse_says_what_it_keeps_and_replaces(
    shell: Shell, model: Path, gold_model: Path, data: Path
) -> None:
    kept = "trees are replaced, UPOS, XPOS, FEATS, LEMMA are kept: --retag predicts them"
    assert kept in shell("parse", model, data / "dev.conllu").err
    for flag in ("--retag", "--keep-tags", "--quiet"):
        assert "kept" not in shell("parse", model, data / "dev.conllu", flag).err
    found = shell("parse", gold_model, data / "dev.conllu")
    assert "are kept" in found.err
    assert "was trained on gold tags and cannot predict them" in found.err
    assert "kept" not in shell("parse", model, "--input", "tokens", stdin=b"na tolu\n").err


def test_python_logs_what_is_kept_and_warns_of_nothing(
    model: Path, data: Path, caplog: pytest.LogCaptureFixture, recwarn: pytest.WarningsRecorder
) -> None:
    parser, dev = dodona.load(model), list(dodona.read(data / "dev.conllu"))
    with caplog.at_level(logging.INFO, logger="dodona"):
        list(parser.pipe(dev, retag=True))
        assert "kept" not in caplog.text
        list(parser.pipe(dev))
    assert caplog.text.count("are kept as they are") == 1
    assert not recwarn.list


def test_scores_with_gold_tags_are_marked(shell: Shell, model: Path, data: Path) -> None:
    dev, out = data / "dev.conllu", data / "kept.conllu"
    shell("parse", model, dev, "-o", out)
    assert "UPOS 100.00: the tags are gold" in shell("evaluate", dev, out).out
    shell("parse", model, dev, "--retag", "-o", out)
    assert "tags are gold" not in shell("evaluate", dev, out).out


def test_a_text_pipeline_takes_no_gold_tags(data: Path) -> None:
    with pytest.raises(ValueError, match="plain text has no tags"):
        dodona.train(data / "train.conllu", pipeline="text", tags="gold", epochs=1)


def test_first_commands_get_advice(shell: Shell, data: Path) -> None:
    drawn = shell("draw", "en", data / "dev.conllu")
    assert drawn.code == 2 and "dodona parse en" in drawn.err and "-o trees.html" in drawn.err
    assert "--train mine.conllu" in shell("train", "mine.conllu").err
    assert "did you mean get" in shell("download", "de").err
