"""Models that somebody has made to do harm: whole files, with the right checksum, of other content.

A row of the table is a name and the bytes of a file. `Judge` opens each in a process of its own
making, so that a crash or a hang is one bad row and not the end of the tests.
"""

from __future__ import annotations

import copy
import json
import operator
import os
import select
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

import dodona
from dodona.enhancing.enhancer import Enhancer
from dodona.enhancing.training import train_enhancer
from dodona.parsing.trainer import Trainer
from dodona.segmentation.segmenter_training import SegmenterTrainer
from dodona.settings import SegmenterSettings, Settings, TaggerSettings
from dodona.storage import container
from dodona.storage.container import FORMATS, ITEM_SIZE, Array
from dodona.storage.serialisable import Serialisable
from dodona.tagging.tagger_training import TaggerTrainer
from dodona.training.checkpoint import VERSION, _serialise
from dodona.training.loop import Run
from support.small import enhanced, train, treebank

ROOM = 1 << 31  # bytes that a process may take, for a file of some kB
SAVED: dict[str, type[Serialisable]] = {
    kind.FORMAT.kind: kind for kind in (dodona.Parser, dodona.Tagger, dodona.Segmenter, Enhancer)
}
HEAD = struct.Struct("<32sQ")  # of a row, as it is sent: the model, and the size of the file
PATIENCE = 30  # seconds for one row, of which milliseconds are needed

Content = tuple[dict[str, Any], dict[str, Array]]
Row = tuple[str, Callable[[], Content]]  # its name, and what makes it


# --- models to begin with


def _clusters() -> str:
    forms = sorted({form for sentence in treebank(12, 3) for form in sentence.forms})
    return "".join(f"{i % 8:03b}\t{form}\t1\n" for i, form in enumerate(forms))


def _with_clusters() -> dodona.Parser:
    with TemporaryDirectory() as folder:
        path = Path(folder, "clusters")
        path.write_text(_clusters(), encoding="utf-8")
        return dodona.train(treebank(12, 3), tags="predicted", clusters=str(path), epochs=1)


def _pipeline() -> dodona.Parser:
    corpus = [enhanced(sentence) for sentence in treebank(12, 3)]
    return dodona.train(corpus, pipeline="text", graph="basic+enhanced", epochs=1)


def _graphs(system: str) -> dodona.Parser:
    return dodona.train([*map(enhanced, treebank(12, 3))], system=system, epochs=1)


MODELS: dict[str, Callable[[], Any]] = {
    **{
        system: lambda system=system: train(treebank(12, 3), system=system)  # type: ignore[misc]
        for system in (
            *("arc-eager", "arc-eager-tree", "nonmonotonic-2013", "nonmonotonic"),
            *("arc-standard", "arc-hybrid", "swap"),
        )
    },
    **{
        system: lambda system=system: _graphs(system)  # type: ignore[misc]
        for system in ("graph-standard", "graph-eager")
    },
    "beam": lambda: train(treebank(12, 3), beam=3),
    "clusters": _with_clusters,
    "pipeline": _pipeline,
    "tagger": lambda: dodona.train_tagger(treebank(12, 3), epochs=1),
    "tagger with a beam": lambda: dodona.train_tagger(treebank(12, 3), epochs=1, search="beam"),
    "segmenter": lambda: dodona.train_segmenter(treebank(12, 3), epochs=1),
    "enhancer": lambda: train_enhancer([*map(enhanced, treebank(12, 3))], epochs=1),
    "checkpoint of a parser": lambda: Trainer(treebank(6, 3), None, Settings(epochs=2)),
    "checkpoint of a tagger": lambda: TaggerTrainer(treebank(6, 3), None, TaggerSettings(epochs=2)),
    "checkpoint of a segmenter": lambda: SegmenterTrainer(
        treebank(6, 3), None, SegmenterSettings(epochs=2)
    ),
}
if find_spec("sklearn"):
    MODELS["svm"] = lambda: train(treebank(12, 3), learner="svm", epochs=1, explore_after=2)


@cache
def content(model: str) -> Content:
    """What stands in the file of one of these models, or in the checkpoint after an epoch."""
    made = MODELS[model]()
    if isinstance(made, Run):
        next(made.epochs())
        return _serialise(made.checkpoint())
    about, views = container.from_bytes(made.to_bytes(), *made.FORMAT.readable)
    types = {form: name for name, form in FORMATS.items()}
    return about, {name: Array(types[view.format], bytes(view)) for name, view in views.items()}


def kind_of(model: str) -> str:
    name = model.split()[0]
    return name if name in {"checkpoint", "segmenter", "tagger", "enhancer"} else "model"


def laid_out(model: str, changed: Content) -> bytes:
    """The file with the right checksum."""
    kind = kind_of(model)
    version = VERSION if kind == "checkpoint" else SAVED[kind].FORMAT.version
    return container.to_bytes(kind, version, *changed)


# --- what is done to them

DEEP: Any = "deep"
for _ in range(400):
    DEEP = [DEEP]
VALUES = [  # in the place of anything that JSON says
    *(None, True, False, -1, 0, 1, 2, 7, 2**31 - 1, 2**31, 2**63, -(2**63), 10**30, 0.5, 1e308),
    *(float("nan"), float("inf"), "", "x", "root", "a\tb", "a\nb", "\ud800", "x" * 100_000),
    *([], {}, [[]], [0], ["x"], {"x": 0}, DEEP, ["x"] * 40_000),
]
DATA: dict[str, Callable[[bytes, Random], bytes]] = {  # in the place of an array
    "nothing": lambda data, random: b"",
    "one byte": lambda data, random: data[:1],
    "half": lambda data, random: data[: len(data) // 16 * 8],
    "cut": lambda data, random: data[:-8],
    "twice": lambda data, random: data * 2,
    "zeros": lambda data, random: bytes(len(data)),
    "ones": lambda data, random: b"\xff" * len(data),
    "largest": lambda data, random: b"\x7f" * len(data),
    "lowest": lambda data, random: b"\x80" * len(data),
    "backwards": lambda data, random: data[::-1],
    "noise": lambda data, random: random.randbytes(len(data)),
    "lines": lambda data, random: b"\n" * len(data),
    "a grain": lambda data, random: _spot(data, random, 1),
    "a little": lambda data, random: _spot(data, random, 4),
    "a large number": lambda data, random: data[:4] + b"\xf0\xff\xff\x3f" + data[8:],
    "a huge number": lambda data, random: b"\xff\xff\xff\x7f" + data[4:],
}


def _spot(data: bytes, random: Random, n: int) -> bytes:
    changed = bytearray(data)
    for _ in range(n if data else 0):
        changed[random.randrange(len(data))] = random.randrange(256)
    return bytes(changed)


def said_otherwise(model: str) -> Iterator[Row]:
    """Every entry of the JSON missing, or another value in its place."""
    about, arrays = content(model)

    def changed(path: tuple[Any, ...], change: Callable[[Any, Any], None]) -> Content:
        other = copy.deepcopy(about)
        change(_parent(other, path), path[-1])
        return other, arrays

    for path in _paths(about):
        name = ".".join(map(str, path))
        yield f"no {name}", partial(changed, path, operator.delitem)
        for value in VALUES:
            shown = "deep" if value is DEEP else repr(value)[:20]
            put = partial(_put, value)
            yield f"{name} = {shown}", partial(changed, path, put)


def _put(value: Any, within: Any, place: Any) -> None:
    within[place] = value


def _paths(about: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something is said; of a list, the first and the last place."""
    if path and path[-1] == "record":
        yield path
        return
    if path:
        yield path
    if isinstance(about, dict):
        for name in about:
            yield from _paths(about[name], (*path, name))
    elif isinstance(about, list) and about:
        for place in sorted({0, len(about) - 1}):
            yield from _paths(about[place], (*path, place))


def _parent(about: Any, path: tuple[Any, ...]) -> Any:
    for step in path[:-1]:
        about = about[step]
    return about


def other_arrays(model: str) -> Iterator[Row]:
    """Every array missing, or with other numbers in it, or said to be of another type."""
    about, arrays = content(model)

    def changed(name: str, type_: str, change: Callable[[bytes, Random], bytes]) -> Content:
        data = change(bytes(arrays[name].data), Random(name))
        return about, arrays | {name: Array(type_, data)}

    for name, array in arrays.items():
        others = {n: a for n, a in arrays.items() if n != name}
        yield f"no {name}", lambda others=others: (about, others)  # type: ignore[misc]
        for what, change in DATA.items():
            yield f"{name}, {what}", partial(changed, name, array.type, change)
        for type_ in ITEM_SIZE:
            if type_ != array.type and len(array.data) % ITEM_SIZE[type_] == 0:
                same = partial(changed, name, type_, lambda data, random: data)
                yield f"{name} of type {type_}", same


def other_actions(model: str) -> Iterator[Row]:
    """Classes that are missing, twice, in another order, or forbidden everywhere."""
    about, arrays = content(model)
    if "actions" not in about:
        return
    actions = about["actions"]
    moves = sorted({action[0] for action in actions})
    changes: dict[str, list[Any]] = {
        "backwards": actions[::-1],
        "all the first": [actions[0]] * len(actions),
        "all the last": [actions[-1]] * len(actions),
        "nowhere": [[*action[:2], False, False] for action in actions],
        "under the root only": [[*action[:2], True, False] for action in actions],
        "not under the root": [[*action[:2], False, True] for action in actions],
        "everywhere": [[*action[:2], True, True] for action in actions],
        "one label": [[a[0], min(a[1], 0), *a[2:]] for a in actions],
        **{f"no move {move}": _instead(actions, move) for move in moves},
        **{f"move {move} nowhere": _barred(actions, move) for move in moves},
    }
    for what, changed in changes.items():
        yield f"actions {what}", partial(_with, (about, arrays), "actions", changed)


def _instead(actions: list[Any], move: int) -> list[Any]:
    """Another class in the place of those of the move: their number is that of the weights."""
    other = next((action for action in actions if action[0] != move), actions[0])
    return [other if action[0] == move else action for action in actions]


def _barred(actions: list[Any], move: int) -> list[Any]:
    return [[*a[:2], False, False] if a[0] == move else a for a in actions]


def other_settings(model: str) -> Iterator[Row]:
    """Other systems, roots and beams than the model was trained with."""
    about, arrays = content(model)
    if kind_of(model) != "model":
        return
    for name, value in [
        *(("system", system) for system in [*dodona.systems(), "graph-eager", "graph-standard"]),
        *(("root", root) for root in ("first", "last", "none")),
        *(("beam", beam) for beam in (2, 64, 1000)),
        *(("roots", roots) for roots in ("one", "many")),
        *(("projectivise", scheme) for scheme in ("none", "head", "path", "head+path")),
        *(("loss", loss) for loss in ("labelled", "unlabelled")),
    ]:
        settings = about["settings"] | {name: value}
        yield f"{name} {value}", partial(_with, (about, arrays), "settings", settings)


def other_templates(model: str) -> Iterator[Row]:
    """Templates that are too many, too deep, or ask for what is not there."""
    about, arrays = content(model)
    if "templates" not in about:
        return
    old = about["templates"]
    for what, text in {
        "300 times": "s0.form\n" * 300 + old,
        "of many features": "\n".join(f"s0.feats:F{i}" for i in range(100_000)),
        "deep": old + "\ns0" + ".left" * 3000 + ".form",
        "in many slots": old + "\n" + "\n".join(f"s0{'.left' * n}.form" for n in range(60)),
        "for graphs": old + "\nlink + s0.tree_label + action",
        "with heads of trees": old + "\ns0.tree_head.form",
        "with clusters": old + "\ns0.cluster:9999",
        "of nothing": "# nothing",
        "of state only": "distance\ns0.label",
    }.items():
        yield f"templates {what}", partial(_with, (about, arrays), "templates", text)


def _with(model: Content, name: str, value: Any) -> Content:
    return model[0] | {name: value}, model[1]


TABLE: dict[str, Callable[[str], Iterator[Row]]] = {
    "said otherwise": said_otherwise,
    "other arrays": other_arrays,
    "other actions": other_actions,
    "other settings": other_settings,
    "other templates": other_templates,
}


# --- what becomes of them


class Judge:
    """Opens rows in another process and says what became of each: "accepted", "refused", or worse.

    A process that crashes or hangs is replaced by another.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def judge(self, model: str, data: bytes) -> str:
        """What became of a file that was one of these models."""
        if self._process is None:
            self._process = self._start()
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(HEAD.pack(model.encode(), len(data)) + data)
            self._process.stdin.flush()
            is_ready, _, _ = select.select([self._process.stdout], [], [], PATIENCE)
            answer = self._process.stdout.readline() if is_ready else None
        except BrokenPipeError:
            answer = b""
        if answer:
            return str(json.loads(answer))
        self._end()
        return f"no answer within {PATIENCE} s" if answer is None else "the process died"

    def _start(self) -> subprocess.Popen[bytes]:
        folder = str(Path(__file__).parent.parent)
        paths = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
        return subprocess.Popen(
            [sys.executable, "-c", "from support.crafted import answer_rows; answer_rows()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": paths},
        )

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def answer_rows() -> None:
    """The other process: read rows from stdin, and write a line about each to stdout."""
    import resource

    if "asan" not in os.environ.get("LD_PRELOAD", ""):  # a sanitizer takes more than any limit
        resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    while head := sys.stdin.buffer.read(HEAD.size):
        model, size = HEAD.unpack(head)
        verdict = try_out(model.rstrip(b"\0").decode(), sys.stdin.buffer.read(size))
        print(json.dumps(verdict), flush=True)


def try_out(model: str, data: bytes) -> str:
    """Open a file and use what is in it."""
    try:
        opened = open_bytes(model, data)
    except container.ContainerError:
        return "refused"
    except BaseException as error:
        return f"opening: {error!r:.200}"
    try:
        use(opened)
    except BaseException as error:
        return f"in use: {error!r:.200}"
    return "accepted"


def open_bytes(model: str, data: bytes) -> Any:
    if kind_of(model) != "checkpoint":
        return SAVED[kind_of(model)].from_bytes(data)
    run = MODELS[model]()
    with NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        run.resume(file.name)
    return run


def use(model: Any) -> None:
    """Let it work, and read what it writes."""
    if isinstance(model, Run):
        list(model.epochs())
        model = getattr(model, model.part)()
    if isinstance(model, dodona.Segmenter):
        check(model.segment(TEXT), trees="ignored")
        return
    if isinstance(model, Enhancer):
        check(list(model.pipe(treebank(6, 9))), trees="ignored")
        return
    check(list(model.pipe(inputs())), trees="ignored" if isinstance(model, dodona.Tagger) else "")
    if model.segmenter is not None:
        check(list(model(TEXT)), trees="ignored")


TEXT = "Zeus sees oaks. Don't the elms hear\nZeus at du oak?\n\nWell ... http://oak.gr! 3,14 " * 3


@cache
def inputs() -> list[dodona.Sentence]:
    corpus = treebank(6, 9)
    words = [dodona.Sentence.from_columns(sentence.forms) for sentence in corpus]
    strange = [["x"], ["x", "y"], ["Zeus"] * 40, ["\U0010ffff", "ζ" * 300, "3"]]
    return [*corpus, *words, *map(dodona.Sentence.from_columns, strange)]


def check(sentences: list[dodona.Sentence], trees: str) -> None:
    """Refuse what cannot be read again, and trees that are none."""
    import io

    data = b"".join(map(bytes, sentences))
    is_graph = any(deps != "_" for sentence in sentences for deps in sentence.deps)
    wanted: Any = trees or ("ignored" if is_graph else "required")
    again = list(dodona.read(io.BytesIO(data), trees=wanted))
    assert [sentence.forms for sentence in again] == [sentence.forms for sentence in sentences]
