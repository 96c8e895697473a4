"""A run that is taken up after any of its epochs ends with the bytes of one without a break."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import dodona
from dodona.parsing import trainer
from dodona.parsing.trainer import Trainer
from dodona.pipeline.assembly import Assembly
from dodona.pipeline.sources import PartSources
from dodona.pipeline.trainers import new_trainer
from dodona.segmentation.segmenter_training import SegmenterTrainer
from dodona.settings import SegmenterSettings, Settings, TaggerSettings
from dodona.storage import container
from dodona.storage.container import ContainerError
from dodona.synthetic.generator import write_treebank
from dodona.tagging.tagger_training import TaggerTrainer
from dodona.training.checkpoint import KIND, VERSION
from dodona.training.loop import Run
from support.small import enhanced, treebank


def invented(n_sentences: int, seed: int) -> list[dodona.Sentence]:
    """With all columns, and spaces in MISC."""
    with TemporaryDirectory() as folder:
        write_treebank(Path(folder, "invented.conllu"), n_sentences, seed)
        return list(dodona.read(Path(folder, "invented.conllu")))


TEXT = invented(60, 1), invented(20, 2)
GRAPHS = [*map(enhanced, treebank(40, 1))], [*map(enhanced, treebank(15, 2))]


def parser(**settings: Any) -> Trainer:
    return Trainer(*GRAPHS, Settings(**{"epochs": 2, "explore_after": 0, **settings}))


def text_parser(**settings: Any) -> Run:
    return new_trainer(*TEXT, Settings(**{"epochs": 2, **settings}), PartSources())


RUNS: dict[str, Callable[[], Run]] = {
    "parser": lambda: parser(epochs=3),
    "parser without a dev set": lambda: Trainer(GRAPHS[0], None, Settings(epochs=3)),
    "parser of words": lambda: Trainer(*TEXT, Settings(epochs=2, tags="predicted")),
    "parser with a beam": lambda: parser(beam=3),
    "parser that stops early": lambda: parser(epochs=20, early_stop=2),
    "parser and tagger": lambda: parser(tags="predicted", epochs=3),
    "parser of jackknifed tags": lambda: parser(tags="jackknife:2"),
    "graph parser": lambda: parser(graph="enhanced", epochs=3),
    "trees and graphs": lambda: parser(graph="basic+enhanced", epochs=3),
    "trees, graphs and tagger": lambda: parser(graph="basic+enhanced", tags="predicted"),
    "tagger": lambda: TaggerTrainer(*TEXT, TaggerSettings(epochs=4)),
    "tagger with a beam": lambda: TaggerTrainer(*TEXT, TaggerSettings(epochs=2, search="beam")),
    "tagger without a dev set": lambda: TaggerTrainer(TEXT[0], None, TaggerSettings(epochs=2)),
    "segmenter": lambda: SegmenterTrainer(*TEXT, SegmenterSettings(epochs=4)),
    "text pipeline": text_parser,
    "text pipeline and graphs": lambda: new_trainer(
        *GRAPHS, Settings(epochs=1, graph="basic+enhanced"), PartSources()
    ),
    "segmenter and tagger": lambda: Assembly(TEXT[0][:20], None, PartSources(parser="none")),
}


def model_bytes(run: Run, path: Path) -> bytes:
    names = ("parser", "tagger", "segmenter", "model")
    give = next(getattr(run, name) for name in names if callable(getattr(run, name, None)))
    give().save(path)
    return path.read_bytes()


@pytest.mark.thorough
@pytest.mark.parametrize("name", RUNS)
def test_a_run_resumed_after_any_epoch_ends_with_the_same_bytes(name: str, tmp_path: Path) -> None:
    whole = RUNS[name]()
    n_epochs = 0
    for n_epochs, _ in enumerate(whole.epochs(), 1):
        whole.save_checkpoint(tmp_path / f"{n_epochs}")
    expected = model_bytes(whole, tmp_path / "model")
    assert n_epochs > 1
    for n_done in range(1, n_epochs + 1):
        resumed = RUNS[name]()
        resumed.resume(tmp_path / f"{n_done}")
        assert len(list(resumed.epochs())) == n_epochs - n_done
        assert model_bytes(resumed, tmp_path / "model") == expected


@pytest.mark.thorough
@pytest.mark.parametrize("name", RUNS)
def test_a_checkpoint_is_the_same_after_a_break(name: str, tmp_path: Path) -> None:
    """What is read is what was written: a run may be interrupted as often as one likes."""
    first, again = RUNS[name](), RUNS[name]()
    epochs = first.epochs(checkpoint=tmp_path / "first")
    for _ in range(2):
        next(epochs)
    again.resume(tmp_path / "first")
    again.save_checkpoint(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "first").read_bytes()


@pytest.mark.thorough
def test_what_learns_at_once_is_not_learned_again_for_its_graphs(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    settings = Settings(graph="basic+enhanced", learner="svm")
    data = GRAPHS[0][:15], GRAPHS[1][:5]
    whole = Trainer(*data, settings)
    for i, _ in enumerate(whole.epochs()):
        whole.save_checkpoint(tmp_path / f"{i}")
    for i in range(2):
        resumed = Trainer(*data, settings)
        resumed.resume(tmp_path / f"{i}")
        assert resumed.is_complete
        assert [epoch.part for epoch in resumed.epochs()] == ["graph parser"] * (1 - i)
        assert model_bytes(resumed, tmp_path / "r") == model_bytes(whole, tmp_path / "w")


def test_trees_for_graphs_are_not_parsed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = parser(graph="basic+enhanced")
    epochs = run.epochs(checkpoint=tmp_path / "run")
    assert [next(epochs).part for _ in range(3)] == ["parser", "parser", "graph parser"]
    monkeypatch.setattr(trainer, "jackknife_trees", None)
    again = parser(graph="basic+enhanced")
    again.resume(tmp_path / "run")
    assert again.graph_trees == run.graph_trees
    assert [epoch.number for epoch in again.epochs()] == [2]


def test_more_epochs_of_trees_begin_their_graphs_anew(tmp_path: Path) -> None:
    parser(graph="basic+enhanced").complete(checkpoint=tmp_path / "run")
    longer = parser(graph="basic+enhanced", epochs=3)
    longer.resume(tmp_path / "run")
    assert [(e.part, e.number) for e in longer.epochs()] == [
        ("parser", 3),
        *(("graph parser", number) for number in (1, 2, 3)),
    ]
    whole = parser(graph="basic+enhanced", epochs=3).complete()
    assert model_bytes(longer, tmp_path / "l") == model_bytes(whole, tmp_path / "w")


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["parser", "text", "tagger", "segmenter"])
def test_functions_that_train_write_checkpoints_and_go_on(how: str, tmp_path: Path) -> None:
    train: Any = {
        "parser": dodona.train,
        "text": lambda *data, **given: dodona.train(*data, pipeline="text", **given),
        "tagger": dodona.train_tagger,
        "segmenter": dodona.train_segmenter,
    }[how]
    kept = tmp_path / "run"
    train(*TEXT, epochs=1, checkpoint=kept)
    train(*TEXT, epochs=2, resume=kept).save(tmp_path / "resumed")
    train(*TEXT, epochs=2).save(tmp_path / "whole")
    assert (tmp_path / "resumed").read_bytes() == (tmp_path / "whole").read_bytes()
    with pytest.raises(ValueError, match="began with seed=1, not 2"):
        train(*TEXT, epochs=2, seed=2, resume=kept)
    with pytest.raises(ValueError, match="the dev data are not those this run began with"):
        train(TEXT[0], TEXT[1][:-1], epochs=2, resume=kept)


# --- what is refused


@pytest.mark.parametrize(
    ("began", "goes_on", "said"),
    [
        ("tagger", "segmenter", "the checkpoint of a tagger, not of a segmenter"),
        ("tagger", "parser", "the checkpoint of a tagger, not of a parser"),
        ("graph parser", "parser", "the checkpoint of a graph parser, not of a parser"),
        ("text pipeline", "parser of words", "this run began with pipeline='text', not 'parser'"),
        ("trees and graphs", "parser", "this run began with graph='basic+enhanced', not 'none'"),
        ("tagger", "tagger with a beam", "this run began with search='greedy', not 'beam'"),
        ("tagger", "tagger without a dev set", "the dev data are not those"),
    ],
)
def test_a_run_goes_on_as_what_it_began(
    began: str, goes_on: str, said: str, tmp_path: Path
) -> None:
    next(RUNS[began]().epochs(checkpoint=tmp_path / "run"))
    with pytest.raises(ValueError, match=re.escape(said)):
        RUNS[goes_on]().resume(tmp_path / "run")


def test_parts_that_are_taken_must_be_the_same(tmp_path: Path) -> None:
    ready = tmp_path / "my.segmenter"
    dodona.train_segmenter(TEXT[0], epochs=1).save(ready)
    parts = PartSources(segmenter=str(ready))
    run = new_trainer(*TEXT, Settings(epochs=2), parts)
    next(run.epochs(checkpoint=tmp_path / "run"))
    with pytest.raises(ValueError, match=r"began with segmenter='my\.segmenter', not 'train'"):
        text_parser().resume(tmp_path / "run")
    dodona.train_segmenter(TEXT[0], epochs=2).save(ready)
    with pytest.raises(ValueError, match="the segmenter data are not those"):
        new_trainer(*TEXT, Settings(epochs=2), parts).resume(tmp_path / "run")


def test_a_checkpoint_of_an_earlier_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "old"
    container.write(path, KIND, VERSION - 1, {"settings": {}}, {})
    with pytest.raises(ContainerError, match=r"of version 3, but .* start anew without --resume"):
        RUNS["parser"]().resume(path)
    container.write(path, KIND, VERSION, {"settings": {}}, {})
    with pytest.raises(ContainerError, match="the checkpoint does not fit together"):
        RUNS["parser"]().resume(path)
    dodona.train_tagger(TEXT[0], epochs=1).save(path)
    with pytest.raises(ContainerError, match="this is a Dodona tagger, not a checkpoint"):
        RUNS["parser"]().resume(path)
