"""Encoders of our own: pieces, pretraining, files, and the layers of joint teachers."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')
pytest.importorskip("torch", reason='needs pip install "dodona[teachers]"')
pytest.importorskip("transformers", reason='needs pip install "dodona[teachers]"')

import numpy as np
import torch

from dodona.distilling.encoder_file import pack_encoder, unpack_encoder, unpack_layers
from dodona.distilling.joint_layers import JointLayers, pack_teacher
from dodona.distilling.pretrained import PieceTokenizer, PretrainedEncoder, encoder_checksum
from dodona.distilling.pretraining import (
    PieceCorpus,
    Pretraining,
    PretrainingSettings,
    learn_pieces,
)
from dodona.distilling.recipe import Distillation, Recipe
from dodona.distilling.teacher_inventory import PaddedBatch, TeacherInventory, padded_batches
from dodona.distilling.teacher_network import TeacherNetwork
from dodona.distilling.teacher_settings import TeacherSettings
from dodona.distilling.teacher_training import TeacherTrainer
from dodona.settings import Settings
from dodona.training.neural.gold_treebanks import GoldTreebanks
from dodona.treebank.sentence import Sentence
from support.encoders import tiny_bert
from support.small import treebank

pytestmark = pytest.mark.thorough  # trains networks

TRAIN = treebank(60, 1)
WORDS = [sentence.forms for sentence in TRAIN]
TINY = PretrainingSettings(
    vocabulary=200, embedding=16, width=32, layers=2, heads=2, longest=40, epochs=16,
    batch_pieces=200, learning_rate=0.003,
)  # fmt: skip
SMALL = TeacherSettings(
    epochs=12, width=24, layers=1, batch_words=400, learning_rate=0.02, dropout=0.1
)


def inventory_of(sentences: list[Sentence]) -> TeacherInventory:
    return TeacherInventory(GoldTreebanks(sentences, []), None)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("encoder"), seed=1)


def test_pieces_are_those_of_words() -> None:
    tokenizer = learn_pieces(WORDS, 200)
    split = PieceTokenizer(tokenizer, 128)
    pieces = split.pieces(["zzzz", WORDS[0][0]])
    assert all(pieces) and tokenizer.unk_token_id not in pieces[1]
    text = tokenizer.decode(pieces[1]).replace(" ", "").strip("▁")
    assert text == WORDS[0][0]


def test_rows_are_filled_with_sentences_of_one_language() -> None:
    tokenizer = learn_pieces(WORDS, 200)
    one, other = (PieceCorpus.of(some, tokenizer, 128) for some in (WORDS[:30], WORDS[30:]))
    corpus = PieceCorpus.join([one, other], [1.0, 1.0], seed=1)
    assert len(corpus) == len(WORDS)
    batches = list(corpus.batches(60, 20, seed=1))
    assert len(batches) == corpus.n_batches(60, 20) == len(corpus.pieces) // 60
    assert {batch.shape for batch in batches} == {(3, 20)}
    stream = np.concatenate([np.concatenate(batch) for batch in batches])
    assert not (np.bincount(stream) > np.bincount(corpus.pieces, minlength=stream.max() + 1)).any()
    firsts = {tuple(row) for part in (one, other) for row in _rows(part, 20)}
    assert len({tuple(row) for batch in batches for row in batch} & firsts) < len(
        firsts
    )  # shuffled
    (tiny,) = PieceCorpus.of(WORDS[:1], tokenizer, 128).batches(400, 100, seed=1)
    assert tiny.shape == (4, 100)  # repeated


def _rows(part: PieceCorpus, longest: int) -> Any:
    return part.pieces[: len(part.pieces) // longest * longest].reshape(-1, longest)


def test_small_languages_are_repeated() -> None:
    tokenizer = learn_pieces(WORDS, 200)
    one, other = (PieceCorpus.of(some, tokenizer, 128) for some in (WORDS[:10], WORDS[10:]))
    both = PieceCorpus.join([one, other], [3.0, 1.0], seed=1)
    assert len(both) == 3 * len(one) + len(other)
    assert len(PieceCorpus.join([one, other], [1.5, 1.0], seed=1)) in range(50, 71)


def test_masked_pieces_are_learned(tmp_path: Path) -> None:
    tokenizer = learn_pieces(WORDS, TINY.vocabulary)
    training = Pretraining(tokenizer, PieceCorpus.of(WORDS, tokenizer, TINY.longest), TINY)
    losses = [loss for _, loss, _ in training.epochs()]
    assert len(losses) == TINY.epochs and losses[-1] < losses[0] - 0.3
    training.save(tmp_path / "mine")
    assert PretrainedEncoder(str(tmp_path / "mine")).width == TINY.width


def test_only_chosen_pieces_are_masked() -> None:
    tokenizer = learn_pieces(WORDS, TINY.vocabulary)
    training = Pretraining(tokenizer, PieceCorpus.of(WORDS, tokenizer, 128), TINY)
    batch = torch.from_numpy(next(training.corpus.batches(400, 40, seed=1)))
    inputs, positions = training._mask(batch, 40)
    chosen = torch.zeros(batch.shape, dtype=torch.bool)
    chosen.view(-1)[positions] = True
    assert chosen.sum() == 40
    assert torch.equal(inputs[~chosen], batch[~chosen])
    assert not chosen[batch < 5].any()  # no special pieces
    assert 20 < (inputs == tokenizer.mask_token_id).sum() <= 40


def test_training_ends_in_time() -> None:
    tokenizer = learn_pieces(WORDS, TINY.vocabulary)
    endless = replace(TINY, epochs=10**6)
    training = Pretraining(tokenizer, PieceCorpus.of(WORDS, tokenizer, 128), endless)
    assert len(list(training.epochs(seconds=1.0))) < 10**4


def test_a_file_holds_an_encoder(encoder: Path, tmp_path: Path) -> None:
    path = tmp_path / "tiny.encoder"
    pack_encoder(encoder, path)
    assert unpack_layers(path) is None and JointLayers.read(str(path)) is None
    one, other = PretrainedEncoder(str(encoder)), PretrainedEncoder(str(path))
    assert one.tokenizer.pieces(["oak"]) == other.tokenizer.pieces(["oak"])
    packed = dict(other.named_parameters())
    for name, value in one.named_parameters():
        assert (packed[name] - value).abs().max() <= value.abs().max() / 127 + 1e-6, name
    pack_encoder(encoder, tmp_path / "again.encoder")
    assert (tmp_path / "again.encoder").read_bytes() == path.read_bytes()
    assert encoder_checksum(str(path)) != encoder_checksum(str(encoder))


@pytest.mark.parametrize("cut", [10, 2000, -30])
def test_a_damaged_file_is_named(encoder: Path, tmp_path: Path, cut: int) -> None:
    path = tmp_path / "tiny.encoder"
    pack_encoder(encoder, path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ValueError, match=r"tiny\.encoder: not an encoder that can be read"):
        unpack_encoder(path)


def test_an_archive_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.encoder"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("weights", b"nothing")
    with pytest.raises(ValueError, match=r"other\.encoder: not an encoder"):
        PretrainedEncoder(str(path))


@pytest.fixture(scope="module", params=[False, True], ids=["encoder", "words"])
def joint(
    encoder: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Path:
    """Pack an encoder with the layers of a teacher that knows the labels of one treebank."""
    inventory = inventory_of(TRAIN)
    settings = replace(SMALL, encoder=str(encoder), words=request.param)
    trainer = TeacherTrainer(inventory, settings).complete()
    path = tmp_path_factory.mktemp("joint") / "joint.encoder"
    pack_teacher(trainer.teacher().network, inventory, path)
    return path


def test_a_teacher_begins_with_joint_layers(joint: Path) -> None:
    layers = JointLayers.read(str(joint))
    assert layers is not None
    some = [s.replace(deprels=[f"new:{label}" if label == "root" else label for label in s.deprels])
            for s in TRAIN[:20]]  # fmt: skip
    inventory = inventory_of(some)
    settings = layers.settings(TeacherSettings(encoder=str(joint)))
    assert (settings.width, settings.layers, settings.words) == (24, 1, bool(layers.forms))
    network = TeacherNetwork(inventory, settings)
    random = network.label_both.detach().clone()
    layers.begin(network, inventory)
    assert np.allclose(network.arc_both.detach(), layers.arrays["arc_both"])
    for i, label in enumerate(inventory.labels):
        if label in layers.labels:  # by name, whatever its number is
            row = layers.arrays["label_both"][layers.labels.index(label)]
            assert np.allclose(network.label_both[i].detach(), row)
        else:
            assert label == "new:root" and torch.equal(network.label_both[i], random[i])
    if network.words is not None:
        form = inventory.known.forms[3].decode()
        row = layers.arrays["words.forms.weight"][layers.forms.index(form)]
        assert np.allclose(network.words.forms.weight[4].detach(), row)
        character, number = next(iter(inventory.character_numbers.items()))
        row = layers.arrays["words.characters.weight"][layers.characters.index(character)]
        assert np.allclose(network.words.characters.weight[number].detach(), row)


def test_joint_layers_help_from_the_first_epoch(joint: Path, encoder: Path) -> None:
    inventory = inventory_of(TRAIN)
    layers = JointLayers.read(str(joint))
    assert layers is not None
    short = replace(SMALL, epochs=1)
    with_layers = layers.settings(replace(short, encoder=str(joint)))
    losses = []
    for settings in (with_layers, replace(short, encoder=str(encoder), words=with_layers.words)):
        trainer = TeacherTrainer(inventory, settings)
        arrays = [trainer.network.tensors(batch) for batch in _batches(trainer)]
        gold = [trainer.network.transfer(g) for g in _gold(trainer)]
        with torch.no_grad():
            pairs = zip(arrays, gold, strict=True)
            losses.append(sum(float(trainer.network.eval().loss(a, g)) for a, g in pairs))
    assert losses[0] < 0.8 * losses[1]


def _batches(trainer: TeacherTrainer) -> list[PaddedBatch]:
    return list(padded_batches(trainer.encoded, trainer.order, 400))


def _gold(trainer: TeacherTrainer) -> list[dict[str, Any]]:
    found = trainer.inventory.gold_classes()
    return [{n: batch.padded(v, -1) for n, v in found.items()} for batch in _batches(trainer)]


def test_the_file_determines_the_sizes(joint: Path, tmp_path: Path) -> None:
    path = tmp_path / "train.conllu"
    path.write_text("".join(map(str, (s.to_conllu() for s in TRAIN))), encoding="utf-8")
    recipe = Recipe(
        train=[str(path)], work=tmp_path, text=[str(path)], encoders=[str(joint)],
        settings=Settings(scorer="neural"),
    )  # fmt: skip
    (settings,) = Distillation(recipe).teacher_settings()
    layers = JointLayers.read(str(joint))
    assert layers is not None
    assert (settings.width, settings.words) == (24, bool(layers.forms))
    given = replace(recipe, teacher={"width": 100})
    with pytest.raises(ValueError, match="determines the width of teachers"):
        Distillation(given).teacher_settings()
