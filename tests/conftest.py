"""Settings and fixtures shared by all tests."""

import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

from dodona.core.transitions.registry import SYSTEMS
from tools.browser import MISSING

pytest.register_assert_rewrite("support.browser_lab")  # a plugin of the tests of pages

# The same examples on every machine, and none judged by the clock: a red test is red everywhere.
settings.register_profile("dodona", deadline=None, derandomize=True)
settings.load_profile("dodona")


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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say at the end what else nobody would notice."""
    skipped = terminalreporter.stats.get("skipped", [])
    n_pages = sum(MISSING in str(report.longrepr) for report in skipped)
    if n_pages:
        terminalreporter.line(
            f"{n_pages} tests of pages did not run: {MISSING}. Install Chromium or Chrome.",
            yellow=True,
        )
