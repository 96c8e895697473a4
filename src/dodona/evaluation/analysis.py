"""Where a system goes wrong: confusions, attachment by what makes it hard, worst sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from rich.table import Table

from dodona.evaluation.counts import Attachment
from dodona.evaluation.pairs import Pair, Progress, Treebank, load, pair
from dodona.evaluation.parsed import Parsed
from dodona.evaluation.scores import Scores, evaluate
from dodona.evaluation.table import attachment_table, new_table, percent, render
from dodona.evaluation.tally import is_right, label_reader

if TYPE_CHECKING:
    from dodona.evaluation.report import HtmlTable

DEPTHS = ("1", "2", "3", "4", "5", "6+")
NO_LABEL = "none"  # what a word without a head has
MOST_SHOWN = 15

Confusions = dict[tuple[str, str], int]


@dataclass(frozen=True, slots=True)
class WrongSentence:
    """A sentence with errors: where it is, both of its trees, and how many words are wrong."""

    number: int  # from 1
    gold: Parsed
    system: Parsed
    wrong: list[int]  # words, from 1, whose head or label is wrong
    n_words: int  # that count

    @property
    def las(self) -> float:
        """Percentage of its words with the right head and label."""
        return 100 * (1 - len(self.wrong) / self.n_words)

    @property
    def text(self) -> str:
        """Its text, or its words where there is none."""
        return str(getattr(self.gold, "text", " ".join(self.gold.forms)))

    @property
    def sent_id(self) -> str | None:
        """Its id, where it has one."""
        return getattr(self.gold, "sent_id", None)

    @property
    def caption(self) -> str:
        """What stands above its drawing."""
        name = f"sentence {self.number}" + (f", {self.sent_id}" if self.sent_id else "")
        return f"{name}: {len(self.wrong)} of {self.n_words} words wrong. {self.text}"

    def to_dict(self) -> dict[str, Any]:
        """The sentence for machines."""
        found = {"number": self.number, "sent_id": self.sent_id, "text": self.text}
        return found | {"las": self.las, "wrong": self.wrong}


@dataclass(frozen=True, slots=True)
class Analysis:
    """What `analyse` found, the scores among it."""

    scores: Scores
    labels: Confusions  # (gold, system): of words with the right head
    tags: Confusions  # (gold, system): of UPOS
    by_depth: dict[str, Attachment]  # of the word in the gold tree; a root is at 1
    by_known: dict[str, Attachment]  # of words that the training treebank has, and has not
    worst: list[WrongSentence]  # most wrong words first

    def table(self) -> str:
        """The analysis for people."""
        parts: list[Table | str] = [
            confusion_table("label, head right", self.labels),
            confusion_table("UPOS", self.tags),
            attachment_table("depth in the tree", self.by_depth),
        ]
        if self.by_known:
            parts.append(attachment_table("word", self.by_known))
        parts.append(_worst_table(self.worst))
        return self.scores.table(details=True) + "\n" + render(parts)

    def to_dict(self) -> dict[str, Any]:
        """The analysis for machines: ready for `json.dumps`."""
        return {
            "scores": self.scores.to_dict(),
            "labels": _list(self.labels),
            "tags": _list(self.tags),
            "by_depth": {name: part.to_dict() for name, part in self.by_depth.items()},
            "by_known": {name: part.to_dict() for name, part in self.by_known.items()},
            "worst": [sentence.to_dict() for sentence in self.worst],
        }

    def to_html(self, title: str = "Errors") -> str:
        """A page with tables, and the worst sentences with both trees in one drawing."""
        from dodona.evaluation.report import draw_both, make_report

        figures = ((draw_both(wrong.gold, wrong.system), wrong.caption) for wrong in self.worst)
        return make_report(title, self._html_tables(), figures)

    def _html_tables(self) -> Iterator[HtmlTable]:
        from dodona.evaluation.report import HtmlTable

        scores = self.scores
        named = {"UAS": scores.uas, "LAS": scores.las, "CLAS": scores.clas, "UPOS": scores.upos}
        rows = [(name, f"{value:.2f}") for name, value in named.items() if value is not None]
        rows += [("words", f"{scores.n_words:,}"), ("sentences", f"{scores.n_sentences:,}")]
        yield HtmlTable("Scores", ("", ""), rows)
        for name, parts in (
            ("depth in the tree", self.by_depth),
            ("length of the sentence", scores.by_length),
            ("whether the word is known", self.by_known),
        ):
            figures = [
                (k, f"{p.n_words:,}", f"{p.uas:.2f}", f"{p.las:.2f}") for k, p in parts.items()
            ]
            if figures:
                yield HtmlTable(f"By {name}", ("", "words", "UAS", "LAS"), figures)
        for name, arcs in (("distance", scores.by_distance), ("label", scores.by_label)):
            rows_of = [(k, f"{a.n_gold:,}", f"{a.f1:.2f}") for k, a in arcs.items()]
            yield HtmlTable(f"By {name}", ("", "gold", "F1"), rows_of)
        for name, found in (("labels, head right", self.labels), ("tags", self.tags)):
            confused = [(a, b, f"{n:,}") for (a, b), n in found.items()]
            if confused:
                yield HtmlTable(f"Confused {name}", ("gold", "system", "words"), confused)


def analyse(
    gold: Treebank,
    system: Treebank,
    *,
    train: Treebank | None = None,
    most: int = 50,
    punctuation: bool = True,
    punctuation_by: str = "auto",
    labels: Literal["exact", "universal"] = "exact",
    progress: Progress | None = None,
) -> Analysis:
    """Find where a system goes wrong; all but `train` and `most` is as in `evaluate`.

    It goes through the sentences twice, as `progress` sees.

    With the treebank that it was trained on, words are also told apart by whether that has them.
    `most` sentences are kept, those with the most wrong words.

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
    depths, knowns = _Attachments(), _Attachments()
    worst = []
    for number, both in enumerate(pair(sentences, parsed, **chosen), start=1):
        depth, wrong = _depths(both.gold), []
        for word in _compare(both):
            ours, theirs = label(word.gold_label), label(word.system_label)
            is_labelled = word.is_attached and is_right(ours, theirs)
            if word.is_attached and not is_labelled:
                found_labels[ours, theirs] += 1
            if word.gold_tag != word.system_tag:
                found_tags[word.gold_tag, word.system_tag] += 1
            depths.add(DEPTHS[min(depth[word.place], len(DEPTHS)) - 1], word, is_labelled)
            if known is not None:
                is_known = both.gold.forms[word.place] in known
                knowns.add("known" if is_known else "unknown", word, is_labelled)
            if not is_labelled:
                wrong.append(word.place + 1)
        if wrong:
            worst.append(WrongSentence(number, both.gold, both.system, wrong, len(both.words)))
    worst.sort(key=lambda sentence: -len(sentence.wrong))
    return Analysis(
        scores,
        dict(found_labels.most_common()),
        dict(found_tags.most_common()),
        depths.attachments(DEPTHS),
        knowns.attachments(("known", "unknown")),
        worst[:most],
    )


@dataclass(frozen=True, slots=True)
class _Word:
    place: int  # from 0
    gold_label: str
    system_label: str
    gold_tag: str
    system_tag: str
    is_attached: bool


def _compare(both: Pair) -> Iterator[_Word]:
    gold, system, words = both
    heads, guesses = gold.heads, system.heads
    gold_labels, labels, gold_tags, tags = gold.deprels, system.deprels, gold.upos, system.upos
    for i in words:
        found = labels[i] if guesses[i] is not None else NO_LABEL
        yield _Word(i, gold_labels[i], found, gold_tags[i], tags[i], heads[i] == guesses[i])


class _Attachments:
    """Counts of words by some name."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, bool, bool]] = Counter()

    def add(self, name: str, word: _Word, is_labelled: bool) -> None:
        self.counts[name, word.is_attached, is_labelled] += 1

    def attachments(self, names: Iterable[str]) -> dict[str, Attachment]:
        def count(name: str, attached: tuple[bool, ...], labelled: tuple[bool, ...]) -> int:
            return sum(self.counts[name, a, b] for a in attached for b in labelled)

        both = (False, True)
        found = {
            name: Attachment(
                count(name, both, both), count(name, (True,), both), count(name, (True,), (True,))
            )
            for name in names
        }
        return {name: part for name, part in found.items() if part.n_words}


def _depths(sentence: Parsed) -> list[int]:
    """How many arcs each word is below the artificial root; a cycle is as deep as it is long."""
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
        for place in reversed(path):
            above += 1
            found[place] = found[place] or above
    return found


def confusion_table(title: str, confusions: Confusions) -> Table:
    """The most frequent confusions."""
    table = new_table(f"{title}: gold", "system", "words")
    for (ours, theirs), n in list(confusions.items())[:MOST_SHOWN]:
        table.add_row(ours, theirs, f"{n:,}")
    return table


def _worst_table(worst: list[WrongSentence]) -> Table:
    table = new_table("worst sentences", "wrong", "LAS")
    for sentence in worst[:MOST_SHOWN]:
        text = sentence.text if len(sentence.text) <= 50 else sentence.text[:49] + "…"
        table.add_row(f"{sentence.number}: {text}", f"{len(sentence.wrong)}", percent(sentence.las))
    return table


def _list(confusions: Confusions) -> list[dict[str, Any]]:
    return [{"gold": a, "system": b, "n_words": n} for (a, b), n in confusions.items()]
