"""Biases of training: how its configurations differ from those of parsing (Aufrant et al. 2017)."""

from __future__ import annotations

from typing import Any

from dodona.evaluation.scores import evaluate
from dodona.parsing.linear_strategy import LinearStrategy
from dodona.parsing.parser import Parser
from dodona.parsing.trainer import Trainer
from dodona.settings import SVM
from dodona.treebank.sentence import Sentence
from dodona_papers.experiments.aufrant_2017.measured import (
    MeasuredBeam,
    MeasuredBeamTrainer,
    MeasuredGreedyTrainer,
)

N_JUDGED = 500  # sentences whose updates are judged, which takes several searches each


def biases(trainer: Trainer, parser: Parser, test: list[Sentence]) -> dict[str, Any]:
    """Return the measures of sections 3 and 4, from a further epoch and a parse of `test`.

    An additional epoch is measured, so that measuring does not slow down the timed ones; the parser
    is that of the epoch before.

    * `divergence`: Kullback-Leibler divergence of the features of all scored configurations, in
      nats, with 0.1 added to each count. "training from parsing" is D(training ‖ parsing),
      "parsing from training" the opposite direction.
    * `quarters`: words and correct heads by quarter of the sentence, without punctuation.
    * For a beam also `n_sentences`; `n_finished`, those considered to the end of the derivation;
      `considered`, the mean share of a derivation that was considered; and, of `n_judged` updates,
      `n_worse` and `n_better`, those after which fewer and more heads are correct.
    """
    settings, strategy = trainer.settings, trainer.strategy
    is_online = settings.linear.learner != SVM and settings.tags == "gold"
    if not isinstance(strategy, LinearStrategy) or not is_online:
        raise ValueError(
            "only online training on gold tags can be measured, not "
            f"learner={settings.linear.learner!r} with tags={settings.tags!r}"
        )
    core = _one_more_epoch(strategy, len(trainer.history))
    width = parser.settings.search.beam
    search = MeasuredBeam(parser.scorer.state_scorer, parser.actions, width=width)
    search.parse(parser.encoder.encode(test))
    found: dict[str, Any] = {
        "divergence": {
            "training from parsing": core.counts.divergence(search.counts),
            "parsing from training": search.counts.divergence(core.counts),
        },
        "quarters": _quarters(parser, test),
    }
    if isinstance(core, MeasuredBeamTrainer):
        for name in ("n_sentences", "n_finished", "n_judged", "n_worse", "n_better"):
            found[name] = getattr(core, name)
        found["considered"] = core.considered / core.n_sentences
    return found


def _one_more_epoch(
    strategy: LinearStrategy, n_epochs: int
) -> MeasuredBeamTrainer | MeasuredGreedyTrainer:
    core = strategy.new_core(MeasuredGreedyTrainer, MeasuredBeamTrainer)
    assert isinstance(core, MeasuredBeamTrainer | MeasuredGreedyTrainer)
    core.__setstate__(strategy.core.__getstate__())
    order = [strategy.data.order[i] for i in core.shuffled(len(strategy.data.order))]
    exploring = n_epochs >= strategy.task.settings.explore_after
    if isinstance(core, MeasuredBeamTrainer):
        core.judges = True
        core.train(order[:N_JUDGED], exploring)
        core.judges = False
        order = order[N_JUDGED:]
    core.train(order, exploring)
    return core


def _quarters(parser: Parser, test: list[Sentence]) -> dict[str, list[int]]:
    scores = evaluate(test, list(parser.pipe(test)), punctuation=False)
    return {name: [part.n_words, part.n_attached] for name, part in scores.by_quarter.items()}
