"""What the workbench shows: sentences, progress, learning, matches and agreement, as plain records.

`dataclasses.asdict` makes JSON of all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dodona.annotate.changes import WordChange

# Who decided: a person ("set"), the parser ("guessed"), the parser with a person's consent or the
# file itself ("confirmed"), or nobody yet ("open").
Decided = Literal["set", "guessed", "confirmed", "open"]
SentenceState = Literal["untouched", "partial", "done"]
LearnerState = Literal["idle", "learning", "failed"]
LearnerKind = Literal["linear", "network"]


@dataclass(frozen=True)
class WordView:
    """A word: its columns, who decided on its arc and on its tags, and how sure the parser is."""

    id: int
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: int | None
    deprel: str
    misc: str  # without the marks of the workbench
    space_after: bool
    arc: Decided
    tags: Decided
    confidence: float | None  # that head and label are both right; None where they are decided


@dataclass(frozen=True)
class RangeView:
    """A multiword token: the numbers of its first and last word, and its form."""

    first: int
    last: int
    form: str
    space_after: bool


@dataclass(frozen=True)
class SentenceProblem:
    """A rule of Universal Dependencies that a sentence breaks."""

    word: int  # 0: the sentence as a whole
    kind: str
    message: str
    level: int
    is_warning: bool


@dataclass(frozen=True)
class SentenceView:
    """A sentence as it is shown; `revision` names this content, and a change refers to it."""

    index: int
    sent_id: str
    text: str
    revision: str
    comments: tuple[str, ...]  # with their "#"
    words: tuple[WordView, ...]
    ranges: tuple[RangeView, ...]
    problems: tuple[SentenceProblem, ...]
    is_rtl: bool
    state: SentenceState
    changed: tuple[int, ...] = ()  # words whose guessed arc is another since the last change


@dataclass(frozen=True)
class CurvePoint:
    """Scores of one of the models that were learned.

    They are measured on the dev set. Without one, every tenth finished sentence is held out from a
    second model, which has the score; None if there are too few.
    """

    kind: LearnerKind
    n_sentences: int  # that it has learned from, partial ones included
    seconds: float
    las: float | None
    uas: float | None
    source: Literal["dev", "held-out"]


@dataclass(frozen=True)
class LearningView:
    """The state of learning, the learning curve, and the corrections that sentences needed."""

    state: LearnerState
    kind: LearnerKind
    seconds: float  # of the run that is going on, or of the last one
    message: str  # why the last run failed
    curve: tuple[CurvePoint, ...]
    corrections: tuple[int, ...]  # of each finished sentence, in the order of their completion


@dataclass(frozen=True)
class Overview:
    """Counts of the whole file, and the state of its model."""

    path: str
    n_sentences: int
    n_done: int
    n_partial: int
    n_untouched: int
    n_decisions: int
    can_undo: bool
    can_redo: bool
    is_saved: bool
    model: str  # "none", the name or path of the model at the start, or what was learned since
    learning: LearningView


@dataclass(frozen=True)
class Match:
    """A match of a pattern: the sentence, and the words in the order of the pattern."""

    index: int
    sent_id: str
    text: str
    words: tuple[int, ...]


@dataclass(frozen=True)
class Preview:
    """A change as it would be applied to one match, with the sentence before and after it."""

    index: int
    revision: str
    words: tuple[int, ...]
    change: WordChange
    before: SentenceView
    after: SentenceView


@dataclass(frozen=True)
class Difference:
    """A word on which two annotators differ, with what each of them chose."""

    index: int
    word: int
    form: str
    fields: tuple[str, ...]  # those that differ: "head", "deprel", "upos"
    mine: tuple[str, str, str]  # head, deprel and upos; "_" where there is none
    theirs: tuple[str, str, str]


@dataclass(frozen=True)
class Agreement:
    """Agreement of two annotators over the sentences that both have, with the same words.

    UAS and LAS are in percent. Kappa is Cohen's (1960); it is None where chance explains all.
    """

    n_sentences: int
    n_words: int  # that both have attached
    uas: float
    las: float
    head_kappa: float | None
    label_kappa: float | None
    tag_kappa: float | None
    differences: tuple[Difference, ...]
    unmatched: tuple[int, ...]  # sentences without a counterpart of the same words
