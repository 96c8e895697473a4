"""Typed commands: each is a change of the sentence on the page, or an action of the page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dodona.annotate.changes import (
    Change,
    ClearArc,
    ClearRange,
    Confirm,
    MergeSentence,
    MergeWords,
    SetArc,
    SetField,
    SetRange,
    SplitSentence,
    SplitWord,
)
from dodona.annotate.errors import ChangeError

if TYPE_CHECKING:
    from dodona.annotate.views import SentenceView

# for the help: an example, and what it does
HELP = (
    (
        "3 < 5 nsubj",
        "word 5 is the head of word 3, its nsubj; the parser chooses a missing relation",
    ),
    ("5 > 3 nsubj", "the same, from the head"),
    ("3 < 0", "word 3 is the root"),
    ("3 nsubj", "another relation, with the same head"),
    ("3 < _", "take the arc of word 3 away; the parser fills it in again"),
    ("3 upos NOUN", "also form, lemma, xpos, feats, misc; _ empties a column"),
    ("ok", "confirm the sentence; ok 3 confirms a word, ok 3-5 several"),
    ("3 split do n't", "make several words of one"),
    ("3-4 merge", "make one word of several"),
    ("3-4 token don't", "words 3 and 4 are written as one multiword token"),
    ("3 untoken", "take the multiword token of word 3 away; its words stay"),
    ("3 cut", "a new sentence begins with word 3"),
    ("append", "append the next sentence to this one"),
    ("undo, redo, next, back, save, learn", "as the buttons"),
    ("go 12", "go to sentence 12"),
    ("find upos=NOUN", "list the matches of a pattern"),
)
ACTIONS = ("undo", "redo", "next", "back", "save", "learn", "help")
FIELDS = ("form", "lemma", "upos", "xpos", "feats", "misc")

_ARC = re.compile(r"(\d+)\s*([<>])\s*(\d+|_)(?:\s+(\S+))?")
_WORDS = re.compile(r"(\d+)(?:\s*-\s*(\d+))?\s+(\S+)(?:\s+(.+))?")
_CONFIRM = re.compile(r"ok(?:\s+(\d+)(?:\s*-\s*(\d+))?)?")
_ACTION = re.compile(r"(go)\s+(\d{1,9})|(find)\s+(.+)")
_RELATION = re.compile(r"[^\W\d_][\w:-]*")


@dataclass(frozen=True)
class Action:
    """Something that the page does, such as going to another sentence."""

    name: str
    value: str = ""


def read_command(text: str, view: SentenceView) -> Change | Action:
    """Return what a line means for a sentence, or raise an error that says what to type.

    `3 < 5 nsubj` attaches word 3 to word 5; `HELP` lists all commands.
    """
    line = " ".join(text.split())
    if line in ACTIONS:
        return Action(line)
    if found := _ACTION.fullmatch(line):
        return Action(found[1] or found[3], found[2] or found[4])
    if line == "append":
        return MergeSentence()
    if found := _CONFIRM.fullmatch(line):
        return _confirm(found[1], found[2], view)
    if found := _ARC.fullmatch(line):
        return _arc(found[1], found[2], found[3], found[4], view)
    if found := _WORDS.fullmatch(line):
        first = _word(found[1], view)
        last = _word(found[2], view) if found[2] else first
        if last < first:
            raise ChangeError(f"{first}-{last} ends before it begins")
        return _words(first, last, found[3], found[4] or "", view)
    raise ChangeError(f"“{line}” is no command; type for example 3 < 5 nsubj")


def _confirm(first: str | None, last: str | None, view: SentenceView) -> Confirm:
    if first is None:
        return Confirm()
    return Confirm(tuple(range(_word(first, view), _word(last or first, view) + 1)))


def _arc(one: str, sign: str, other: str, deprel: str | None, view: SentenceView) -> Change:
    if other == "_":
        if sign == ">" or deprel:
            raise ChangeError(f"to take the arc of word {one} away, type {one} < _")
        return ClearArc(_word(one, view))
    word, head = (one, other) if sign == "<" else (other, one)
    to = _word(head, view, lowest=0)
    return SetArc(_word(word, view), to, deprel or ("root" if to == 0 else None))


def _words(first: int, last: int, verb: str, rest: str, view: SentenceView) -> Change:
    """Return the change of a word, or of neighbours."""
    one: dict[str, Change] = {
        "split": SplitWord(first, tuple(rest.split())),
        "cut": SplitSentence(first),
    }
    form = rest or "".join(word.form for word in view.words[first - 1 : last])
    several: dict[str, Change] = {
        "merge": MergeWords(first, last),
        "token": SetRange(first, last, form),
    }
    if verb == "untoken":
        return ClearRange(next((r.first for r in view.ranges if r.first <= first <= r.last), first))
    if found := (one if first == last else several).get(verb):
        return found
    if verb in FIELDS and first == last:
        if rest:
            return SetField(first, verb, rest)
        raise ChangeError(f"what is the {verb} of word {first}? {first} {verb} _ empties it")
    if first < last or rest or verb in several or not _RELATION.fullmatch(verb):
        what = f"words {first}-{last}" if first < last else f"word {first}"
        raise ChangeError(f"“{verb}” cannot be done with {what}")
    head = view.words[first - 1].head
    return SetField(first, "deprel", verb) if head is None else SetArc(first, head, verb)


def _word(text: str, view: SentenceView, lowest: int = 1) -> int:
    n_words = len(view.words)
    if len(text) > len(str(n_words)) or not lowest <= int(text) <= n_words:
        raise ChangeError(f"there is no word {text[:20]}; this sentence has words 1 to {n_words}")
    return int(text)
