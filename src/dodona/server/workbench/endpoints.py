"""The addresses of a workbench: one for each of its methods, with JSON in and out.

The workbench is thread-safe. It is called in threads, so that a page that waits for the disk does
not make another one wait.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dodona.annotate.changes import WordChange, change_from_json, change_to_json
from dodona.annotate.errors import ChangeError, ConflictError
from dodona.annotate.views import LearnerKind
from dodona.annotate.workbench import Order, Workbench
from dodona.errors import DodonaError
from dodona.server.answers.responses import encode
from dodona.server.errors import CLOSE, Refused, bad
from dodona.server.requests.bodies import JSON, check_coding, check_kind
from dodona.server.requests.json_fields import check_choice, check_text, read_fields
from dodona.server.workbench.commands import HELP, Action, read_command
from dodona.server.workbench.lesson import STEPS

if TYPE_CHECKING:
    from dodona.annotate.views import Preview

MAX_BYTES = 1_000_000  # of a request
MOST_SHOWN = 100  # matches and previews
MOST_KEPT = 4  # lists of previews, for as many pages
ORDERS: dict[str, Order] = {order: order for order in get_args(Order)}
COLUMNS = ("deprel", "upos", "xpos", "lemma", "feats")
FIELDS = (*COLUMNS, "head")  # that can be completed
KINDS: dict[str, LearnerKind] = {kind: kind for kind in get_args(LearnerKind)}
NAMES = (
    "index",
    "revision",
    "change",
    "pattern",
    "id",
    "chosen",
    "kind",
    "name",
    "text",
)  # of JSON
LONGEST_NUMBER = 10  # digits
SUFFIX = ".dodona"
Given = Mapping[str, Any]  # the parameters or the JSON of a request
Answer = dict[str, Any]


class Stale(Exception):  # noqa: N818
    """A change to a sentence that another page has changed since."""

    def __init__(self, why: str, view: Answer) -> None:
        super().__init__(why)
        self.view = view


@dataclass
class Endpoints:
    """A workbench with what its pages need beside it."""

    workbench: Workbench
    other: Path | None = None  # the file of another annotator
    has_lesson: bool = False
    _previews: dict[int, list[Preview]] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=count)

    def settings(self, given: Given) -> Answer:
        other = None if self.other is None else self.other.name
        return {"other": other, "lesson": self.has_lesson, "commands": HELP}

    def lesson(self, given: Given) -> Answer:
        """Return the steps of the lesson, and which of them are done in this sentence."""
        view, overview = self.workbench.shown(self._index(given)), self.workbench.overview()
        done = [step.is_done(view, overview) for step in STEPS]
        return {"steps": [step.text for step in STEPS], "done": done}

    def overview(self, given: Given) -> Answer:
        return asdict(self.workbench.overview())

    def sentence(self, given: Given) -> Answer:
        return asdict(self.workbench.sentence(self._index(given)))

    def change(self, given: Given) -> Answer:
        """Change a sentence; if another page was faster, the answer is its newer state."""
        index, revision = self._index(given), _text(given, "revision")
        change = change_from_json(given.get("change"))
        try:
            return asdict(self.workbench.change(index, revision, change))
        except ConflictError as error:
            newer = self.workbench.sentence(min(index, self.workbench.n_sentences - 1))
            raise Stale(str(error), asdict(newer)) from error

    def command(self, given: Given) -> Answer:
        """Return what a typed command means: a change of the sentence, or an action of the page."""
        view = self.workbench.shown(self._index(given))
        try:
            found = read_command(_text(given, "text"), view)
        except ChangeError as error:  # commands are also read while they are typed
            return {"error": str(error)}
        if isinstance(found, Action):
            return {"action": found.name, "value": found.value}
        return {"change": change_to_json(found)}

    def check(self, given: Given) -> Answer:
        """Return the problems that a change would leave, without making it."""
        index, revision = self._index(given), _text(given, "revision")
        change = change_from_json(given.get("change"))
        if not isinstance(change, WordChange):  # whose result cannot be foreseen word by word
            return {"problems": []}
        before = self.workbench.shown(index).problems
        try:
            found = self.workbench.check(index, revision, change)
        except ConflictError:  # a newer sentence is on its way to the page
            return {"problems": []}
        except ChangeError as error:
            return {"problems": [{"message": str(error)}]}
        return {"problems": [asdict(problem) for problem in found if problem not in before]}

    def undo(self, given: Given) -> Answer:
        return asdict(self.workbench.undo())

    def redo(self, given: Given) -> Answer:
        return asdict(self.workbench.redo())

    def next(self, given: Given) -> Answer:
        order = ORDERS[check_choice("order", given.get("order"), [*ORDERS])]
        after = self._index(given, "after") if "after" in given else None
        return {"index": self.workbench.next(order, after=after, pattern=given.get("pattern"))}

    def suggest(self, given: Given) -> Answer:
        field_ = check_choice("field", given.get("field"), FIELDS)
        index, word = self._index(given), _number(given, "word")
        prefix = given.get("prefix", "")
        return {"values": self.workbench.suggest(index, word, field=field_, prefix=prefix)}

    def find(self, given: Given) -> Answer:
        found = self.workbench.find(_text(given, "pattern"))
        return {"matches": [asdict(match) for match in found[:MOST_SHOWN]], "total": len(found)}

    def preview(self, given: Given) -> Answer:
        """Keep the list of previews, and show the first ones; `apply` refers to it by number."""
        change = change_from_json(given.get("change"))
        if not isinstance(change, WordChange):
            raise bad("only arcs, columns and confirmations can be applied to all matches")
        found = self.workbench.preview(_text(given, "pattern"), change, MOST_SHOWN + 1)
        number = next(self._numbers)
        self._previews[number] = found[:MOST_SHOWN]
        self._previews.pop(number - MOST_KEPT, None)
        shown = [_describe(preview) for preview in found[:MOST_SHOWN]]
        return {"id": number, "previews": shown, "has_more": len(found) > MOST_SHOWN}

    def apply(self, given: Given) -> Answer:
        kept = self._previews.pop(_number(given, "id"), None)
        if kept is None:
            raise Refused(404, "this list of changes is no longer kept; preview it again")
        chosen = given.get("chosen")
        if not isinstance(chosen, list) or not all(i in range(len(kept)) for i in chosen):
            raise bad("chosen must be a list of the numbers of previews")
        return {"n_applied": self.workbench.apply([kept[i] for i in chosen])}

    def learn(self, given: Given) -> Answer:
        self.workbench.learn(KINDS[check_choice("kind", given.get("kind"), [*KINDS])])
        return asdict(self.workbench.learning)

    def keep(self, given: Given) -> Answer:
        """Write the model beside the annotated file: a page chooses its name, but no folder."""
        name = _text(given, "name")
        path = Path(self.workbench.path).with_name("x").parent / name
        if not name or Path(name).name != name or name.startswith(".") or not name.isprintable():
            raise bad("the name of a model is that of a file, without a folder: mine.dodona")
        if path.suffix != SUFFIX:
            raise bad(f"the name of a model ends in {SUFFIX}: {name}{SUFFIX}")
        self.workbench.keep(path)
        return {"path": str(path)}

    def save(self, given: Given) -> Answer:
        self.workbench.save()
        return {}

    def compare(self, given: Given) -> Answer:
        if self.other is None:
            raise Refused(404, "no other file was given; start with --other FILE")
        return asdict(self.workbench.compare(self.other))

    def _index(self, given: Given, name: str = "index") -> int:
        found = _number(given, name)
        if found >= self.workbench.n_sentences:
            raise Refused(404, f"there is no sentence {found + 1}")
        return found

    def routes(self) -> list[Route]:
        reading = (self.settings, self.lesson, self.overview, self.sentence, self.next)
        searching = (self.suggest, self.find, self.compare)
        writing = (
            self.change,
            self.command,
            self.check,
            self.undo,
            self.redo,
            self.preview,
            self.apply,
        )
        working = (self.learn, self.keep, self.save)
        return [
            *(_route(method, "GET") for method in (*reading, *searching)),
            *(_route(method, "POST") for method in (*writing, *working)),
        ]


def _describe(preview: Preview) -> Answer:
    """Return the words of a preview, and what changes in them."""
    changes = []
    before = preview.before.words
    for old, new in zip(before, preview.after.words, strict=True):
        pairs = ((getattr(old, name), getattr(new, name)) for name in ("head", *COLUMNS))
        if parts := [f"{_column(one)} → {_column(other)}" for one, other in pairs if one != other]:
            changes.append(f"{new.id} {new.form}: {', '.join(parts)}")
    forms = [word.form for word in before]
    return {"index": preview.index, "words": preview.words, "forms": forms, "changes": changes}


def _column(value: str | int | None) -> str:
    return "_" if value is None else str(value)


def _route(method: Callable[[Given], Answer], verb: str) -> Route:
    async def respond(request: Request) -> Response:
        given: Given = dict(request.query_params)
        if verb == "POST":
            given = read_fields(await _read_body(request), NAMES)
        body = await to_thread.run_sync(_write, method, given)
        return Response(body, media_type=JSON[0], headers={"Cache-Control": "no-store"})

    return Route(f"/api/{method.__name__}", respond, methods=[verb])


def _write(method: Callable[[Given], Answer], given: Given) -> bytes:
    try:
        return encode(method(given))
    except (DodonaError, OSError) as error:
        raise bad(str(error)) from error


async def _read_body(request: Request) -> bytes:
    """Read a short JSON body."""
    check_coding(request.headers.get("content-encoding"))
    check_kind(request.headers.get("content-type", ""), JSON)
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise Refused(413, f"the request has more than {MAX_BYTES:,} bytes", CLOSE)
    return body


def _number(given: Given, name: str) -> int:
    """Return a number from 0, which addresses have as text."""
    found = given.get(name)
    if isinstance(found, str) and found.isdecimal() and len(found) < LONGEST_NUMBER:
        found = int(found)
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise bad(f"{name} must be a number from 0")
    return found


def _text(given: Given, name: str) -> str:
    return check_text(name, given.get(name, ""))
