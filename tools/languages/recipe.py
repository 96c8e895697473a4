"""The recipe of a language's model: one for all; its numbers follow from the sizes of the data.

No encoder, no larger network and no other treebank of a small language may be at hand. What is: its
relatives, raw text, and several networks that err at different places. So a committee of networks
learns from the treebank and its relatives and annotates the text; a small student learns from both.
"""

from __future__ import annotations

from pathlib import Path

from tools.languages.sets import LanguageSet, write_relatives

STUDENT = "--system arc-hybrid --width 192 --layers 3 --hidden 160 --rows 6144"  # in 4 MB
EPOCHS = 30  # of gold and silver: 14 gave 1.0 LAS less (de_gsd, dev, tuned)
SEGMENTER_SIZE, LEMMA_SIZE = 400, 300  # kB, at most: a package has 4 MB
SILVER_WORDS = 150_000  # of an epoch, at least; or two words for each word of gold
BATCH_WORDS = 1000  # of a student, at least: with silver, an epoch has enough steps
STEPS = 80  # of an epoch, in gold
TUNING_EPOCHS = 8  # on gold alone, at the end: silver has errors, relatives are other languages
N_TEACHERS = 3  # the fewest that can outvote one of them
RELATED, POOL = 3, 120_000  # words of relatives for each of gold, and of all, at most
TEACHER_WORDS = 2_400_000  # that a teacher learns from in all epochs, within …
TEACHER_EPOCHS = 14, 36  # … so many: small treebanks need all of them


def teacher(one: LanguageSet, out: Path, number: int) -> list[list[str]]:
    """Return the commands that train a member of the committee, as arguments of `dodona`.

    What relatives have taught, the treebank itself corrects at the end: da_ddt with nb_bokmaal,
    dev LAS 72.3 alone, 73.0 together, 74.7 in the end.
    """
    path, relatives = teachers(one, out)[number - 1], relatives_of(one, out)
    begun = path if relatives is None else path.with_suffix(".begun.dodona")
    words = ["train", "--train", str(one.train), "--dev", str(one.dev), "--scorer", "neural"]
    words += ["--more", str(relatives)] if relatives else []
    words += ["--epochs", str(teacher_epochs(one, relatives is not None))]
    words += ["--seed", str(number), "--no-checkpoint", "--out", str(begun)]
    return [words] if relatives is None else [words, tuning(one, begun, path)]


def teachers(one: LanguageSet, out: Path) -> list[Path]:
    """Return the files of the committee."""
    return [out / one.name / f"teacher-{number}.dodona" for number in range(1, N_TEACHERS + 1)]


def relatives_of(one: LanguageSet, out: Path) -> Path | None:
    """Return the file of sentences of related languages, if there are any."""
    n_words = related_words(one.n_words)
    return write_relatives(one, out / one.name, n_words) if n_words else None


def related_words(n_words: int) -> int:
    """Return how many words of relatives join so many of gold.

    >>> related_words(10_000), related_words(100_000), related_words(150_000)
    (30000, 20000, 0)
    """
    return max(min(RELATED * n_words, POOL - n_words), 0)


def teacher_epochs(one: LanguageSet, has_relatives: bool) -> int:
    """Return the epochs of a teacher."""
    least, most = TEACHER_EPOCHS
    n_words = one.n_words + (related_words(one.n_words) if has_relatives else 0)
    return min(max(TEACHER_WORDS // max(n_words, 1), least), most)


def command(one: LanguageSet, out: Path) -> list[str]:
    """Return the arguments of `dodona` that make the student of a set, with all of its parts."""
    model = student_of(one, out)
    sizes = ["--segmenter-size", str(one.about.get("segmenter_size", SEGMENTER_SIZE))]
    if one.text is None:  # nothing to annotate
        words = ["train", "--train", str(one.train), "--dev", str(one.dev), "--pipeline", "text"]
        relatives = relatives_of(one, out)
        words += ["--more", str(relatives)] if relatives else []
        return [*words, "--scorer", "neural", *STUDENT.split(), *sizes, "--out", str(model)]
    more = [str(path) for part in one.about.get("more", ()) if (path := one.file(part))]
    words = ["distil", str(one.train), *more, "--dev", str(one.dev), "--text", str(one.text)]
    if one.about.get("raw", True):
        words += ["--raw", str(one.text)]
    words += ["--held-out", ",".join(map(str, one.held_out))]
    words += ["--work", str(out / one.name / "work"), "--out", str(model)]
    words += ["--by", ",".join(map(str, teachers(one, out)))]
    words += ["--silver-per-gold", f"{silver_per_gold(one):.2f}"]
    words += [*sizes, "--lemma-size", str(one.about.get("lemma_size", LEMMA_SIZE))]
    words += ["--epochs", str(EPOCHS)]
    words += ["--batch-words", str(max(BATCH_WORDS, one.n_words // STEPS))]
    return [*words, *STUDENT.split()]


def student_of(one: LanguageSet, out: Path) -> Path:
    """Return the file of the student, which is tuned afterwards."""
    return out / one.name / "student.dodona"


def model_of(one: LanguageSet, out: Path) -> Path:
    """Return the file of the model: the student, tuned."""
    return out / one.name / f"{one.package}.dodona"


def tuning(one: LanguageSet, begun: Path, path: Path) -> list[str]:
    """Return the arguments of `dodona` that tune a network on gold alone."""
    words = ["train", "--from", str(begun), "--train", str(one.train), "--dev", str(one.dev)]
    return [*words, "--epochs", str(TUNING_EPOCHS), "--no-checkpoint", "--out", str(path)]


def silver_per_gold(one: LanguageSet) -> float:
    """Return how many words of silver are learned for each word of gold; at most all of them."""
    silver = min(max(SILVER_WORDS, 2 * one.n_words), one.n_text_words)
    return max(silver / max(one.n_words, 1), 0.01)
