"""The recipe of a language's model: one for all; its numbers follow from the sizes of the data."""

from __future__ import annotations

from pathlib import Path

from tools.languages.sets import LanguageSet

STUDENT = "--system arc-hybrid --width 192 --layers 3 --hidden 160 --rows 6144"  # in 4 MB
EPOCHS = 20  # of gold and silver; without silver, as many as of any network
TEACHER = "--teacher-batch 1000"
SEGMENTER_SIZE, LEMMA_SIZE = 400, 300  # kB, at most: a package has 4 MB
SILVER_WORDS = 150_000  # of an epoch, at least; or two words for each word of gold
TAUGHT_WORDS = 1_000_000  # that a teacher learns from, counted in each epoch
TEACHER_EPOCHS = 6, 60  # at least, at most
BATCH_WORDS = 1000  # of a student, at least: with silver, an epoch has enough steps
STEPS = 80  # of an epoch, in gold
TUNING_EPOCHS = 12  # on gold alone, after the student: +3 LAS (da_ddt, dev)


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
    words += ["--teachers", str(n_teachers), "--teacher-epochs", str(teacher_epochs(one))]
    words += ["--encoder", str(encoder)] if encoder else []
    words += ["--silver-per-gold", f"{silver_per_gold(one):.2f}"]
    words += [*sizes, "--lemma-size", str(one.about.get("lemma_size", LEMMA_SIZE))]
    words += ["--epochs", str(EPOCHS)]
    words += ["--batch-words", str(max(BATCH_WORDS, one.n_words // STEPS))]
    return [*words, *TEACHER.split(), *STUDENT.split()]


def student_of(one: LanguageSet, out: Path) -> Path:
    """Return the file of the student; without text, it is already the model."""
    return out / one.name / ("student.dodona" if one.text else f"{one.package}.dodona")


def tuning(one: LanguageSet, out: Path) -> list[str]:
    """Return the arguments of `dodona` that tune the student on gold: silver has errors."""
    words = ["train", "--from", str(student_of(one, out)), "--train", str(one.train)]
    words += ["--dev", str(one.dev), "--epochs", str(TUNING_EPOCHS)]
    return [*words, "--no-checkpoint", "--out", str(out / one.name / f"{one.package}.dodona")]


def teacher_epochs(one: LanguageSet) -> int:
    """Return more epochs for smaller treebanks."""
    least, most = TEACHER_EPOCHS
    return min(max(TAUGHT_WORDS // max(one.n_words, 1), least), most)


def silver_per_gold(one: LanguageSet) -> float:
    """Return how many words of silver are learned for each word of gold; at most all of them."""
    silver = min(max(SILVER_WORDS, 2 * one.n_words), one.n_text_words)
    return max(silver / max(one.n_words, 1), 0.01)
