"""The last steps of a language's model: calibration, scores, card and wheel.

python -m tools.languages.package TREEBANK_FOLDER --model FILE [--data FOLDER] [--out FOLDER]
    [--test] [--teacher FILE] [--peers FILE]

--teacher is the file of the sets that the teacher learned from, if one voted (`lanes.teaching`);
--peers is a JSON lines file of the scores of other parsers on the same data, as bench/udpipe.py
writes.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import numpy as np

import dodona
from dodona.distilling.silver_parts import file_checksum
from dodona.models.cards import Card, add_card
from dodona.models.pages import make_card, make_licence, markdown_table
from dodona.models.wheels import make_package
from dodona.parsing.network_scorer import NetworkParserScorer
from dodona.parsing.parser import Parser
from dodona.pipeline.text_trainer import text_scores
from dodona.storage import container
from dodona.tagging.tagger_training import tag_accuracies
from dodona.treebank.sentence import Sentence
from tools.languages.recipe import TRUNK, related_words
from tools.languages.sets import (
    LanguageSet,
    find_data,
    find_relatives,
    find_sets,
    named_sets,
    prepared,
)
from tools.treebanks import ROOT

VERSION = "1.3"
TABLE = re.compile(r"word\.\d+")  # names of the tables of vectors of words
LEVEL = 8  # the numbers of tables are multiples of it
PEER = "UDPipe 1"
METRICS = ("tokens", "sentences", "words", "upos", "ufeats", "lemmas", "uas", "las")
EXAMPLES = ROOT / "tests" / "languages" / "examples"  # sentences of our own, by language
N_EXAMPLES = 3  # drawn trees on a card
ALSO = (
    "Text under free licences was annotated by other networks, and the model learned from it;\n"
    "it holds none of its sentences."
)
BEGUN = (
    "The networks that its own began from, or that annotated text for it, also learned from these\n"
    "treebanks, and hold none of their sentences:"
)


def main(words: list[str] | None = None) -> None:
    """Score a model, and write it with its card as a wheel."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("treebank", type=Path, help="folder of the treebank")
    options.add_argument("--model", type=Path, required=True, help="the trained model")
    options.add_argument("--data", type=Path, default=find_data(), help="data folder")
    options.add_argument("--out", type=Path, help="folder of the wheel [that of the model]")
    options.add_argument("--test", action="store_true", help="also score the test sets")
    options.add_argument("--teacher", type=Path, help="sets that the teacher learned from")
    options.add_argument("--peers", type=Path, help="scores of other parsers, as JSON lines")
    chosen = options.parse_args(words)
    (one,) = find_sets(chosen.data, [chosen.treebank.name])
    folder = chosen.model.parent
    out = chosen.out or folder
    others = read_peers(chosen.peers, one.name) if chosen.peers else []
    taught_by = list(json.loads(chosen.teacher.read_bytes())) if chosen.teacher else []
    print(package(prepared(one, folder), chosen.model, out, chosen.test, others, taught_by))


def package(
    one: LanguageSet,
    model: Path,
    out: Path,
    test: bool,
    others: list[dict[str, Any]],
    taught_by: list[str],
) -> Path:
    """Return the path of the wheel; `others` are scores of other parsers, `taught_by` the sets that
    a teacher learned from."""
    card = Card(one.language, one.treebank, one.licence, VERSION)
    out.mkdir(parents=True, exist_ok=True)
    packed = out / f"{one.package}.packed.dodona"
    coarse(Parser.load(model)).save(packed)
    parser = dodona.calibrate(add_card(Parser.load(packed), card), one.dev)
    gold = list(dodona.read(one.dev))
    parser.record |= learned_from(one)
    parser.record |= words_scores(parser, gold, "dev_") | {"dev_text": text_scores(parser, gold)}
    parts = {part: one.file(part) for part in (("dev", "test", "test2") if test else ("dev",))}
    found = {part: scores_of(parser, path) for part, path in parts.items() if path is not None}
    if "test" in found:
        parser.record["test"] = found["test"]["words"]
    parser.save(packed)
    page = make_page(one, card, parser, packed, found, others)
    notice = make_notice(one, card, taught_by, has_silver=one.text is not None)
    made = make_package(packed, one.package, card, readme=page, licence=notice)
    packed.unlink()
    (out / f"{one.package}.scores.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    return made.save(out)


def coarse(parser: Parser) -> Parser:
    """Return a parser whose tables of vectors have 33 different numbers in a row instead of 255.

    They are half of a model, and compressed, wheels are 13% smaller. On the dev sets of ca, hr, nb
    and tr, LAS changed by -0.02, -0.05, -0.03 and +0.09. Only packages are made so: training that
    goes on from a model changes its numbers by less than that.
    """
    scorer = parser.scorer
    assert isinstance(scorer, NetworkParserScorer)  # the recipe trains networks
    for name, numbers in scorer.tagger.scorer.arrays.items():
        if TABLE.fullmatch(name):
            levels = np.rint(np.asarray(numbers, np.int8) / LEVEL)
            scorer.tagger.scorer.arrays[name] = memoryview(
                (LEVEL * levels).clip(-127, 127).astype(np.int8)
            )
    return parser


def learned_from(one: LanguageSet) -> dict[str, Any]:
    """Return for the record of a model how it was made and what it learned from."""
    gold = [len(sentence) for sentence in dodona.read(one.train)]
    sources = [{"kind": "gold", "words": sum(gold), **_source(one.train)}]
    if one.text is not None:
        sources.append({"kind": "text", **_source(one.text)})
    recipe = f"make languages LANGUAGES={one.name}"
    sizes = {"n_sentences": len(gold), "n_words": sum(gold)}
    return {**sizes, "recipe": recipe, "learned_from": sources}


def _source(path: Path) -> dict[str, str]:
    return {"file": "/".join(path.parts[-2:]), "sha256": file_checksum(path)}


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
    named = {"feats": "ufeats", "lemma": "lemmas"}
    return {"uas": scores.uas, "las": scores.las, **{named.get(k, k): v for k, v in tags.items()}}


def make_page(
    one: LanguageSet,
    card: Card,
    parser: Parser,
    model: Path,
    found: dict[str, dict[str, dict[str, float]]],
    others: list[dict[str, Any]],
) -> str:
    """Return the card: facts, scores beside those of others, examples and caveats."""
    facts = make_card(one.package, card, container.about(model), model.stat().st_size)
    blocks = [facts.rstrip("\n"), "## Scores by part", *score_tables(found, others)]
    blocks += ["## Examples", *examples(parser, one)]
    if notes := one.about.get("notes"):
        blocks += ["## Notes", str(notes)]
    return "\n\n".join(blocks) + "\n"


def score_tables(
    found: dict[str, dict[str, dict[str, float]]], others: list[dict[str, Any]]
) -> list[str]:
    """Return a table from raw text and one from gold words, with rows of other parsers."""
    blocks = []
    for kind, title in (
        ("text", "From raw text, F1"),
        ("words", "Words and sentences given, no tags"),
    ):
        names = [name for name in METRICS if any(name in scores[kind] for scores in found.values())]
        rows = [(part, "Dodona", scores[kind]) for part, scores in found.items()]
        rows += [(one["part"], PEER, one[kind]) for one in others if one["part"] in found]
        lines = [
            (part, who, *(f"{scores[n]:.2f}" if n in scores else "-" for n in names))
            for part, who, scores in sorted(rows, key=lambda row: row[:2])
        ]
        blocks += [f"{title}:", markdown_table(("", "", *names), lines)]
    return blocks


def examples(parser: Parser, one: LanguageSet) -> list[str]:
    """Return drawings of short sentences; they come from our own tests, not from a treebank."""
    path = EXAMPLES / f"{one.code}.txt"
    if not path.is_file():
        return ["There are none of our own for this language yet."]
    lines = path.read_text(encoding="utf-8").splitlines()
    drawn = [sentence.tree() for line in lines[:N_EXAMPLES] for sentence in parser(line).sentences]
    return [f"```text\n{drawing.rstrip()}\n```" for drawing in drawn]


def make_notice(
    one: LanguageSet, card: Card, taught_by: list[str] | None = None, *, has_silver: bool
) -> str:
    """Return the licence of the model, with its sources."""
    paragraphs = [make_licence(one.package, card).rstrip("\n")]
    if has_silver:
        paragraphs.append(ALSO)
    if related_words(one) and (relatives := find_relatives(one)):
        names = "\n".join(other.credit for other in relatives)
        paragraphs.append(f"It also learned from related treebanks:\n{names}")
    with np.load(TRUNK, allow_pickle=False) as trunk:
        lent = sorted({*trunk["sets"].tolist(), *(taught_by or ())})
    names = "\n".join(other.credit for other in named_sets(lent))
    paragraphs.append(f"{BEGUN}\n{names}")
    return "\n\n".join(paragraphs) + "\n"


def read_peers(path: Path, name: str) -> list[dict[str, Any]]:
    """Return the scores of other parsers on a set."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["set"] == name]


if __name__ == "__main__":
    main()
