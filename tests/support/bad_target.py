"""A target with every fault that fuzzing is to find, each behind a word."""

from __future__ import annotations

import ctypes
import time

from fuzz.mutation import change_lines, words
from fuzz.target import Target, promise


def run(data: bytes) -> object:
    """Do what the words say."""
    if b"crash" in data:
        ctypes.string_at(0)
    if b"hang" in data:
        while True:
            pass
    if b"sleep" in data:
        time.sleep(60)
    if b"grow" in data:
        bytearray(1 << 40)
    if b"raise" in data:
        raise KeyError(data[:1])
    if b"refuse" in data:
        raise ValueError("no")
    if b"say nothing" in data:
        raise ValueError
    promise(b"lie" not in data, "nobody lies")
    return len(data) % 3


TARGET = Target(
    run=run,
    refuses=(ValueError,),
    mutators=[words("crash", "raise", "refuse", "oak", "elm\n"), change_lines],
    longest=100,
    seeds=lambda: [b"an oak\nand an elm\n"],
)
