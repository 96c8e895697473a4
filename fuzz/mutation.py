"""Changes of an input, blind or with an eye for bytes, characters, numbers, lines and columns.

A mutator takes an input, a source of chance and other inputs to borrow from. It may return
anything, also the same again: the loop does several in a row and cuts what has become too long.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from fuzz.target import Mutator

BYTES = b"\x00\x01\x09\x0a\x0d\x1c\x20\x22\x23\x2d\x2e\x5f\x7b\x7f\x80\xbf\xc2\xe2\xed\xf4\xff"
# what splits lines for some but not for others, is nothing to the eye, or is no character at all
CHARACTERS = [
    *(char.encode() for char in "\x00\x0b\x0c\x1c\x85\xa0\xad\u0301\u200b\u200d\u2028\u2029\u202e"),
    *(char.encode() for char in "ſİßﬁㅤ中𝒜🏳\ufeff\ufffd\U0010ffff.!?…·«»'\"()-_|=:;,#"),
    b"\xed\xa0\x80",  # half a surrogate pair
    b"\xc0\x80",  # NUL, spelled too long
    b"\xf4\x90\x80\x80",  # beyond the last character
    b"\xe2\x82",  # broken off
]
NUMBERS = [
    *(b"0 00 01 1 2 9 10 99 127 128 255 256 32767 65535 65536 1000000".split()),
    *(b"2147483647 2147483648 4294967295 4294967296 9223372036854775807".split()),
    *(b"18446744073709551616 -1 -0 -2147483649 +1 1e9 1.5 .5 1_0 0x10 nan inf".split()),
    "٣".encode(),
    "²".encode(),
    b"9" * 40,
]
NUMBER = re.compile(rb"\d+")
MOST_REPEATS = 300


def place(data: bytes, random: Random) -> int:
    """Between two bytes."""
    return int(random.random() * (len(data) + 1))


def span(data: bytes, random: Random) -> tuple[int, int]:
    """A part of the input, mostly a short one."""
    start = place(data, random)
    length = int(random.expovariate(0.125)) + 1
    return start, min(len(data), start + length)


def flip(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """One bit the other way."""
    if not data:
        return data
    at = int(random.random() * len(data))
    return b"%b%c%b" % (data[:at], data[at] ^ 1 << int(random.random() * 8), data[at + 1 :])


def insert_byte(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """One more byte, or another in its place."""
    at = place(data, random)
    return b"%b%c%b" % (data[:at], random.choice(BYTES), data[at + (random.random() < 0.5) :])


def insert_character(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """A character that is not what it looks like."""
    at = place(data, random)
    return data[:at] + random.choice(CHARACTERS) + data[at + (random.random() < 0.5) :]


def change_number(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Another number, a little other or wholly."""
    found = list(NUMBER.finditer(data))
    if not found:
        return data
    number = random.choice(found)
    new = random.choice(NUMBERS)
    if random.random() < 0.5 and len(number[0]) < 10:
        new = b"%d" % (int(number[0]) + random.choice((-1, 1, 1, 2)))
    return data[: number.start()] + new + data[number.end() :]


def remove(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Less."""
    start, end = span(data, random)
    return data[:start] + data[end:]


def cut_off(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Nothing from here on."""
    return data[: place(data, random)]


def copy(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """A part once more, elsewhere."""
    start, end = span(data, random)
    at = place(data, random)
    return data[:at] + data[start:end] + data[at:]


def repeat(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """A part many times over."""
    start, end = span(data, random)
    return data[:start] + data[start:end] * random.randrange(2, MOST_REPEATS) + data[end:]


def borrow(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """A part of another input."""
    other = random.choice(others)
    start, end = span(other, random)
    at = place(data, random)
    return data[:at] + other[start:end] + data[at:]


def splice(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """The beginning of this one and the end of another."""
    other = random.choice(others)
    return data[: place(data, random)] + other[place(other, random) :]


BLIND: list[Mutator] = [
    flip, insert_byte, insert_character, change_number, remove, cut_off, copy, repeat, borrow,
    splice,
]  # fmt: skip


def words(*known: str) -> Mutator:
    """A mutator that puts in words which mean something where they stand."""
    encoded = [word.encode() for word in known]

    def insert_word(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
        start, end = span(data, random)
        if random.random() < 0.5:
            end = start
        return b"".join((data[:start], random.choice(encoded), data[end:]))

    return insert_word


def replace_word(separators: bytes) -> Mutator:
    """A mutator that puts one word of the input, or of another, in the place of one of its own."""
    word = re.compile(rb"[^%b]+" % re.escape(separators))

    def exchange(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
        here, there = list(word.finditer(data)), word.findall(random.choice(others))
        if not here or not there:
            return data
        old = random.choice(here)
        return b"".join((data[: old.start()], random.choice(there), data[old.end() :]))

    return exchange


def change_lines(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
    """Lines gone, doubled, in another order, or those of another input."""
    lines = data.split(b"\n")
    at = int(random.random() * len(lines))
    match int(random.random() * 5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, random.choice(lines))
        case 2:
            other = int(random.random() * len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        case 3:
            lines.insert(at, random.choice(random.choice(others).split(b"\n")))
        case 4:
            lines[at : at + 1] = [lines[at]] * random.randrange(2, 20)
    return b"\n".join(lines)


def columns(*pools: Sequence[str]) -> Mutator:
    """A mutator of lines with tabs: a field gets a value of its column, or goes, or comes twice."""
    encoded = [[value.encode() for value in pool] for pool in pools]

    def change_column(data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
        lines = data.split(b"\n")
        at = int(random.random() * len(lines))
        fields = lines[at].split(b"\t")
        column = int(random.random() * len(fields))
        chance = random.random()
        if chance < 0.6 and column < len(encoded):
            fields[column] = random.choice(encoded[column])
        elif chance < 0.8:
            fields[column] = random.choice(random.choice(lines).split(b"\t"))
        elif chance < 0.9:
            fields.insert(column, random.choice(fields))
        else:
            del fields[column]
        lines[at] = b"\t".join(fields)
        return b"\n".join(lines)

    return change_column
