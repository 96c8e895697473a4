"""The workbench: a treebank that people annotate, a parser that follows, and one that learns."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Literal

from dodona.annotate.agreement import compare_files
from dodona.annotate.changes import (
    Change,
    ClearArc,
    Confirm,
    MergeSentence,
    SetArc,
    SetComment,
    SetField,
    WordChange,
    change_to_json,
)
from dodona.annotate.editing import edit_words
from dodona.annotate.errors import AnnotateError, ChangeError, ConflictError
from dodona.annotate.guessing import Confidences, fill, load_parser
from dodona.annotate.inventory import FIELDS, Inventory
from dodona.annotate.journal import Edit
from dodona.annotate.learner import Job
from dodona.annotate.learning import Learned, Learning
from dodona.annotate.marks import arc_state
from dodona.annotate.opening import treebank_path
from dodona.annotate.restructuring import restructure
from dodona.annotate.rows import DEPREL, Rows, sentence_of
from dodona.annotate.store import Block, Step, Store
from dodona.annotate.viewing import revision_of, state_of, state_of_data, view_of
from dodona.annotate.views import (
    Agreement,
    LearnerKind,
    LearningView,
    Match,
    Overview,
    Preview,
    SentenceProblem,
    SentenceView,
)
from dodona.logs import warning
from dodona.models import locate
from dodona.query.pattern import compile_pattern
from dodona.settings import LINEAR
from dodona.storage.atomic import atomic_write
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.sentence import Sentence

NO_MODEL = "none"
FIRST = 50  # sentences that are annotated, at least in part, before there is a first parser
EVERY = 5  # sentences that are finished before the parser learns again
SAVE_AFTER = 20.0  # seconds
MOST_CANDIDATES = 3000  # sentences that are rated after learning
MOST_AT_ONCE = 200  # words that are rated while somebody waits
COUNTED_AT_ONCE = 500  # sentences of which the inventory is counted at the start

Order = Literal["file", "uncertain", "disagreement", "pattern"]


@dataclass(frozen=True)
class Shown:
    """A sentence as it was shown: with the guesses of one parser."""

    data: bytes  # in the treebank
    version: int  # of the parser
    rows: Rows
    sure: Confidences
    revision: str


class Workbench:
    """A treebank in CoNLL-U, or a text, with a parser that fills in what nobody has decided.

    Methods may be called by several threads, and return at once. `model` is the name or path of a
    parser, or "none"; one trains itself once 50 sentences are annotated. `dev` is a treebank that
    scores are measured on, `other_model` one whose disagreement can order the work.

    >>> from tempfile import TemporaryDirectory
    >>> from dodona.annotate.changes import SetArc
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "oak.txt").write_text("The oak speaks.")
    ...     with Workbench(Path(folder, "oak.txt")) as bench:
    ...         view = bench.sentence(0)
    ...         view = bench.change(0, view.revision, SetArc(2, 3, "nsubj"))
    ...     Path(folder, "oak.conllu").read_text().splitlines()[4].split()[6:]
    ['3', 'nsubj', '_', 'Arc=Set']
    """

    def __init__(
        self,
        path: str | Path,
        *,
        model: str = NO_MODEL,
        dev: str | Path | None = None,
        other_model: str | None = None,
    ) -> None:
        self._mutex, self._saving = threading.RLock(), threading.Lock()
        self._parser = None if model == NO_MODEL else load_parser(model)
        self._base = "" if model == NO_MODEL else str(locate(model))
        self._other = "" if other_model is None else str(locate(other_model))
        self._dev = "" if dev is None else str(dev)
        self.model, self._model_path, self._version = model, self._base, 0
        self._store = Store(treebank_path(Path(path), self._parser))
        self._shown: dict[int, Shown] = {}
        self._sentences: dict[int, tuple[bytes, Sentence]] = {}
        self._states = {block.uid: state_of_data(block.data) for block in self._store.blocks}
        self._inventory, self._counted = Inventory(), set[int]()
        self._doubts: dict[int, float] = {}
        self._disputes: dict[int, float] = {}
        self._n_finished = 0  # since the last learning
        self._learning = Learning(self._take)
        self._store.on_edit = self._note
        self._closing = threading.Event()
        self._count_some(COUNTED_AT_ONCE)
        threading.Thread(target=self._keep_saving, name="dodona-save", daemon=True).start()
        self._learn_if_due()

    # --- what is shown

    @property
    def path(self) -> Path:
        """The treebank; that of a text lies beside it."""
        return self._store.path

    @property
    def n_sentences(self) -> int:
        return len(self._store.blocks)

    def overview(self) -> Overview:
        """Return counts of the whole file, and the state of its model."""
        with self._mutex:
            counts = Counter(self._states[block.uid] for block in self._store.blocks)
            store = self._store
            return Overview(
                path=str(store.path),
                n_sentences=len(store.blocks),
                n_done=counts["done"],
                n_partial=counts["partial"],
                n_untouched=counts["untouched"],
                n_decisions=store.position,
                can_undo=store.position > 0,
                can_redo=store.position < len(store.steps),
                is_saved=store.is_saved,
                model=self.model,
                learning=self.learning,
            )

    def sentence(self, index: int) -> SentenceView:
        """Return a sentence with the guesses of the newest parser."""
        with self._mutex:
            return self._view(index, self._show(index, is_fresh=True))

    def _block(self, index: int) -> Block:
        if not 0 <= index < self.n_sentences:
            raise ChangeError(f"sentence {index}: there are {self.n_sentences}, from 0")
        return self._store.blocks[index]

    def _show(self, index: int, *, is_fresh: bool = False) -> Shown:
        """Return what was last shown of a sentence, or show it."""
        block = self._block(index)
        shown = self._shown.get(block.uid)
        is_old = shown is None or (is_fresh and shown.version != self._version)
        if shown is None or is_old or shown.data != block.data:
            rows = Rows.of(block.data)
            sure = fill(rows, self._parser)
            shown = self._remember(block, rows, sure)
        return shown

    def _remember(self, block: Block, rows: Rows, sure: Confidences) -> Shown:
        revision = revision_of(block.uid, bytes(rows))
        shown = Shown(block.data, self._version, rows, sure, revision)
        self._shown[block.uid] = shown
        return shown

    def _view(self, index: int, shown: Shown, changed: tuple[int, ...] = ()) -> SentenceView:
        return view_of(index, shown.revision, shown.rows, shown.sure, changed)

    # --- changes

    def change(self, index: int, revision: str, change: Change) -> SentenceView:
        """Change a sentence, and return it with new guesses around what was decided.

        Raises `ConflictError`, and changes nothing, unless `revision` is that of the sentence as
        it was shown last. The change is on disk when the method returns.
        """
        with self._mutex:
            before = self._current(index, revision)
            rows, n_old = self._edited(index, before, change)
            self._add(index, n_old, rows, change_to_json(change))
            after = self._show(index)
            return self._view(index, after, _changed(before.rows, after.rows))

    def check(self, index: int, revision: str, change: Change) -> tuple[SentenceProblem, ...]:
        """Return the rules of UD that a sentence would break after a change, without making it."""
        with self._mutex:
            rows, _ = self._edited(index, self._current(index, revision), change)
            return tuple(
                problem
                for each in rows
                for problem in view_of(index, revision, each, fill(each, self._parser)).problems
            )

    def _current(self, index: int, revision: str) -> Shown:
        shown = self._show(index)
        if shown.revision != revision:
            raise ConflictError(
                f"sentence {index + 1} has changed since it was shown; look at it again, then "
                "repeat the change"
            )
        return shown

    def _edited(self, index: int, shown: Shown, change: Change) -> tuple[list[Rows], int]:
        """Return the sentences that a change leads to, and how many they replace."""
        if isinstance(change, SetComment) or (
            isinstance(change, SetField) and change.field == "misc"
        ):
            rows = Rows.of(shown.data)  # guesses are not written for their sake
        else:
            rows = deepcopy(shown.rows)
        if isinstance(change, WordChange):
            edit_words(rows, change)
            return [rows], 1
        following, n_old = None, 1
        if isinstance(change, MergeSentence) and index + 1 < self.n_sentences:
            following, n_old = deepcopy(self._show(index + 1).rows), 2
        return restructure(rows, change, following, self._sent_ids), n_old

    def _sent_ids(self) -> set[str]:
        return {sentence.sent_id or "" for sentence in self._all_sentences()}

    def _add(self, index: int, n_old: int, new: list[Rows], change: object) -> None:
        """Guess around a change, write it into the journal, and apply it."""
        is_plain = isinstance(change, dict) and change.get("kind") == "set-comment"
        sure = [{} if is_plain else fill(rows, self._parser) for rows in new]
        old = tuple(block.data for block in self._store.blocks[index : index + n_old])
        data = tuple(_checked(rows) for rows in new)
        self._apply(Step((Edit(index, old, data),), change, _finished(old, new)))
        if not is_plain:
            for i, rows in enumerate(new):
                self._remember(self._store.blocks[index + i], rows, sure[i])

    def _apply(self, step: Step) -> None:
        self._store.add(step)
        self._n_finished += step.finished is not None
        self._learn_if_due()

    def undo(self) -> SentenceView:
        """Take back the last change to any sentence, and return the sentence."""
        with self._mutex:
            return self._moved(self._store.undo(), "there is nothing to undo")

    def redo(self) -> SentenceView:
        """Repeat the last change that was taken back, and return the sentence."""
        with self._mutex:
            return self._moved(self._store.redo(), "there is nothing to redo")

    def _moved(self, step: Step | None, otherwise: str) -> SentenceView:
        if step is None:
            raise ChangeError(otherwise)
        return self.sentence(min(step.edits[0].index, self.n_sentences - 1))

    def _note(self, old: list[Block], new: list[Block]) -> None:
        """Keep states and inventory up to date with an edit."""
        is_counted = all(block.uid in self._counted for block in old)
        for block in old:
            if is_counted:
                self._inventory.add(block.data, -1)
                self._counted.discard(block.uid)
        for block in new:
            self._states[block.uid] = state_of_data(block.data)
            if is_counted:
                self._inventory.add(block.data)
                self._counted.add(block.uid)

    # --- completion, search, consistency

    def suggest(self, index: int, word: int, field: str = "deprel", prefix: str = "") -> list[str]:
        """Return values for a field of a word, those of the treebank and most likely first."""
        if field not in FIELDS:
            raise ChangeError(f"field {field!r}: expected one of {', '.join(FIELDS)}")
        with self._mutex:
            known = self._parser.labels if self._parser is not None and field == "deprel" else ()
            plain = [label for label in known if "+" not in label]
            return self._inventory.suggest(self._show(index).rows, word, field, prefix, plain)

    def find(self, pattern: str) -> list[Match]:
        """Return the matches of a pattern in the treebank; guesses count once they are written."""
        with self._mutex:
            found = compile_pattern(pattern).matches_in(self._all_sentences())
        return [
            Match(i, match.sentence.sent_id or "", match.sentence.text, tuple(match.ids))
            for i, matches in enumerate(found)
            for match in matches
        ]

    def preview(self, pattern: str, change: WordChange, most: int = 100) -> list[Preview]:
        """Return what a change would make of the matches of a pattern, at most so many.

        The numbers of the change count the words of the match: `SetArc(2, 1, "nmod")` attaches the
        second word of the pattern to the first. Matches that it leaves as they are do not count.
        """
        found: list[Preview] = []
        for match in self.find(pattern):
            if len(found) == most:
                break
            with self._mutex:
                shown, own = self._show(match.index), _resolved(change, match.words)
                rows, _ = self._edited(match.index, shown, own)
                if bytes(rows[0]) != bytes(shown.rows):
                    after = _shown_as(shown, rows[0], fill(rows[0], self._parser))
                    views = self._view(match.index, shown), self._view(match.index, after)
                    found.append(Preview(match.index, shown.revision, match.words, own, *views))
        return found

    def apply(self, previews: Iterable[Preview]) -> int:
        """Apply previewed changes in one step; return how many.

        Those to sentences that have changed since are left out.
        """
        with self._mutex:
            edited: dict[int, Rows] = {}
            changes: list[object] = []
            for preview in previews:
                shown = self._show(preview.index)
                if shown.revision == preview.revision:
                    rows = edited.setdefault(preview.index, deepcopy(shown.rows))
                    edit_words(rows, preview.change)
                    changes.append(change_to_json(preview.change))
            edits = []
            for index, rows in edited.items():
                fill(rows, self._parser)
                edits.append(Edit(index, (self._block(index).data,), (_checked(rows),)))
            if edits:
                self._apply(Step(tuple(edits), changes))
            return len(changes)

    def _all_sentences(self) -> list[Sentence]:
        found = []
        for block in self._store.blocks:
            kept = self._sentences.get(block.uid)
            if kept is None or kept[0] != block.data:
                kept = self._sentences[block.uid] = block.data, sentence_of(block.data)
            found.append(kept[1])
        return found

    def compare(self, other_path: str | Path) -> Agreement:
        """Compare the treebank with that of another annotator."""
        with self._mutex:
            sentences = self._all_sentences()
        return compare_files(sentences, Path(other_path))

    # --- what next

    def next(
        self, order: Order = "file", after: int | None = None, pattern: str | None = None
    ) -> int | None:
        """Return the sentence to look at after another, or first; None if there is none.

        "file": the next that is not done; "uncertain": of those, the one in which the parser
        expects most errors per word; "disagreement": the one on which two models differ most;
        "pattern": the next with a match, done or not.
        """
        with self._mutex:
            if order == "pattern":
                return self._next_match(pattern, after)
            open_ = [i for i, b in enumerate(self._store.blocks) if self._states[b.uid] != "done"]
            if order == "file":
                later = [i for i in open_ if after is None or i > after]
                return next(iter(later or [i for i in open_ if i != after]), None)
            if order not in ("uncertain", "disagreement"):
                raise ChangeError(f"order {order!r}: file, uncertain, disagreement or pattern")
            return self._next_rated(open_, after, self._ratings(order, open_))

    def _next_match(self, pattern: str | None, after: int | None) -> int | None:
        if pattern is None:
            raise ChangeError("the order 'pattern' needs a pattern")
        compiled, start = compile_pattern(pattern), -1 if after is None else after
        sentences = enumerate(self._all_sentences())
        return next((i for i, one in sentences if i > start and compiled.is_in(one)), None)

    def _ratings(self, order: str, open_: Sequence[int]) -> dict[int, float]:
        """Return ratings by sentence number; start to rate sentences if there are none."""
        if self._parser is None:
            raise AnnotateError(f"the order {order!r} needs a model; give one, or annotate first")
        if order == "disagreement":
            if not self._other:
                raise AnnotateError(
                    "the order 'disagreement' needs a second model: give other_model, or let the "
                    "parser learn once more"
                )
            if not self._disputes:
                self._start(None)
            return self._disputes
        if not self._doubts:
            self._start(None)
            n_words = 0
            for i in open_:
                shown = self._show(i)
                self._doubts[self._block(i).uid] = _doubt(shown.sure)
                n_words += len(shown.rows.words)
                if n_words > MOST_AT_ONCE:
                    break
        return self._doubts

    def _next_rated(
        self, open_: Sequence[int], after: int | None, ratings: dict[int, float]
    ) -> int | None:
        ranks = {i: (-ratings.get(self._block(i).uid, -1.0), i) for i in open_}
        least = ranks.get(-1 if after is None else after)
        later = [rank for rank in ranks.values() if least is None or rank > least]
        return min(later)[1] if later else None

    # --- learning

    @property
    def learning(self) -> LearningView:
        """The state of learning, the learning curve, and the corrections of finished sentences."""
        with self._mutex:
            store, learning = self._store, self._learning
            finished = (step.finished for step in store.steps[: store.position])
            return LearningView(
                state=learning.state,
                kind=learning.kind,
                seconds=round(learning.seconds, 2),
                message=learning.message,
                curve=tuple(learning.curve),
                corrections=tuple(each for each in finished if each is not None),
            )

    def learn(self, kind: LearnerKind = "linear", wait: bool = False) -> None:
        """Train the parser on all that was decided, in the background, and use it from then on.

        A model of the same kind continues from the one that was given at the start, else from
        nothing. With `wait`, return when it is done.
        """
        if kind not in ("linear", "network"):
            raise ChangeError(f"kind {kind!r}: linear or network")
        with self._mutex:
            if not self._start(kind) and not wait:
                raise AnnotateError("the parser is learning already; wait until it has finished")
        if wait:
            self._learning.wait()

    def _start(self, kind: LearnerKind | None) -> bool:
        """Start to learn, or only to rate sentences (None)."""
        blocks = self._store.blocks
        decided = [b.data for b in blocks if self._states[b.uid] != "untouched"]
        if kind is not None and not decided:
            raise AnnotateError("nothing is annotated yet: there is nothing to learn from")
        rest = [(b.uid, b.data) for b in blocks if self._states[b.uid] != "done"]
        step = len(rest) // MOST_CANDIDATES + 1
        model = self._base if kind is not None else self._model_path
        job = Job(kind, model, self._dev, self._other)
        is_started = self._learning.start(job, decided if kind else [], rest[::step])
        if is_started and kind is not None:
            self._n_finished = 0
        return is_started

    def _learn_if_due(self) -> None:
        """Learn if enough was annotated; a network learns only on demand."""
        if self._learning.is_busy:
            return
        if self._parser is None:
            counts = Counter(self._states[block.uid] for block in self._store.blocks)
            is_first = self._learning.state == "idle" or self._n_finished >= EVERY
            if is_first and counts["done"] + counts["partial"] >= FIRST:
                self._start("linear")
        elif self._n_finished >= EVERY and self._parser.settings.scorer == LINEAR:
            self._start("linear")

    def _take(self, learned: Learned) -> None:
        """Use a new parser, and new ratings; sentences that are shown keep their guesses."""
        with self._mutex:
            if learned.parser is not None and learned.path is not None:
                if not self._other or self._other == self._previous_path:
                    self._other = self._previous_path = self._model_path
                self._parser, self._model_path = learned.parser, str(learned.path)
                self._version += 1
                n_sentences = self._learning.curve[-1].n_sentences
                self.model = f"{learned.kind}, learned from {n_sentences} sentences"
            self._doubts, self._disputes = learned.doubts, learned.disputes

    _previous_path = ""  # of the model before the newest, if no other was given to compare with

    def keep(self, path: str | Path) -> None:
        """Save the parser of this moment."""
        with self._mutex:
            if self._parser is None:
                raise AnnotateError(f"there is no parser yet: annotate {FIRST} sentences, or learn")
            data = Path(self._model_path).read_bytes()
        with atomic_write(path) as file:
            file.write(data)

    # --- files

    def save(self) -> None:
        """Write the treebank now; it is also written regularly, and at the end."""
        with self._saving:
            with self._mutex:
                if self._store.is_saved:
                    return
                content, n_records = self._store.snapshot()
            try:
                with self._mutex:
                    self._store.announce(content, n_records)
                self._store.write(content)
            except BaseException:
                self._store.is_saved = False
                raise

    def _keep_saving(self) -> None:
        """Save regularly, and complete the inventory."""
        while not self._closing.is_set() and self._count_some(10):
            pass
        while not self._closing.wait(SAVE_AFTER):
            try:
                self.save()
            except (OSError, AnnotateError) as error:
                warning("%s", error)

    def _count_some(self, most: int) -> bool:
        """Count some more sentences for the inventory; return whether there are any."""
        with self._mutex:
            rest = [block for block in self._store.blocks if block.uid not in self._counted][:most]
            for block in rest:
                self._inventory.add(block.data)
                self._counted.add(block.uid)
            return bool(rest)

    def close(self) -> None:
        """Stop learning, save the treebank, and let others annotate it."""
        if not self._closing.is_set():
            self._closing.set()
            self._learning.close()
            try:
                self.save()
            finally:
                self._store.close()

    def __enter__(self) -> Workbench:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def _checked(rows: Rows) -> bytes:
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


def _changed(before: Rows, after: Rows) -> tuple[int, ...]:
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


def _resolved(change: WordChange, words: tuple[int, ...]) -> WordChange:
    """Return a change whose numbers count the words of a match, for the words that they are."""

    def word(number: int) -> int:
        if not 1 <= number <= len(words):
            raise ChangeError(f"word {number} of the pattern: a match has {len(words)} words")
        return words[number - 1]

    if isinstance(change, SetArc):
        return replace(change, word=word(change.word), head=change.head and word(change.head))
    if isinstance(change, Confirm):
        return Confirm(tuple(map(word, change.words or range(1, len(words) + 1))))
    if isinstance(change, ClearArc):
        return ClearArc(word(change.word))
    return replace(change, word=word(change.word))


def _shown_as(shown: Shown, rows: Rows, sure: Confidences) -> Shown:
    return replace(shown, rows=rows, sure=sure)


def _doubt(sure: Confidences) -> float:
    """Return the share of errors to expect among the words that are guessed."""
    return sum(1 - each for each in sure.values()) / max(len(sure), 1)
