"""Make an English model and its card: `make model`.

python -m tools.model --name en [--student FILE] [--segmenter FILE] [--lemmas FILE]
    [--words FORMS VECTORS] [--out FOLDER] [--work FOLDER] [--test]

`en` and `en-small` ship: they go to src/dodona/models. `en-large` goes to models/, with its wheel.
The student comes from tools.english_recipe, unless --student names one made before, such as on a
machine with a GPU; --segmenter and --lemmas (a checkpoint of that step) are parts that were trained
after it; --words keeps the vectors of the most frequent words of the treebanks and of
DODONA_SILVER, so that the model has a certain size. The tool records language and licence, adds a
part that makes enhanced graphs (not to `en-small`), calibrates confidences, scores the model by
genre, and runs the checks of tests/english. --test also scores the test set, which should happen
once, for the final model.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import dodona
from dodona.enhancing.training import train_enhancer
from dodona.models import BESIDE
from dodona.models.cards import Card, add_card
from dodona.models.pages import make_card, markdown_table
from dodona.models.wheels import make_package
from dodona.parsing.calibration import measure
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import load_trees
from dodona.pipeline.text_trainer import text_scores
from dodona.records import replace
from dodona.segmentation.segmenter import Segmenter
from dodona.settings import NEURAL
from dodona.storage import container
from dodona.tagging.tagger_training import tag_accuracies
from dodona.training.neural.strategy import lemma_trainer
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED, universal_part
from tools import english, english_recipe, student_parts
from tools.treebanks import ROOT, find_folder

SHIPPED, PACKAGED = ROOT / "src" / "dodona" / "models", ROOT / "models"
LICENCE = "LICENSE-en.txt"  # in both folders
CARD = Card("English", "UD English EWT, GUM, PUD and ESLSpok", "CC BY-SA 4.0", "3.0")
TREEBANKS = english_recipe.TREEBANKS
GOLD = 10  # an occurrence in a treebank counts as so many in silver
REST = Path(__file__).parent / "english_card.md"  # the parts that are not measured


def main(words: list[str] | None = None) -> None:
    """Train the model if needed, score it, and write it with its card."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--name", choices=english_recipe.SIZES, default="en")
    options.add_argument("--student", type=Path, help="a model made by the recipe")
    options.add_argument("--segmenter", type=Path, help="a segmenter, instead of the student's")
    options.add_argument("--lemmas", type=Path, help="a checkpoint of lemmas, likewise")
    options.add_argument(
        "--words", type=int, nargs=2, metavar=("FORMS", "VECTORS"), help="vectors that are kept"
    )
    options.add_argument("--data", type=Path, default=find_folder(), help="folder of treebanks")
    options.add_argument("--out", type=Path, help="output folder")
    options.add_argument("--work", type=Path, default=ROOT / "out", help="folder of the recipe")
    options.add_argument("--test", action="store_true", help="also score the test set")
    chosen = options.parse_args(words)
    if not (chosen.data / TREEBANKS[0] / "dev.conllu").exists():
        sys.exit(f"{chosen.data}: no {TREEBANKS[0]} there; see docs/how-to/treebanks.md")
    student = chosen.student
    if student is None:
        student = chosen.work / f"{chosen.name}.dodona"
        english_recipe.make(chosen.data, chosen.work, chosen.name)
    dev = chosen.data / TREEBANKS[0] / "dev.conllu"
    parser = add_parts(add_card(Parser.load(student), CARD), chosen)
    parser = dodona.calibrate(parser, dev)
    parser.record |= score_dev(parser, dev)
    folder = chosen.out or (PACKAGED if chosen.name in BESIDE else SHIPPED)
    model = folder / f"{chosen.name}.dodona"
    parser.save(model)
    page = make_page(chosen.name, parser, model, chosen.data, test=chosen.test)
    model.with_suffix(".md").write_text(page, encoding="utf-8", newline="\n")
    if chosen.name in BESIDE:
        package(model, page)


def package(model: Path, page: str) -> None:
    """Write the wheel of a model that does not ship, with its card and its licence."""
    licence = (PACKAGED / LICENCE).read_text(encoding="utf-8")
    readme = page.replace(LICENCE, "LICENSE.txt")  # the name in a wheel
    print(make_package(model, model.stem, CARD, readme=readme, licence=licence).save(model.parent))


def add_parts(parser: Parser, chosen: argparse.Namespace) -> Parser:
    """Return the parser with the parts that are not trained with its network."""
    if chosen.name in english_recipe.BEAMS and parser.settings.scorer == NEURAL:
        settings = parser.settings.replace(beam=english_recipe.BEAMS[chosen.name])
        parser = replace(parser, settings=settings)
    if chosen.segmenter is not None:
        parser = replace(parser, segmenter=Segmenter.load(chosen.segmenter))
    if chosen.lemmas is not None:
        gold = english_recipe.load_gold(chosen.data)
        dev = load_trees(chosen.data / TREEBANKS[0] / "dev.conllu")
        trainer = lemma_trainer(gold, dev, parser.settings.seed, str(english_recipe.LEXICON))
        trainer.resume(chosen.lemmas)
        parser = student_parts.with_lemmas(parser, gold, trainer)
    if chosen.words is not None:
        counts = student_parts.count_forms(english_recipe.silver_sentences())
        for form, n in student_parts.count_forms(
            english_recipe.load_gold(chosen.data).sentences
        ).items():
            counts[form] += GOLD * n
        parser = student_parts.with_fewer_words(parser, counts, *chosen.words)
    if chosen.name in english_recipe.WITH_GRAPHS:
        train = [chosen.data / treebank / "train.conllu" for treebank in TREEBANKS]
        sentences = [sentence for path in train for sentence in dodona.read(path)]
        if any({*sentence.deps} - {UNANNOTATED} for sentence in sentences):
            parser = parser.with_enhancer(train_enhancer(sentences))
    return parser


def make_page(name: str, parser: Parser, model: Path, data: Path, *, test: bool) -> str:
    """Return the card: description, scores, checks, and sources."""
    text = score_text(parser, data / TREEBANKS[0] / "test.conllu") if test else None
    facts = make_card(name, CARD, container.about(model), model.stat().st_size, test=text)
    held = english.make_table(english.run(parser, english.read_bed()))
    parts = [
        facts.rstrip("\n"),
        "## By genre",
        "Words and sentences given, no tags; for GUM, labels without subtypes.",
        genre_table(parser, data, test=test),
        "## Confidence by treebank",
        "Expected calibration error of arcs, labels and UPOS; the first was calibrated on.",
        confidence_table(parser, data),
        "## Checks on everyday sentences",
        "Checks that pass on sentences of our own, by phenomenon (`tests/english`):",
        held.rstrip("\n"),
        REST.read_text(encoding="utf-8"),
    ]
    return "\n\n".join(parts)


def score_dev(parser: Parser, path: Path) -> dict[str, Any]:
    """Return the dev scores of the model as a whole; its parts may come from several runs."""
    gold = list(dodona.read(path))
    parsed = list(parser.pipe(gold, retag=True))
    scores, columns = dodona.evaluate(gold, parsed), parser.tagger.columns if parser.tagger else []
    return {
        "dev_uas": scores.uas,
        "dev_las": scores.las,
        "dev_tags": tag_accuracies(gold, parsed, columns),
        "dev_text": score_text(parser, path),
    }


def score_text(parser: Parser, path: Path) -> dict[str, float]:
    """Return F1 by every metric, from the raw text of a file."""
    return text_scores(parser, list(dodona.read(path)))


def genre_table(parser: Parser, data: Path, *, test: bool) -> str:
    """Return a table of scores by genre on the dev sets and, if requested, on the test set."""
    first, other = TREEBANKS
    parts = [(first, "dev"), (other, "dev"), *([(first, "test")] if test else [])]
    rows: list[Sequence[str]] = []
    for treebank, part in parts:
        gold = list(dodona.read(data / treebank / f"{part}.conllu"))
        name = f"{treebank} {part}"
        rows.append(_scored(parser, f"**{name}**", gold, universal=treebank != first))
        for genre, some in by_genre(gold).items():
            rows.append(_scored(parser, genre, some, universal=treebank != first))
    return markdown_table(("", "words", "UPOS", "UAS", "LAS"), rows)


def confidence_table(parser: Parser, data: Path) -> str:
    """Return a table of calibration errors on the dev sets."""
    rows = []
    for treebank in TREEBANKS:
        found = measure(parser, list(dodona.read(data / treebank / "dev.conllu")))
        numbers = [f"{found[name].ece:.4f}" for name in ("head", "deprel", "upos")]
        rows.append([f"{treebank} dev", *numbers])
    return markdown_table(("", "arcs", "labels", "UPOS"), rows)


def by_genre(sentences: Iterable[Sentence]) -> dict[str, list[Sentence]]:
    """Group sentences by genre, the first part of their ids.

    >>> sentence = Sentence.from_columns(["Oaks"], comments=["# sent_id = GUM_vlog_oaks-3"])
    >>> list(by_genre([sentence]))
    ['vlog']
    """
    found: dict[str, list[Sentence]] = {}
    for sentence in sentences:
        name = (sentence.sent_id or "").removeprefix("GUM_")
        found.setdefault(name.partition("-")[0].partition("_")[0], []).append(sentence)
    return dict(sorted(found.items()))


def _scored(parser: Parser, name: str, gold: list[Sentence], *, universal: bool) -> list[str]:
    parsed = list(parser.pipe(gold, retag=True))
    upos = tag_accuracies(gold, parsed, ["upos"])["upos"]
    if universal:
        gold, parsed = (list(map(without_subtypes, some)) for some in (gold, parsed))
    scores = dodona.evaluate(gold, parsed)
    numbers = [f"{number:.2f}" for number in (upos, scores.uas, scores.las)]
    return [name, f"{sum(map(len, gold)):,}", *numbers]


def without_subtypes(sentence: Sentence) -> Sentence:
    return sentence.replace(deprels=[universal_part(label) for label in sentence.deprels])


if __name__ == "__main__":
    main()
