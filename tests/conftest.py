"""Settings and fixtures shared by all tests."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from dodona.core.transitions.registry import SYSTEMS

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
