"""One decision for all matches of a pattern."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from dodona.annotate.changes import Confirm, SetArc, WordChange, change_to_json
from dodona.annotate.desk import Desk, checked_bytes
from dodona.annotate.editing import edit_words
from dodona.annotate.errors import ChangeError
from dodona.annotate.guessing import fill
from dodona.annotate.journal import Edit
from dodona.annotate.rows import Rows
from dodona.annotate.store import Step
from dodona.annotate.views import Match, Preview
from dodona.query.pattern import compile_pattern


def find_matches(desk: Desk, pattern: str) -> list[Match]:
    """Return the matches of a pattern in a treebank."""
    found = compile_pattern(pattern).matches_in(desk.sentences())
    return [
        Match(i, match.sentence.sent_id or "", match.sentence.text, tuple(match.ids))
        for i, matches in enumerate(found)
        for match in matches
    ]


def preview_match(desk: Desk, match: Match, change: WordChange) -> Preview | None:
    """Return what a change makes of a match; None if it leaves everything as it is."""
    shown, own = desk.show(match.index), resolve(change, match.words)
    rows = shown.rows.copy()
    edit_words(rows, own)
    if bytes(rows) == bytes(shown.rows):
        return None
    after = shown.edited(rows, desk.parser)
    views = shown.view(match.index), after.view(match.index)
    return Preview(match.index, shown.revision, match.words, own, *views)


def resolve(change: WordChange, words: tuple[int, ...]) -> WordChange:
    """Return a change whose numbers count the words of a match, with the words that they are.

    >>> resolve(SetArc(2, 1, "nmod"), (7, 4))
    SetArc(word=4, head=7, deprel='nmod', kind='set-arc')
    """

    def word(number: int) -> int:
        if not 1 <= number <= len(words):
            raise ChangeError(f"word {number} of the pattern: a match has {len(words)} words")
        return words[number - 1]

    if isinstance(change, SetArc):
        return replace(change, word=word(change.word), head=change.head and word(change.head))
    if isinstance(change, Confirm):
        return Confirm(tuple(map(word, change.words or range(1, len(words) + 1))))
    return replace(change, word=word(change.word))


def apply_previews(desk: Desk, previews: Iterable[Preview]) -> int:
    """Apply previewed changes to sentences that are still shown so, as one step; count them."""
    edited: dict[int, Rows] = {}
    changes: list[object] = []
    for preview in previews:
        shown = desk.show(preview.index)
        if shown.revision == preview.revision:
            rows = edited.setdefault(preview.index, shown.rows.copy())
            edit_words(rows, preview.change)
            changes.append(change_to_json(preview.change))
    edits = []
    for index, rows in edited.items():
        fill(rows, desk.parser)
        edits.append(Edit(index, (desk.block(index).data,), (checked_bytes(rows),)))
    if edits:
        desk.store.add(Step(tuple(edits), changes))
    return len(changes)
