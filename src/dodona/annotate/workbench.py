"""The workbench: a treebank that people annotate, a parser that follows, and one that learns."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal

from dodona.annotate.agreement import compare_files
from dodona.annotate.changes import Change, WordChange, change_to_json
from dodona.annotate.consistency import apply_previews, find_matches, preview_match
from dodona.annotate.desk import Desk, changed_guesses
from dodona.annotate.editing import edit_words
from dodona.annotate.errors import AnnotateError, ChangeError
from dodona.annotate.guessing import expected_errors, load_parser
from dodona.annotate.inventory import FIELDS
from dodona.annotate.learner import Job
from dodona.annotate.learning import Learned, Learning
from dodona.annotate.opening import treebank_path
from dodona.annotate.store import Step, Store
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
from dodona.treebank.trees.pseudoprojective import lifted

NO_MODEL = "none"
FIRST = 50  # sentences that are annotated, at least in part, before there is a first parser
EVERY = 5  # sentences that are finished before the parser learns again
SAVE_AFTER = 20.0  # seconds
MOST_CANDIDATES = 3000  # sentences that are rated after learning
MOST_AT_ONCE = 200  # words that are rated while somebody waits
COUNTED_AT_ONCE, COUNTED_LATER = 500, 10  # sentences whose values go into the inventory

Order = Literal["file", "uncertain", "disagreement", "pattern"]


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
        parser = None if model == NO_MODEL else load_parser(model)
        self._base = "" if model == NO_MODEL else str(locate(model))
        self._other = "" if other_model is None else str(locate(other_model))
        self._previous = ""  # path of the model before the newest, if no other was given
        self._dev = "" if dev is None else str(dev)
        self.model, self._model_path = model, self._base
        self._mutex, self._saving = threading.RLock(), threading.Lock()
        self._store = Store(treebank_path(Path(path), parser))
        self._desk = Desk(self._store, parser)
        self._doubts: dict[int, float] = {}
        self._disputes: dict[int, float] = {}
        self._n_finished = 0  # sentences, since the last learning
        self._learning = Learning(self._take)
        self._closing = threading.Event()
        self._desk.count_some(COUNTED_AT_ONCE)
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
            counts, store = self._desk.states(), self._store
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
            return self._desk.show(index, is_fresh=True).view(index)

    def shown(self, index: int) -> SentenceView:
        """Return a sentence as it was shown last, which a change may refer to."""
        with self._mutex:
            return self._desk.show(index).view(index)

    def suggest(self, index: int, word: int, field: str = "deprel", prefix: str = "") -> list[str]:
        """Return values for a field of a word, those of the treebank and most likely first."""
        if field not in FIELDS:
            raise ChangeError(f"field {field!r}: expected one of {', '.join(FIELDS)}")
        with self._mutex:
            desk, known = self._desk, list[str]()
            if field == "deprel" and desk.parser is not None:
                known = [label for label in desk.parser.labels if not lifted(label)]
            return desk.inventory.suggest(desk.show(index).rows, word, field, prefix, known)

    # --- changes

    def change(self, index: int, revision: str, change: Change) -> SentenceView:
        """Change a sentence, and return it with new guesses around what was decided.

        Raises `ConflictError`, and changes nothing, unless `revision` is that of the sentence as
        it was shown last. The change is on disk when the method returns.
        """
        with self._mutex:
            before = self._desk.current(index, revision)
            step = self._desk.change(index, before, change, change_to_json(change))
            self._n_finished += step.finished is not None
            self._learn_if_due()
            after = self._desk.show(index)
            return after.view(index, changed_guesses(before.rows, after.rows))

    def check(self, index: int, revision: str, change: WordChange) -> tuple[SentenceProblem, ...]:
        """Return the rules of UD that a sentence would break after a change, without making it."""
        with self._mutex:
            shown = self._desk.current(index, revision)
            rows = shown.rows.copy()
            edit_words(rows, change)
            return shown.edited(rows, self._desk.parser).view(index).problems

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
        return self.sentence(step.edits[0].index)

    def find(self, pattern: str) -> list[Match]:
        """Return the matches of a pattern in the treebank; guesses count once they are written."""
        with self._mutex:
            return find_matches(self._desk, pattern)

    def preview(self, pattern: str, change: WordChange, most: int = 100) -> list[Preview]:
        """Return what a change would make of the matches of a pattern, at most so many.

        The numbers of the change count the words of the match: `SetArc(2, 1, "nmod")` attaches the
        second word of the pattern to the first. Matches that it leaves as they are do not count.
        """
        found: list[Preview] = []
        for match in self.find(pattern):
            with self._mutex:  # for each, so that others need not wait for all
                preview = preview_match(self._desk, match, change)
            if preview is not None:
                found.append(preview)
            if len(found) == most:
                break
        return found

    def apply(self, previews: Iterable[Preview]) -> int:
        """Apply previewed changes in one step, which one `undo` takes back; return how many.

        Those to sentences that have changed since are left out.
        """
        with self._mutex:
            return apply_previews(self._desk, previews)

    def compare(self, other_path: str | Path) -> Agreement:
        """Compare the treebank with that of another annotator."""
        with self._mutex:
            sentences = self._desk.sentences()
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
            blocks = enumerate(self._store.blocks)
            unfinished = [i for i, block in blocks if self._desk.state(block) != "done"]
            if order == "file":
                later = [i for i in unfinished if after is None or i > after]
                return min(later or [i for i in unfinished if i != after], default=None)
            ranks = {i: (-rating, i) for i, rating in self._ratings(order, unfinished).items()}
            least = None if after is None else ranks.get(after)
            left = [rank for rank in ranks.values() if least is None or rank > least]
            return min(left)[1] if left else None

    def _next_match(self, pattern: str | None, after: int | None) -> int | None:
        if pattern is None:
            raise ChangeError("the order 'pattern' needs a pattern")
        compiled, start = compile_pattern(pattern), -1 if after is None else after
        sentences = enumerate(self._desk.sentences())
        return next((i for i, one in sentences if i > start and compiled.is_in(one)), None)

    def _ratings(self, order: str, unfinished: Sequence[int]) -> dict[int, float]:
        """Return the ratings of sentences; start to rate them if there are none.

        Sentences that were not rated come last.
        """
        if order not in ("uncertain", "disagreement"):
            raise ChangeError(f"order {order!r}: file, uncertain, disagreement or pattern")
        if self._desk.parser is None:
            raise AnnotateError(f"the order {order!r} needs a model; give one, or annotate first")
        if order == "disagreement" and not self._other:
            raise AnnotateError(
                "the order 'disagreement' needs a second model: give other_model, or let the "
                "parser learn once more"
            )
        ratings = self._doubts if order == "uncertain" else self._disputes
        if not ratings:
            self._start(None)
            if order == "uncertain":
                self._rate_some(unfinished)
        blocks = self._store.blocks
        return {i: ratings.get(blocks[i].uid, -1.0) for i in unfinished}

    def _rate_some(self, unfinished: Sequence[int]) -> None:
        """Rate a few sentences while all others are rated in the background."""
        n_words = 0
        for i in unfinished:
            shown = self._desk.show(i)
            self._doubts[self._store.blocks[i].uid] = expected_errors(shown.sure)
            n_words += len(shown.rows.words)
            if n_words > MOST_AT_ONCE:
                break

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

        A model of the same kind continues from the one that was given at the start, another begins
        anew. With `wait`, return when it is done; a run that is going on is waited for first.
        """
        if kind not in ("linear", "network"):
            raise ChangeError(f"kind {kind!r}: linear or network")
        while not self._start(kind):
            if not wait:
                raise AnnotateError("the parser is learning already; wait until it has finished")
            self._learning.wait()
        if wait:
            self._learning.wait()

    def _start(self, kind: LearnerKind | None) -> bool:
        """Start to learn, or only to rate sentences (None); return False if a run is going on."""
        with self._mutex:
            blocks, state = self._store.blocks, self._desk.state
            decided = [b.data for b in blocks if state(b) != "untouched"] if kind else []
            if kind and not decided:
                raise AnnotateError("nothing is annotated yet: there is nothing to learn from")
            rest = [(b.uid, b.data) for b in blocks if state(b) != "done"]
            model = self._base if kind else self._model_path
            job = Job(kind, model, self._dev, self._other)
            candidates = rest[:: len(rest) // MOST_CANDIDATES + 1]
            if not self._learning.start(job, decided, candidates):
                return False
            if kind:
                self._n_finished = 0
            return True

    def _learn_if_due(self) -> None:
        """Learn if enough was annotated; a network learns only on demand."""
        if self._learning.is_busy:
            return
        parser = self._desk.parser
        if parser is None:
            counts = self._desk.states()
            is_ready = counts["done"] + counts["partial"] >= FIRST
            if is_ready and (self._learning.state == "idle" or self._n_finished >= EVERY):
                self._start("linear")
        elif self._n_finished >= EVERY and parser.settings.scorer == LINEAR:
            self._start("linear")

    def _take(self, learned: Learned) -> None:
        """Use a new parser and new ratings; sentences that are shown keep their guesses."""
        with self._mutex:
            if learned.parser is not None:
                if self._other == self._previous:
                    self._other = self._previous = self._model_path
                self._desk.use(learned.parser)
                self._model_path = learned.path
                n_sentences = self._learning.curve[-1].n_sentences
                self.model = f"{learned.kind}, learned from {n_sentences} sentences"
            self._doubts, self._disputes = learned.doubts, learned.disputes

    def keep(self, path: str | Path) -> None:
        """Save the parser of this moment."""
        with self._mutex:
            if not self._model_path:
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
                content = self._store.announce()
            self._store.write(content)

    def _keep_saving(self) -> None:
        """Complete the inventory, then save regularly."""
        is_counting = True
        while is_counting and not self._closing.is_set():
            with self._mutex:
                is_counting = self._desk.count_some(COUNTED_LATER)
        while not self._closing.wait(SAVE_AFTER):
            try:
                self.save()
            except (OSError, AnnotateError) as error:
                warning("%s", error)

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
