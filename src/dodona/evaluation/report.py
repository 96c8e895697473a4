"""An analysis as a page: scores, confusions, and gold and system drawn over each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dodona.drawing.html import CLOSING, figure, opening
from dodona.drawing.svg import Arc, draw, safe
from dodona.evaluation.counts import Attachment

if TYPE_CHECKING:
    from dodona.evaluation.analysis import Analysis, Confusions, WrongSentence

WIDTH = 1100.0  # pixels of a drawing
MOST_ROWS = 25
STYLE = """\
<style>
table{border-collapse:collapse;margin:0 2rem 1.5rem 0;display:inline-table;vertical-align:top}
th,td{padding:.15rem .6rem;text-align:right}
th:first-child,td:first-child{text-align:left}
thead th{border-bottom:1px solid}
caption{text-align:left;font-weight:bold;padding:.3rem 0}
svg.dodona .missing{--arc:#15803d}
svg.dodona .wrong{--arc:#b91c1c}
svg.dodona .arc.missing,svg.dodona .arc.wrong{color:var(--arc)}
svg.dodona .arc.missing .line{stroke-dasharray:5 3}
.missing-key{color:#15803d}.wrong-key{color:#b91c1c}
</style>
"""
KEY = (
    '<p>Arcs that both trees have are blue, <span class="missing-key">those of gold alone green '
    'and dashed</span>, <span class="wrong-key">those of the system alone red</span>.</p>\n'
)


def make_report(analysis: Analysis, title: str) -> str:
    """The whole page.

    >>> from dodona import Sentence
    >>> from dodona.evaluation.analysis import analyse
    >>> oak = Sentence.from_columns(["Speak"], heads=[0], deprels=["root"])
    >>> page = make_report(analyse([oak], [oak]), "No errors")
    >>> page.startswith("<!DOCTYPE html>"), "<svg" in page
    (True, False)
    """
    return "".join([opening(title), STYLE, *_body(analysis, title), CLOSING])


def _body(analysis: Analysis, title: str) -> Iterator[str]:
    scores = analysis.scores
    yield f"<h1>{safe(title)}</h1>\n"
    named = {"UAS": scores.uas, "LAS": scores.las, "CLAS": scores.clas, "UPOS": scores.upos}
    rows = [(name, f"{value:.2f}") for name, value in named.items() if value is not None]
    rows += [("words", f"{scores.n_words:,}"), ("sentences", f"{scores.n_sentences:,}")]
    yield _table("Scores", ("", ""), rows)
    yield _attachments("By depth in the tree", analysis.by_depth)
    yield _attachments("By length of the sentence", scores.by_length)
    if analysis.by_known:
        yield _attachments("By whether the word is known", analysis.by_known)
    distances = {name: (arcs.n_gold, arcs.f1) for name, arcs in scores.by_distance.items()}
    yield _table("By distance", ("arcs", "gold", "F1"), _figures(distances))
    labels = {name: (arcs.n_gold, arcs.f1) for name, arcs in scores.by_label.items()}
    yield _table("By label", ("label", "gold", "F1"), _figures(labels))
    yield _confusions("Confused labels, head right", analysis.labels)
    yield _confusions("Confused tags", analysis.tags)
    yield f"<h2>The worst sentences</h2>\n{KEY}"
    for sentence in analysis.worst:
        yield figure(draw_both(sentence), _caption(sentence))


def draw_both(sentence: WrongSentence) -> str:
    """Both trees in one drawing; what they share once."""
    gold, system = (set(_arcs(tree)) for tree in (sentence.gold, sentence.system))
    arcs = [Arc(*arc) for arc in sorted(gold & system, key=_by_dependent)]
    arcs += [Arc(*arc, kind="missing") for arc in sorted(gold - system, key=_by_dependent)]
    arcs += [Arc(*arc, kind="wrong") for arc in sorted(system - gold, key=_by_dependent)]
    forms, tags = sentence.gold.forms, sentence.gold.upos
    return draw(forms, arcs, tags=tags, width=WIDTH, standalone=False)


def _arcs(sentence: object) -> Iterator[tuple[int, str, int]]:
    heads, labels = sentence.heads, sentence.deprels  # type: ignore[attr-defined]
    for word, (head, label) in enumerate(zip(heads, labels, strict=True), start=1):
        if head is not None and head != word:
            yield head, label, word


def _by_dependent(arc: tuple[int, str, int]) -> tuple[int, int, str]:
    return arc[2], arc[0], arc[1]


def _caption(sentence: WrongSentence) -> str:
    sent_id = getattr(sentence.gold, "sent_id", None)
    name = f"sentence {sentence.number}" + (f", {sent_id}" if sent_id else "")
    return f"{name}: {len(sentence.wrong)} of {sentence.n_words} words wrong. {sentence.text}"


def _attachments(title: str, parts: dict[str, Attachment]) -> str:
    rows = [(name, f"{p.n_words:,}", f"{p.uas:.2f}", f"{p.las:.2f}") for name, p in parts.items()]
    return _table(title, ("", "words", "UAS", "LAS"), rows)


def _confusions(title: str, confusions: Confusions) -> str:
    rows = [(a, b, f"{n:,}") for (a, b), n in confusions.items()]
    return _table(title, ("gold", "system", "words"), rows)


def _figures(parts: dict[str, tuple[int, float]]) -> list[tuple[str, str, str]]:
    return [(name, f"{n:,}", f"{f1:.2f}") for name, (n, f1) in parts.items()]


def _table(title: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    rows = list(rows)[:MOST_ROWS]
    head = "".join(f"<th>{safe(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td>{safe(cell)}</td>' for cell in row)}</tr>\n" for row in rows
    )
    return (
        f"<table><caption>{safe(title)}</caption><thead><tr>{head}</tr></thead>\n"
        f"<tbody>{body}</tbody></table>\n"
    )
