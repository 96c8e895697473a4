"""Distillation from treebanks and text to a student, in small; interrupted and resumed."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')
pytest.importorskip("torch", reason='needs pip install "dodona[teachers]"')

import dodona
from dodona.distilling import recipe as recipe_module
from dodona.distilling import silver_parts
from dodona.distilling.recipe import Distillation, Recipe
from dodona.settings import Settings
from dodona.storage.steps import StepError
from dodona.training.neural.strategy import lemma_trainer
from dodona.treebank.conllu.writer import Writer
from support.shell import Shell
from support.small import treebank

pytestmark = pytest.mark.thorough  # trains networks

SMALL = Settings(
    scorer="neural",
    system="arc-hybrid",
    width=32,
    layers=1,
    hidden=16,
    batch_words=300,
    learning_rate=0.01,
    epochs=3,
)
TEACHER = {
    "epochs": 14,
    "width": 24,
    "layers": 1,
    "batch_words": 400,
    "learning_rate": 0.02,
    "dropout": 0.1,
}


@pytest.fixture(scope="module", autouse=True)
def small_parts() -> Iterator[None]:
    """Make several small parts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(silver_parts, "PART", 40)
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write train, dev and test sets, and a text that contains the test set."""
    folder = tmp_path_factory.mktemp("distil")
    for name, sentences in (
        ("train", treebank(50, 1)),
        ("dev", treebank(15, 2)),
        ("test", treebank(15, 4)),
    ):
        with Writer(folder / f"{name}.conllu") as writer:
            for sentence in sentences:
                writer.write(sentence)
    (folder / "text").mkdir()
    with gzip.open(folder / "text" / "a.tokens.txt.gz", "wt", encoding="utf-8") as file:
        for sentence in (*treebank(15, 4), *treebank(100, 5)):
            file.write(" ".join(sentence.forms) + "\n")
    return folder


def recipe(files: Path, work: Path, **changed: Any) -> Recipe:
    given: dict[str, Any] = {
        "train": [str(files / "train.conllu")],
        "dev": str(files / "dev.conllu"),
        "text": [str(files / "text")],
        "held_out": [str(files / "test.conllu")],
        "segmenter": "none",
        "n_teachers": 2,
        "teacher": TEACHER,
        "soft": True,
        "votes": True,
        "settings": SMALL,
        "work": work,
    }
    return Recipe(**(given | changed))


class Interrupted(Exception):  # noqa: N818
    """A stand-in for Ctrl-C."""


def complete(work: Distillation, model: Path) -> bytes:
    work.run()
    trainer = work.student()
    for _ in work.epochs(trainer, model):
        pass
    work.with_record(trainer.parser()).save(model)
    return model.read_bytes()


@pytest.fixture(scope="module")
def done(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a recipe without interruption; return the folder of its model and steps."""
    folder = tmp_path_factory.mktemp("done")
    complete(Distillation(recipe(files, folder / "work")), folder / "model.dodona")
    return folder


def test_a_recipe_that_was_broken_off_in_every_step_gives_the_same_student(
    files: Path, done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipe_module, "CHECKPOINT_SECONDS", 0)
    told: list[str] = []

    def begin(break_at: str = "nowhere") -> Distillation:
        def tell(line: str) -> None:
            told.append(line)
            if line.startswith(break_at):
                raise Interrupted(line)

        return Distillation(recipe(files, tmp_path / "work"), tell)

    for place in ("a.tokens", "teacher, epoch 3", "teacher 2 of 2", "silver: 1 of 3"):
        with pytest.raises(Interrupted, match=place):
            begin(place).run()
    taught = [line.split()[2] for line in told if line.startswith("teacher, epoch")]
    assert taught == [*map(str, range(1, 15))] * 2  # no epoch of either teacher a second time
    assert not list(tmp_path.rglob("teacher.checkpoint"))
    work, model = begin(), tmp_path / "model.dodona"
    work.run()
    for epoch in work.epochs(work.student(), model):
        if epoch.number == 2:
            break
    assert complete(begin(), model) == (done / "model.dodona").read_bytes()


def test_a_model_says_what_it_learned_from(files: Path, done: Path) -> None:
    record = dodona.Parser.load(done / "model.dodona").record
    kinds = [(source["kind"], source["file"]) for source in record["learned_from"]]
    assert kinds == [
        ("gold", f"{files.name}/train.conllu"),
        ("text", "a.tokens.txt.gz"),
        ("teacher", "teacher 1"),
        ("teacher", "teacher 2"),
    ]
    gold, text, *teachers = record["learned_from"]
    assert gold["words"] == sum(map(len, treebank(50, 1)))
    assert 0 < text["words"] <= sum(map(len, treebank(100, 5)))
    assert all(teacher["dev"]["LAS"] > 30 for teacher in teachers)
    assert teachers[0]["sha256"] != teachers[1]["sha256"]
    assert record["silver"]["soft"] and record["silver"]["votes"]


def test_no_held_out_sentence_is_annotated(files: Path, done: Path) -> None:
    silver = [s.forms for p in done.glob("work/silver/*.conllu.gz") for s in dodona.read(p)]
    seen = {tuple(forms) for forms in silver}
    assert len(seen) == len(silver) > 80
    for some in (treebank(15, 4), treebank(15, 2), treebank(50, 1)):
        assert not seen & {tuple(s.forms) for s in some}


def test_work_of_another_recipe_is_refused(files: Path, done: Path) -> None:
    for changed, said in (
        ({"held_out": []}, r"sentences/steps\.jsonl: made with another held_out"),
        ({"n_teachers": 3}, r"silver/steps\.jsonl: made with another teachers"),
    ):
        with pytest.raises(StepError, match=said):
            Distillation(recipe(files, done / "work", **changed)).silver()


def test_the_segmenter_learns_from_a_list_of_abbreviations(files: Path, tmp_path: Path) -> None:
    given = tmp_path / "list.txt"
    given.write_text("Prof. name\n", encoding="utf-8")
    chosen = {"segmenter": "train", "abbreviations": str(given)}
    path = Distillation(recipe(files, tmp_path / "work", **chosen)).segmenter()
    assert path is not None
    lexicon = dodona.Segmenter.load(path).lexicon
    assert lexicon is not None and "prof" in lexicon.abbreviations
    given.write_text("Dr. name\n", encoding="utf-8")
    with pytest.raises(StepError, match=r"segmenter/steps\.jsonl: made with another source"):
        Distillation(recipe(files, tmp_path / "work", **chosen)).segmenter()


def test_lemmas_are_learned_from_a_list_too(files: Path, tmp_path: Path) -> None:
    gold = [s.replace(lemmas=[form.lower() for form in s.forms]) for s in treebank(15, 4)]
    train = tmp_path / "train.conllu"
    with Writer(train) as writer:
        for sentence in gold:
            writer.write(sentence)
    given = tmp_path / "list.txt"
    given.write_text(f"listed {gold[0].upos[0]} unheard\n", encoding="utf-8")
    chosen = {"train": [str(train)], "lexicon": str(given)}
    work = Distillation(recipe(files, tmp_path / "work", **chosen))
    trainer = lemma_trainer(work.gold, work.dev, 1, str(given))
    path = work.lemmas()
    assert path is not None
    trainer.resume(path)
    tagged = trainer.tagger().tag(dodona.Sentence.from_columns(["Unheard"]))
    assert tagged.lemmas == ["listed"]
    given.write_text("other NOUN unheard\n", encoding="utf-8")
    with pytest.raises(StepError, match=r"lemmas/steps\.jsonl: made with another lexicon"):
        Distillation(recipe(files, tmp_path / "work", **chosen)).lemmas()
    with pytest.raises(ValueError, match=r"nowhere\.txt: no such file"):
        Distillation(recipe(files, tmp_path / "work", lexicon="nowhere.txt"))
    kinds = [(source["kind"], source["file"]) for source in work._sources()]
    assert kinds[1] == ("lexicon", "list.txt")
    bare = recipe(files, tmp_path / "bare", lexicon=str(given))
    with pytest.raises(ValueError, match="a lexicon is for lemmas"):
        Distillation(bare).run("sentences")


def test_a_segmenter_that_is_taken_is_known_by_what_it_is(files: Path, tmp_path: Path) -> None:
    given = tmp_path / "given.segmenter"
    dodona.train_segmenter(files / "train.conllu", epochs=1).save(given)
    work = Distillation(recipe(files, tmp_path / "work", segmenter=str(given)))
    assert work.segmenter() is not None
    dodona.train_segmenter(files / "train.conllu", epochs=2).save(given)
    with pytest.raises(StepError, match=r"segmenter/steps\.jsonl: made with another source"):
        work.segmenter()


def test_a_student_learns_from_silver_that_is_there(
    files: Path, done: Path, tmp_path: Path, shell: Shell
) -> None:
    parts = sorted(map(str, done.glob("work/silver/*.conllu.gz")))
    flags = "--system arc-hybrid --width 32 --layers 1 --hidden 16 --batch-words 300"
    flags += " --learning-rate 0.01 --epochs 3 --segmenter none --soft --votes"
    model = tmp_path / "student.dodona"
    result = shell(
        "distil",
        files / "train.conllu",
        *("--dev", files / "dev.conllu"),
        *("--silver", ",".join(parts)),
        *("-o", model),
        *flags.split(),
    )
    assert result.code == 0 and "best epoch" in result.out and "epoch 3/3" in result.err
    assert (tmp_path / "student.dodona.work" / "students" / "student.checkpoint").exists()
    shown = " ".join(shell("info", model).out.split())
    assert "Learned from" in shown and f"{len(parts)} files" in shown
    assert "for each gold one, with soft, votes" in shown


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "give either text for teachers to annotate, or annotated silver"),
        (["--text", "none.txt"], "none.txt: no such file or folder"),
        (["--silver", "none.conllu"], "none.conllu: no such file"),
        (["--silver", "x", "--scorer", "linear"], "the student is a network"),
        (["--text", "x", "--teachers", "0"], "teachers: at least 1, not 0"),
        (["--silver", "x", "--segmenter", "none", "--raw", "y"], "a segmenter that is trained"),
    ],
)
def test_what_cannot_be_is_told(
    files: Path, tmp_path: Path, shell: Shell, flags: list[str], said: str
) -> None:
    result = shell("distil", files / "train.conllu", "-o", tmp_path / "m.dodona", *flags)
    assert result.code != 0 and said in result.err
    assert not (tmp_path / "m.dodona").exists()
