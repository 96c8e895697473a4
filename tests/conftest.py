"""Settings shared by all tests."""

from hypothesis import settings

# The same examples on every machine, and none judged by the clock: a red test is red everywhere.
settings.register_profile("dodona", deadline=None, derandomize=True)
settings.load_profile("dodona")
