"""Make the encoder of all languages, with which teachers begin.

python -m tools.languages.encoder [--data FOLDER] [--out FOLDER] [--seconds N,N] [--jobs N]

Three steps, kept in OUT/encoder, after `python -m tools.languages --until sentences`: `pieces` (a
vocabulary), `masked` (a masked language model of all raw text, segmented into words, and of the
treebanks to train on), and `multilingual.encoder` (a teacher of all treebanks at once). It takes a
GPU. `--encoder` of `tools.languages` takes the result, and finds it as models/multilingual.encoder.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from dodona.distilling.joint_layers import pack_teacher
from dodona.distilling.pretraining import (
    PieceCorpus,
    Pretraining,
    PretrainingSettings,
    learn_pieces,
)
from dodona.distilling.teacher_inventory import TeacherInventory
from dodona.distilling.teacher_settings import TeacherSettings
from dodona.distilling.teacher_training import TeacherTrainer
from dodona.parsing.preparation import load_trees
from dodona.training.neural.gold_treebanks import GoldTreebanks
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED
from tools.languages.recipe import encoder_of, two_limits
from tools.languages.sets import LanguageSet, find_data, find_sets, prepared

SAMPLE = 20_000  # sentences of a language for the vocabulary
ENOUGH = 700_000  # words; a language with fewer is repeated
MOST_REPEATS = 4.0
MASKED = PretrainingSettings()
LEAST_EPOCHS = 4
JOINT = {
    "epochs": 16,
    "width": 400,
    "layers": 2,
    "batch_words": 4_000,
    "learning_rate": 0.001,
    "encoder_rate": 0.0004,
}


def words_of(one: LanguageSet, out: Path) -> Iterator[list[str]]:
    """Yield the words of sentences to train on, and of the selected sentences of raw text."""
    yield from (s.forms for s in read(one.train, trees="ignored"))
    for path in sorted((out / one.name / "work" / "sentences").glob("*.conllu.gz")):
        yield from (sentence.forms for sentence in read(path, trees="ignored"))


def make_pieces(sets: Sequence[LanguageSet], out: Path) -> Path:
    """Learn the vocabulary from as many sentences of each language."""
    folder = out / "encoder" / "pieces"
    if not (folder / "tokenizer.json").exists():
        draw = random.Random(1)
        sample: list[list[str]] = []
        for one in sets:
            found = list(words_of(one, out))
            sample += draw.sample(found, min(SAMPLE, len(found)))
        learn_pieces(sample, MASKED.vocabulary).save_pretrained(folder)
    return folder


def split_words(out: Path, pieces: Path, one: LanguageSet) -> PieceCorpus:
    """Return the corpus of a language as pieces."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(pieces)
    return PieceCorpus.of(words_of(one, out), tokenizer, MASKED.longest)


def make_masked(
    sets: Sequence[LanguageSet], out: Path, settings: PretrainingSettings, seconds: float, jobs: int
) -> Path:
    """Train the masked language model."""
    from transformers import AutoTokenizer

    folder = out / "encoder" / "masked"
    if (folder / "config.json").exists():
        return folder
    pieces = make_pieces(sets, out)
    # a forked process would wait for ever for the threads of the tokenizer that learned the pieces
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(partial(split_words, out, pieces), sets))
    sizes = np.array([one.n_words + one.n_text_words for one in sets])
    repeats = np.clip(np.sqrt(ENOUGH / sizes), 1, MOST_REPEATS)
    corpus = PieceCorpus.join(parts, repeats.tolist(), settings.seed)
    print(f"{len(corpus):,} sentences, {len(corpus.pieces):,} pieces", flush=True)
    training = Pretraining(AutoTokenizer.from_pretrained(pieces), corpus, settings)
    for number, loss, speed in training.epochs(seconds):
        print(f"masked, epoch {number}: loss {loss:.3f}, {speed:,.0f} pieces/s", flush=True)
    training.save(folder)
    return folder


def plain(sentence: Sentence) -> Sentence:
    """Return a sentence without XPOS and lemmas, which differ from language to language."""
    empty = [UNANNOTATED] * len(sentence)
    return sentence.replace(xpos=empty, lemmas=empty)


def make_joint(
    sets: Sequence[LanguageSet], masked: Path, path: Path, settings: dict[str, Any], seconds: float
) -> None:
    """Train one teacher of all treebanks on the encoder; write both into one file.

    The first epoch tells how many are possible in a limited time.
    """
    sentences = list(chain.from_iterable(map(plain, load_trees(one.train)) for one in sets))
    inventory = TeacherInventory(GoldTreebanks(sentences, []), None)
    trainer = TeacherTrainer(inventory, TeacherSettings(encoder=str(masked), **settings))
    print(trainer.cost(), flush=True)
    for epoch in trainer.epochs():
        print(f"joint, epoch {epoch.number}: {epoch.words_per_second:,.0f} words/s", flush=True)
        if epoch.number == 1 and seconds < trainer.settings.epochs * epoch.seconds:
            possible = max(int(seconds / epoch.seconds), LEAST_EPOCHS)
            trainer.settings = replace(trainer.settings, epochs=possible)
    pack_teacher(trainer.teacher().network, inventory, path)


def main(words: list[str] | None = None) -> None:
    """Make the encoder."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--data", type=Path, default=find_data(), help="data folder")
    options.add_argument("--out", type=Path, default=Path("out/languages"), help="output folder")
    limits = {"type": two_limits, "metavar": "N,N", "default": (math.inf, math.inf)}
    options.add_argument("--seconds", **limits, help="of the masked and the joint model")
    options.add_argument("--jobs", type=int, default=8, help="processes that split words")
    chosen = options.parse_args(words)
    of_masked, of_joint = chosen.seconds
    sets = [prepared(one, chosen.out / one.name) for one in find_sets(chosen.data)]
    masked = make_masked(sets, chosen.out, MASKED, of_masked, chosen.jobs)
    path = encoder_of(chosen.out)
    if not path.exists():
        make_joint(sets, masked, path, JOINT, of_joint)


if __name__ == "__main__":
    main()
