"""Changes to words, multiword tokens, sentences and comments."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import count

from dodona.annotate.changes import (
    Change,
    ClearRange,
    MergeSentence,
    MergeWords,
    SetComment,
    SetRange,
    SplitSentence,
    SplitWord,
)
from dodona.annotate.editing import check_value, release, update_text
from dodona.annotate.errors import ChangeError
from dodona.annotate.marks import TAG_MARK, set_mark
from dodona.annotate.rows import BLANK, DEPREL, FORM, ID, MISC, TAGS, Row, Rows

_OF_ONE_SENTENCE = ("sent_id", "text", "newdoc", "newpar")  # comments that a merge drops


def restructure(
    rows: Rows, change: Change, following: Rows | None, taken: Callable[[], Collection[str]]
) -> list[Rows]:
    """Apply a change to the parts of a sentence; return what takes its place.

    `following` is the next sentence, for `MergeSentence`; `taken` returns the ids in use.
    """
    text = rows.text()
    if isinstance(change, SplitSentence):
        return _split_sentence(rows, change.word, taken)
    if isinstance(change, MergeSentence):
        if following is None:
            raise ChangeError("there is no next sentence to merge with")
        return [_merge_sentences(rows, following)]
    if isinstance(change, SplitWord):
        _split_word(rows, change)
    elif isinstance(change, MergeWords):
        _merge_words(rows, change.first, change.last)
    elif isinstance(change, SetRange):
        _set_range(rows, change)
    elif isinstance(change, ClearRange):
        _clear_range(rows, change.first)
    elif isinstance(change, SetComment):
        _set_comments(rows, change.lines)
        return [rows]
    update_text(rows, text)
    return [rows]


def _blank_row(number: int, form: str, end: str) -> Row:
    return Row([str(number), form, *[BLANK] * 8], end)


def _open_tags(row: Row) -> None:
    for column in TAGS.values():
        row.fields[column] = BLANK
    set_mark(row, TAG_MARK, None)


def _range_around(rows: Rows, word: int) -> Row | None:
    """Return the multiword token that a word belongs to."""
    return next((row for row in rows.ranges if row.range and _within(word, row.range)), None)


def _within(word: int, ends: tuple[int, int]) -> bool:
    return ends[0] <= word <= ends[1]


def _split_word(rows: Rows, change: SplitWord) -> None:
    """Split a word; forms that do not spell it become the words of a multiword token."""
    word, row = change.word, rows.word(change.word)
    forms = [check_value(form, "form") for form in change.forms]
    if len(forms) < 2:
        raise ChangeError("expected at least two forms to split a word into")
    old, more, around = row.fields[FORM], len(forms) - 1, _range_around(rows, word)
    is_last = around is not None and around.range is not None and around.range[1] == word
    rows.renumber(lambda i: i if i <= word else i + more, lambda i: i if i < word else i + more)
    if around is not None and around.range and is_last:
        around.fields[ID] = f"{around.range[0]}-{word + more}"
    new = [_blank_row(word + i, form, row.end or rows.end) for i, form in enumerate(forms)][1:]
    at = rows.lines.index(row)
    rows.lines[at + 1 : at + 1] = new
    if not row.end:
        row.end, new[-1].end = rows.end, ""
    _open_tags(row)
    row.fields[FORM] = forms[0]
    if around is None and "".join(forms) != "".join(old.split()):
        token = _blank_row(word, old, rows.end)
        token.fields[ID] = f"{word}-{word + more}"
        token.space_after = row.space_after
        row.space_after = True
        rows.lines.insert(at, token)
    elif around is None:
        new[-1].space_after = row.space_after
        _space_parts([row, *new], old)


def _space_parts(parts: list[Row], old: str) -> None:
    """Set the spaces between the parts of a form as they are in the form."""
    at = 0
    for part in parts[:-1]:
        for char in part.fields[FORM].replace(" ", ""):
            at = old.index(char, at) + 1
        part.space_after = old[at : at + 1].isspace()


def _merge_words(rows: Rows, first: int, last: int) -> None:
    kept, end = rows.word(first), rows.word(last)
    if first >= last:
        raise ChangeError(f"words {first} to {last}: expected at least two words to merge")
    lines = rows.lines[rows.lines.index(kept) : rows.lines.index(end) + 1]
    if any(isinstance(row, Row) and "." in row.fields[ID] for row in lines):
        raise ChangeError(f"words {first} to {last}: an empty node is among them")
    words, whole = rows.words[first - 1 : last], None
    for row in rows.ranges:
        ends = row.range or (0, 0)
        if ends == (first, last):
            whole = row
        elif ends[0] <= last and ends[1] >= first and not (ends[0] <= first and last <= ends[1]):
            raise ChangeError(
                f"words {first} to {last} include a part of the multiword token {row.fields[ID]}, "
                "or more than it: remove the token first"
            )
    form = "".join(row.fields[FORM] + " " * row.space_after for row in words[:-1])
    outside = [row for row in words if row.head is not None and not first <= row.head <= last]
    if outside and outside[0] is not kept:
        kept.attach(outside[0].head, outside[0].fields[DEPREL])
        kept.fields[MISC] = outside[0].fields[MISC]
    elif not outside:
        release(kept)
    kept.fields[FORM] = form + end.fields[FORM]
    kept.space_after, kept.end = end.space_after, end.end
    if whole is not None:
        kept.fields[FORM], kept.space_after = whole.fields[FORM], whole.space_after
        rows.lines.remove(whole)
    _open_tags(kept)
    gone = {id(row) for row in words[1:]}
    rows.lines = [line for line in rows.lines if id(line) not in gone]
    less = last - first
    rows.renumber(lambda i: min(i, first) if i <= last else i - less)


def _set_range(rows: Rows, change: SetRange) -> None:
    first, last = change.first, change.last
    begin, end = rows.word(first), rows.word(last)
    form = check_value(change.form, "form")
    if first >= last:
        raise ChangeError(f"words {first} to {last}: a multiword token has at least two words")
    for row in rows.ranges:
        if row.range == (first, last):
            row.fields[FORM] = form
            return
        if row.range and row.range[0] <= last and row.range[1] >= first:
            raise ChangeError(f"words {first} to {last} overlap the token {row.fields[ID]}")
    token = _blank_row(first, form, rows.end)
    token.fields[ID] = f"{first}-{last}"
    token.space_after = end.space_after
    for row in rows.words[first - 1 : last]:
        row.space_after = True  # only that of the token counts
    rows.lines.insert(rows.lines.index(begin), token)


def _clear_range(rows: Rows, first: int) -> None:
    for row in rows.ranges:
        if row.range and row.range[0] == first:
            parts, form = rows.words[first - 1 : row.range[1]], row.fields[FORM]
            parts[-1].space_after = row.space_after
            if "".join(part.fields[FORM] for part in parts) == "".join(form.split()):
                _space_parts(parts, form)
            rows.lines.remove(row)
            return
    raise ChangeError(f"word {first}: no multiword token begins with it")


def _split_sentence(rows: Rows, word: int, taken: Callable[[], Collection[str]]) -> list[Rows]:
    first_row, around = rows.word(word), _range_around(rows, word)
    if word == 1:
        raise ChangeError("word 1 is already the first of its sentence")
    if around is not None and around.range and around.range[0] < word:
        raise ChangeError(f"word {word} is inside the multiword token {around.fields[ID]}")
    text, at = rows.text(), rows.lines.index(first_row if around is None else around)
    second = Rows("", rows.lines[at:], rows.after, rows.end)
    rows.lines, rows.after = rows.lines[:at], rows.end
    second.renumber(lambda i: i - word + 1 if i >= word else None)
    rows.renumber(lambda i: i if i < word else None)
    for row in (*rows.words, *second.words):
        if row.head is None:
            release(row)
    comments = []
    if (sent_id := rows.comment("sent_id")) is not None:
        names = (f"{sent_id}-{i}" for i in count(2))
        used = taken()
        comments.append(f"# sent_id = {next(name for name in names if name not in used)}")
    if rows.comment("text") is not None:
        comments.append(f"# text = {second.text()}")
    second.comments = comments
    update_text(rows, text)
    return [rows, second]


def _merge_sentences(first: Rows, second: Rows) -> Rows:
    n_words, text = len(first.words), first.text()
    has_root = any(row.head == 0 for row in first.words)
    second.renumber(lambda i: i + n_words, lambda i: i + n_words)
    for row in second.words:
        if row.head == 0 and has_root:
            release(row)
    for row in second.rows:  # 0.1, before the first word, has no number to be raised
        if row.fields[ID].startswith("0."):
            raise ChangeError("the next sentence begins with an empty node")
    if not first.rows[-1].end:
        first.rows[-1].end = first.end
    kept = [line for line in second.comments if not _is_of_one(line)]
    merged = Rows(first.before, [*first.lines, *second.rows], second.after, first.end)
    merged.comments = [*first.comments, *kept]
    update_text(merged, text)
    return merged


def _is_of_one(comment: str) -> bool:
    return comment[1:].partition("=")[0].strip().partition(" ")[0] in _OF_ONE_SENTENCE


def _set_comments(rows: Rows, lines: Collection[str]) -> None:
    for line in lines:
        if not line.startswith("#") or any(char in line for char in "\n\r"):
            raise ChangeError(f"comment {line!r}: expected one line that begins with '#'")
        try:
            line.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise ChangeError(f"comment {line!r} is not Unicode text") from None
    rows.comments = [*lines]
