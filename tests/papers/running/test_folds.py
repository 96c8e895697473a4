"""Cross-validation: the arcs of folds, counted, marked and compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dodona
from dodona.evaluation import evaluate_graphs
from dodona.settings import Settings
from dodona_papers.running.data import TreebankFolder
from dodona_papers.running.folds import KINDS, Fold, FoldJob, significance, total
from support.small import enhanced, treebank


def make(found: str) -> Fold:
    """A fold with four arcs built."""
    counts = [len(found), 4, found.count("1")]
    both = {"labelled": counts, "unlabelled": counts}
    return Fold("", "oaks", "a", 0, both, {"labelled": found, "unlabelled": found}, 1.0)


def test_arcs_of_folds_are_summed_and_compared() -> None:
    one, other = [make("1110"), make("11")], [make("0100"), make("10")]
    assert total(one, "labelled").recall == pytest.approx(100 * 5 / 6)
    assert total(one, "labelled").precision == pytest.approx(100 * 5 / 8)
    # three arcs only in one, none only in the other: exact, two-sided
    assert significance(one, other, "labelled") == pytest.approx(0.25)


def test_a_fold_is_parsed_by_a_parser_of_the_others(tmp_path: Path) -> None:
    sentences = [enhanced(sentence) for sentence in treebank(20, 1)]
    for part in ("train", "dev", "test"):
        with dodona.Writer(tmp_path / f"{part}.conllu") as writer:
            for sentence in sentences:
                writer.write(sentence)
    chosen = Settings(graph="enhanced", features="graph", epochs=1)
    fold = FoldJob(TreebankFolder("oaks", tmp_path), "a", chosen, 1, 4).run()
    gold = sentences[1::4]
    others = [sentence for i, sentence in enumerate(sentences) if i % 4 != 1]
    parser = dodona.train(others, graph="enhanced", features="graph", epochs=1, tags="gold")
    scores = evaluate_graphs(gold, list(parser.pipe(gold)))
    for kind, arcs in zip(KINDS, (scores.labelled, scores.unlabelled), strict=True):
        assert fold.counts[kind] == [arcs.n_gold, arcs.n_system, arcs.n_correct]
        assert len(fold.found[kind]) == arcs.n_gold
        assert fold.found[kind].count("1") == arcs.n_correct > 0
    assert Fold.from_record(json.loads(json.dumps(fold.to_record()))) == fold
