"""Networks trained side by side are those that are trained alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

import jax.numpy as jnp
import numpy as np

import dodona
from dodona.pipeline.fine_tuning import Base
from dodona.training.neural.batching import BatchCapacity, make_batch
from dodona.training.neural.encoder import encode
from dodona.training.neural.losses import encode_batch, losses
from dodona.training.neural.network import Dropout
from dodona.training.neural.rollouts import STATE_PARAMETERS, Rollouts
from dodona.treebank.conllu.writer import Writer
from support.lanes import lane, language, make_languages, words_of, write_treebank
from tools.languages.__main__ import main
from tools.languages.lanes import arrays, models, training
from tools.languages.lanes import fleet as fleets
from tools.languages.lanes.arrays import SALT, upos_places
from tools.languages.lanes.decks import NOTHING, Deck, are_trees
from tools.languages.lanes.fleet import Fleet, Phase
from tools.languages.lanes.lane import (
    GOLD,
    LABELS,
    UNKNOWN,
    UPOS_TAGS,
    VOTED,
    Lane,
    certain,
    common_shape,
    first_of,
    fixed_arrays,
    likeliest,
    nothing,
    stacked,
)
from tools.languages.lanes.models import Language
from tools.languages.lanes.network import (
    SHARES,
    batch_arrays,
    best,
    guess_loss,
    lane_loss,
    new_lane,
    padded_to,
)
from tools.languages.recipe import networks_of, segmenter_of, student_of
from tools.languages.sets import find_sets, prepared

NO_DROPOUT = Dropout(0, 0, 0, 0)
SEEDS: dict[str, Any] = {}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with two languages, one of which has text, and files of both."""
    return make_languages(tmp_path_factory.mktemp("data"))


def arrays_of(lanes: list[Lane], number: int) -> Any:
    """The arrays of a lane among others."""
    return {
        name: jnp.asarray(x[number])
        for name, x in (fixed_arrays(lanes) | likeliest(lanes, VOTED)).items()
    }


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["aa_one", "bb_two"])
def test_the_loss_is_that_of_the_network_alone(
    folder: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrays, "MOST_GRAMS", 64)  # all of all words
    own = language(folder, name)
    own.save_arrays(tmp_path / f"{name}.npz")
    one = Lane.load(tmp_path / f"{name}.npz")
    assert one.sizes["lends"]
    strategy, shape = own.strategy, one.shape
    p = new_lane(shape, one.sizes["n_labels"], 1)
    p |= {key: np.zeros_like(x) for key, x in p.items() if key.startswith("label.")}
    chosen = words_of(one, GOLD, 192)
    data = arrays_of([one], 0)
    parts = one.parts(shape)
    found = lane_loss(shape, NO_DROPOUT, p, data, parts, jnp.asarray(chosen), SEEDS, 192, 0)

    n = int((chosen >= 0).sum())
    gold = strategy.schedule.sets[0]
    some = range(int(np.searchsorted(gold.words.first, n)))
    batch = make_batch(gold.words, some, BatchCapacity(192))
    actions, slots = strategy.task.actions, strategy.slots
    rollouts = Rollouts(gold.corpus, actions, slots, 192, mode="ambiguity")
    nothing = {key: np.zeros_like(p[key]) for key in STATE_PARAMETERS}
    products = np.zeros((194, shape.n_slots * shape.hidden), np.float32)
    rollout = rollouts.run(batch, nothing, products, SALT, False)
    seen = encode_batch(shape, NO_DROPOUT, p, batch.arrays, parts, SEEDS)
    found_arrays = batch_arrays(data, jnp.asarray(chosen), jnp.ones(192, bool))
    assert found_arrays["head_weights"].sum(axis=0).tolist() == (chosen >= 0).tolist()
    heads = {"heads": found_arrays["heads"][0]}
    tags = [data["tags"][i, 0][np.maximum(chosen, 0)].astype(np.int32) for i in range(3)]
    tags = [np.where(chosen >= 0, column, -1) for column in tags]
    alone = losses(shape, NO_DROPOUT, p, seen, batch.arrays | heads, rollout, tags, SEEDS)
    of_labels = np.log(one.sizes["n_labels"])  # all are equally likely
    expected = (
        alone.states + alone.tags + SHARES["arcs"] * alone.arcs + SHARES["labels"] * of_labels
    )
    assert np.allclose(found, expected, rtol=1e-5)
    assert all(x > 0.1 for x in alone)


@pytest.mark.thorough
def test_the_loss_of_uncertain_votes_is_the_mean_of_their_losses(folder: Path) -> None:
    """As long as labels are those of the same head, the loss is linear in the shares."""
    one = lane(folder, "aa_one")
    shape, p = one.shape, new_lane(one.shape, one.sizes["n_labels"], 1)
    chosen, parts = jnp.asarray(words_of(one, GOLD, 128)), one.parts(shape)
    sure = arrays_of([one], 0)

    def loss(shares: tuple[float, float], **classes: Any) -> float:
        data = dict(sure)
        for key, (first, second) in classes.items():
            k = np.array([first, second], np.int16)
            axis = data[key].ndim - 2
            size = [1] * data[key].ndim
            size[axis] = 2
            some = (slice(None),) * axis + (slice(2),)
            data[key] = data[key].at[some].set(k.reshape(size))
            part = np.array(shares, np.float16).reshape(size)
            data[f"{key}_share"] = data[f"{key}_share"].at[some].set(part)
        return float(lane_loss(shape, NO_DROPOUT, p, data, parts, chosen, SEEDS, 0, 0))

    for key in ("label", "tags"):
        both = loss((0.75, 0.25), **{key: (0, 1)})
        assert np.isclose(
            both, 0.75 * loss((1, 0), **{key: (0, 1)}) + 0.25 * loss((0, 1), **{key: (0, 1)})
        )
    head = {"label": (0, 0), "head": (0, 0)}  # the root twice is the root
    assert np.isclose(loss((0.5, 0.5), **head), loss((1, 0), **head))


def test_the_likeliest_classes_share_what_they_have() -> None:
    classes, shares = best(jnp.asarray([[0.1, 0.6, 0.2, 0.1], [0, 0, 0, 0]]), 2)
    assert classes[:, 0].tolist() == [1, 2] and np.allclose(shares[:, 0], [0.75, 0.25])
    assert shares[:, 1].tolist() == [0, 0]  # nothing is known
    classes, shares = best(jnp.asarray([[2.0]]), 3)  # there is one class
    assert classes.tolist() == [[0], [0], [0]] and shares.tolist() == [[1], [0], [0]]


def test_annotation_is_certain_and_what_is_unknown_has_no_share() -> None:
    found = certain(np.array([0, UNKNOWN]), np.array([3, -1]), np.array([[5, -1]] * 3))
    assert found["head"][0].tolist() == [0, UNKNOWN] and found["head_share"][0].tolist() == [1, 0]
    assert found["label_share"].tolist() == [[1, 0], [0, 0]]
    assert found["tags_share"][:, 0].tolist() == [[1, 0]] * 3
    assert all((first_of(found)[key] == found[key][..., 0, :]).all() for key in first_of(found))


@pytest.mark.thorough
def test_larger_languages_beside_it_make_no_difference(folder: Path) -> None:
    lanes = [lane(folder, name) for name in ("aa_one", "bb_two")]
    assert lanes[0].shape.tag_sizes != lanes[1].shape.tag_sizes
    shape = common_shape(lanes)
    most = new_lane(shape, max(one.sizes["n_labels"] for one in lanes), 0)
    sizes = {name: x.shape for name, x in most.items()}
    for i, one in enumerate(lanes):
        p = new_lane(one.shape, one.sizes["n_labels"], 1)
        chosen = jnp.asarray(words_of(one, GOLD, 128))
        both = []
        for all_lanes, here, of_shape, values in (
            ([one], 0, one.shape, p),
            (lanes, i, shape, padded_to(sizes, p)),
        ):
            data, parts = arrays_of(all_lanes, here), one.parts(of_shape)
            given = of_shape, NO_DROPOUT, values, data, parts, chosen, SEEDS
            both.append(lane_loss(*given, 64, 0))
        assert np.allclose(*both, rtol=1e-5)


@pytest.mark.thorough
def test_of_hidden_words_nothing_is_known(folder: Path) -> None:
    one = lane(folder, "aa_one")
    shape, chosen = one.shape, jnp.asarray(words_of(one, GOLD, 64))
    p = new_lane(shape, one.sizes["n_labels"], 1)

    def encoded(hidden: int, changed: int) -> Any:
        data = arrays_of([one], 0)
        data["type"] = data["type"].at[chosen[changed]].add(1)
        is_shown = jnp.arange(64) != hidden
        return encode(shape, p, batch_arrays(data, chosen, is_shown), SEEDS, NO_DROPOUT)

    assert (encoded(1, 1) == encoded(1, 63)).all() and chosen[63] == NOTHING
    assert (encoded(2, 1) != encoded(2, 63)).any()


def test_hidden_words_alone_are_guessed() -> None:
    random = np.random.default_rng(1)
    n, words = random.standard_normal((12, 8)), random.standard_normal((9, 5))
    p = {"guess": random.standard_normal((5, 8)), "guess.bias": random.standard_normal(9)}
    forms = np.full(12, -1)
    forms[[5, 8, 11]] = 4, 0, 7
    scores = n @ p["guess"].T @ words.T + p["guess.bias"]
    right = [scores[i, form] - np.log(np.exp(scores[i]).sum()) for i, form in enumerate(forms)]
    expected = -sum(right[i] for i in (5, 8, 11)) / 12
    found = guess_loss(p | {"word.0": words}, jnp.asarray(n), jnp.asarray(forms), 12)
    assert np.allclose(found, expected, rtol=1e-4)
    assert guess_loss(p | {"word.0": words}, jnp.asarray(n), jnp.full(12, -1), 12) == 0


def test_arrays_are_padded_at_their_ends() -> None:
    found = stacked([np.ones((2, 3), np.int8), np.ones((1, 4), np.int8)], 7)
    assert found.shape == (2, 2, 4) and (found == 7).sum() == 16 - 10
    with pytest.raises(ValueError, match=r"bb: its network has another width"):
        sizes = {"table_sizes": [3], "field_widths": [2], "bag": 0, "tag_sizes": [1, 1, 1]}
        sizes |= {"layers": 1, "hidden": 4, "n_slots": 1, "n_atom_rows": 1, "n_classes": 8}
        sizes |= {"arcs": 0, "n_parts": [1, 1], "parts": [[], []]}
        common_shape([Lane("aa", {}, sizes | {"width": 4}), Lane("bb", {}, sizes | {"width": 8})])


def test_every_sentence_is_drawn_as_often() -> None:
    random = np.random.default_rng(1)
    lengths = random.integers(1, 9, 50)
    first = np.cumsum(lengths) - lengths + 1000
    deck, counts = Deck(first, lengths, 5), np.zeros(int(lengths.sum()), int)
    while counts.min() < 3:
        words = deck.draw(40)
        inside = words[words >= 0]
        assert (words[len(inside) :] == NOTHING).all()
        counts[inside - 1000] += 1
        begun = np.isin(inside, first).sum()
        assert begun == np.isin(inside, first + lengths - 1).sum() > 0  # whole sentences
    assert counts.max() <= 4
    once = np.concatenate([*deck.once(40)])
    assert once[once >= 0].tolist() == [*range(1000, 1000 + len(counts))]
    assert (Deck([], [], 1).draw(4) == NOTHING).all() and not [*Deck([], [], 1).once(4)]
    assert (Deck([0], [101], 1).draw(200) == NOTHING).all()  # too long


def test_trees_are_told_from_other_graphs() -> None:
    def is_tree(heads: list[int]) -> bool:
        for word in range(len(heads)):
            seen = {word}
            while heads[word] != word:
                word = heads[word]
                if word in seen or not 0 <= word < len(heads):
                    return False
                seen.add(word)
        return sum(head == i for i, head in enumerate(heads)) == 1

    random = np.random.default_rng(2)
    lengths = random.integers(1, 6, 400)
    heads = [random.integers(-1 if random.random() < 0.1 else 0, n, n).tolist() for n in lengths]
    distances = np.array([head - i for some in heads for i, head in enumerate(some)])
    expected = [is_tree(some) for some in heads]
    assert 50 < sum(expected) < 350
    assert are_trees(lengths, distances).tolist() == expected


@pytest.mark.thorough
def test_networks_become_models(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two languages, one without text, learn a few steps; the models parse better than chance."""
    fleet = Fleet([lane(folder, name) for name in ("aa_one", "bb_two")])
    voters = Phase("voters", 2, 60, 128, 64, branches=1)
    students = Phase("students", 1, 150, 128, 64, has_states=True, seed=7)
    trained: list[tuple[Any, Any]] = []

    def train(self: Fleet, phase: Phase, begun: Any, *given: Any) -> Any:
        first = {name: np.asarray(x) for name, x in begun.items()}
        trained.append((first, whole(self, phase, begun, *given)))
        return trained[-1][1]

    whole = Fleet.train
    monkeypatch.setattr(Fleet, "train", train)
    training.run(fleet, voters, students, tmp_path, 1e9)
    (_, of_voters), (begun, _) = trained
    assert all((begun[name][:, 0] == of_voters[name][:, 0]).all() for name in begun)
    report = (tmp_path / "report.json").read_text(encoding="utf-8")
    assert all(f'"{name}"' in report for name in ("voters", "student", "together"))
    monkeypatch.setattr(models, "votes_of", lambda one, out: tmp_path / f"{one.name}.votes.npz")
    monkeypatch.setattr(models, "gold_epochs", lambda n_words: 20)
    for name, amount in (("TUNING_GOLD", 1), ("TUNING_TEXT", 200)):
        monkeypatch.setattr(models, name, amount)
    for name in ("aa_one", "bb_two"):
        own = language(folder, name)
        assert (own.votes_las() > 0) == (name == "aa_one")  # the other has no text
        gold = list(dodona.read(own.one.dev))
        parser = own.student(tmp_path / f"{name}.npz")
        parser.save(tmp_path / "model.dodona")
        las = dodona.evaluate(gold, [*dodona.load(tmp_path / "model.dodona").pipe(gold)]).las
        assert las > 40
        tuned = own.tuned(tmp_path / "model.dodona")
        assert dodona.evaluate(gold, [*tuned.pipe(gold)]).las > las


def test_votes_become_sentences(folder: Path) -> None:
    own = language(folder, "aa_one")
    text, lengths = own.text, [len(sentence) for sentence in own.text]
    votes = nothing(sum(lengths))
    votes["head"][:], votes["label"][:], votes["tags"][:] = -1, LABELS.index("obj"), 0
    tags = {task.column: task.classes for task in own.strategy.tags.tag_classes}
    upos = upos_places(own.strategy)
    votes["tags"][0] = upos[-1]
    first = np.cumsum([0, *lengths[:-1]])
    votes["head"][first] = 0
    votes["head"][first[1]] = 1  # a circle
    votes["label"][first[2]] = len(LABELS) + 99  # the treebank has no such label …
    votes["tags"][0, first[3]] = max(upos) + 1  # … and no such tag
    found = list(arrays.voted(own.strategy, text, votes))
    assert [s.forms for s in found] == [s.forms for s in (text[0], *text[4:])]
    for sentence in found:
        n = len(sentence)
        assert sentence.heads == [*range(n)] and set(sentence.deprels) == {"obj"}
        assert set(sentence.upos) == {tags["upos"][-1].decode()}
        assert set(sentence.xpos) == {tags["xpos"][0].decode()}
    some = models.some_of(found, sum(map(len, found)) // 3)
    assert abs(3 * len(some) - len(found)) <= 3 and some[-1] in found[-9:]
    assert models.some_of(found, 10**9) == found


@pytest.mark.parametrize(
    ("of_votes", "after_text", "expected"),
    [(81, [79, 80], "second"), (81, [79, 78], "first"), (60, [70], "alone"), (0, [70], "alone")],
)
def test_text_counts_only_if_votes_are_better_than_the_student(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    of_votes: float,
    after_text: list[float],
    expected: str,
) -> None:
    own, seen = language(folder, "aa_one"), []

    def tuned(self: Language, base: Base, train: list[dodona.Sentence], chosen: Any) -> Any:
        seen.append((base.parser, len(train), chosen))
        if chosen.get("learning_rate") == models.GOLD_SETTINGS["learning_rate"]:
            return "alone", after_text
        return [("first", [79.5]), ("second", after_text)][len(seen) - 1]

    monkeypatch.setattr(Language, "_tuned", tuned)
    monkeypatch.setattr(Language, "voted", lambda self: self.text)
    monkeypatch.setattr(Language, "votes_las", lambda self: of_votes)
    monkeypatch.setattr(Language, "_las", lambda self, parser: 60)
    monkeypatch.setattr(models, "TUNING_GOLD", 3 * own.one.n_words)
    monkeypatch.setattr(Base, "load", lambda path: Base(path, "student", ""))
    student = Path("student.dodona")
    assert own.tuned(student) == expected  # type: ignore[comparison-overlap]
    if expected == "alone":
        assert len(seen) == 1 and seen[0][1] == 40
    else:
        assert seen[0] == (student, 3 * 40 + len(own.text), models.TEXT_SETTINGS)
        assert seen[1] == ("first", 40, models.AFTER_TEXT)


@pytest.mark.thorough
def test_branches_are_the_same_until_the_trunk_is_made(folder: Path, tmp_path: Path) -> None:
    lanes = [lane(folder, name) for name in ("aa_one", "bb_two")]
    phase, fleet = Phase("voters", 2, 4, 64, 0, branches=1), Fleet(lanes)
    step_of, seen = fleet.compiled(phase), []

    def step(*given: Any) -> Any:
        found = step_of(*given)
        seen.append({name: np.asarray(x) for name, x in found[0].items()})
        return found

    fleet.train(phase, fleet.new(phase), step, 1e9)
    for name, n_rows in (("layer.0.in", None), ("tag.0", len(UPOS_TAGS)), ("label.bias", 37)):
        differ = [
            [(x[name][0, k, :n_rows] != x[name][1, k, :n_rows]).any() for k in (0, 1)] for x in seen
        ]
        assert differ == [[False, True]] * 2 + [[True, True]] * 2  # the other begins on its own
    assert fleet.trunk is not None
    training.save_trunk(tmp_path / "trunk.npz", fleet.trunk, lanes)
    trunk = training.load_trunk(tmp_path / "trunk.npz")
    assert trunk.keys() == fleet.trunk.keys() and "word.0" not in trunk
    begun = Fleet(lanes[:1], trunk).new(phase)
    assert np.array_equal(begun["layer.0.in"][0, 0], trunk["layer.0.in"])
    assert not np.array_equal(begun["layer.0.in"][0, 1], trunk["layer.0.in"])


def test_only_languages_that_lend_make_the_trunk() -> None:
    random = np.random.default_rng(1)
    own = {
        name: random.standard_normal((3, 2, rows, 4)) for name, rows in (("gain", 5), ("tag.0", 20))
    }
    lent = np.array([[0.5, 0], [0, 0], [0.5, 0]])  # not by the second; nor in the second network
    found = fleets.averaged(own, jnp.asarray(lent))
    for name, n in (("gain", 5), ("tag.0", len(UPOS_TAGS))):
        mean = (own[name][0, 0, :n] + own[name][2, 0, :n]) / 2
        assert np.allclose(found[name][:, 0, :n], mean)
        assert np.array_equal(found[name][:, 0, n:], own[name][:, 0, n:].astype("f4"))
        assert np.array_equal(found[name][:, 1], own[name][:, 1].astype("f4"))


@pytest.mark.thorough
def test_time_shortens_training(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fleet = Fleet([lane(folder, "bb_two")])
    lines: list[str] = []
    monkeypatch.setattr("tools.languages.lanes.lane.report", lines.append)
    phase = Phase("voters", 1, 10_000, 64, 0)
    fleet.train(phase, fleet.new(phase), fleet.compiled(phase), 0)
    assert lines[0].endswith(" ms a step, 40 steps")


@pytest.mark.thorough
def test_a_treebank_without_upos_is_refused(folder: Path, tmp_path: Path) -> None:
    write_treebank(tmp_path / "treebanks" / "cc_bare", 4)
    path = tmp_path / "treebanks" / "cc_bare" / "train.conllu.gz"
    bare = [s.replace(upos=["_"] * len(s)) for s in dodona.read(path)]
    with Writer(path) as writer:
        for sentence in bare:
            writer.write(sentence)
    with pytest.raises(SystemExit, match=r"train\.conllu\.gz: no word has UPOS"):
        language(tmp_path, "cc_bare").save_arrays(tmp_path / "cc_bare.npz")


@pytest.mark.thorough
def test_the_network_of_a_language_is_not_trained_twice(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / "out"
    (one,) = find_sets(folder, ["bb_two"])
    one = prepared(one, out / one.name)
    assert segmenter_of(one, out).exists() and not student_of(one, out).exists()
    (networks_of(out)).mkdir()
    (networks_of(out) / "bb_two.npz").write_bytes(b"no network")
    words = ["--data", str(folder), "--out", str(out), "--languages", "bb", "--until", "student"]
    with pytest.raises(SystemExit, match="failed: bb_two"):
        main(words)
    assert "networks …" not in capsys.readouterr().out
