"""The recipe of a language's model: one for all; its numbers follow from the sizes of the data.

No encoder, no larger network and no other treebank of a small language may be at hand. What is: its
relatives, raw text, and models that err at different places. So a small network learns from the
treebank and its relatives; a committee of it and of linear models annotates the text by vote; and a
new network of the same size learns from all of them. Linear models differ from a network more than
other networks do, and train in a minute (figures: docs/how-to/distil.md).
"""

from __future__ import annotations

from pathlib import Path

from tools.languages.sets import LanguageSet, find_relatives, write_joined, write_relatives

FIRST = "first.dodona"  # the network that learned from treebanks alone
NETWORK = "--system arc-hybrid --width 192 --layers 3 --hidden 256 --rows 8192"
FIRST_WORDS = 1_100_000  # that the network learns from before there is silver, within …
FIRST_EPOCHS = 10, 36  # … so many epochs: small treebanks need all of them
LINEAR = {  # members of the committee beside the network
    "eager": "--system arc-eager --epochs 10",
    "standard": "--system arc-standard --beam 4 --epochs 10",
    "swap": "--system swap --beam 4 --epochs 10",
}
SEGMENTER_SIZE, LEMMA_SIZE = 400, 300  # kB, at most: a package has 4 MB
SILVER_WORDS = 80_000  # of an epoch, at least; or two words for each word of gold
STUDENT_EPOCHS = 24  # of gold and silver
BATCH_WORDS = 700  # with silver, at least: an epoch has enough steps
STEPS = 80  # of an epoch, in gold
TUNING_EPOCHS = 8  # on gold alone, at the end: silver has errors, relatives are other languages
RELATED, POOL = 3, 120_000  # words of relatives for each of gold, and of all, at most


def first(one: LanguageSet, out: Path) -> list[list[str]]:
    """Return the commands that train the network before there is silver, as arguments of `dodona`.

    What relatives have taught, the treebank itself corrects at the end: da_ddt with nb_bokmaal,
    dev LAS 72.3 alone, 73.0 together, 74.7 in the end.
    """
    path, relatives, more = first_of(one, out), relatives_of(one, out), beside(one, out)
    begun = path if relatives is None else path.with_suffix(".begun.dodona")
    words = ["train", "--train", str(one.train), "--dev", str(one.dev), "--pipeline", "text"]
    words += ["--more", ",".join(more)] if more else []
    if one.text is not None and one.about.get("raw", True):
        words += ["--raw", str(one.text)]
    words += ["--segmenter-size", str(one.about.get("segmenter_size", SEGMENTER_SIZE))]
    words += ["--scorer", "neural", "--epochs", str(first_epochs(one)), *NETWORK.split()]
    words += ["--no-checkpoint", "--out", str(begun)]
    return [words] if relatives is None else [words, tuning(one, begun, path)]


def first_of(one: LanguageSet, out: Path) -> Path:
    """Return the file of the network that learned from treebanks alone."""
    return out / one.name / FIRST


def linear(one: LanguageSet, out: Path) -> dict[Path, list[str]]:
    """Return the files of the linear members of the committee, and the commands that train them."""
    relatives, found = relatives_of(one, out), {}
    train = one.train if relatives is None else write_joined(one, relatives, out / one.name)
    for name, options in LINEAR.items():
        path = out / one.name / f"{name}.dodona"
        words = ["train", "--train", str(train), "--dev", str(one.dev), *options.split()]
        found[path] = [*words, "--no-checkpoint", "--out", str(path)]
    return found


def beside(one: LanguageSet, out: Path) -> list[str]:
    """Return the files that networks learn from beside the train set."""
    own = [one.file(part) for part in one.about.get("more", ())]
    return [str(path) for path in (*own, relatives_of(one, out)) if path is not None]


def relatives_of(one: LanguageSet, out: Path) -> Path | None:
    """Return the file of sentences of related languages, if there are any."""
    n_words = related_words(one)
    return write_relatives(one, out / one.name, n_words) if n_words else None


def related_words(one: LanguageSet) -> int:
    """Return how many words of relatives join those of a set."""
    most = max(min(RELATED * one.n_words, POOL - one.n_words), 0)
    return min(most, sum(other.n_words for other in find_relatives(one))) if most else 0


def first_epochs(one: LanguageSet) -> int:
    """Return the epochs of the network before there is silver."""
    least, most = FIRST_EPOCHS
    return min(max(FIRST_WORDS // max(one.n_words + related_words(one), 1), least), most)


def student(one: LanguageSet, out: Path) -> list[str]:
    """Return the arguments of `dodona` that train the student on gold, relatives and silver."""
    begun = first_of(one, out)
    words = ["distil", str(one.train), *beside(one, out), "--dev", str(one.dev)]
    words += ["--text", str(one.text)]
    words += ["--held-out", ",".join(map(str, one.held_out)), "--segmenter", str(begun)]
    words += ["--lemma-size", str(LEMMA_SIZE)]
    words += ["--by", ",".join(map(str, (begun, *linear(one, out))))]
    words += ["--silver-per-gold", f"{silver_per_gold(one):.2f}"]
    words += ["--epochs", str(STUDENT_EPOCHS), *NETWORK.split()]
    words += ["--batch-words", str(max(BATCH_WORDS, one.n_words // STEPS))]
    return [*words, "--work", str(out / one.name / "work"), "--out", str(student_of(one, out))]


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
    n_words = one.n_words + related_words(one)
    silver = min(max(SILVER_WORDS, 2 * n_words), one.n_text_words)
    return max(silver / max(n_words, 1), 0.01)
