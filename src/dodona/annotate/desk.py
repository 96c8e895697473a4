"""The sentences of a treebank as they are shown and edited, with the guesses of a parser."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dodona.annotate.changes import Change, MergeSentence, SetComment, SetField, WordChange
from dodona.annotate.editing import edit_words
from dodona.annotate.errors import ChangeError, ConflictError
from dodona.annotate.guessing import Confidences, fill
from dodona.annotate.inventory import Inventory
from dodona.annotate.journal import Edit
from dodona.annotate.marks import arc_state
from dodona.annotate.restructuring import restructure
from dodona.annotate.rows import DEPREL, Rows, sentence_of
from dodona.annotate.store import Block, Step, Store
from dodona.annotate.viewing import revision_of, state_of, state_of_data, view_of
from dodona.annotate.views import SentenceState, SentenceView
from dodona.parsing.parser import Parser
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.sentence import Sentence

MOST_SHOWN = 1000  # sentences whose guesses are kept as they were shown


@dataclass(frozen=True)
class Shown:
    """A sentence as it was shown: with the guesses of one parser."""

    data: bytes  # in the treebank
    version: int  # of the parser
    rows: Rows
    sure: Confidences
    revision: str

    def view(self, index: int, changed: tuple[int, ...] = ()) -> SentenceView:
        return view_of(index, self.revision, self.rows, self.sure, changed)

    def edited(self, rows: Rows, parser: Parser | None) -> Shown:
        """Return what a change to this sentence would show."""
        return replace(self, rows=rows, sure=fill(rows, parser))


class Desk:
    """A store whose sentences are shown with guesses, and changed as they are shown.

    What was shown stays, also when there is a newer parser, until it is shown again: a person
    agrees with what they have seen. Not safe for threads.
    """

    def __init__(self, store: Store, parser: Parser | None) -> None:
        self.store, self.parser, self._version = store, parser, 0
        self.inventory, self._counted = Inventory(), set[int]()
        self._states = {block.uid: state_of_data(block.data) for block in store.blocks}
        self._shown: dict[int, Shown] = {}
        self._sentences: dict[int, tuple[bytes, Sentence]] = {}
        store.on_edit = self._note

    def use(self, parser: Parser) -> None:
        """Guess with another parser from now on."""
        self.parser, self._version = parser, self._version + 1

    def block(self, index: int) -> Block:
        """Return a sentence by its number, from 0."""
        n_sentences = len(self.store.blocks)
        if not 0 <= index < n_sentences:
            raise ChangeError(f"sentence {index}: there are {n_sentences}, from 0")
        return self.store.blocks[index]

    def state(self, block: Block) -> SentenceState:
        return self._states[block.uid]

    def states(self) -> Counter[SentenceState]:
        """Count the sentences in each state."""
        return Counter(map(self.state, self.store.blocks))

    def sentences(self) -> list[Sentence]:
        """Return all sentences as they are in the treebank."""
        found = []
        for block in self.store.blocks:
            kept = self._sentences.get(block.uid)
            if kept is None or kept[0] != block.data:
                kept = self._sentences[block.uid] = block.data, sentence_of(block.data)
            found.append(kept[1])
        return found

    def show(self, index: int, *, is_fresh: bool = False) -> Shown:
        """Return what was last shown of a sentence, or show it, if wanted with newest guesses."""
        block = self.block(index)
        shown = self._shown.get(block.uid)
        if (
            shown is None
            or shown.data != block.data
            or (is_fresh and shown.version != self._version)
        ):
            rows = Rows.of(block.data)
            shown = self._remember(block, rows, fill(rows, self.parser))
        return shown

    def _remember(self, block: Block, rows: Rows, sure: Confidences) -> Shown:
        revision = revision_of(block.uid, bytes(rows))
        shown = Shown(block.data, self._version, rows, sure, revision)
        self._shown[block.uid] = shown
        if len(self._shown) > MOST_SHOWN:
            del self._shown[next(iter(self._shown))]
        return shown

    def current(self, index: int, revision: str) -> Shown:
        """Return what is shown of a sentence; refuse a revision that is no longer shown."""
        shown = self.show(index)
        if shown.revision != revision:
            raise ConflictError(
                f"sentence {index + 1} has changed since it was shown; look at it again, then "
                "repeat the change"
            )
        return shown

    def change(self, index: int, shown: Shown, change: Change, about: object) -> Step:
        """Apply a change, guess around it, and write it into the journal."""
        n_old, following = 1, None
        if isinstance(change, MergeSentence) and index + 1 < len(self.store.blocks):
            n_old, following = 2, self.show(index + 1).rows.copy()
        if is_aside(change):  # guesses are not written for the sake of a comment
            new = [Rows.of(shown.data)]
            sure = [Confidences()]
        else:
            new = [shown.rows.copy()]
        if isinstance(change, WordChange):
            edit_words(new[0], change)
        else:
            new = restructure(new[0], change, following, self._sent_ids)
        if not is_aside(change):
            sure = [fill(rows, self.parser) for rows in new]
        old = tuple(block.data for block in self.store.blocks[index : index + n_old])
        edit = Edit(index, old, tuple(map(checked_bytes, new)))
        step = Step((edit,), about, _finished(old, new))
        self.store.add(step)
        if not is_aside(change):
            for i, rows in enumerate(new):
                self._remember(self.store.blocks[index + i], rows, sure[i])
        return step

    def _sent_ids(self) -> set[str]:
        return {sentence.sent_id or "" for sentence in self.sentences()}

    def _note(self, old: list[Block], new: list[Block]) -> None:
        """Keep states and inventory up to date with an edit."""
        is_counted = all(block.uid in self._counted for block in old)
        for block in old:
            if is_counted:
                self.inventory.add(block.data, -1)
                self._counted.discard(block.uid)
        for block in new:
            self._states[block.uid] = state_of_data(block.data)
            if is_counted:
                self.inventory.add(block.data)
                self._counted.add(block.uid)

    def count_some(self, most: int) -> bool:
        """Count some more sentences for the inventory; return whether there were any."""
        rest = [block for block in self.store.blocks if block.uid not in self._counted][:most]
        for block in rest:
            self.inventory.add(block.data)
            self._counted.add(block.uid)
        return bool(rest)


def is_aside(change: Change) -> bool:
    """Whether a change concerns neither words nor tree."""
    return isinstance(change, SetComment) or (
        isinstance(change, SetField) and change.field == "misc"
    )


def checked_bytes(rows: Rows) -> bytes:
    """Return the bytes of a sentence; refuse one that could not be read again."""
    data = bytes(rows)
    try:
        sentence_of(data)
    except TreebankError as error:
        raise ChangeError(f"the change makes no valid sentence: {error.message}") from None
    return data


def _finished(old: Sequence[bytes], new: list[Rows]) -> int | None:
    """Return the arcs that a person set in a sentence, if it is done since."""
    is_new = any(state_of_data(data) != "done" for data in old)
    if not (is_new and new and all(state_of(rows) == "done" for rows in new)):
        return None
    return sum(arc_state(row) == "set" for rows in new for row in rows.words)


def changed_guesses(before: Rows, after: Rows) -> tuple[int, ...]:
    """Return the words whose arc is guessed, and is not the one that was shown before."""
    if len(before.words) != len(after.words):
        return ()
    pairs = enumerate(zip(before.words, after.words, strict=True), 1)
    return tuple(
        i
        for i, (old, new) in pairs
        if arc_state(new) == "guessed"
        and (old.head, old.fields[DEPREL]) != (new.head, new.fields[DEPREL])
    )
