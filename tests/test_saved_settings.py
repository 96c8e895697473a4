"""What training accepts survives `save` and `load`: settings of every type, plain or not."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dodona
from dodona.clustering.clusters import cluster
from dodona.core.search.agenda import MAX_WIDTH
from dodona.distilling.recipe import Recipe
from dodona.pipeline.assembly import Assembly
from dodona.pipeline.sources import PartSources
from dodona.records import flat_fields
from dodona.settings import (
    MAX_BATCH_WORDS,
    MAX_CUTOFF,
    MAX_EPOCHS,
    SegmenterSettings,
    Settings,
    SettingsError,
    TaggerSettings,
)
from dodona.storage.serialisable import Serialisable
from support.small import treebank

LARGEST = 2**63 - 1


class Named(str):
    """A subclass of str that prints something else than it is, as an enum does."""

    __slots__ = ()

    def __str__(self) -> str:
        return "another name"


WHOLE = [0, 1, 2, 3, 7, -1, LARGEST, LARGEST + 1, 10**30, 10**5000, True, False]
WHOLE += [2.0, 1.5, math.nan, math.inf, "2", b"2", None, [2], np.int64(2), np.uint8(1)]
WHOLE += [np.int64(-3), np.float64(2), np.bool_(True), np.array(2), np.array([2])]
NUMBERS = [0, 1, 0.5, 0.9, 1.0, -0.1, 1e-300, 1e300, 1e309, 10**400, math.nan, -math.inf, "0.5"]
NUMBERS += [None, True, np.float32(0.25), np.float64(0.75), np.int64(1), np.float64("nan"), 1j]
SWITCHES = [True, False, np.bool_(True), np.bool_(False), 0, 1, "yes", None, 1.0]
TEXTS = ["", "no-such-file", "oak\n", "\ud800", "\x00", b"oak", 7, None, Path("no-such-file"), "é"]
# what would take long, or needs another library
SLOW = {"epochs": 2, "beam": 8, "scorer": 0, "learner": 0, "exact_words": 2}


def odd_values(setting: Any) -> list[Any]:
    """Return values for a setting, valid and invalid ones, of many types."""
    kinds = {"int": WHOLE, "float": NUMBERS, "bool": SWITCHES, "str": TEXTS}
    found = kinds[setting.type]
    if choices := setting.metadata["choices"]:
        choices = [name for name in choices if name not in ("neural", "svm", "maxent")]
        found = [*choices, *map(np.str_, choices), *map(Named, choices), *found]
    if (most := SLOW.get(setting.name)) is not None:
        found = [x for x in found if not (isinstance(x, (int, np.integer)) and most < x < 10**7)]
    return found


def keywords(kind: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for a few settings of a kind."""
    known = {setting.name: st.sampled_from(odd_values(setting)) for setting in flat_fields(kind)}
    some = st.lists(st.sampled_from([*known]), min_size=1, max_size=3, unique=True)
    return some.flatmap(lambda names: st.fixed_dictionaries({name: known[name] for name in names}))


TREES = treebank(8, 3, lemmas=True)
TEXTUAL = [
    dodona.Sentence.from_columns(s.forms, comments=[f"# text = {' '.join(s.forms)}"]) for s in TREES
]


def check_saved(train: Callable[..., Serialisable], chosen: dict[str, Any], folder: Path) -> None:
    """Train with these settings; what was not refused is the same after `save` and `load`."""
    try:
        made = train(**{"epochs": 1} | chosen)
    except (dodona.DodonaError, FileNotFoundError):  # refused, or a file that does not exist
        return
    path = folder / "saved.dodona"
    made.save(path)
    again = type(made).load(path)
    assert again.to_bytes() == made.to_bytes()
    before, after = getattr(made, "settings", None), getattr(again, "settings", None)
    assert before == after
    if isinstance(made, dodona.Parser) and isinstance(again, dodona.Parser):
        assert made.settings.flat().items() == again.settings.flat().items()
        assert {*map(type, made.settings.flat().values())} <= {int, float, str}
        assert [*map(bytes, made.pipe(TREES))] == [*map(bytes, again.pipe(TREES))]


@given(chosen=keywords(Settings))
@settings(max_examples=150)
def test_a_parser_with_any_settings_survives(
    chosen: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    def train(**values: Any) -> dodona.Parser:
        return dodona.train(TREES, **values)

    check_saved(train, chosen, tmp_path_factory.mktemp("parser"))


@given(chosen=keywords(TaggerSettings))
@settings(max_examples=100)
def test_a_tagger_with_any_settings_survives(
    chosen: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    def train(**values: Any) -> dodona.Tagger:
        return dodona.train_tagger(TREES, **values)

    check_saved(train, chosen, tmp_path_factory.mktemp("tagger"))


@given(chosen=keywords(SegmenterSettings))
@settings(max_examples=60)
def test_a_segmenter_with_any_settings_survives(
    chosen: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    def train(**values: Any) -> dodona.Segmenter:
        return dodona.train_segmenter(TEXTUAL, **values)

    check_saved(train, chosen, tmp_path_factory.mktemp("segmenter"))


@pytest.mark.thorough
@given(chosen=keywords(Settings))
@example(chosen={"dropout": np.float32(0.25), "batch_words": np.int64(200), "seed": LARGEST})
@example(chosen={"learning_rate": 1, "batch_words": MAX_BATCH_WORDS, "precision": Named("float32")})
@settings(max_examples=1)
def test_a_network_with_any_settings_survives(
    chosen: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')
    small = {"scorer": "neural", "width": 32, "layers": 1, "hidden": 16, "epochs": 1}

    def train(**values: Any) -> dodona.Parser:
        return dodona.train(TREES, **small | values)

    check_saved(train, chosen, tmp_path_factory.mktemp("network"))


@pytest.mark.parametrize(
    "chosen",
    [
        {"epochs": 2.0},
        {"epochs": True},
        {"beam": 2.0},
        {"beam": True},
        {"seed": 1.0},
        {"prune": 3.0},
        {"prune": 10**22},
        {"aggressiveness": math.inf, "learner": "pa"},
        {"explore_rate": "0.5"},
        {"epochs": MAX_EPOCHS + 1},
        {"seed": LARGEST + 1},
        {"beam": 10**50},
        {"beam": MAX_WIDTH + 1},
        {"system": 7},
        {"tags": b"gold"},
    ],
)
def test_settings_that_could_not_be_loaded_are_refused(chosen: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=f"^{next(iter(chosen))} "):
        Settings(**chosen)


@pytest.mark.parametrize(
    ("kind", "chosen"),
    [
        (TaggerSettings, {"lemmas": 1}),
        (TaggerSettings, {"cutoff": MAX_CUTOFF + 1}),
        (TaggerSettings, {"certain": 2.0}),
        (SegmenterSettings, {"certain": math.nan}),
        (SegmenterSettings, {"seed": "1"}),
    ],
)
def test_those_of_taggers_and_segmenters_are_refused_as_well(
    kind: Any, chosen: dict[str, Any]
) -> None:
    with pytest.raises(SettingsError, match=f"^{next(iter(chosen))} "):
        kind(**chosen)


def test_values_of_numpy_become_plain() -> None:
    chosen = {"epochs": np.int32(2), "explore_rate": np.float32(0.5), "system": np.str_("swap")}
    found = Settings(**chosen)
    assert found == Settings(epochs=2, explore_rate=0.5, system="swap")
    assert [type(found.flat()[name]) for name in chosen] == [int, float, str]
    assert TaggerSettings(lemmas=np.bool_(False)).lemmas is False
    assert Settings(system=Named("swap")).system == "swap"
    assert type(Settings(explore_rate=1).explore_rate) is float


def test_a_setting_of_a_file_may_be_a_path(tmp_path: Path) -> None:
    file = tmp_path / "oak.clusters"
    words = sorted({form for sentence in TREES for form in sentence.forms})
    file.write_text("".join(f"{i % 2}\t{word}\t1\n" for i, word in enumerate(words)), "utf-8")
    parser = dodona.train(TREES, epochs=1, clusters=file)
    assert dodona.Parser.from_bytes(parser.to_bytes()).settings.linear.clusters == "oak.clusters"


def test_a_message_about_a_huge_number_is_short() -> None:
    with pytest.raises(SettingsError) as caught:
        Settings(beam=10**5000)
    assert str(caught.value).endswith("not a number of 5,001 digits")


def test_other_trainers_check_their_numbers_too(tmp_path: Path) -> None:
    text = [["an", "oak"], ["the", "oak"]]
    two: Any = np.int64(2)
    half: Any = np.float32(0.5)
    odd: Any = 2.0
    assert cluster(text, clusters=two) == cluster(text, clusters=2)
    with pytest.raises(TypeError, match=r"clusters must be a whole number, not 2\.0"):
        cluster(text, clusters=odd)
    run = Assembly(TREES, None, PartSources(parser="none"), seed=two)
    assert type(run.initial_settings()["seed"]) is int
    recipe = Recipe(["a.conllu"], tmp_path, text=["a.txt"], n_teachers=two, per_gold=half)
    assert (type(recipe.n_teachers), type(recipe.per_gold)) == (int, float)
    with pytest.raises(TypeError, match="longest must be a whole number"):
        Recipe(["a.conllu"], tmp_path, text=["a.txt"], longest=odd)
