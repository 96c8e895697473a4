"""Changes to the columns of words: arcs, tags, consent."""

from __future__ import annotations

from dodona.annotate.changes import FIELDS, ClearArc, Confirm, SetArc, SetField, WordChange
from dodona.annotate.errors import ChangeError
from dodona.annotate.marks import (
    ARC,
    CONFIRMED,
    GUESSED,
    HEAD_ONLY,
    SET,
    TAG_MARK,
    arc_state,
    mark_of,
    own_tags,
    set_mark,
    set_own_tags,
    tags_state,
    without_marks,
)
from dodona.annotate.rows import BLANK, DEPREL, FORM, MISC, TAGS, Row, Rows

ROOT_LABEL = "root"
_WITH_SPACES = ("form", "lemma", "misc")


def edit_words(rows: Rows, change: WordChange) -> None:
    """Apply a change to the words of a sentence as it is shown, with its guesses."""
    if isinstance(change, SetArc):
        _set_arc(rows, change)
    elif isinstance(change, ClearArc):
        release(rows.word(change.word))
    elif isinstance(change, SetField):
        _set_field(rows, change)
    else:
        _confirm(rows, change)


def release(row: Row) -> None:
    """Take an arc away; a parser may guess another."""
    row.attach(None, BLANK)
    set_mark(row, ARC, None)


def check_value(value: str, name: str) -> str:
    """Return a value of a column; refuse one that a line of CoNLL-U cannot hold."""
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ChangeError(f"{name} is {value!r}, which is not Unicode text") from None
    if not value or value != value.strip() or any(char in value for char in "\t\n\r"):
        raise ChangeError(
            f"{name} is {value!r}; expected a value without tabs and line ends, and without spaces "
            "around it"
        )
    if name not in _WITH_SPACES and any(map(str.isspace, value)):
        raise ChangeError(f"{name} is {value!r}; expected a value without white space")
    return value


def _set_arc(rows: Rows, change: SetArc) -> None:
    row, n_words = rows.word(change.word), len(rows.words)
    if not 0 <= change.head <= n_words:
        raise ChangeError(f"head {change.head}: the sentence has {n_words} words")
    if change.head == change.word:
        raise ChangeError(f"word {change.word} cannot be its own head")
    label = change.deprel or (ROOT_LABEL if change.head == 0 else None)
    release_rivals(rows, change.word, change.head)
    if label is not None:
        row.attach(change.head, check_value(label, "deprel"))
        set_mark(row, ARC, SET)
    else:
        same = row.head == change.head
        row.attach(change.head, row.fields[DEPREL] if same else BLANK)
        set_mark(row, ARC, HEAD_ONLY)


def release_rivals(rows: Rows, word: int, head: int) -> None:
    """Take away the arcs that a tree with a new arc cannot have: another root, or a cycle.

    A guess is taken away rather than a decision. Of decisions, that of the word's own dependent
    goes: attaching a word below itself turns the arc between them around.
    """
    words = rows.words
    if head == 0:
        for other in words:
            if other.head == 0 and other is not words[word - 1]:
                release(other)
        return
    path = [head]  # from the new head up to the word
    while (above := words[path[-1] - 1].head) and above != word and len(path) <= len(words):
        path.append(above)
    if above == word:
        guesses = [each for each in path if arc_state(words[each - 1]) == "guessed"]
        release(words[(guesses or path[-1:])[0] - 1])


def _set_field(rows: Rows, change: SetField) -> None:
    row, name = rows.word(change.word), change.field
    if name not in FIELDS:
        raise ChangeError(f"field {name!r}: expected one of {', '.join(FIELDS)}")
    if name in TAGS:
        own = own_tags(row)
        row.fields[TAGS[name]] = check_value(change.value or BLANK, name)
        set_own_tags(row, own | {name} if change.value else own - {name})
    elif name == "deprel":
        if row.head is None:
            raise ChangeError(f"word {change.word} has no head yet: set its arc first")
        row.attach(row.head, check_value(change.value, name))
        set_mark(row, ARC, SET)
    elif name == "misc":
        value = check_value(change.value or BLANK, name)
        if without_marks(value) != value:
            raise ChangeError(f"misc is {value!r}; Arc and Tags are marks of the workbench")
        marks = [part for part in row.misc if part.partition("=")[0] in (ARC, TAG_MARK)]
        row.fields[MISC] = value
        row.misc = [*row.misc, *marks]
    else:
        text = rows.text()
        row.fields[FORM] = check_value(change.value, name)
        update_text(rows, text)


def update_text(rows: Rows, before: str) -> None:
    """Change `# text` as the tokens have changed, if it agreed with them before."""
    old = rows.comment("text")
    if old is not None and old.split() == before.split() and rows.text() != before:
        rows.set_comment("text", rows.text())


def _confirm(rows: Rows, change: Confirm) -> None:
    words = rows.words if change.words is None else [rows.word(each) for each in change.words]
    for row in words:
        guessed = (mark_of(row, ARC) or SET) in (GUESSED, HEAD_ONLY)
        if guessed and row.head is not None and row.fields[DEPREL] != BLANK:
            set_mark(row, ARC, CONFIRMED)
        if tags_state(row) == "guessed":
            set_mark(row, TAG_MARK, CONFIRMED)
        elif mark_of(row, TAG_MARK) is not None and own_tags(row) < {*TAGS}:
            set_mark(row, TAG_MARK, SET)
