"""Settings and fixtures shared by all tests."""

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from dodona.cli import main
from dodona.core.transitions.registry import SYSTEMS
from support.repository import LINEAR
from support.shell import Result, Shell
from tools.browser import MISSING

pytest.register_assert_rewrite("support.browser_lab")  # a plugin of the tests of pages

# The same examples on every machine, and none judged by the clock: a red test is red everywhere.
settings.register_profile("dodona", deadline=None, derandomize=True)
settings.load_profile("dodona")

os.environ["DODONA_MODELS"] = str(LINEAR.parent)  # tests of linear models load `en-linear` by name


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """`shell("parse", model, …, stdin=b"…")` runs `dodona parse …`."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(list(map(str, arguments)))
        return Result(int(left.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture
def own_systems() -> Iterator[None]:
    """Forget the transition systems that a test registers."""
    before = dict(SYSTEMS)
    yield
    SYSTEMS.clear()
    SYSTEMS.update(before)


@pytest.fixture(autouse=True, scope="module")
def compiled_programs() -> Iterator[None]:
    """Forget what JAX compiled for a module: all of it together is gigabytes."""
    yield
    if jax := sys.modules.get("jax"):
        jax.clear_caches()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--tests",
        choices=("quick", "thorough", "all"),
        default="all",
        help="which tests to run: `make test` runs the quick ones, `make test-all` also the rest",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what --tests excludes."""
    wanted = config.getoption("--tests")
    if wanted != "all":
        excluded = [item for item in items if is_thorough(item) != (wanted == "thorough")]
        config.hook.pytest_deselected(items=excluded)
        items[:] = [item for item in items if is_thorough(item) == (wanted == "thorough")]


def is_thorough(item: pytest.Item) -> bool:
    """Return whether a test is marked `thorough`, or this case of it, if the mark names cases."""
    mark = item.get_closest_marker("thorough")
    if mark is None:
        return False
    return not mark.args or any(part in item.name for part in mark.args)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say at the end what else nobody would notice."""
    skipped = terminalreporter.stats.get("skipped", [])
    n_pages = sum(MISSING in str(report.longrepr) for report in skipped)
    if n_pages:
        terminalreporter.line(
            f"{n_pages} tests of pages did not run: {MISSING}. Install Chromium or Chrome.",
            yellow=True,
        )
