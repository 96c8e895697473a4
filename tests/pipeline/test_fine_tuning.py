"""Fine-tuning: a model goes on with sentences of one's own, keeps its parts, and can be resumed."""

from __future__ import annotations

from pathlib import Path

import pytest

import dodona
from dodona.settings import SettingsError
from dodona.synthetic.generator import write_treebank
from support.shell import Shell

TINY = {"width": 32, "layers": 1, "hidden": 16}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An old treebank, and a new one with another label, another tag and other words."""
    folder = tmp_path_factory.mktemp("tuning")
    write_treebank(folder / "old.conllu", 200, seed=1)
    write_treebank(folder / "new.conllu", 60, seed=2)
    for name in ("new", "dev"):
        text = (folder / ("new.conllu" if name == "new" else "old.conllu")).read_text()
        text = text.replace("\tobj\t", "\tobj:new\t").replace("\tADJ\t", "\tX\t")
        (folder / f"{name}.conllu").write_text(text)
    return folder


@pytest.fixture(scope="module")
def linear(data: Path) -> Path:
    path = data / "linear.dodona"
    old = data / "old.conllu"
    dodona.train(old, pipeline="text", epochs=3, language="Old", licence="MIT").save(path)
    return path


def las(parser: dodona.Parser, treebank: Path) -> float:
    gold = list(dodona.read(treebank))
    return dodona.evaluate(gold, list(parser.pipe(gold, retag=True))).las


def test_a_linear_model_learns_new_labels_and_keeps_its_other_parts(
    data: Path, linear: Path
) -> None:
    base = dodona.load(linear)
    tuned = dodona.train(data / "new.conllu", from_=linear)
    assert "obj:new" in tuned.labels
    assert tuned.labels[: len(base.labels)] == base.labels
    assert las(tuned, data / "dev.conllu") > las(base, data / "dev.conllu") + 2
    assert tuned.segmenter is not None
    assert tuned.tagger is not None
    assert tuned.record["card"] == {"language": "Old", "licence": "MIT"}
    assert tuned.record["continued_from"]["model"] == "linear.dodona"


def test_rehearsal_of_old_data_keeps_what_was_known(data: Path, linear: Path) -> None:
    settings = {"from_": linear, "epochs": 8, "aggressiveness": 1.0}
    forgetful = dodona.train(data / "new.conllu", **settings)
    careful = dodona.train(data / "new.conllu", rehearse=[data / "old.conllu"], **settings)
    assert las(careful, data / "old.conllu") > las(forgetful, data / "old.conllu") + 1


def test_plain_text_is_rehearsed_as_the_model_parses_it(
    data: Path, linear: Path, tmp_path: Path
) -> None:
    text = tmp_path / "old.txt"
    text.write_text("\n".join(sentence.text for sentence in dodona.read(data / "old.conllu")))
    tuned = dodona.train(data / "new.conllu", from_=linear, rehearse=[text], epochs=1)
    assert tuned.record["n_sentences"] == 120


def test_an_interrupted_run_resumes_to_the_same_model(
    data: Path, linear: Path, tmp_path: Path
) -> None:
    checkpoint = tmp_path / "checkpoint"
    options = {"from_": linear, "checkpoint": checkpoint}
    dodona.train(data / "new.conllu", **options, epochs=1)
    resumed = dodona.train(data / "new.conllu", **options, epochs=3, resume=checkpoint)
    whole = dodona.train(data / "new.conllu", from_=linear, epochs=3)
    assert resumed.to_bytes() == whole.to_bytes()


def test_a_checkpoint_of_another_model_is_refused(data: Path, linear: Path, tmp_path: Path) -> None:
    checkpoint, other = tmp_path / "checkpoint", tmp_path / "other.dodona"
    dodona.train(data / "old.conllu", epochs=1).save(other)
    dodona.train(data / "new.conllu", from_=other, epochs=1, checkpoint=checkpoint)
    with pytest.raises(ValueError, match="the from data are not those this run began with"):
        dodona.train(data / "new.conllu", from_=linear, epochs=2, resume=checkpoint)


def test_what_the_model_determines_cannot_be_set(data: Path, linear: Path) -> None:
    with pytest.raises(SettingsError, match="system='swap': a model that continues from linear"):
        dodona.train(data / "new.conllu", from_=linear, system="swap")
    with pytest.raises(SettingsError, match="keeps its segmenter"):
        dodona.train(data / "new.conllu", from_=linear, pipeline="text")
    with pytest.raises(SettingsError, match="rehearse is for training that continues"):
        dodona.train(data / "new.conllu", rehearse=[data / "old.conllu"])


def test_models_that_cannot_continue_say_why(data: Path, tmp_path: Path) -> None:
    for settings, why in (
        ({"learner": "svm"}, "made by the svm learner"),
        ({"beam": 4}, "trained with a beam of 4"),
    ):
        path = tmp_path / "base.dodona"
        dodona.train(data / "new.conllu", epochs=1, tags="gold", **settings).save(path)
        with pytest.raises(SettingsError, match=why):
            dodona.train(data / "new.conllu", from_=path)


def test_the_shell_continues_too(shell: Shell, data: Path, linear: Path, tmp_path: Path) -> None:
    model = tmp_path / "tuned.dodona"
    train = ("train", "--from", linear, "--train", data / "new.conllu", "-o", model)
    assert shell(*train, "--rehearse", data / "old.conllu", "--epochs", 1).code == 0
    assert "continued from" in shell("info", model).out
    refused = shell(*train, "--system", "swap")
    assert refused.code != 0
    assert "keeps its system='arc-eager'" in refused.err


@pytest.mark.thorough
class TestNetworks:
    @pytest.fixture(scope="class")
    def network(self, data: Path) -> Path:
        path = data / "network.dodona"
        settings = {"scorer": "neural", "epochs": 6, **TINY}
        dodona.train(data / "old.conllu", pipeline="text", **settings).save(path)
        return path

    def test_before_the_first_step_a_network_parses_as_it_did(
        self, data: Path, network: Path
    ) -> None:
        from dodona.pipeline.fine_tuning import Base
        from dodona.pipeline.trainers import continued_trainer

        base = Base.load(network)
        trainer = continued_trainer(data / "old.conllu", None, base, {"epochs": 1})
        again = trainer._parser(trainer.average())
        gold = list(dodona.read(data / "old.conllu"))
        before, after = (list(each.pipe(gold, retag=True)) for each in (base.parser, again))
        same = dodona.evaluate(before, after)
        assert same.las > 98  # not 100: weights are rounded twice
        assert same.upos is not None
        assert same.upos > 98

    def test_a_network_learns_new_labels_tags_and_words(self, data: Path, network: Path) -> None:
        base = dodona.load(network)
        tuned = dodona.train(data / "new.conllu", from_=network, learning_rate=0.003)
        assert "obj:new" in tuned.labels
        assert las(tuned, data / "dev.conllu") > las(base, data / "dev.conllu") + 2
        words = base.scorer.tagger.scorer.words.forms, tuned.scorer.tagger.scorer.words.forms
        assert words[1][: len(words[0])] == words[0]
        assert len(words[1]) > len(words[0])
        doc = tuned(next(iter(dodona.read(data / "new.conllu"))).text)
        assert all(word.lemma != "_" for word in doc.words)

    def test_an_interrupted_run_resumes_to_the_same_network(
        self, data: Path, network: Path, tmp_path: Path
    ) -> None:
        checkpoint = tmp_path / "checkpoint"
        options = {"from_": network, "checkpoint": checkpoint, "epochs": 2}
        from dodona.pipeline.fine_tuning import Base
        from dodona.pipeline.trainers import continued_trainer

        half = continued_trainer(data / "new.conllu", None, Base.load(network), {"epochs": 2})
        next(half.epochs(checkpoint=checkpoint))
        resumed = dodona.train(data / "new.conllu", **options, resume=checkpoint)
        whole = dodona.train(data / "new.conllu", from_=network, epochs=2)
        assert resumed.to_bytes() == whole.to_bytes()
