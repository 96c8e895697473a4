"""The recipe of a language's model: one for all; its numbers follow from the sizes of the data.

No encoder and no other treebank of a small language may be at hand. What is: its relatives, and raw
text. So networks learn to parse the treebank and to guess hidden words of the text; by vote they
annotate the text, and a student learns from treebank, relatives and text (`lanes.training`). Where
a GPU is at hand, a teacher of all languages votes, too (`lanes.teaching`). The student has then
seen only states on the way to trees of the treebank. It is tuned with states of its own errors, on
treebank and text, whose trees are votes of all these networks, and then on the treebank alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tools.languages.sets import LanguageSet, find_relatives, write_relatives

NETWORK: dict[str, Any] = {
    "system": "arc-hybrid",
    "width": 256,
    "layers": 3,
    "hidden": 192,
    "rows": 6144,
}
SEGMENTER_SIZE, LEMMA_SIZE = 400, 300  # kB, at most: a package has 4 MB
MOST_FORMS = 6_000  # with vectors of their own
TEXT_WORDS = 600_000  # that networks learn from, at most
GOLD_WORDS, GOLD_EPOCHS = 200_000, (3, 12)  # of all epochs on gold alone, at least and at most
TUNING_GOLD, TUNING_TEXT = 60_000, 450_000  # words of the one epoch with text
GOLD_SETTINGS: dict[str, Any] = {"learning_rate": 0.001}
AFTER_TEXT: dict[str, Any] = {"learning_rate": 0.0005, "epochs": 2}  # on gold alone
TEXT_SETTINGS: dict[str, Any] = {
    "learning_rate": 0.002,
    "dropout": 0.1,  # there is more to learn than a small network can learn by heart
    "batch_words": 1250,
    "epochs": 1,
}
RELATED, POOL = 3, 120_000  # words of relatives for each of gold, and of all, at most

TRUNK = Path(__file__).with_name("trunk.npz")  # that networks begin from (`lanes.training`)
TEACHER = "teacher.json"  # sets that the teacher of all languages learned from, with its scores
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
    """Yield the steps from the trained network to the tuned model."""
    student, tuned = student_of(one, out), tuned_of(one, out)
    network = networks_of(out) / f"{one.name}.npz"
    words = [one.name, "student", str(student), str(network), *_folders(out, data)]
    yield Step("student", student, LANES, words)
    words = [one.name, "tuned", str(tuned), str(student), *_folders(out, data)]
    yield Step("tuned", tuned, LANES, words)


def text(one: LanguageSet, out: Path) -> list[str]:
    """Return the arguments of `dodona` that train a segmenter and split the raw text."""
    words = ["distil", str(one.segmented), *beside(one, out), "--dev", str(one.dev)]
    words += ["--text", str(one.text), "--held-out", ",".join(map(str, one.held_out))]
    words += ["--segmenter-size", str(segmenter_size(one))]
    words += ["--raw", str(one.text)] if one.about.get("raw", True) else []
    words += ["--work", str(work_of(one, out)), "--until", "sentences"]
    return [*words, "--out", str(student_of(one, out))]


def gold_epochs(n_words: int) -> int:
    """Return the number of epochs on a treebank of so many words.

    >>> gold_epochs(9_000), gold_epochs(30_000), gold_epochs(170_000)
    (12, 7, 3)
    """
    least, most = GOLD_EPOCHS
    return min(max(round(GOLD_WORDS / n_words), least), most)


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


def teacher_of(out: Path) -> Path:
    """Return the file with the scores of the teacher of all languages."""
    return networks_of(out) / TEACHER


def votes_of(one: LanguageSet, out: Path) -> Path:
    """Return the file of the votes on the text; there is none without text."""
    return networks_of(out) / f"{one.name}.votes.npz"


def student_of(one: LanguageSet, out: Path) -> Path:
    """Return the file of the student, which is tuned afterwards."""
    return out / one.name / "student.dodona"


def tuned_of(one: LanguageSet, out: Path) -> Path:
    """Return the file of the tuned student, which becomes the package."""
    return out / one.name / "tuned.dodona"


def segmenter_size(one: LanguageSet) -> int:
    """Return the largest size of the segmenter, in kB."""
    return int(one.about.get("segmenter_size", SEGMENTER_SIZE))


def _folders(out: Path, data: Path) -> list[str]:
    return ["--out", str(out), "--data", str(data)]
