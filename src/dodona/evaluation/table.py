"""Scores and comparisons as text tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from dodona.evaluation.counts import Arcs, Attachment
    from dodona.evaluation.graphs import GraphScores
    from dodona.evaluation.scores import Scores
    from dodona.evaluation.significance import Comparison
    from dodona.evaluation.text_scores import TextScores

NOTHING = "-"  # a percentage of no words at all


def render_scores(scores: Scores, *, details: bool) -> str:
    """The summary, then the breakdowns where asked for."""
    parts: list[Table | str] = [_summary(scores), _caption(scores)]
    if details:
        parts += [
            _arcs("arc", {**scores.by_distance, "non-projective": scores.nonprojective}),
            _attachment("sentence length", scores.by_length),
            _attachment("quarter of the sentence", scores.by_quarter),
            _arcs("label", scores.by_label),
        ]
    return _render(parts)


def render_graph_scores(scores: GraphScores) -> str:
    """Arcs with and without labels."""
    rows = {"labelled (F1: ELAS)": scores.labelled, "unlabelled": scores.unlabelled}
    caption = (
        f"{scores.n_words:,} words in {scores.n_sentences:,} sentences, "
        f"{scores.n_exact:,} graphs exactly right"
    )
    return _render([_arcs("arcs", rows), caption])


def render_comparison(comparison: Comparison) -> str:
    """The two scores, their difference and what the test says."""
    name = comparison.metric.upper()
    table = _table("", "")
    table.show_header = False
    table.add_row(f"{name} of A", _number(comparison.score_a))
    table.add_row(f"{name} of B", _number(comparison.score_b))
    table.add_row("A - B", f"{comparison.difference:+.2f}")
    if comparison.interval is not None:
        low, high = comparison.interval
        table.add_row("95% interval", f"{low:+.2f} to {high:+.2f}")
    table.add_row("right in A only", f"{comparison.n_only_a:,}")
    table.add_row("right in B only", f"{comparison.n_only_b:,}")
    table.add_row("p", "< 0.0001" if comparison.p < 0.0001 else f"{comparison.p:.4f}")
    return _render([table, comparison.method])


def render_text_scores(scores: TextScores) -> str:
    """One line per metric, by the names of the shared task."""
    table = _table("", "precision", "recall", "F1", "aligned accuracy")
    for name, metric in (
        ("Tokens", scores.tokens),
        ("Sentences", scores.sentences),
        ("Words", scores.words),
        ("UPOS", scores.upos),
        ("XPOS", scores.xpos),
        ("UFeats", scores.ufeats),
        ("AllTags", scores.all_tags),
        ("Lemmas", scores.lemmas),
        ("UAS", scores.uas),
        ("LAS", scores.las),
        ("CLAS", scores.clas),
        ("MLAS", scores.mlas),
        ("BLEX", scores.blex),
    ):
        if metric is not None:
            figures = [_number(value) for value in (metric.precision, metric.recall, metric.f1)]
            aligned = metric.aligned_accuracy
            table.add_row(name, *figures, "" if aligned is None else _number(aligned))
    words, sentences = scores.words, scores.sentences
    caption = (
        f"{words.n_gold:,} gold words in {sentences.n_gold:,} sentences, "
        f"{words.n_system:,} words in {sentences.n_system:,} sentences of the system"
    )
    return _render([table, caption])


def _summary(scores: Scores) -> Table:
    table = _table("", "%")
    for name, value in (
        ("UAS", scores.uas),
        ("LAS", scores.las),
        ("label accuracy", scores.label_accuracy),
        ("CLAS", scores.clas),
        ("complete match", scores.uem),
        ("complete match, labelled", scores.lem),
        ("UPOS", scores.upos),
        ("XPOS", scores.xpos),
        ("features", scores.feats),
        ("lemmas", scores.lemma),
    ):
        if value is not None:
            table.add_row(name, _number(value))
    return table


def _caption(scores: Scores) -> str:
    parts = [f"{scores.n_words:,} words in {scores.n_sentences:,} sentences"]
    if scores.n_unannotated:
        parts.append(f"{scores.n_unannotated:,} more without a gold head")
    parts.append("with punctuation" if scores.punctuation else "without punctuation")
    return f"{', '.join(parts)}, {scores.labels} labels"


def _arcs(title: str, rows: Mapping[str, Arcs]) -> Table:
    table = _table(title, "gold", "system", "correct", "precision", "recall", "F1")
    for name, arcs in rows.items():
        table.add_row(
            name,
            f"{arcs.n_gold:,}",
            f"{arcs.n_system:,}",
            _correct(arcs),
            _number(arcs.precision, arcs.n_system),
            _number(arcs.recall, arcs.n_gold),
            _number(arcs.f1, arcs.n_gold + arcs.n_system),
        )
    return table


def _correct(arcs: Arcs) -> str:
    if arcs.n_recovered == arcs.n_correct:
        return f"{arcs.n_correct:,}"
    return f"{arcs.n_recovered:,} / {arcs.n_correct:,}"


def _attachment(title: str, rows: Mapping[str, Attachment]) -> Table:
    table = _table(title, "words", "UAS", "LAS")
    for name, part in rows.items():
        table.add_row(name, f"{part.n_words:,}", _number(part.uas), _number(part.las))
    return table


def _table(first: str, *columns: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, header_style="bold")
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _number(value: float, of: int = 1) -> str:
    return f"{value:.2f}" if of else NOTHING


def _render(parts: Iterable[Table | str]) -> str:
    """Styled where standard output is a terminal, plain text elsewhere."""
    console = Console(highlight=False, markup=False, force_jupyter=False)
    with console.capture() as capture:
        for i, part in enumerate(parts):
            if i:
                console.print()
            console.print(part, soft_wrap=isinstance(part, str))
    return "\n".join(line.rstrip() for line in capture.get().splitlines()) + "\n"
