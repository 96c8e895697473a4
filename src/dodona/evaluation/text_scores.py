"""Scores from raw text: the metrics of the CoNLL 2018 shared task (Zeman et al. 2018).

The system may segment the text in its own way: a gold token, sentence or word that it does not find
costs recall, and what it finds instead costs precision. The figures agree with the official
evaluation to the last digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dodona.evaluation.alignment import (
    ROOT,
    CharRange,
    PlacedText,
    PlacedWord,
    align,
    location_at,
    read_text,
)
from dodona.evaluation.pairs import EvaluationError, OnProgress, ParsedSource
from dodona.evaluation.score_counts import Metric
from dodona.evaluation.scores import lemmas_agree
from dodona.evaluation.table import new_table, percent, render

# the names of the shared task, in the order of the fields of TextScores
_NAMES = "Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas UAS LAS CLAS MLAS BLEX"
_N_SHOWN = 20  # characters on either side of a difference


@dataclass(frozen=True, slots=True)
class TextScores:
    """Result of `evaluate_text`: precision, recall and F1 of every metric.

    Those from `upos` on also have an accuracy over the aligned words.
    """

    tokens: Metric
    sentences: Metric
    words: Metric
    upos: Metric
    xpos: Metric
    ufeats: Metric  # universal features
    all_tags: Metric  # UPOS, XPOS and universal features together
    lemmas: Metric
    uas: Metric | None  # None, like all below, if one of the treebanks has no trees
    las: Metric | None
    clas: Metric | None  # LAS of content words
    mlas: Metric | None  # … with their tags, and with the function words that depend on them
    blex: Metric | None  # … with their lemmas

    def table(self) -> str:
        """Return the scores as a table, with the names of the shared task."""
        table = new_table("", "precision", "recall", "F1", "aligned accuracy")
        for field, name in zip(self.__slots__, _NAMES.split(), strict=True):
            metric: Metric | None = getattr(self, field)
            if metric is not None:
                figures = [percent(value) for value in (metric.precision, metric.recall, metric.f1)]
                aligned = metric.aligned_accuracy
                table.add_row(name, *figures, "" if aligned is None else percent(aligned))
        words, sentences = self.words, self.sentences
        caption = (
            f"{words.n_gold:,} gold words in {sentences.n_gold:,} sentences, "
            f"{words.n_system:,} words in {sentences.n_system:,} sentences of the system"
        )
        return render([table, caption])

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as a dictionary, ready for `json.dumps`."""
        found: dict[str, Metric | None] = {name: getattr(self, name) for name in self.__slots__}
        return {name: metric and metric.to_dict() for name, metric in found.items()}


class Agreement(NamedTuple):
    """Which annotations of an aligned word agree."""

    is_content: bool  # in gold
    upos: bool
    xpos: bool
    feats: bool
    lemma: bool
    head: bool
    deprel: bool
    functions: bool  # the same function words depend on it, with the same tags


def evaluate_text(
    gold: ParsedSource, system: ParsedSource, *, progress: OnProgress | None = None
) -> TextScores:
    """Score sentences, words, tags and trees of a system that started from raw text.

    `gold` and `system` are paths of CoNLL-U files or iterables of sentences (`bytes(sentence)` or,
    without it, `str(sentence)` is CoNLL-U). Both must have the same text, white space apart;
    sentences, tokens and words may differ. The metrics are those of the CoNLL 2018 shared task:
    labels without subtypes, universal features only, punctuation included, any lemma accepted if
    gold has "_", one root per tree.

    If a treebank has no trees at all, as after segmenting or tagging only, the metrics of trees are
    None. `progress` is called with the number of words of each sentence, of gold and of the system.

    >>> from dodona import Sentence
    >>> gold = Sentence.from_columns(["Oaks", "can", "not", "lie", "."])
    >>> system = Sentence.from_columns(["Oaks", "cannot", "lie", "."])
    >>> scores = evaluate_text([gold], [system])
    >>> scores.words.precision, scores.words.recall
    (75.0, 60.0)
    """
    expected, found, pairs = align_texts(gold, system, progress)
    words = _agreements(expected.words, found.words, pairs)
    sizes = len(expected.words), len(found.words)

    def spans(gold: list[CharRange], system: list[CharRange]) -> Metric:
        return Metric(len(gold), len(system), len(set(gold) & set(system)))

    def metric(n_correct: int) -> Metric:
        return Metric(*sizes, n_correct, len(words))

    return TextScores(
        tokens=spans(expected.tokens, found.tokens),
        sentences=spans(expected.sentences, found.sentences),
        words=Metric(*sizes, len(words)),
        upos=metric(sum(word.upos for word in words)),
        xpos=metric(sum(word.xpos for word in words)),
        ufeats=metric(sum(word.feats for word in words)),
        all_tags=metric(sum(word.upos and word.xpos and word.feats for word in words)),
        lemmas=metric(sum(word.lemma for word in words)),
        **_tree_metrics(expected, found, words),
    )


def right_words(
    gold: ParsedSource, system: ParsedSource, metric: str, progress: OnProgress | None = None
) -> list[bool]:
    """Return for each gold word whether the system has it with the right head and label ("las")."""
    expected, found, pairs = align_texts(gold, system, progress)
    if not (expected.has_trees and found.has_trees):
        raise EvaluationError("there are no trees to compare")
    is_right = [False] * len(expected.words)
    words = _agreements(expected.words, found.words, pairs)
    for (position, _), word in zip(pairs, words, strict=True):
        is_right[position] = word.head and (metric == "uas" or word.deprel)
    return is_right


def align_texts(
    gold: ParsedSource, system: ParsedSource, progress: OnProgress | None
) -> tuple[PlacedText, PlacedText, Sequence[tuple[int, int]]]:
    """Read both texts, check that they are the same, and align their words."""
    expected = read_text(gold, "gold", progress)
    found = read_text(system, "system", progress)
    if expected.characters != found.characters:
        raise EvaluationError(_difference(expected, found))
    return expected, found, align(expected.words, found.words)


def _tree_metrics(
    gold: PlacedText, system: PlacedText, words: list[Agreement]
) -> dict[str, Metric | None]:
    if not (gold.has_trees and system.has_trees):
        return dict.fromkeys(("uas", "las", "clas", "mlas", "blex"))
    labelled = [word for word in words if word.head and word.deprel]
    content = [word for word in labelled if word.is_content]
    n_words = len(gold.words), len(system.words)
    n_content = _n_content(gold.words), _n_content(system.words)
    n_aligned = _n_content(words)
    n_morphological = sum(word.upos and word.feats and word.functions for word in content)
    n_lexical = sum(word.lemma for word in content)
    return {
        "uas": Metric(*n_words, sum(word.head for word in words), len(words)),
        "las": Metric(*n_words, len(labelled), len(words)),
        "clas": Metric(*n_content, len(content), n_aligned),
        "mlas": Metric(*n_content, n_morphological, n_aligned),
        "blex": Metric(*n_content, n_lexical, n_aligned),
    }


def _n_content(words: Sequence[PlacedWord] | Sequence[Agreement]) -> int:
    return sum(word.is_content for word in words)


def _agreements(
    gold: Sequence[PlacedWord], system: Sequence[PlacedWord], pairs: Sequence[tuple[int, int]]
) -> list[Agreement]:
    in_gold = {ROOT: ROOT} | {theirs: ours for ours, theirs in pairs}

    def function(word: PlacedWord) -> tuple[str, str, list[str]]:
        return word.deprel, word.upos, word.feats

    def has_same_functions(ours: PlacedWord, theirs: PlacedWord) -> bool:
        return len(ours.functions) == len(theirs.functions) and all(
            g == in_gold.get(s) and function(gold[g]) == function(system[s])
            for g, s in zip(ours.functions, theirs.functions, strict=True)
        )

    return [
        Agreement(
            is_content=ours.is_content,
            upos=ours.upos == theirs.upos,
            xpos=ours.xpos == theirs.xpos,
            feats=ours.feats == theirs.feats,
            lemma=lemmas_agree(ours.lemma, theirs.lemma),
            head=ours.head == in_gold.get(theirs.head),
            deprel=ours.deprel == theirs.deprel,
            functions=has_same_functions(ours, theirs),
        )
        for ours, theirs in ((gold[g], system[s]) for g, s in pairs)
    ]


def _difference(gold: PlacedText, system: PlacedText) -> str:
    """Describe the first difference between the characters of two texts."""
    both = zip(gold.characters, system.characters, strict=False)
    n_shared = min(len(gold.characters), len(system.characters))
    i = next((i for i, (ours, theirs) in enumerate(both) if ours != theirs), n_shared)
    before = gold.characters[max(0, i - _N_SHOWN) : i]
    ours, theirs = (
        repr(after) if (after := text.characters[i : i + _N_SHOWN]) else "nothing more"
        for text in (gold, system)
    )
    where = f"after {before!r}" if before else "at the start"
    return (
        f"{location_at(gold, i)} has {ours} {where}, but {location_at(system, i)} has {theirs}: "
        "gold and system must have the same text, white space apart"
    )
