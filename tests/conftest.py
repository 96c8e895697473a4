"""Settings shared by all tests."""

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("support.browser_lab")  # a plugin of the tests of pages

# The same examples on every machine, and none judged by the clock: a red test is red everywhere.
settings.register_profile("dodona", deadline=None, derandomize=True)
settings.load_profile("dodona")
