"""Parsers with a tagger: what they learn from, what they write, and that runs can be resumed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import dodona
from dodona.clustering.clusters import cluster, write_clusters
from dodona.parsing.tag_sources import jackknife_tags, tag_source
from dodona.parsing.trainer import Trainer
from dodona.settings import TaggerSettings
from dodona.tagging.tagger_training import tag_accuracies
from dodona.treebank.encoding.clusters import Clusters
from support.small import treebank

MODES = ["predicted", "jackknife:3"]


@pytest.fixture(scope="module", params=MODES)
def parser(request: pytest.FixtureRequest) -> dodona.Parser:
    return dodona.train(treebank(80, 1), treebank(20, 2), tags=request.param, epochs=2)


def test_words_are_tagged_before_they_are_parsed(parser: dodona.Parser) -> None:
    gold = treebank(20, 3)
    bare = [dodona.Sentence.from_columns(sentence.forms) for sentence in gold]
    parsed = list(parser.pipe(bare))
    assert tag_accuracies(gold, parsed, ["upos"])["upos"] > 80
    assert [*map(bytes, parsed)] == [bytes(parser.parse(sentence)) for sentence in bare]
    assert dodona.evaluate(gold, parsed).las > 30


def test_tags_can_be_kept(parser: dodona.Parser) -> None:
    wrong = [s.replace(upos=["X"] * len(s), feats=["A=B"] * len(s)) for s in treebank(20, 3)]
    kept = list(parser.pipe(wrong, keep_tags=True))
    assert [s.upos for s in kept] == [s.upos for s in wrong]
    replaced = list(parser.pipe(wrong, retag=True))
    assert all("X" not in s.upos for s in replaced)
    assert [s.heads for s in kept] != [s.heads for s in replaced]
    assert [*map(bytes, parser.pipe(wrong))] == [*map(bytes, kept)]  # there is nothing to fill in
    with pytest.raises(ValueError, match="either keep_tags or retag"):
        parser.pipe(wrong, keep_tags=True, retag=True)


def test_what_a_sentence_lacks_is_filled_in(parser: dodona.Parser) -> None:
    sentence = treebank(1, 3)[0]
    half = dodona.Sentence.from_columns(sentence.forms, upos=["X"] * len(sentence))
    assert parser.parse(half).upos == half.upos
    assert set(parser.parse(half).feats) != {"_"}


def test_an_xpos_that_was_not_learned_is_as_good_as_none() -> None:
    """A model of a treebank without XPOS reads treebanks that have it, with their tags or anew."""

    def with_xpos(xpos: str, n: int, seed: int) -> list[dodona.Sentence]:
        return [s.replace(xpos=[xpos] * len(s)) for s in treebank(n, seed)]

    for tags in ("predicted", "gold"):
        parser = dodona.train(with_xpos("_", 40, 1), tags=tags, epochs=2)
        for retag in (True, False):
            plain = list(parser.pipe(with_xpos("_", 10, 3), retag=retag))
            tagged = list(parser.pipe(with_xpos("NN", 10, 3), retag=retag))
            assert [s.heads for s in tagged] == [s.heads for s in plain]
            assert dodona.evaluate(with_xpos("NN", 10, 3), tagged).las > 30


def test_lemmas_are_not_looked_at(parser: dodona.Parser) -> None:
    assert "lemma" not in parser.encoder.columns
    assert "lemma" in dodona.train(treebank(10, 1), epochs=1, tags="gold").encoder.columns
    sentence = treebank(1, 5)[0]
    other = sentence.replace(lemmas=["oak"] * len(sentence))
    assert parser.parse(other).heads == parser.parse(sentence).heads


def test_the_tagger_is_in_the_model(parser: dodona.Parser, tmp_path: Path) -> None:
    parser.save(tmp_path / "model")
    loaded = dodona.load(tmp_path / "model")
    test = treebank(20, 4)
    assert [*map(bytes, loaded.pipe(test))] == [*map(bytes, parser.pipe(test))]
    assert loaded.record == parser.record
    assert set(loaded.record["dev_tags"]) == {"upos", "feats"}


def test_dev_scores_are_those_of_predicted_tags(parser: dodona.Parser) -> None:
    dev = treebank(20, 2)
    parsed = list(parser.pipe(dev, retag=True))
    assert tag_accuracies(dev, parsed, ["upos", "feats"]) == parser.record["dev_tags"]
    las = dodona.evaluate(dev, parsed).las
    assert las == pytest.approx(parser.record["dev_las"])


@pytest.mark.parametrize("tags", MODES)
def test_a_resumed_run_ends_in_the_same_bytes(tags: str, tmp_path: Path) -> None:
    data = treebank(40, 1), treebank(15, 2)
    whole = Trainer(*data, dodona.Settings(tags=tags, epochs=3))
    for _ in whole.epochs():
        pass
    whole.parser().save(tmp_path / "whole")
    first = Trainer(*data, dodona.Settings(tags=tags, epochs=2))
    for _ in first.epochs():
        first.save_checkpoint(tmp_path / "checkpoint")
    rest = Trainer(*data, dodona.Settings(tags=tags, epochs=3))
    rest.resume(tmp_path / "checkpoint")
    for _ in rest.epochs():
        pass
    rest.parser().save(tmp_path / "resumed")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_resumed_run_keeps_the_best_tagger(tmp_path: Path) -> None:
    """Also if no later epoch is better: the run stops where it was."""
    data = treebank(40, 1), treebank(15, 2)
    run = Trainer(*data, dodona.Settings(tags="predicted", epochs=3))
    for _ in run.epochs():
        run.save_checkpoint(tmp_path / "checkpoint")
    again = Trainer(*data, dodona.Settings(tags="predicted", epochs=3))
    again.resume(tmp_path / "checkpoint")
    run.parser().save(tmp_path / "run")
    again.parser().save(tmp_path / "again")
    assert (tmp_path / "run").read_bytes() == (tmp_path / "again").read_bytes()


def test_the_parser_sees_what_the_online_tagger_predicts() -> None:
    """In the first epoch these are poor, later they are nearly those of the treebank."""
    sentences = treebank(60, 1)
    tagger = tag_source(sentences, dodona.Settings(tags="predicted").resolved()).trainer
    assert tagger is not None
    accuracy = []
    for _ in range(4):
        seen = [tagger.learn_tags(i) for i in range(len(sentences))]
        accuracy.append(tag_accuracies(sentences, seen, ["upos"])["upos"])
    assert accuracy[0] < accuracy[-1]
    assert accuracy[0] < 97


def test_a_fold_is_tagged_by_the_others() -> None:
    """A word that stands in one sentence only is unknown to the tagger of its fold."""
    odd = dodona.Sentence.from_columns(["zzyzx"], upos=["SYM"], heads=[0], deprels=["root"])
    sentences = [*treebank(20, 1), odd]
    tagged = jackknife_tags(sentences, 3, TaggerSettings())
    assert tagged[-1].upos != ["SYM"]
    assert [s.forms for s in tagged] == [s.forms for s in sentences]
    assert tag_accuracies(sentences, tagged, ["upos"])["upos"] > 60
    with pytest.raises(ValueError, match="30 folds of 21 sentences"):
        jackknife_tags(sentences, 30, TaggerSettings())


@pytest.mark.parametrize("tags", ["silver", "jackknife", "jackknife:1", "predicted:2"])
def test_other_tags_are_refused(tags: str) -> None:
    with pytest.raises(ValueError, match="tags must be auto, gold, predicted or jackknife:N"):
        dodona.Settings(tags=tags)


@pytest.mark.parametrize("tags", MODES)
def test_the_tagger_sees_the_clusters_of_its_parser(tags: str, tmp_path: Path) -> None:
    data, file, model = treebank(30, 1), tmp_path / "brown.txt", tmp_path / "model"
    write_clusters(cluster([sentence.forms for sentence in data], clusters=8), file)
    parser = dodona.train(data, treebank(10, 2), tags=tags, epochs=1, clusters=str(file))
    parser.save(model)
    file.unlink()
    loaded = dodona.load(model)
    for one in (parser, loaded):
        assert one.tagger is not None
        assert one.tagger.scorer.settings.clusters == "brown.txt"
        assert one.tagger.scorer.word_encoder.clusters is one.encoder.clusters is not None
    test = treebank(20, 4)
    assert [*map(bytes, loaded.pipe(test))] == [*map(bytes, parser.pipe(test))]
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == model.read_bytes()


def test_a_tagger_that_knows_no_clusters_stays_so_beside_a_parser_that_does(tmp_path: Path) -> None:
    """As in models made before taggers could see them."""
    data, file, model = treebank(20, 1), tmp_path / "brown.txt", tmp_path / "model"
    write_clusters(cluster([sentence.forms for sentence in data], clusters=8), file)
    parser = dodona.train(data, epochs=1, clusters=str(file))
    scorer = parser.scorer.with_tagger(dodona.train_tagger(data, epochs=1))
    replace(parser, scorer=scorer).save(model)
    loaded = dodona.load(model)
    assert loaded.tagger is not None and loaded.tagger.scorer.word_encoder.clusters is None
    assert loaded.encoder.clusters is not None
    assert len(list(loaded.pipe(treebank(5, 2)))) == 5


def test_a_run_with_clusters_can_be_resumed(tmp_path: Path) -> None:
    data, file = treebank(20, 1), tmp_path / "brown.txt"
    write_clusters(cluster([sentence.forms for sentence in data], clusters=8), file)
    settings = dodona.Settings(tags="predicted", epochs=2, clusters=str(file))
    whole, rest = (Trainer(data, None, settings) for _ in range(2))
    next(epochs := whole.epochs())
    whole.save_checkpoint(tmp_path / "checkpoint")
    rest.resume(tmp_path / "checkpoint")
    assert len(list(epochs)) == len(list(rest.epochs())) == 1
    whole.parser().save(tmp_path / "whole")
    rest.parser().save(tmp_path / "resumed")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_fold_is_tagged_by_clusters_too() -> None:
    """Words that no other fold has: their clusters alone tell the tags."""
    words = {"oak": "N", "nod": "V", "elm": "N", "run": "V", "fly": "N", "beg": "V"}
    sentences = [
        dodona.Sentence.from_columns([form], upos=[tag])
        for _ in range(4)
        for form, tag in words.items()
    ]
    clusters = Clusters({form: "0" if tag == "N" else "1" for form, tag in words.items()})
    settings = TaggerSettings(clusters="invented")
    tagged = jackknife_tags(sentences, 6, settings, clusters)  # each word in a fold of its own
    assert [sentence.upos for sentence in tagged] == [sentence.upos for sentence in sentences]
    assert [s.upos for s in jackknife_tags(sentences, 6, TaggerSettings())] != [
        sentence.upos for sentence in sentences
    ]
