"""Scores of parsers, significance tests, and error analysis.

`evaluate` scores a system against gold trees, `evaluate_graphs` against gold graphs, and
`evaluate_text` a system that segmented the text itself; `compare` and `compare_text` test the
difference between two systems; `analyse` finds where a system goes wrong.
"""

from dodona.evaluation.analysis import Analysis, analyse
from dodona.evaluation.graphs import GraphScores, evaluate_graphs
from dodona.evaluation.pairs import EvaluationError
from dodona.evaluation.score_counts import Arcs, Attachment, Metric
from dodona.evaluation.scores import Scores, evaluate
from dodona.evaluation.significance import Comparison, compare, compare_text
from dodona.evaluation.tally import count_attachment
from dodona.evaluation.text_scores import TextScores, evaluate_text

__all__ = [
    "Analysis",
    "Arcs",
    "Attachment",
    "Comparison",
    "EvaluationError",
    "GraphScores",
    "Metric",
    "Scores",
    "TextScores",
    "analyse",
    "compare",
    "compare_text",
    "count_attachment",
    "evaluate",
    "evaluate_graphs",
    "evaluate_text",
]
