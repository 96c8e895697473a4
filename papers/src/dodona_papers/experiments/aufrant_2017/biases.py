"""What training looks at, and how far that is from what parsing meets (Aufrant et al. 2017)."""

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

N_JUDGED = 500  # sentences whose updates are judged: it takes several searches for each


def biases(trainer: Trainer, parser: Parser, test: list[Sentence]) -> dict[str, Any]:
    """The measures of sections 3 and 4, from one more epoch of training and a parse of `test`.

    The epoch is one more, and not the last one, so that to measure costs that one no time; the
    parser is of the epoch before.

    * `divergence`: Kullback-Leibler, of the features of all configurations that are scored; in
      nats, each count raised by 0.1. "training from parsing" is D(training ‖ parsing), the other
      one is the other direction.
    * `quarters`: words and right heads by quarter of the sentence, without punctuation.
    * Of a beam, also `n_sentences`, `n_finished` of which were considered to the end of the
      derivation, `considered`, the mean share of a derivation that was, and of `n_judged` updates
      in the first sentences `n_worse` and `n_better`, by the right heads before and after.
    """
    settings, strategy = trainer.settings, trainer.strategy
    is_online = settings.learner != SVM and settings.tags == "gold"
    if not isinstance(strategy, LinearStrategy) or not is_online:
        raise ValueError(
            "only online training on gold tags is measured, not "
            f"learner={settings.learner!r} with tags={settings.tags!r}"
        )
    core = _one_more_epoch(strategy, len(trainer.history))
    search = MeasuredBeam(parser.scorer.state_scorer, parser.actions, width=parser.settings.beam)
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
