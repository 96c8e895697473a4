"""Scores from raw text: the metrics of the CoNLL 2018 shared task (Zeman et al. 2018).

The system may split the text in its own way; where it finds no such token, sentence or word as gold
has, it loses recall, and precision for what it finds instead. The figures agree with the official
evaluation to the last digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dodona.evaluation.alignment import align
from dodona.evaluation.counts import Metric
from dodona.evaluation.pairs import EvaluationError, Progress, Treebank
from dodona.evaluation.table import new_table, percent, render
from dodona.evaluation.tags import lemmas_agree
from dodona.evaluation.text import ROOT, Span, Text, Word, place_at, read_text

_N_SHOWN = 20  # characters on either side of a difference


@dataclass(frozen=True, slots=True)
class TextScores:
    """What `evaluate_text` found: precision, recall and F1 of every metric.

    Those from `upos` on have an aligned accuracy too: over the words that both sides have.
    """

    tokens: Metric
    sentences: Metric
    words: Metric
    upos: Metric
    xpos: Metric
    ufeats: Metric  # universal features
    all_tags: Metric  # UPOS, XPOS and universal features together
    lemmas: Metric
    uas: Metric | None  # None, like all below: one of the treebanks has no trees
    las: Metric | None
    clas: Metric | None  # LAS of content words
    mlas: Metric | None  # … with their tags, and with the function words that depend on them
    blex: Metric | None  # … with their lemmas

    def table(self) -> str:
        """The scores for people."""
        return _render(self)

    def to_dict(self) -> dict[str, Any]:
        """The scores for machines: ready for `json.dumps`."""
        found: dict[str, Metric | None] = {name: getattr(self, name) for name in self.__slots__}
        return {name: metric and metric.to_dict() for name, metric in found.items()}


class Agreement(NamedTuple):
    """What gold and system say alike of one word that both have."""

    is_content: bool  # in gold
    upos: bool
    xpos: bool
    feats: bool
    lemma: bool
    head: bool
    deprel: bool
    functions: bool  # the same function words depend on it, with the same tags


def evaluate_text(
    gold: Treebank, system: Treebank, *, progress: Progress | None = None
) -> TextScores:
    """Score sentences, words, tags and trees of a system that started from raw text.

    `gold` and `system` are paths of CoNLL-U files or iterables of sentences (`str(sentence)` is
    CoNLL-U). Both must be of the same text, white space apart; sentences, tokens and words may
    differ. The metrics are those of the CoNLL 2018 shared task: labels without their subtypes,
    universal features only, punctuation counted, any lemma right where gold has "_", one root in
    each tree.

    Where a treebank has no trees at all, as after segmenting or tagging alone, the metrics of trees
    are None. `progress` is told how many words more are read, of gold and of the system.

    >>> from dodona import Sentence
    >>> gold = Sentence.from_columns(["Oaks", "can", "not", "lie", "."])
    >>> system = Sentence.from_columns(["Oaks", "cannot", "lie", "."])
    >>> scores = evaluate_text([gold], [system])
    >>> scores.words.precision, scores.words.recall
    (75.0, 60.0)
    """
    expected, found, pairs = _read_both(gold, system, progress)
    words = _agreements(expected.words, found.words, pairs)
    sizes = len(expected.words), len(found.words)

    def metric(n_correct: int) -> Metric:
        return Metric(*sizes, n_correct, len(words))

    return TextScores(
        tokens=_spans(expected.tokens, found.tokens),
        sentences=_spans(expected.sentences, found.sentences),
        words=Metric(*sizes, len(words)),
        upos=metric(sum(word.upos for word in words)),
        xpos=metric(sum(word.xpos for word in words)),
        ufeats=metric(sum(word.feats for word in words)),
        all_tags=metric(sum(word.upos and word.xpos and word.feats for word in words)),
        lemmas=metric(sum(word.lemma for word in words)),
        **_tree_metrics(expected, found, words),
    )


def right_words(
    gold: Treebank, system: Treebank, metric: str, progress: Progress | None = None
) -> list[bool]:
    """For each gold word, whether the system has it, with the right head ("uas") and relation."""
    expected, found, pairs = _read_both(gold, system, progress)
    if not (expected.has_trees and found.has_trees):
        raise EvaluationError("there are no trees to compare")
    is_right = [False] * len(expected.words)
    words = _agreements(expected.words, found.words, pairs)
    for (place, _), word in zip(pairs, words, strict=True):
        is_right[place] = word.head and (metric == "uas" or word.deprel)
    return is_right


def _read_both(
    gold: Treebank, system: Treebank, progress: Progress | None
) -> tuple[Text, Text, Sequence[tuple[int, int]]]:
    """Both texts, which are to be the same, and the words that both have."""
    expected = read_text(gold, "gold", progress)
    found = read_text(system, "system", progress)
    if expected.characters != found.characters:
        raise EvaluationError(_difference(expected, found))
    return expected, found, align(expected.words, found.words)


def _tree_metrics(gold: Text, system: Text, words: list[Agreement]) -> dict[str, Metric | None]:
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


def _n_content(words: Sequence[Word] | Sequence[Agreement]) -> int:
    return sum(word.is_content for word in words)


def _spans(gold: Sequence[Span], system: Sequence[Span]) -> Metric:
    return Metric(len(gold), len(system), len(set(gold) & set(system)))


def _agreements(
    gold: Sequence[Word], system: Sequence[Word], pairs: Sequence[tuple[int, int]]
) -> list[Agreement]:
    in_gold = {ROOT: ROOT} | {theirs: ours for ours, theirs in pairs}

    def has_same_functions(ours: Word, theirs: Word) -> bool:
        return len(ours.functions) == len(theirs.functions) and all(
            g == in_gold.get(s) and _is_same_function(gold[g], system[s])
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


def _is_same_function(ours: Word, theirs: Word) -> bool:
    return (ours.deprel, ours.upos, ours.feats) == (theirs.deprel, theirs.upos, theirs.feats)


def _difference(gold: Text, system: Text) -> str:
    """Where the characters of two texts part, and what each side has there."""
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
        f"{place_at(gold, i)} has {ours} {where}, but {place_at(system, i)} has {theirs}: "
        "gold and system must have the same text, white space apart"
    )


def _render(scores: TextScores) -> str:
    """One line per metric, by the names of the shared task."""
    table = new_table("", "precision", "recall", "F1", "aligned accuracy")
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
            figures = [percent(value) for value in (metric.precision, metric.recall, metric.f1)]
            aligned = metric.aligned_accuracy
            table.add_row(name, *figures, "" if aligned is None else percent(aligned))
    words, sentences = scores.words, scores.sentences
    caption = (
        f"{words.n_gold:,} gold words in {sentences.n_gold:,} sentences, "
        f"{words.n_system:,} words in {sentences.n_system:,} sentences of the system"
    )
    return render([table, caption])
