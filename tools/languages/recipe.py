"""The recipe of a language's model: one for all; its numbers follow from the sizes of the data."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from pathlib import Path

from tools.languages.sets import LanguageSet

STUDENT = "--system arc-hybrid --width 192 --layers 3 --hidden 160 --rows 6144"  # in 4 MB
EPOCHS = 16  # of gold and silver; without silver, as many as of any network
SEGMENTER_SIZE, LEMMA_SIZE = 400, 300  # kB, at most: a package has 4 MB
SILVER_WORDS = 150_000  # of an epoch, at least; or two words for each word of gold
TEACHER_STEPS = 900  # a biaffine parser needs many, however small its treebank
TEACHER_BATCHES = 60, 400, 1500  # steps of an epoch; words of a batch at least, at most
BATCH_WORDS = 1000  # of a student, at least: with silver, an epoch has enough steps
STEPS = 80  # of an epoch, in gold
TUNING_EPOCHS = 10  # on gold alone, after the student: 12 gave +3 LAS (da_ddt, dev)


def command(one: LanguageSet, out: Path, encoder: Path | None, n_teachers: int) -> list[str]:
    """Return the arguments of `dodona` that make the student of a set, with all of its parts."""
    model = student_of(one, out)
    sizes = ["--segmenter-size", str(one.about.get("segmenter_size", SEGMENTER_SIZE))]
    if one.text is None:  # nothing to annotate: the treebank alone
        words = ["train", "--train", str(one.train), "--dev", str(one.dev), "--pipeline", "text"]
        return [*words, "--scorer", "neural", *STUDENT.split(), *sizes, "--out", str(model)]
    more = [str(path) for part in one.about.get("more", ()) if (path := one.file(part))]
    words = ["distil", str(one.train), *more, "--dev", str(one.dev), "--text", str(one.text)]
    if one.about.get("raw", True):
        words += ["--raw", str(one.text)]
    words += ["--held-out", ",".join(map(str, one.held_out))]
    words += ["--work", str(out / one.name / "work"), "--out", str(model)]
    batch, epochs = teaching(one)
    words += ["--teachers", str(n_teachers)]
    words += ["--teacher-batch", str(batch), "--teacher-epochs", str(epochs)]
    words += ["--encoder", str(encoder)] if encoder else []
    words += ["--silver-per-gold", f"{silver_per_gold(one):.2f}"]
    words += [*sizes, "--lemma-size", str(one.about.get("lemma_size", LEMMA_SIZE))]
    words += ["--epochs", str(EPOCHS)]
    words += ["--batch-words", str(max(BATCH_WORDS, one.n_words // STEPS))]
    return [*words, *STUDENT.split()]


def encoder_of(out: Path) -> Path:
    """Return the file of the encoder of all languages."""
    return out / "encoder" / "multilingual.encoder"


def two_limits(text: str) -> tuple[float, float]:
    """Read the seconds that the masked and the joint model may take, such as "320,200"."""
    try:
        masked, joint = map(float, text.split(","))
    except ValueError:
        raise ArgumentTypeError(f"two numbers of seconds, such as 320,200, not {text!r}") from None
    return masked, joint


def student_of(one: LanguageSet, out: Path) -> Path:
    """Return the file of the student; without text, it is already the model."""
    return out / one.name / ("student.dodona" if one.text else f"{one.package}.dodona")


def tuning(one: LanguageSet, out: Path) -> list[str]:
    """Return the arguments of `dodona` that tune the student on gold: silver has errors."""
    words = ["train", "--from", str(student_of(one, out)), "--train", str(one.train)]
    words += ["--dev", str(one.dev), "--epochs", str(TUNING_EPOCHS)]
    return [*words, "--no-checkpoint", "--out", str(out / one.name / f"{one.package}.dodona")]


def teaching(one: LanguageSet) -> tuple[int, int]:
    """Return the words of a teacher's batch, and its epochs: more for smaller treebanks."""
    steps, least, most = TEACHER_BATCHES
    batch = min(max(one.n_words // steps, least), most)
    return batch, math.ceil(TEACHER_STEPS * batch / max(one.n_words, batch))


def silver_per_gold(one: LanguageSet) -> float:
    """Return how many words of silver are learned for each word of gold; at most all of them."""
    silver = min(max(SILVER_WORDS, 2 * one.n_words), one.n_text_words)
    return max(silver / max(one.n_words, 1), 0.01)
