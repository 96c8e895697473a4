"""Scores of parsers, significance tests, and error analysis.

`evaluate` scores a system against gold trees, `evaluate_graphs` against gold graphs, and
`evaluate_text` a system that segmented the text itself; `compare` and `compare_text` test the
difference between two systems; `analyse` finds where a system goes wrong.
"""

from dodona.evaluation.analysis import Analysis as Analysis
from dodona.evaluation.analysis import analyse as analyse
from dodona.evaluation.graphs import GraphScores as GraphScores
from dodona.evaluation.graphs import evaluate_graphs as evaluate_graphs
from dodona.evaluation.pairs import EvaluationError as EvaluationError
from dodona.evaluation.score_counts import Arcs as Arcs
from dodona.evaluation.score_counts import Attachment as Attachment
from dodona.evaluation.score_counts import Metric as Metric
from dodona.evaluation.scores import Scores as Scores
from dodona.evaluation.scores import evaluate as evaluate
from dodona.evaluation.significance import Comparison as Comparison
from dodona.evaluation.significance import compare as compare
from dodona.evaluation.significance import compare_text as compare_text
from dodona.evaluation.tally import count_attachment as count_attachment
from dodona.evaluation.text_scores import TextScores as TextScores
from dodona.evaluation.text_scores import evaluate_text as evaluate_text
