"""Pretrained encoders under teachers: pieces, windows, and several architectures."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("torch", reason='needs pip install "dodona[teachers]"')
pytest.importorskip("transformers", reason='needs pip install "dodona[teachers]"')

import numpy as np
import torch

from dodona.distilling.pretrained import (
    MAX_PIECES,
    PieceTokenizer,
    PretrainedEncoder,
    encoder_checksum,
)
from support.encoders import tiny_bert, tiny_roberta

pytestmark = pytest.mark.thorough  # imports PyTorch

MAKERS: dict[str, Callable[[Path], Path]] = {
    "BERT": tiny_bert,
    "ELECTRA": partial(tiny_bert, kind="Electra"),
    "MPNet": partial(tiny_bert, kind="MPNet"),
    "DeBERTa": partial(tiny_bert, kind="DebertaV2"),
    "RoBERTa": tiny_roberta,
    "XLM-R": partial(tiny_roberta, kind="XLMRoberta"),
}


def encode(encoder: PretrainedEncoder, sentences: list[list[str]]) -> torch.Tensor:
    pieces = encoder.tokenizer.windows(sentences)
    arrays = {n: torch.from_numpy(getattr(pieces, n)) for n in ("ids", "mask", "words", "at")}
    with torch.inference_mode():
        found: torch.Tensor = encoder.eval()(arrays, sum(map(len, sentences)))
    return found


@pytest.mark.parametrize("name", MAKERS)
def test_words_have_vectors_that_depend_on_their_own_sentence_alone(
    name: str, tmp_path: Path
) -> None:
    encoder = PretrainedEncoder(str(MAKERS[name](tmp_path)))
    one, other = ["An", "oak", "speaks", "."], ["\U0001f333", "\ud800", "", "long" * 30]
    both = encode(encoder, [one, other])
    assert both.shape == (8, encoder.width) and torch.isfinite(both).all()
    assert torch.allclose(encode(encoder, [one]), both[:4], atol=1e-4)
    assert torch.allclose(encode(encoder, [other]), both[4:], atol=1e-4)
    changed = encode(encoder, [["An", "oak", "sleeps", "."]])
    assert not torch.allclose(changed[1], both[1], atol=1e-4)  # in another context


@pytest.mark.parametrize("name", ["BERT", "RoBERTa"])
def test_long_sentences_are_cut_into_windows_and_joined(name: str, tmp_path: Path) -> None:
    encoder = PretrainedEncoder(str(MAKERS[name](tmp_path)))
    words = [f"{'abcdefgh'[i % 8]}{i}" for i in range(120)]
    pieces = encoder.tokenizer.windows([words, words[:3]])
    assert pieces.ids.shape[0] > 4 and pieces.ids.shape[1] <= 80 == pieces.mask.shape[1] + 2
    # every piece of every word is used once, in order
    of_words = encoder.tokenizer.pieces([*words, *words[:3]])
    assert pieces.words.tolist() == [i for i, some in enumerate(of_words) for _ in some]
    assert pieces.ids.reshape(-1)[pieces.at].tolist() == [p for some in of_words for p in some]
    assert (pieces.mask.reshape(-1)[pieces.at] == 1).all()
    assert torch.isfinite(encode(encoder, [words])).all()


def test_a_word_has_a_limited_number_of_pieces_and_at_least_one(tmp_path: Path) -> None:
    encoder = PretrainedEncoder(str(tiny_bert(tmp_path)))
    long, empty = encoder.tokenizer.pieces(["a" * 100, ""])
    assert len(long) == MAX_PIECES and empty == [encoder.tokenizer.unknown]


def test_the_mixture_is_the_mean_of_pieces_over_weighted_layers(tmp_path: Path) -> None:
    encoder = PretrainedEncoder(str(tiny_bert(tmp_path)))
    with torch.no_grad():
        encoder.mix += torch.tensor([0.0, 1.0, 2.0])
    found = encode(encoder, [["oak", "!"]])
    ids = torch.tensor([[2, *encoder.tokenizer.pieces(["oak"])[0]]])
    ids = torch.cat([ids, torch.tensor([[*encoder.tokenizer.pieces(["!"])[0], 3]])], dim=1)
    with torch.inference_mode():
        layers = encoder.model(input_ids=ids, output_hidden_states=True).hidden_states
        shares = np.exp([0, 1, 2]) / np.exp([0, 1, 2]).sum()
        mixed = sum(float(share) * layer[0] for share, layer in zip(shares, layers, strict=True))
        expected = torch.nn.functional.layer_norm(mixed[1:4].mean(0), (encoder.width,))
    assert torch.allclose(found[0], expected, atol=1e-4)


def test_an_encoder_is_known_by_its_contents(tmp_path: Path) -> None:
    one, same = tiny_bert(tmp_path / "one"), tmp_path / "same"
    shutil.copytree(one, same)
    other = tiny_bert(tmp_path / "other", seed=2)
    assert encoder_checksum(str(one)) == encoder_checksum(str(same))
    assert encoder_checksum(str(one)) != encoder_checksum(str(other))


def test_what_is_no_encoder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"empty: not the folder of an encoder: it has no config"):
        (tmp_path / "empty").mkdir()
        PretrainedEncoder(str(tmp_path / "empty"))
    damaged = tiny_bert(tmp_path / "damaged")
    (damaged / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(ValueError, match=r"damaged: no encoder could be loaded"):
        PretrainedEncoder(str(damaged))
    small = tiny_bert(tmp_path / "small", positions=20)
    with pytest.raises(ValueError, match="only 18 pieces at a time: too few"):
        PretrainedEncoder(str(small))


def test_the_tokenizer_keeps_the_pieces_of_known_words(tmp_path: Path) -> None:
    tokenizer = PretrainedEncoder(str(tiny_bert(tmp_path))).tokenizer
    assert isinstance(tokenizer, PieceTokenizer)
    once = tokenizer.pieces(["oak", "oak"])
    tokenizer.tokenizer = None  # is not asked again
    assert tokenizer.pieces(["oak"]) == once[:1]
