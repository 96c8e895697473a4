"""An input that does the same and is shorter: what remains is what matters."""

from __future__ import annotations

from collections.abc import Callable


def shrink(data: bytes, fails: Callable[[bytes], bool], tries: int) -> bytes:
    """The shortest that was found to fail like it; lines go first, then bytes.

    >>> shrink(b"oaks, elms\\nand an ash\\n", lambda data: b"ash" in data, 100)
    b'ash'
    """
    left = Tries(fails, tries)
    data = b"".join(_fewer(data.splitlines(keepends=True), left))
    return b"".join(_fewer([bytes([byte]) for byte in data], left))


class Tries:
    """The question whether an input fails, which may be asked so often."""

    def __init__(self, fails: Callable[[bytes], bool], n_left: int) -> None:
        self.fails, self.n_left = fails, n_left

    def ask(self, pieces: list[bytes]) -> bool:
        """Whether these fail; no, where it can no longer be asked."""
        if self.n_left <= 0:
            return False
        self.n_left -= 1
        return self.fails(b"".join(pieces))


def _fewer(pieces: list[bytes], tries: Tries) -> list[bytes]:
    """Leave out halves, then quarters, and so on, down to single pieces."""
    size = (len(pieces) + 1) // 2
    while size:
        start = 0
        while start < len(pieces):
            without = pieces[:start] + pieces[start + size :]
            if without and tries.ask(without):
                pieces = without
            else:
                start += size
        size = size // 2 if size > 1 else 0
    return pieces
