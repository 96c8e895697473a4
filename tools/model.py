"""Make an English model that ships, its card beside it: `make model`.

python -m tools.model [--name en|en-small] [--student FILE] [--out FOLDER] [--work FOLDER] [--test]

The student comes from tools.english_recipe, unless --student is a file that it has made before, as
on a machine with a GPU. It is signed, scored by genre, and asked about our own sentences. --test
scores on the test set, too: once, when all else is settled.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import dodona
from dodona.models.cards import Card, add_card
from dodona.models.pages import make_card, markdown_table
from dodona.parsing.parser import Parser
from dodona.pipeline.text import text_scores
from dodona.storage import container
from dodona.tagging.training import tag_accuracies
from dodona.treebank.raw_text import raw_text
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import universal_part
from tools import english, english_recipe
from tools.treebanks import ROOT, find_folder

SHIPPED = ROOT / "src" / "dodona" / "models"
CARD = Card("English", "UD English EWT and GUM", "CC BY-SA 4.0", "2.0")
TREEBANKS = english_recipe.TREEBANKS
REST = Path(__file__).parent / "english_card.md"  # what no measuring tells


def main(words: list[str] | None = None) -> None:
    """Train if need be, sign, score, write."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--name", choices=english_recipe.SIZES, default="en")
    options.add_argument("--student", type=Path, help="a model that the recipe has made")
    options.add_argument("--data", type=Path, default=find_folder(), help="folder of treebanks")
    options.add_argument("--out", type=Path, default=SHIPPED, help="where the model goes")
    options.add_argument("--work", type=Path, default=ROOT / "out", help="what the recipe makes")
    options.add_argument("--test", action="store_true", help="score on the test set, too")
    chosen = options.parse_args(words)
    if not (chosen.data / TREEBANKS[0] / "dev.conllu").exists():
        sys.exit(f"{chosen.data}: no {TREEBANKS[0]} there; docs/treebanks.md says how to get some")
    student = chosen.student
    if student is None:
        student = chosen.work / f"{chosen.name}.dodona"
        english_recipe.make(chosen.data, chosen.work, chosen.name)
    parser = add_card(Parser.load(student), CARD)
    parser.record |= score_dev(parser, chosen.data / TREEBANKS[0] / "dev.conllu")
    model = chosen.out / f"{chosen.name}.dodona"
    parser.save(model)
    page = make_page(chosen.name, parser, model, chosen.data, test=chosen.test)
    model.with_suffix(".md").write_text(page, encoding="utf-8", newline="\n")


def make_page(name: str, parser: Parser, model: Path, data: Path, *, test: bool) -> str:
    """What the model is, how good it is and at what, and whose texts it learned from."""
    text = score_text(parser, data / TREEBANKS[0] / "test.conllu") if test else None
    facts = make_card(name, CARD, container.about(model), model.stat().st_size, test=text)
    held = english.make_table(english.run(parser, english.read_bed()))
    speed = text_speed(parser, data / TREEBANKS[0] / "dev.conllu")
    parts = [
        facts.rstrip("\n"),
        "## Speed",
        f"From text to CoNLL-U: {speed:,.0f} words/s on one core ({platform.machine()}).",
        "## By genre",
        "Words and sentences given, tags not; of GUM labels without their subtypes.",
        genre_table(parser, data, test=test),
        "## What holds of everyday sentences",
        "Of sentences that we wrote ourselves, by phenomenon (`tests/english`):",
        held.rstrip("\n"),
        REST.read_text(encoding="utf-8"),
    ]
    return "\n\n".join(parts)


def score_dev(parser: Parser, path: Path) -> dict[str, Any]:
    """What the model reaches on the dev set as it is: its parts may be of several trainings."""
    gold = list(dodona.read(path))
    parsed = list(parser.pipe(gold, retag=True))
    scores, columns = dodona.evaluate(gold, parsed), parser.tagger.columns if parser.tagger else []
    return {
        "dev_uas": scores.uas,
        "dev_las": scores.las,
        "dev_tags": tag_accuracies(gold, parsed, columns),
        "dev_text": score_text(parser, path),
    }


def text_speed(parser: Parser, path: Path) -> float:
    """Words a second of CPU time, from a file's raw text to CoNLL-U: the best of three runs."""
    gold = list(dodona.read(path))
    text, found = "".join(raw_text(gold)), []
    for _ in range(3):
        begin = time.process_time()
        for _ in map(bytes, parser.pipe_text(iter([text]))):
            pass
        found.append(sum(map(len, gold)) / (time.process_time() - begin))
    return max(found)


def score_text(parser: Parser, path: Path) -> dict[str, float]:
    """F1 by every metric, from the raw text of a file."""
    return text_scores(parser, list(dodona.read(path)))


def genre_table(parser: Parser, data: Path, *, test: bool) -> str:
    """Scores by genre: dev sets, and the test set where it is asked for."""
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


def by_genre(sentences: Iterable[Sentence]) -> dict[str, list[Sentence]]:
    """The sentences of each genre, which their ids begin with.

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
