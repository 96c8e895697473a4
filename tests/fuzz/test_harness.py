"""The harness finds what it is there to find, and goes on."""

from __future__ import annotations

import doctest
import json
import signal
import sys
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from dodona.storage import container
from dodona.storage.container import ContainerError
from fuzz import guided
from fuzz import target as targets
from fuzz.__main__ import main
from fuzz.loop import Job, Loop, Note
from fuzz.outcomes import try_input
from fuzz.recipes import cook
from fuzz.running import ENDLESS, Ended, Limits, Result, fuzz, replay, table
from fuzz.targets import checkpoint, model

BAD = "tests.support.bad_target"
QUICK = Limits(seconds=60, n_inputs=200, cpu_seconds=0.5, standstill=20.0)
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="no timers, no signals")


def job(found: Path, name: str = BAD, n_inputs: int = 0) -> Job:
    return Job(name, "1", n_inputs, 60.0, 0.5, 1 << 30, str(found))


def try_alone(found: Path, data: bytes) -> Ended:
    # half a second of computing may take long where others compute, too
    return replay(job(found), data, standstill=2.0 if data == b"sleep" else 60.0)


@POSIX
@pytest.mark.parametrize(
    ("data", "why"), [(b"crash", "SIGSEGV"), (b"hang", "hang"), (b"sleep", "stuck for 2 s")]
)
def test_what_ends_the_process_is_told(data: bytes, why: str, tmp_path: Path) -> None:
    ended = try_alone(tmp_path, data)
    assert (ended.why, ended.data) == (why, data)
    assert "bad_target.py" in ended.story or why.startswith("stuck")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"raise", "KeyError"),
        (b"lie", "not so: nobody lies"),
        (b"say nothing", "ValueError"),
        pytest.param(
            b"grow",
            "MemoryError",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="no limit"),
        ),
    ],
)
def test_what_is_raised_undeclared_is_saved(data: bytes, said: str, tmp_path: Path) -> None:
    assert try_alone(tmp_path, b"an oak\n" + data + b"\nand more\n").why == ""
    [story] = tmp_path.glob("*.txt")
    assert said in story.read_text(encoding="utf-8")
    assert story.with_suffix("").read_bytes() == data  # what does not matter is gone


def test_what_is_declared_is_no_finding(tmp_path: Path) -> None:
    assert try_alone(tmp_path, b"refuse").why == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
@POSIX
def test_a_run_goes_on_after_crashes_and_tells_of_each_once(tmp_path: Path) -> None:
    result = fuzz(BAD, QUICK, found=tmp_path)
    assert result.n_inputs == QUICK.n_inputs
    stories = [path.name for path in result.findings]
    assert [name.partition("-")[0] for name in stories] == ["KeyError", "SIGSEGV"]
    assert [path.with_suffix("").read_bytes() for path in result.findings] == [b"raise", b"crash"]
    assert fuzz(BAD, QUICK, found=tmp_path).findings == result.findings  # nor is it forgotten


def loop(tmp_path: Path, name: str, n_inputs: int, seed: str = "1") -> Loop:
    Note.make(tmp_path / "note")
    note = str(tmp_path / "note")
    return Loop(Job(name, seed, n_inputs, 60.0, 60.0, 0, str(tmp_path), note=note))


def test_the_same_seed_makes_the_same_inputs(tmp_path: Path) -> None:
    def inputs(seed: str) -> list[bytes]:
        one = loop(tmp_path, "conllu", 300, seed)
        one.run()
        return [*one.pool, Note.read(tmp_path / "note")[1]]

    assert inputs("1") == inputs("1")
    assert inputs("1") != inputs("2")


def test_inputs_with_a_new_outcome_are_kept(tmp_path: Path) -> None:
    one = loop(tmp_path, "conllu", 500)
    n_seeds = len(one.pool)
    one.run()
    assert len(one.pool) > n_seeds + 20
    assert len({try_input(one.target, data).sign for data in one.pool[n_seeds:]}) == (
        len(one.pool) - n_seeds
    )


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no such timers here")
def test_a_loop_that_has_ended_leaves_no_timer_behind(tmp_path: Path) -> None:
    one = loop(tmp_path, "conllu", 3)
    one.run()
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    one.remember(b"x", ValueError("an oak"))  # which is made shorter
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)


@pytest.mark.parametrize("name", ["arc-eager", "swap-beam", "pipeline", "tagger", "segmenter"])
def test_an_unchanged_recipe_is_the_model_itself(name: str) -> None:
    assert cook(model.whole(name).copy(), name.encode()) == model.whole(name).to_bytes()
    model.run(name.encode())


@pytest.mark.parametrize("mutator", [model.TARGET.mutators[0], checkpoint.TARGET.mutators[0]])
def test_most_changed_models_get_past_the_checksum(mutator: targets.Mutator) -> None:
    random = Random(1)
    n_damaged, n = 0, 200
    where = model if mutator is model.TARGET.mutators[0] else checkpoint
    names = where.TARGET.seeds()
    for _ in range(n):
        recipe = mutator(random.choice(names), random, names)
        name = recipe.split(b"\n")[0].decode()
        whole = where.whole(name)
        data = cook(whole.copy(), recipe)
        try:
            container.from_bytes(data, whole.kind, whole.version)
        except ContainerError as error:
            n_damaged += "damage" in str(error) or "cut short" in str(error)
    assert n_damaged < n / 4


def test_a_recipe_changes_what_it_says() -> None:
    whole = model.whole("arc-eager").copy()
    recipe = [["about", ["root_label"], "oak"], ["bytes", "weights.rows", 0, "7f"], ["drop", "x"]]
    changed = cook(whole, b"\n".join([b"arc-eager", *(json.dumps(c).encode() for c in recipe)]))
    about, arrays = container.from_bytes(changed, "model", whole.version)
    assert about["root_label"] == "oak" and arrays["weights.rows"][0] == 127


def test_the_table_counts_all_targets(tmp_path: Path) -> None:
    rows = table([Result("a", 1000, 2.0, []), Result("b", 500, 1.0, [tmp_path])]).splitlines()
    assert [row.split() for row in rows[1:]] == [
        ["a", "1,000", "500", "0"],
        ["b", "500", "500", "1"],
        ["all", "1,500", "1"],
    ]


def test_the_command_runs_a_target(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = ["--found", str(tmp_path)]
    assert main(["templates", "--inputs", "20", *found]) == 0
    assert "templates" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["oaks", *found])


def test_rounds_go_on_with_other_seeds_up_to_a_total(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seeds: list[int] = []

    def run(name: str, _: Limits, seed: int, found: Path) -> Result:
        seeds.append(seed)
        return Result(name, 40, 1.0, [found] if seed == 8 else [])

    monkeypatch.setattr("fuzz.__main__.fuzz", run)
    (tmp_path / "oak.txt").write_text("a story", encoding="utf-8")
    found = ["--found", str(tmp_path / "oak.txt")]
    assert main(["templates", "text", "--total", "161", "--seed", "7", *found]) == 1
    assert seeds == [7, 7, 8, 8, 9, 9]
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].split() == ["all", "240", "2"] and lines[1].split()[1:] == ["120", "40", "1"]


def test_a_target_that_cannot_start_is_no_finding(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="did not even start"):
        fuzz("no.such.target", Limits(n_inputs=ENDLESS), found=tmp_path)


@pytest.mark.parametrize("module", ["target", "shrinking", "running"])
def test_examples_in_docstrings(module: str) -> None:
    found = doctest.testmod(import_module(f"fuzz.{module}"))
    assert found.attempted and not found.failed


class FakeAtheris(ModuleType):
    """Tries one seed, and what our mutator makes of it."""

    def instrument_imports(self, include: list[str]) -> AbstractContextManager[None]:
        self.included = include
        return nullcontext()

    def Setup(self, command: list[str], run: Any, *, custom_mutator: Any) -> None:  # noqa: N802
        self.command, self.run, self.mutate = command, run, custom_mutator

    def Fuzz(self) -> None:  # noqa: N802
        [seed, *_] = Path(self.command[-1]).iterdir()
        self.run(self.mutate(seed.read_bytes(), 1000, 7))


def test_atheris_is_given_target_mutators_and_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeAtheris("atheris")
    monkeypatch.setitem(sys.modules, "atheris", fake)
    monkeypatch.setattr(guided, "FOUND", tmp_path)
    guided.main(["templates", "-runs=1"])
    assert fake.included == ["dodona"]
    assert fake.command[2:] == ["-runs=1", str(tmp_path / "templates/guided"), fake.command[-1]]
    assert fake.mutate(b"s0.form", 3, 1) == fake.mutate(b"s0.form", 3, 1)
    assert len(fake.mutate(b"s0.form" * 9, 3, 1)) <= 3
    with pytest.raises(KeyError):
        guided.check(targets.load(BAD), b"raise")


def test_where_atheris_is_missing_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "atheris", None)
    with pytest.raises(SystemExit, match="not installed"):
        guided.main(["templates"])
