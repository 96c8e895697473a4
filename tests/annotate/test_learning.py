"""Learning in the background: from nothing, from partial trees, from a model; curves; what next."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.annotate import Workbench, learner, learning, workbench
from dodona.annotate.changes import Confirm, SetArc, SetField
from dodona.annotate.errors import AnnotateError, ChangeError
from dodona.annotate.learner import training_sentences
from dodona.annotate.rows import Rows
from dodona.annotate.viewing import state_of, state_of_data
from dodona.settings import LINEAR, NEURAL
from support.annotating import change, gold, model, stripped, write
from support.small import treebank
from support.waiting import until

N_FIRST = 12  # instead of fifty, so that tests are quick


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbench, "FIRST", N_FIRST)


def annotate(bench: Workbench, index: int, sentence: dodona.Sentence, n_words: int = 99) -> None:
    """Set arcs as in a gold tree."""
    for word in sentence[:n_words]:
        assert word.head is not None
        change(bench, index, SetArc(word.id, word.head, word.deprel))


@pytest.mark.thorough
def test_from_nothing_a_parser_trains_itself(tmp_path: Path, few: None) -> None:
    sentences = gold(40)
    path = write(tmp_path, stripped(sentences))
    with Workbench(path) as bench:
        for index in range(N_FIRST):
            assert bench.learning.state == "idle"
            assert {word.arc for word in bench.sentence(20).words} == {"open"}
            annotate(bench, index, sentences[index])
        assert bench.learning.state == "learning"
        bench._learning.wait()
        assert (bench.learning.state, bench.learning.message) == ("idle", "")
        assert bench.overview().model == f"linear, learned from {N_FIRST} sentences"
        assert {word.arc for word in bench.sentence(20).words} == {"guessed"}
        assert bench.sentence(20).words[0].tags == "open"  # nobody has tagged anything
        # the twelfth sentence was finished after learning had begun, and counts as well
        for index in range(N_FIRST, N_FIRST + workbench.EVERY - 1):
            change(bench, index, Confirm())
        bench._learning.wait()
        assert [point.n_sentences for point in bench.learning.curve] == [12, 16]
        kept = tmp_path / "kept.dodona"
        bench.keep(kept)
        assert dodona.load(kept).settings.scorer == LINEAR


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_a_learner_ends_with_a_workbench_that_is_killed(tmp_path: Path) -> None:
    program = """
import sys, time
from dodona.annotate import Workbench
bench = Workbench(sys.argv[1])  # which learns at once from so many trees
while bench._learning._process is None:
    time.sleep(0.01)
print(bench._learning._process.pid, bench._learning._folder, flush=True)
time.sleep(600)
"""
    path = write(tmp_path, b"".join(bytes(sentence) for sentence in treebank(3000, 1)))
    command = [sys.executable, "-c", program, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        learner_id, folder = process.stdout.readline().split()
        assert Path("/proc", learner_id).exists()
        process.kill()
    assert until(lambda: not Path("/proc", learner_id).exists())
    assert not Path(folder).exists()


def test_what_was_only_guessed_is_not_learned() -> None:
    lines = (
        b"1\ta\ta\tX\t_\t_\t2\tdep\t_\tArc=Set\n2\tb\t_\tY\t_\t_\t0\troot\t_\tArc=Guessed\n"
        b"3\tc\tc\tX\t_\t_\t2\tdep\t_\tArc=Head|Tags=Guessed\n4\td\t_\tX\t_\t_\t2\tobj\t_\t_\n\n"
    )
    untouched = lines.replace(b"Arc=Set", b"Arc=Guessed").replace(b"Arc=Head", b"Arc=Guessed")
    untouched = untouched.replace(b"2\tobj", b"_\t_")
    [sentence] = training_sentences(map(Rows.of, (lines, untouched)))
    assert sentence.heads == [2, None, 2, 2]
    assert sentence.deprels == ["dep", "_", "_", "obj"]
    assert sentence.upos == ["X", "Y", "X", "X"]


def test_a_head_without_a_label_is_a_decision_and_so_is_a_tag(tmp_path: Path) -> None:
    sentences = gold(3)
    with Workbench(write(tmp_path, stripped(sentences)), model=model()) as bench:
        assert bench.overview().n_untouched == 3
        assert change(bench, 0, SetArc(2, 1, None)).state == "partial"
        assert change(bench, 1, SetField(1, "upos", "NOUN")).state == "partial"
        assert bench.overview().n_partial == 2
        bench.save()
        data = bench.path.read_bytes().split(b"\n\n")
    assert [state_of_data(block + b"\n") for block in data[:3]] == ["partial"] * 2 + ["untouched"]
    [sentence] = training_sentences(Rows.of(block + b"\n\n") for block in data[:2])
    assert sentence.heads[1] == 1


def test_heads_without_labels_are_not_done() -> None:
    lines = "1\ta\t_\t_\t_\t_\t2\tdet\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    for old, new, state in (("", "", "done"), ("2\tdet", "2\t_", "partial")):
        data = lines.replace(old, new).encode() if old else lines.encode()
        assert state_of_data(data) == state_of(Rows.of(data)) == state


def test_a_tagger_never_learns_that_words_have_no_tags() -> None:
    tagged = b"1\ta\ta\tX\t_\t_\t0\troot\t_\t_\n\n"
    bare = tagged.replace(b"a\tX", b"_\t_")
    found = [*training_sentences(map(Rows.of, (tagged, bare, tagged)))]
    assert [sentence.upos for sentence in found] == [["X"], ["X"]]
    found = [*training_sentences(map(Rows.of, (bare, tagged, bare)))]
    assert [sentence.upos for sentence in found] == [["_"]] * 3


@pytest.mark.thorough
def test_a_model_goes_on_learning_with_a_dev_set(tmp_path: Path) -> None:
    sentences = treebank(60, 3, 0.0)
    dev = tmp_path / "dev.conllu"
    dev.write_bytes(b"".join(map(bytes, gold(30, 8))))
    data = b"".join(map(bytes, sentences[:50])) + stripped(sentences[50:])
    with Workbench(write(tmp_path, data), model=model(), dev=dev) as bench:
        with pytest.raises(AnnotateError, match="needs a second model"):
            bench.next("disagreement")
        bench.learn(wait=True)
        [point] = bench.learning.curve
        assert (point.n_sentences, point.source) == (50, "dev")
        assert point.las is not None
        assert point.uas is not None
        assert 50 < point.las <= point.uas
        parser = bench._desk.parser
        assert parser is not None
        assert parser.calibration is not None
        assert parser.record["continued_from"]["model"] == Path(model()).name
        assert parser.tagger is not None
        assert set(bench._doubts) == set(bench._disputes) or bench._disputes == {}
        bench.learn(wait=True)  # now the one before is a second opinion
        ratings = bench._doubts
        order = sorted(range(50, 60), key=lambda i: -ratings[i])
        assert bench.next("uncertain") == order[0]
        assert bench.next("uncertain", after=order[0]) == order[1]
        assert bench.next("uncertain", after=order[-1]) is None
        assert bench.next("disagreement") in range(50, 60)


@pytest.mark.thorough
def test_without_a_dev_set_finished_sentences_are_held_out(tmp_path: Path) -> None:
    data = b"".join(map(bytes, gold(60)))
    with Workbench(write(tmp_path, data)) as bench:  # enough to begin with at once
        bench._learning.wait()
        [point] = bench.learning.curve
        assert (point.n_sentences, point.source) == (60, "held-out")
        assert point.las is not None
        parser = bench._desk.parser
        assert parser is not None
        assert parser.calibration is not None


@pytest.mark.thorough
def test_learning_that_fails_says_why_and_the_old_parser_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Workbench(write(tmp_path, stripped(gold(3))), model=model()) as bench:
        before = bench.sentence(1)
        change(bench, 0, SetArc(1, 2, "det"))
        monkeypatch.setattr(learning.sys, "executable", "false")
        bench.learn(wait=True)
        assert bench.learning.state == "failed"
        assert "the learner ended with 1" in bench.learning.message
        assert bench.sentence(1) == before


def test_there_is_nothing_to_learn_from_or_to_keep_at_first(tmp_path: Path) -> None:
    mistaken: Any = "deep"
    with Workbench(write(tmp_path, stripped(gold(3)))) as bench:
        with pytest.raises(AnnotateError, match="nothing to learn from"):
            bench.learn()
        with pytest.raises(ChangeError, match="kind 'deep': linear or network"):
            bench.learn(mistaken)
        with pytest.raises(AnnotateError, match="there is no parser yet"):
            bench.keep(tmp_path / "x.dodona")
        with pytest.raises(AnnotateError, match="'uncertain' needs a model"):
            bench.next("uncertain")


def test_the_work_is_not_slowed_by_learning_and_ends_with_the_workbench(tmp_path: Path) -> None:
    """The learner is a process of its own, which is killed at the end."""
    data = b"".join(map(bytes, gold(200))) + stripped(gold(3))
    with Workbench(write(tmp_path, data)) as bench:
        assert bench.learning.state == "learning"
        change(bench, 200, SetArc(1, 2, "det"))
        with pytest.raises(AnnotateError, match="learning already"):
            bench.learn()
    process, folder = bench._learning._process, bench._learning._folder
    assert process is None or process.poll() is not None
    assert folder is not None
    assert not folder.exists()


def test_the_least_certain_of_the_first_sentences_comes_first(tmp_path: Path) -> None:
    with Workbench(write(tmp_path, stripped(gold(12))), model=model()) as bench:
        chosen = bench.next("uncertain")
        doubts = dict(enumerate(bench._ratings("uncertain", range(12)).values()))
        assert chosen == max(doubts, key=lambda i: (doubts[i], -i))


@pytest.mark.thorough
def test_a_network_learns_on_demand_also_from_partial_trees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this process, with a tiny network: what the learner does in its own."""
    pytest.importorskip("jax", reason="needs the extra neural")
    monkeypatch.setattr(learner, "WIDTH", 32)
    monkeypatch.setattr(learner, "LAYERS", 1)
    monkeypatch.setattr(learner, "train", partial(dodona.train, hidden=32, epochs=1))
    trees = [
        sentence.replace(heads=[None, *sentence.heads[1:]], deprels=["_", *sentence.deprels[1:]])
        for sentence in gold(20)
    ]
    (tmp_path / "train.conllu").write_bytes(b"".join(map(bytes, trees)))
    result = learner.Result()
    parser = learner.learn(tmp_path, learner.Job("network", "", "", ""), result)
    assert (result.n_sentences, parser.settings.scorer) == (20, NEURAL)
    assert parser.record["n_unannotated"] == 20
    assert dodona.load(tmp_path / "model.dodona").settings.network.width == 32
