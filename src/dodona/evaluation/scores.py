"""Attachment scores, and accuracies of tags, features and lemmas.

With `labels="universal"`, UAS, LAS, CLAS and the accuracies agree with the CoNLL 2018 evaluation
(Zeman et al. 2018) to the last digit.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rich.table import Table

from dodona.evaluation.pairs import (
    EvaluationError,
    OnProgress,
    Pair,
    Parsed,
    ParsedSource,
    find_rule,
    load,
    pair,
)
from dodona.evaluation.score_counts import Arcs, Attachment, percentage
from dodona.evaluation.table import arcs_table, attachment_table, new_table, percent, render
from dodona.evaluation.tally import (
    by_distance,
    by_label,
    by_length,
    by_quarter,
    content,
    facts,
    is_universal,
    label_reader,
    nonprojective,
    overall,
)

# The features the shared task compared (UFeats).
UNIVERSAL_FEATURES = """
    Abbr Animacy Aspect Case Definite Degree Evident Foreign Gender Mood NumType Number Person
    Polarity Polite Poss PronType Reflex Tense VerbForm Voice
"""
_FEATURES = frozenset(UNIVERSAL_FEATURES.split())
PERFECT = 100.0
GOLD_TAGS = "UPOS 100.00: the tags are gold (parse --retag predicts them)"
NOT_UNIVERSAL = "\N{EN DASH}"  # for CLAS, where labels are not those of UD


def tag_accuracy(pairs: Sequence[Pair], column: str, *, universal: bool = False) -> float | None:
    """Return the percentage of right values; None unless the column is filled in both treebanks.

    A gold lemma of "_" accepts any lemma. With `universal`, only universal features are compared.
    """
    agree: Callable[[str, str], bool] = lemmas_agree if column == "lemmas" else operator.eq
    if universal:
        agree = _universal_features_agree
    n_correct = n_words = 0
    gold_has_any = system_has_any = False
    for tree, parsed, words in pairs:
        gold, system = _values(tree, column), _values(parsed, column)
        gold_has_any = gold_has_any or any(value != "_" for value in gold)
        system_has_any = system_has_any or any(value != "_" for value in system)
        if gold == system:
            n_correct += len(words)
        elif gold and system:
            n_correct += sum(agree(gold[i], system[i]) for i in words)
        n_words += len(words)
    return 100 * (n_correct / n_words) if gold_has_any and system_has_any and n_words else None


def _values(sentence: Parsed, column: str) -> Sequence[str]:
    values: Sequence[str] = getattr(sentence, column, ())
    return values


def lemmas_agree(gold: str, system: str) -> bool:
    """Return whether the lemma is right; if gold has none ("_"), any lemma is."""
    return gold in ("_", system)


def _universal_features_agree(gold: str, system: str) -> bool:
    return gold == system or universal_features(gold) == universal_features(system)


def universal_features(feats: str) -> list[str]:
    """Return the features that the shared task compared, sorted.

    >>> universal_features("Typo=Yes|Number=Sing|Case=Nom")
    ['Case=Nom', 'Number=Sing']
    """
    return sorted(f for f in feats.split("|") if f.partition("=")[0] in _FEATURES)


@dataclass(frozen=True, slots=True)
class Scores:
    """Result of `evaluate`; percentages from 0 to 100, unrounded."""

    punctuation: bool
    punctuation_by: str  # the rule that excluded punctuation; "" if it is scored
    labels: str
    n_sentences: int
    n_words: int  # scored
    n_unannotated: int  # gold words without a head, never scored
    uas: float
    las: float
    label_accuracy: float
    uem: float  # sentences whose scored words all have the right head
    lem: float  # … and label
    clas: float | None  # None if the labels are not those of Universal Dependencies
    upos: float | None  # None, like the next three, if the column is empty in one treebank
    xpos: float | None
    feats: float | None
    lemma: float | None
    nonprojective: Arcs
    by_label: dict[str, Arcs]
    by_distance: dict[str, Arcs]
    by_length: dict[str, Attachment]
    by_quarter: dict[str, Attachment]

    def table(self, *, details: bool = False) -> str:
        """Return the scores as a table; with `details`, also every breakdown."""
        parts: list[Table | str] = [_summary(self), _caption(self)]
        if details:
            parts += [
                arcs_table("arc", {**self.by_distance, "non-projective": self.nonprojective}),
                attachment_table("sentence length", self.by_length),
                attachment_table("quarter of the sentence", self.by_quarter),
                arcs_table("label", self.by_label),
            ]
        return render(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as a dictionary, ready for `json.dumps`."""
        return {name: _plain(getattr(self, name)) for name in self.__slots__}


def evaluate(
    gold: ParsedSource,
    system: ParsedSource,
    *,
    punctuation: bool = True,
    punctuation_by: str = "auto",
    labels: Literal["exact", "universal"] = "exact",
    progress: OnProgress | None = None,
) -> Scores:
    """Score a system's trees against gold trees of the same words.

    `gold` and `system` are paths of CoNLL-U files or iterables of sentences. With
    `punctuation=False`, punctuation is not scored; `punctuation_by` says how it is identified:
    "upos", by the tag PUNCT; "xpos", by the tags of the gold treebank, in XPOS or else in a UPOS
    column with tags of its own, whose words all consist of punctuation characters (Unicode category
    P); "characters", by these characters; or "auto", by the first of them that the gold treebank
    has tags for. The result names the rule. `labels="universal"` compares the universal part of
    labels (`nsubj` of `nsubj:pass`) and only universal features, as the CoNLL 2018 evaluation does.

    Words without a gold head are not scored; a system word without a head is wrong. If gold has a
    head but no label ("_"), any label is right.

    * `by_label` counts arcs whose head and label are right, `by_distance` and `nonprojective`
      arcs whose head is.
    * `nonprojective`: some word between the arc's ends does not descend from its head. Precision is
      over the arcs that are so in the system's tree, recall over those in the gold tree.
    * `by_quarter`: the first quarter is the first 25% of the words of each sentence.
    * `uem`, `lem`: percentages of the sentences with a scored word.

    `progress` is called with the number of words of each sentence.

    >>> from types import SimpleNamespace as Sentence
    >>> words = dict(forms=["Oaks", "speak", "softly"], upos=["NOUN", "VERB", "ADV"])
    >>> gold = Sentence(**words, heads=[2, 0, 2], deprels=["nsubj", "root", "advmod"])
    >>> system = Sentence(**words, heads=[2, 0, 1], deprels=["obj", "root", "advmod"])
    >>> scores = evaluate([gold], [system])
    >>> f"{scores.uas:.2f} {scores.las:.2f} {scores.label_accuracy:.2f}"
    '66.67 33.33 66.67'
    """
    label = label_reader(labels)
    sentences = load(gold)
    options: Any = {"punctuation": punctuation, "punctuation_by": punctuation_by}
    pairs, scored = [], []
    for both in pair(sentences, load(system), progress=progress, **options):
        pairs.append(both)
        if found := facts(both, label):
            scored.append(found)
    if not scored:
        raise EvaluationError("no gold word to score: each lacks a head or is punctuation")
    tally = Counter(fact for found in scored for fact in found)
    total = overall(tally)
    n_right_labels = sum(n for fact, n in tally.items() if fact.has_right_label)
    return Scores(
        punctuation=punctuation,
        punctuation_by="" if punctuation else str(find_rule(sentences, punctuation_by)),
        labels=labels,
        n_sentences=len(pairs),
        n_words=total.n_words,
        n_unannotated=sum(head is None for sentence in sentences for head in sentence.heads),
        uas=total.uas,
        las=total.las,
        label_accuracy=percentage(n_right_labels, total.n_words),
        uem=percentage(sum(all(f.is_attached for f in found) for found in scored), len(scored)),
        lem=percentage(sum(all(f.is_labelled for f in found) for found in scored), len(scored)),
        clas=content(tally).f1 if is_universal(tally) else None,
        upos=tag_accuracy(pairs, "upos"),
        xpos=tag_accuracy(pairs, "xpos"),
        feats=tag_accuracy(pairs, "feats", universal=labels == "universal"),
        lemma=tag_accuracy(pairs, "lemmas"),
        nonprojective=nonprojective(tally),
        by_label=by_label(tally),
        by_distance=by_distance(tally),
        by_length=by_length(tally),
        by_quarter=by_quarter(tally),
    )


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return value.to_dict() if isinstance(value, (Arcs, Attachment)) else value


def _summary(scores: Scores) -> Table:
    table = new_table("", "%")
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
            table.add_row(name, percent(value))
        elif name == "CLAS":
            table.add_row(name, NOT_UNIVERSAL)
    return table


def _caption(scores: Scores) -> str:
    parts = [f"{scores.n_words:,} words in {scores.n_sentences:,} sentences"]
    if scores.n_unannotated:
        parts.append(f"{scores.n_unannotated:,} more without a gold head")
    by = f"without punctuation ({scores.punctuation_by})"
    parts.append("with punctuation" if scores.punctuation else by)
    if scores.clas is None:
        parts.append("no CLAS: the labels are not those of UD")
    if scores.upos == PERFECT:
        parts.append(GOLD_TAGS)
    return f"{', '.join(parts)}, {scores.labels} labels"
