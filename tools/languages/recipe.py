"""The recipe of a language's model: one for all; its numbers follow from the sizes of the data.

No encoder and no other treebank of a small language may be at hand. What is: its relatives, and raw
text. So networks learn to parse the treebank and to guess hidden words of the text; by vote they
annotate the text, and a student learns from treebank, relatives and text (`lanes.training`). That
student has seen only states on the way to trees. It is tuned on states of its own errors: first on
the treebank alone; then from the beginning on the treebank and on text as the first one parses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tools.languages.sets import LanguageSet, find_relatives, write_relatives

NETWORK: dict[str, Any] = {
    "system": "arc-hybrid",
    "width": 192,
    "layers": 3,
    "hidden": 192,
    "rows": 6144,
}
SEGMENTER_SIZE, LEMMA_SIZE = 400, 300  # kB, at most: a package has 4 MB
TEXT_WORDS = 420_000  # that networks learn from, at most
TUNING_EPOCHS, TAUGHT_EPOCHS, TUNING_RATE = 4, 7, 0.001
EPOCH_WORDS = 75_000  # of gold and text in the last tuning
TEXT_PER_GOLD = 0.5, 3  # words of text for a word of gold in it, at least and at most
RELATED, POOL = 3, 120_000  # words of relatives for each of gold, and of all, at most

DODONA, LANES = "dodona", "tools.languages.lanes.models"


class Step(NamedTuple):
    """A step of a language: its name, the file that it makes (None if the command itself knows what
    is done), and a module with its arguments."""

    name: str
    made: Path | None
    module: str
    words: list[str]


def before_networks(one: LanguageSet, out: Path, data: Path) -> Iterator[Step]:
    """Yield the steps up to the arrays that networks learn from."""
    if one.text is None:
        path = segmenter_of(one, out)
        yield Step("text", path, LANES, [one.name, "segmenter", str(path), *_folders(out, data)])
    else:
        yield Step("text", None, DODONA, text(one, out))
    made = arrays_of(one, out)
    words = [one.name, "arrays", str(made), *_folders(out, data)]
    yield Step("arrays", made, LANES, words)


def after_networks(one: LanguageSet, out: Path, data: Path) -> Iterator[Step]:
    """Yield the steps from the trained network to the tuned models."""
    folder, student = out / one.name, student_of(one, out)
    network = networks_of(out) / f"{one.name}.npz"
    words = [one.name, "student", str(student), str(network), *_folders(out, data)]
    yield Step("student", student, LANES, words)
    tuned = folder / "tuned.dodona"
    yield Step("tuned", tuned, DODONA, tuning(one, student, one.train, TUNING_EPOCHS, tuned))
    if one.text is not None:
        mixed, taught = folder / "mixed.conllu.gz", folder / "taught.dodona"
        words = [one.name, "mixed", str(mixed), str(tuned), *_folders(out, data)]
        yield Step("mixed", mixed, LANES, words)
        words = tuning(one, student, mixed, TAUGHT_EPOCHS, taught)
        yield Step("taught", taught, DODONA, words)


def candidates(one: LanguageSet, out: Path) -> list[Path]:
    """Return the models of which the best becomes the package."""
    names = ["tuned", "student"] if one.text is None else ["taught", "tuned", "student"]
    return [out / one.name / f"{name}.dodona" for name in names]


def text(one: LanguageSet, out: Path) -> list[str]:
    """Return the arguments of `dodona` that train a segmenter and split the raw text."""
    words = ["distil", str(one.train), *beside(one, out), "--dev", str(one.dev)]
    words += ["--text", str(one.text), "--held-out", ",".join(map(str, one.held_out))]
    words += ["--segmenter-size", str(segmenter_size(one))]
    words += ["--raw", str(one.text)] if one.about.get("raw", True) else []
    words += ["--work", str(work_of(one, out)), "--until", "sentences"]
    return [*words, "--out", str(student_of(one, out))]


def tuning(one: LanguageSet, begun: Path, train: Path, epochs: int, made: Path) -> list[str]:
    """Return the arguments of `dodona` that tune a network."""
    words = ["train", "--from", str(begun), "--train", str(train), "--dev", str(one.dev)]
    words += ["--epochs", str(epochs), "--learning-rate", str(TUNING_RATE)]
    return [*words, "--no-checkpoint", "--out", str(made)]


def mixed_words(n_gold: int) -> int:
    """Return how many words of text join so many of gold.

    >>> mixed_words(10_000), mixed_words(40_000), mixed_words(100_000)
    (30000, 35000, 50000)
    """
    least, most = TEXT_PER_GOLD
    return int(min(max(EPOCH_WORDS - n_gold, least * n_gold), most * n_gold))


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


def work_of(one: LanguageSet, out: Path) -> Path:
    """Return the folder of the steps of `dodona distil`."""
    return out / one.name / "work"


def segmenter_of(one: LanguageSet, out: Path) -> Path:
    """Return the file of the segmenter."""
    return work_of(one, out) / "segmenter" / "segmenter.dodona"


def sentences_of(one: LanguageSet, out: Path) -> list[Path]:
    """Return the files of the sentences of the text; there are none without text."""
    return sorted((work_of(one, out) / "sentences").glob("part-*.conllu.gz"))


def arrays_of(one: LanguageSet, out: Path) -> Path:
    """Return the file of the arrays that the network learns from."""
    return out / one.name / f"{one.name}.npz"


def networks_of(out: Path) -> Path:
    """Return the folder of the networks of all sets."""
    return out / "networks"


def student_of(one: LanguageSet, out: Path) -> Path:
    """Return the file of the student, which is tuned afterwards."""
    return out / one.name / "student.dodona"


def segmenter_size(one: LanguageSet) -> int:
    """Return the largest size of the segmenter, in kB."""
    return int(one.about.get("segmenter_size", SEGMENTER_SIZE))


def _folders(out: Path, data: Path) -> list[str]:
    return ["--out", str(out), "--data", str(data)]
