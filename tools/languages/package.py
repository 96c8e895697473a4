"""The last steps of a language's model: calibration, scores, card and wheel.

python -m tools.languages.package TREEBANK_FOLDER --model FILE [--data FOLDER] [--out FOLDER]
    [--test] [--peers FILE]

--peers is a JSON lines file of other parsers' scores on the same data, as bench/udpipe.py writes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import dodona
from dodona.models.cards import Card, add_card
from dodona.models.pages import make_card, markdown_table
from dodona.models.wheels import make_package
from dodona.parsing.parser import Parser
from dodona.pipeline.text_trainer import text_scores
from dodona.storage import container
from dodona.tagging.tagger_training import tag_accuracies
from dodona.treebank.sentence import Sentence
from tools.languages.sets import LanguageSet, find_data, find_sets
from tools.treebanks import ROOT

VERSION = "1.0"
METRICS = ("Tokens", "Sentences", "Words", "UPOS", "UFeats", "Lemmas", "UAS", "LAS")
EXAMPLES = 3  # drawn trees on a card
SHORT = 4, 9  # words of an example


def main(words: list[str] | None = None) -> None:
    """Score a model, and write it with its card as a wheel."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("treebank", type=Path, help="folder of the treebank")
    options.add_argument("--model", type=Path, required=True, help="the trained model")
    options.add_argument("--data", type=Path, default=find_data(), help="data folder")
    options.add_argument("--out", type=Path, help="folder of the wheel [that of the model]")
    options.add_argument("--test", action="store_true", help="also score the test sets")
    options.add_argument("--peers", type=Path, help="scores of other parsers, as JSON lines")
    chosen = options.parse_args(words)
    (one,) = find_sets(chosen.data, [chosen.treebank.name])
    print(package(one, chosen.model, chosen.out or chosen.model.parent, chosen.test, chosen.peers))


def package(one: LanguageSet, model: Path, out: Path, test: bool, peers: Path | None) -> Path:
    """Return the path of the wheel."""
    dev = one.file("dev")
    assert dev is not None
    card = Card(one.language, one.treebank, one.licence, VERSION)
    parser = dodona.calibrate(add_card(Parser.load(model), card), dev)
    gold = list(dodona.read(dev))
    parser.record |= words_scores(parser, gold, "dev_") | {"dev_text": text_scores(parser, gold)}
    parts = {part: one.file(part) for part in (("dev", "test", "test2") if test else ("dev",))}
    found = {part: scores_of(parser, path) for part, path in parts.items() if path is not None}
    if "test" in found:
        parser.record["test"] = {"LAS": found["test"]["words"]["LAS"]}
    packed = out / f"{one.package}.packed.dodona"
    parser.save(packed)
    others = read_peers(peers, one.name) if peers else []
    page = make_page(one, card, parser, packed, found, others)
    made = make_package(packed, one.package, card, readme=page, licence=make_notice(one, card))
    packed.unlink()
    (out / f"{one.package}.scores.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    return made.save(out)


def scores_of(parser: Parser, path: Path) -> dict[str, dict[str, float]]:
    """Return scores from raw text and from gold words, by the official metrics."""
    gold = list(dodona.read(path))
    text = text_scores(parser, gold)
    words = words_scores(parser, gold)
    return {"text": {name: text[name] for name in METRICS if name in text}, "words": words}


def words_scores(parser: Parser, gold: list[Sentence], prefix: str = "") -> dict[str, Any]:
    """Return scores with words and sentences given, but no tags."""
    parsed = list(parser.pipe(gold, retag=True))
    scores = dodona.evaluate(gold, parsed)
    columns = parser.tagger.columns if parser.tagger else []
    tags = tag_accuracies(gold, parsed, columns)
    if prefix:
        return {"dev_uas": scores.uas, "dev_las": scores.las, "dev_tags": tags}
    return {"UAS": scores.uas, "LAS": scores.las, **{k.upper(): v for k, v in tags.items()}}


def read_peers(path: Path, name: str) -> list[dict[str, Any]]:
    """Return the scores of other parsers on a set."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["set"] == name]


if __name__ == "__main__":
    main()
