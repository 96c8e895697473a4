"""What the tests of the command line share."""

from collections.abc import Callable
from typing import NamedTuple


class Result(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Shell = Callable[..., Result]
BAD = b"1\tOak\t_\t_\t_\t_\t0\troot\t_\n\n"  # nine columns
