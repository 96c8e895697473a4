"""The teacher of all languages: what it sees, what it learns from, and how it votes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

import jax.numpy as jnp
import numpy as np

from dodona.training.neural.optimizer import AdamWSettings
from support.lanes import NAMES, lane, make_languages
from tools.languages.lanes import teacher, teaching, training
from tools.languages.lanes.decks import NOTHING, Deck
from tools.languages.lanes.fleet import Fleet, Phase
from tools.languages.lanes.lane import (
    DEV,
    TEACHER,
    TEXT,
    UNKNOWN,
    Lane,
    dev_scores,
    first_of,
    no_opinions,
    nothing,
    prefixed,
)
from tools.languages.lanes.teacher import (
    ROW,
    batch_words,
    class_losses,
    guess_loss,
    opinions,
    teacher_loss,
)
from tools.languages.lanes.teaching import GOLD_ROWS, Round, Teacher

ROUND = Round("first teacher", 200, 1_000, 0.5)
TINY = {"width": 32, "layers": 2, "heads": 2, "inner": 64, "word": 16, "affix": 4, "units": 16}


@pytest.fixture(scope="module")
def lanes(tmp_path_factory: pytest.TempPathFactory) -> list[Lane]:
    """Two languages, of which the first has text, and the second does not lend."""
    folder = make_languages(tmp_path_factory.mktemp("data"))
    found = [lane(folder, name) for name in NAMES]
    found[1].sizes["lends"] = False
    return found


@pytest.fixture(scope="module", autouse=True)
def small_tables() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("FORM_ROWS", "AFFIX_ROWS", "GRAM_ROWS"):
            for module in (teacher, teaching):
                patch.setattr(module, name, 1 << 10)
        patch.setattr(teaching, "ADAMW", AdamWSettings(rate=5e-3, warm=10, clip=1.0))
        yield


@pytest.fixture(scope="module")
def trained(lanes: list[Lane]) -> Teacher:
    """A teacher of some steps, which has given its opinions."""
    one = Teacher(lanes, **TINY)
    one.train(ROUND, one.compiled(ROUND), 1e9)
    one.annotate_lanes(ROUND.name)
    return one


def test_places_of_heads_are_in_the_row() -> None:
    words = {"type": 7, "form": 5, "label": 2, "position": 0, "head": 0}
    data: Any = {key: np.full((1, 4), value) for key, value in words.items()}
    data["position"][0], data["head"][0] = [0, 1, 2, 0], [1, 0, -2, UNKNOWN]
    data["tags"] = np.arange(12).reshape(1, 3, 4)
    chosen = np.full((1, 1, ROW), NOTHING)
    chosen[0, 0, :5] = 3, 0, 1, 2, 0  # a sentence of one word, one of three, and a part
    found = batch_words({key: jnp.asarray(x) for key, x in data.items()}, jnp.asarray(chosen))
    assert found["head"][0, 0, :6].tolist() == [-1, 2, ROW, 1, 5, -1]
    assert found["first"][0, 0, :4].tolist() == [0, 1, 1, 1]
    assert len({*found["first"][0, 0, 5:].tolist()}) == ROW - 5  # padding sees nothing
    assert found["label"][0, 0, :2].tolist() == [-1, 2] and found["form"][0, 0, 5] == 0
    assert found["tags"][:, 0, 0, :2].tolist() == [[3, 0], [7, 4], [11, 8]]
    assert (found["tags"][..., 5:] == -1).all()


def test_losses_are_those_of_known_classes() -> None:
    random = np.random.default_rng(1)
    scores, classes = random.standard_normal((5, 4)), np.array([0, -1, 3, 2, -1])
    expected = [
        0 if c < 0 else np.log(np.exp(row).sum()) - row[c]
        for row, c in zip(scores, classes, strict=True)
    ]
    assert np.allclose(class_losses(jnp.asarray(scores), jnp.asarray(classes)), expected, rtol=1e-5)


def test_hidden_words_are_guessed_by_lane() -> None:
    random = np.random.default_rng(2)
    n, forms = random.standard_normal((2, 12, 8)), np.zeros((2, 12), int)
    forms[0, [3, 7]], forms[1, 4] = (5, 1), 6
    sizes = {"guess": (8, 4), "guess.own": (2, 4, 9), "guess.bias": (2, 9)}
    p: Any = {name: random.standard_normal(size).astype("f4") for name, size in sizes.items()}
    losses = []
    for i, j in ((0, 3), (0, 7), (1, 4)):
        scores = n[i, j] @ p["guess"] @ p["guess.own"][i] + p["guess.bias"][i]
        losses.append(np.log(np.exp(scores).sum()) - scores[forms[i, j]])
    found = guess_loss(p, jnp.asarray(n), jnp.asarray(forms))
    assert np.allclose(found, np.mean(losses), rtol=0.05)  # half precision
    assert guess_loss(p, jnp.asarray(n), jnp.zeros((2, 12), int)) == 0


@pytest.mark.thorough
def test_sentences_of_a_row_do_not_see_each_other(lanes: list[Lane]) -> None:
    one = Teacher(lanes, **TINY)
    p = {name: jnp.asarray(x) for name, x in teacher.new_teacher(one.sizes, 1).items()}
    first, lengths = lanes[0].sentences(DEV)
    both, alone = (np.full((2, 1, ROW), NOTHING, np.int32) for _ in range(2))
    n, end = int(lengths[1]), int(lengths[:3].sum())
    both[0, 0, :end] = first[0] + np.arange(end)
    alone[0, 0, :n] = first[1] + np.arange(n)
    some = slice(int(lengths[0]), int(lengths[0]) + n)
    given = one.sizes, p, one._data
    of_both, of_one = (opinions(*given, jnp.asarray(x)) for x in (both, alone))
    for key in ("head_share", "label_share", "tags_share"):
        shares = of_both[key][..., 0, 0, some], of_one[key][..., 0, 0, :n]
        assert np.allclose(*shares, atol=0.02)
    for word in range(n):  # the likeliest heads are other words of the sentence, or the root
        shares = of_one["head_share"][:, 0, 0, word]
        likely = of_one["head"][:, 0, 0, word][shares > 0]
        up = np.where(likely == 0, word, word + likely)
        assert (up >= 0).all() and (up < n).all() and len({*likely.tolist()}) == len(likely)
        assert len(likely) >= min(n, 4)  # n - 1 words and the root


@pytest.mark.thorough
def test_the_teacher_learns_from_what_lends(lanes: list[Lane], trained: Teacher) -> None:
    assert trained.scores.keys() == {"aa_one"} and trained.scores["aa_one"]["las"] > 20
    assert [one.has_teacher for one in lanes] == [True, False]
    assert dev_scores(lanes[0], lanes[0].teacher_votes(DEV)) == trained.scores["aa_one"]
    assert lanes[0].arrays[f"{TEXT}.teacher_head"].shape == (4, lanes[0].n_words(TEXT))
    assert lanes[0].words("teacher_head_share")[:, : lanes[0].first(TEXT)].sum() == 0  # of gold


@pytest.mark.thorough
def test_the_teacher_votes_by_its_weight(lanes: list[Lane], trained: Teacher) -> None:
    trained.annotate_lanes(ROUND.name)
    fleet, phase = Fleet(lanes), Phase("voters", 2, 1, 64, 0)
    fleet.learn_opinions()
    p = fleet.new(phase)  # networks that know nothing
    fleet.weights[:] = 0
    alone = [*map(first_of, fleet.votes(p, DEV))]
    fleet.weights[:] = 1e6
    taught = [*map(first_of, fleet.votes(p, DEV))]
    own = lanes[0].teacher_votes(DEV)
    assert all((taught[0][key] == own[key]).mean() > 0.99 for key in own)  # but for ties
    assert (alone[0]["head"] != own["head"]).any()
    assert all((taught[1][key] == alone[1][key]).all() for key in own)  # it has no teacher
    weights = fleet.best_weights(p)
    assert weights[0] > 0 and weights[1] == 0
    lanes[0].learn(prefixed(TEACHER, no_opinions(lanes[0].n_words(DEV))), DEV)
    assert Fleet(lanes).best_weights(p).tolist() == [0, 0]  # no opinions are worth nothing


def test_small_treebanks_are_not_repeated_for_ever() -> None:
    one, sizes = Teacher.__new__(Teacher), (1_000, 50_000)
    one.lanes = [Lane(str(n), {}, {"own_words": n}) for n in sizes]
    small, large = one._gold_shares(replace(ROUND, epochs=60), 1_000)
    assert large == 1 and small * 1_000 * GOLD_ROWS * ROW == pytest.approx(60 * 1_000)


@pytest.mark.thorough
def test_the_second_round_learns_from_trees_of_texts(lanes: list[Lane]) -> None:
    one, (first, lengths) = lanes[0], lanes[0].sentences(TEXT)
    votes = nothing(one.n_words(TEXT))
    votes["head"][:], votes["label"][:] = -1, 3
    votes["head"][first - one.first(TEXT)] = 0
    votes["head"][first[0] - one.first(TEXT)] = 1  # the first sentence is a circle
    one.learn(votes, TEXT)
    learner, again = Teacher(lanes, **TINY), replace(ROUND, name="second", has_votes=True)
    learner._shares = learner._gold_shares(ROUND, 1_000)
    for chosen_round, has_circle in ((ROUND, True), (again, False)):
        batches = learner._batches(chosen_round)
        drawn = {word for _ in range(100) for word in next(batches)[0, GOLD_ROWS:].ravel().tolist()}
        assert (int(first[0]) in drawn) == has_circle and int(first[1]) in drawn
    learner._shares = np.zeros(len(lanes))  # text fills rows without gold
    of_gold = next(learner._batches(again))[0, :GOLD_ROWS]
    assert (of_gold[of_gold != NOTHING] >= one.first(TEXT)).all() and (of_gold != NOTHING).any()
    p = {name: jnp.asarray(x) for name, x in teacher.new_teacher(learner.sizes, 1).items()}
    words = np.full((2, GOLD_ROWS + teaching.TEXT_ROWS, ROW), NOTHING, np.int32)
    words[0, GOLD_ROWS] = Deck(first, lengths, 1).draw(ROW)  # text alone
    for n_parsed, is_learned in ((ROUND.n_parsed, False), (again.n_parsed, True)):
        rows, seed = (n_parsed, GOLD_ROWS), np.uint32(1)
        _, losses = teacher_loss(learner.sizes, rows, p, learner._data, jnp.asarray(words), seed)
        assert bool(losses["arcs"] > 0) == bool(losses["labels"] > 0) == is_learned
        assert losses["guesses"] > 0
    for key in votes:
        del one.arrays[f"{TEXT}.{key}"]


def test_the_teacher_does_not_see_votes_of_what_does_not_lend(lanes: list[Lane]) -> None:
    whole = lanes[0]
    one = Lane("not_lent", dict(whole.arrays), whole.sizes | {"lends": False})
    before = one.without_votes().arrays.keys()
    votes = no_opinions(one.n_words(TEXT))
    votes["head"][0] = 1
    one.learn_votes(votes)
    learner = Teacher([one], **TINY)
    text = np.asarray(learner._data["head"][0])[one.first(TEXT) : one.first(DEV)]
    assert (text == UNKNOWN).all() and one.has_votes
    assert one.without_votes().arrays.keys() == before < one.arrays.keys()


@pytest.mark.thorough
def test_a_course_with_a_teacher(lanes: list[Lane], tmp_path: Path) -> None:
    """Teacher, voters, teacher again and students: every one of them is scored, and votes."""
    fleet, one = Fleet(lanes), Teacher(lanes, **TINY)
    voters = Phase("voters", 2, 40, 128, 64, branches=1)
    students = Phase("students", 1, 60, 128, 64, has_states=True, seed=7)
    rounds = replace(ROUND, steps=60), replace(ROUND, name="second", steps=60, has_votes=True)
    training.run(fleet, voters, students, tmp_path, 1e9, one, rounds)
    scores = json.loads((tmp_path / "report.json").read_bytes())
    of_all = {"voters", "voters and first teacher", "voters and second", "student", "together"}
    assert of_all | {"first teacher", "second", "trees"} == scores["aa_one"].keys()
    assert scores["bb_two"].keys() == of_all | {"trees"}  # it does not lend
    assert json.loads((tmp_path / "teacher.json").read_bytes()).keys() == {"aa_one"}
    assert {x.name for x in tmp_path.glob("*.npz")} == {
        *("aa_one.npz", "bb_two.npz", "aa_one.votes.npz", "trunk.npz")
    }
