"""Error analysis: confusions, attachment by depth and by known words, worst sentences.

As an HTML page, it draws the gold and system trees of the worst sentences in one figure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from rich.table import Table

from dodona.drawing.html import CLOSING, figure, opening
from dodona.drawing.svg import Arc, draw, safe
from dodona.evaluation.pairs import OnProgress, Parsed, ParsedSource, load, pair
from dodona.evaluation.score_counts import Attachment
from dodona.evaluation.scores import Scores, evaluate
from dodona.evaluation.table import attachment_table, new_table, percent, render
from dodona.evaluation.tally import is_right, label_reader

DEPTHS = ("1", "2", "3", "4", "5", "6+")
NO_LABEL = "none"  # of a word without a head
MOST_SHOWN = 15

Confusions = dict[tuple[str, str], int]
Outcomes = dict[str, list[tuple[bool, bool]]]  # of words by group: head right, label too
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
HtmlTable = tuple[str, Sequence[str], Iterable[Sequence[str]]]  # title, columns, rows


@dataclass(frozen=True, slots=True)
class WrongSentence:
    """A sentence with errors, its gold and system trees and its wrong words."""

    number: int  # from 1
    gold: Parsed
    system: Parsed
    wrong: list[int]  # words, from 1, whose head or label is wrong
    n_words: int  # scored

    @property
    def las(self) -> float:
        """Percentage of scored words with the right head and label."""
        return 100 * (1 - len(self.wrong) / self.n_words)

    @property
    def text(self) -> str:
        """Text of the sentence, or its words if it has no text."""
        return str(getattr(self.gold, "text", " ".join(self.gold.forms)))

    @property
    def sent_id(self) -> str | None:
        """Id of the sentence, if it has one."""
        return getattr(self.gold, "sent_id", None)

    @property
    def caption(self) -> str:
        """Caption of the drawing."""
        name = f"sentence {self.number}" + (f", {self.sent_id}" if self.sent_id else "")
        return f"{name}: {len(self.wrong)} of {self.n_words} words wrong. {self.text}"

    def to_dict(self) -> dict[str, Any]:
        """Return the sentence as a dictionary, ready for `json.dumps`."""
        found = {"number": self.number, "sent_id": self.sent_id, "text": self.text}
        return found | {"las": self.las, "wrong": self.wrong}


@dataclass(frozen=True, slots=True)
class Analysis:
    """Result of `analyse`."""

    scores: Scores
    labels: Confusions  # (gold, system) labels of words with the right head
    tags: Confusions  # (gold, system) UPOS
    by_depth: dict[str, Attachment]  # by depth of the word in the gold tree; a root has depth 1
    by_known: dict[str, Attachment]  # by whether the training treebank has the word
    worst: list[WrongSentence]  # most wrong words first

    def table(self) -> str:
        """Return the analysis as tables."""
        parts: list[Table | str] = [
            confusion_table("label, head right", self.labels),
            confusion_table("UPOS", self.tags),
            attachment_table("depth in the tree", self.by_depth),
        ]
        if self.by_known:
            parts.append(attachment_table("word", self.by_known))
        worst = new_table("worst sentences", "wrong", "LAS")
        for wrong in self.worst[:MOST_SHOWN]:
            text = wrong.text if len(wrong.text) <= 50 else wrong.text[:49] + "…"
            worst.add_row(f"{wrong.number}: {text}", f"{len(wrong.wrong)}", percent(wrong.las))
        parts.append(worst)
        return self.scores.table(details=True) + "\n" + render(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the analysis as a dictionary, ready for `json.dumps`."""
        return {
            "scores": self.scores.to_dict(),
            **{
                name: [{"gold": a, "system": b, "n_words": n} for (a, b), n in found.items()]
                for name, found in (("labels", self.labels), ("tags", self.tags))
            },
            "by_depth": {name: part.to_dict() for name, part in self.by_depth.items()},
            "by_known": {name: part.to_dict() for name, part in self.by_known.items()},
            "worst": [sentence.to_dict() for sentence in self.worst],
        }

    def to_html(self, title: str = "Errors") -> str:
        """Return an HTML page with tables and drawings of the worst sentences."""
        figures = ((draw_both(wrong.gold, wrong.system), wrong.caption) for wrong in self.worst)
        return make_report(title, self._html_tables(), figures)

    def _html_tables(self) -> Iterator[HtmlTable]:
        scores = self.scores
        named = {"UAS": scores.uas, "LAS": scores.las, "CLAS": scores.clas, "UPOS": scores.upos}
        rows = [(name, f"{value:.2f}") for name, value in named.items() if value is not None]
        rows += [("words", f"{scores.n_words:,}"), ("sentences", f"{scores.n_sentences:,}")]
        yield "Scores", ("", ""), rows
        for name, parts in (
            ("depth in the tree", self.by_depth),
            ("length of the sentence", scores.by_length),
            ("whether the word is known", self.by_known),
        ):
            figures = [
                (k, f"{p.n_words:,}", f"{p.uas:.2f}", f"{p.las:.2f}") for k, p in parts.items()
            ]
            if figures:
                yield f"By {name}", ("", "words", "UAS", "LAS"), figures
        for name, arcs in (("distance", scores.by_distance), ("label", scores.by_label)):
            rows_of = [(k, f"{a.n_gold:,}", f"{a.f1:.2f}") for k, a in arcs.items()]
            yield f"By {name}", ("", "gold", "F1"), rows_of
        for name, found in (("labels, head right", self.labels), ("tags", self.tags)):
            confused = [(a, b, f"{n:,}") for (a, b), n in found.items()]
            if confused:
                yield f"Confused {name}", ("gold", "system", "words"), confused


def analyse(
    gold: ParsedSource,
    system: ParsedSource,
    *,
    train: ParsedSource | None = None,
    most: int = 50,
    punctuation: bool = True,
    punctuation_by: str = "auto",
    labels: Literal["exact", "universal"] = "exact",
    progress: OnProgress | None = None,
) -> Analysis:
    """Find where a system goes wrong; all options but `train` and `most` are as in `evaluate`.

    With the treebank that the system was trained on as `train`, words that are known from training
    and unknown words are also counted separately. The `most` sentences with the most wrong words
    are kept. `progress` is called twice for each sentence.

    >>> from dodona import Sentence
    >>> words, tags = ["Oaks", "speak"], ["NOUN", "VERB"]
    >>> gold = Sentence.from_columns(words, upos=tags, heads=[2, 0], deprels=["nsubj", "root"])
    >>> found = analyse([gold], [gold.replace(deprels=["obj", "root"])])
    >>> found.labels, found.worst[0].wrong
    ({('nsubj', 'obj'): 1}, [1])
    """
    sentences, parsed = load(gold), load(system)
    chosen: Any = {"punctuation": punctuation, "punctuation_by": punctuation_by}
    chosen["progress"] = progress
    scores = evaluate(sentences, parsed, labels=labels, **chosen)
    label = label_reader(labels)
    known = None if train is None else {form for s in load(train) for form in s.forms}
    found_labels: Counter[tuple[str, str]] = Counter()
    found_tags: Counter[tuple[str, str]] = Counter()
    depths: Outcomes = {name: [] for name in DEPTHS}
    knowns: Outcomes = {"known": [], "unknown": []}
    worst = []
    for number, both in enumerate(pair(sentences, parsed, **chosen), start=1):
        depth, wrong = _depths(both.gold), []
        heads, guesses = both.gold.heads, both.system.heads
        gold_labels, system_labels = both.gold.deprels, both.system.deprels
        gold_tags, system_tags, forms = both.gold.upos, both.system.upos, both.gold.forms
        for i in both.words:
            ours = label(gold_labels[i])
            theirs = label(system_labels[i] if guesses[i] is not None else NO_LABEL)
            is_attached = heads[i] == guesses[i]
            is_labelled = is_attached and is_right(ours, theirs)
            if is_attached and not is_labelled:
                found_labels[ours, theirs] += 1
            if gold_tags[i] != system_tags[i]:
                found_tags[gold_tags[i], system_tags[i]] += 1
            depths[DEPTHS[min(depth[i], len(DEPTHS)) - 1]].append((is_attached, is_labelled))
            if known is not None:
                name = "known" if forms[i] in known else "unknown"
                knowns[name].append((is_attached, is_labelled))
            if not is_labelled:
                wrong.append(i + 1)
        if wrong:
            worst.append(WrongSentence(number, both.gold, both.system, wrong, len(both.words)))
    worst.sort(key=lambda sentence: -len(sentence.wrong))
    return Analysis(
        scores,
        dict(found_labels.most_common()),
        dict(found_tags.most_common()),
        _attachments(depths),
        _attachments(knowns),
        worst[:most],
    )


def _attachments(outcomes: Outcomes) -> dict[str, Attachment]:
    return {
        name: Attachment(len(words), sum(a for a, _ in words), sum(b for _, b in words))
        for name, words in outcomes.items()
        if words
    }


def _depths(sentence: Parsed) -> list[int]:
    """Return the depth of each word below the artificial root; a cycle is as deep as it is long."""
    heads = sentence.heads
    found = [0] * len(heads)
    for start in range(len(heads)):
        path: list[int] = []
        at = start
        while not found[at] and len(path) <= len(heads):
            path.append(at)
            head = heads[at]
            if not head:
                break
            at = head - 1
        above = 0 if path and not heads[path[-1]] else found[at]
        for i in reversed(path):
            above += 1
            found[i] = found[i] or above
    return found


def confusion_table(title: str, confusions: Confusions) -> Table:
    """Return a table of the most frequent confusions."""
    table = new_table(f"{title}: gold", "system", "words")
    for (ours, theirs), n in list(confusions.items())[:MOST_SHOWN]:
        table.add_row(ours, theirs, f"{n:,}")
    return table


def make_report(title: str, tables: Iterable[HtmlTable], figures: Iterable[tuple[str, str]]) -> str:
    """Return the whole page: tables, then drawings with their captions.

    >>> page = make_report("No errors", [("Scores", ("", "LAS"), [("all", "100")])], [])
    >>> page.startswith("<!DOCTYPE html>"), "<td>100</td>" in page
    (True, True)
    """
    parts = [opening(title), STYLE, f"<h1>{safe(title)}</h1>\n"]
    parts += [_render(*table) for table in tables]
    parts.append(f"<h2>The worst sentences</h2>\n{KEY}")
    parts += [figure(*each) for each in figures]
    return "".join([*parts, CLOSING])


def _render(title: str, names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return the HTML of a table, with at most MOST_ROWS rows."""
    head = "".join(f"<th>{safe(name)}</th>" for name in names)
    cells = ("".join(f"<td>{safe(cell)}</td>" for cell in row) for row in islice(rows, MOST_ROWS))
    body = "".join(f"<tr>{row}</tr>\n" for row in cells)
    return (
        f"<table><caption>{safe(title)}</caption><thead><tr>{head}</tr></thead>\n"
        f"<tbody>{body}</tbody></table>\n"
    )


def draw_both(gold: Parsed, system: Parsed) -> str:
    """Draw both trees in one figure; shared arcs appear once."""
    ours, theirs = _arcs(gold), _arcs(system)
    kinds = (("", ours & theirs), ("missing", ours - theirs), ("wrong", theirs - ours))
    arcs = [
        Arc(head, label, word, kind) for kind, some in kinds for word, head, label in sorted(some)
    ]
    return draw(gold.forms, arcs, tags=gold.upos, width=WIDTH, standalone=False)


def _arcs(sentence: Parsed) -> set[tuple[int, int, str]]:
    """Return the dependent, head and label of each arc."""
    arcs = enumerate(zip(sentence.heads, sentence.deprels, strict=True), start=1)
    return {(word, h, label) for word, (h, label) in arcs if h is not None and h != word}
