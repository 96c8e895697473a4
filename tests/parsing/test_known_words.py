"""A model says when a text looks like another language than it knows, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

import dodona
from dodona.parsing.known_words import RECORDED, count_known, looks_foreign
from support.shell import Shell

ENGLISH = """The old bridge across the river was closed last week because the stones had moved.
People who live on the other side now take the bus, and some of them are not happy about it."""
FRENCH = """Le vieux pont sur la rivière a été fermé la semaine dernière parce que les pierres
avaient bougé. Les gens qui habitent de l'autre côté prennent maintenant le bus."""
KOREAN = """강 위의 오래된 다리는 돌이 움직여서 지난주에 닫혔다. 건너편에 사는 사람들은 이제
버스를 타고 다니며 그 가운데 몇 사람은 그것을 별로 좋아하지 않는다."""


@pytest.mark.parametrize("text", [FRENCH, KOREAN])
def test_another_language_is_told(shell: Shell, text: str) -> None:
    done = shell("parse", "en", stdin=text.encode())
    assert done.code == 0 and "\troot\t" in done.out
    assert "does not look like English" in done.err and "% of the words" in done.err


@pytest.mark.parametrize("text", [ENGLISH, "Le pont.", "", "12 34 56 " * 30])
def test_its_own_language_is_not_nor_what_is_too_short(shell: Shell, text: str) -> None:
    assert shell("parse", "en", stdin=text.encode()).err == ""


def test_only_the_first_sentences_are_looked_at(shell: Shell) -> None:
    text = (ENGLISH + "\n\n") * 60 + FRENCH * 200
    assert shell("parse", "en", stdin=text.encode()).err == ""


def test_what_is_expected_depends_on_the_dev_set() -> None:
    parser = dodona.load("en")
    for expected, limit in ((0.5, 25), (0.9, 45)):  # a language with very many forms, and English
        parser.record[RECORDED] = expected
        assert not looks_foreign(parser, 100, limit)
        assert looks_foreign(parser, 100, limit - 1)
    assert not looks_foreign(parser, 10, 0)


def test_models_for_text_record_it(tmp_path: Path) -> None:
    from dodona.synthetic.generator import write_treebank

    write_treebank(tmp_path / "train.conllu", 20, seed=1)
    write_treebank(tmp_path / "dev.conllu", 10, seed=2)
    parser = dodona.train(
        tmp_path / "train.conllu", tmp_path / "dev.conllu", pipeline="text", epochs=1
    )
    n_words, n_known = count_known(parser, dodona.read(tmp_path / "dev.conllu"))
    assert parser.record[RECORDED] == n_known / n_words > 0
