"""Measure what words of gold buy: parsers of raw text, trained on parts of a treebank.

    python bench/learning_curves.py --data DIR cy_ccg fi_tdt hy_bsut id_gsd
    python bench/learning_curves.py --data DIR sr_set --relative hr_set --learners linear

DIR has `treebanks/NAME/{train,dev}.conllu.gz` and `text/CODE.txt.gz`, as for `make languages`. A
part is the beginning of the treebank in a random order, the same for all learners, so that a larger
part contains the smaller ones. Learners: `linear` (default settings), `clusters` (with Brown
clusters of raw text) and `network` (the sizes of `make languages`, without silver). With
--relative, the train set of another treebank is learned from, too. Each result is printed as a line
of JSON, with scores on the dev set: words and sentences found in raw text; UPOS, UAS and LAS with
the words given but no tags; LAS from raw text.
"""

from __future__ import annotations

import gzip
import json
import random
import tempfile
import time
from itertools import chain, islice, product
from pathlib import Path
from typing import Annotated, Any

import typer

import dodona
from dodona.clustering.clusters import cluster, write_clusters
from dodona.parsing.preparation import load_trees
from dodona.pipeline.text_trainer import text_scores
from dodona.tagging.tagger_training import tag_accuracies
from dodona.treebank.sentence import Sentence

NETWORK = {
    "scorer": "neural",
    "system": "arc-hybrid",
    "width": 160,
    "layers": 2,
    "hidden": 160,
    "rows": 8192,
    "epochs": 20,
}
CLUSTERED = 20_000  # sentences of raw text
N_CLUSTERS = 320


def part_of(sentences: list[Sentence], n_words: int, seed: int) -> list[Sentence]:
    """Return random sentences that have `n_words` words together, or a few more."""
    chosen: list[Sentence] = []
    n = 0
    for sentence in random.Random(seed).sample(sentences, len(sentences)):
        if n >= n_words:
            break
        chosen.append(sentence)
        n += len(sentence)
    return chosen


def make_clusters(text: Path, part: list[Sentence], out: Path) -> None:
    """Write clusters of raw text, whose words a segmenter finds that learned from the part."""
    segmenter = dodona.train_segmenter(part)
    with gzip.open(text, "rt", encoding="utf-8") as file:
        found = islice(chain.from_iterable(segmenter.stream(file)), CLUSTERED)
        words = cluster((s.forms for s in found), clusters=N_CLUSTERS, min_count=3)
    write_clusters(words, out)


def scores_of(parser: dodona.Parser, gold: list[Sentence]) -> dict[str, float]:
    """Return the scores of a parser on a dev set."""
    parsed = list(parser.pipe(gold, retag=True))
    given, text = dodona.evaluate(gold, parsed), text_scores(parser, gold)
    found = {"words": text["words"], "sentences": text["sentences"]}
    found |= tag_accuracies(gold, parsed, ("upos",))
    found |= {"uas": given.uas, "las": given.las, "text_las": text["las"]}
    return {name: round(score, 2) for name, score in found.items()}


def train(part: list[Sentence], gold: list[Sentence], learner: str, text: Path) -> dodona.Parser:
    """Train a parser of raw text."""
    settings: dict[str, Any] = NETWORK if learner == "network" else {}
    with tempfile.TemporaryDirectory() as folder:
        if learner == "clusters":
            settings = {"clusters": f"{folder}/clusters.txt"}
            make_clusters(text, part, Path(settings["clusters"]))
        return dodona.train(part, gold, pipeline="text", **settings)


def main(
    sets: Annotated[list[str], typer.Argument(help="treebanks")],
    data: Annotated[Path, typer.Option(envvar="DODONA_LANGUAGES", help="data folder")],
    words: Annotated[str, typer.Option(help="sizes of parts")] = "1000,5000,20000",
    learners: str = "linear,clusters,network",
    relative: Annotated[str, typer.Option(help="treebank of a related language")] = "",
    seed: Annotated[int, typer.Option(help="of the choice of sentences")] = 1,
) -> None:
    """Train and score every learner on every part of every treebank."""
    for name, learner in product(sets, learners.split(",")):
        treebank, text = data / "treebanks" / name, data / "text" / f"{name.split('_')[0]}.txt.gz"
        if learner == "clusters" and not text.exists():
            continue
        sentences = load_trees(treebank / "train.conllu.gz")
        gold = list(dodona.read(treebank / "dev.conllu.gz"))
        others = data / "treebanks" / relative / "train.conllu.gz"
        more = load_trees(others) if relative else []
        for n_words in map(int, words.split(",")):
            part = part_of(sentences, n_words, seed)
            begin = time.process_time()
            parser = train(more + part, gold, learner, text)
            seconds = round(time.process_time() - begin)
            row = {
                "set": name,
                "relative": relative,
                "learner": learner,
                "words": sum(map(len, part)),
            }
            row |= {"sentences": len(part), "seconds": seconds, "dev": scores_of(parser, gold)}
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    typer.run(main)
