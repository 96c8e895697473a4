"""Changes of recipes: a line more that fits the sample which the recipe names, or a line less."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from dodona.storage.container import ITEM_SIZE
from fuzz.json_mutation import Path, get, other_value, paths
from fuzz.recipes import KINDS, Whole

BYTES = ["00", "01", "7f", "80", "ff", "0000", "ffff", "00000080", "ffffff7f", "ffffffff", "ff" * 8]
FACTORS = [0, 0.5, 0.9, 1.1, 2, 16]
COMMON = ("about", "bytes") * 6  # there is most to be changed


@dataclass(frozen=True)
class Places:
    """What there is to be changed in a sample."""

    whole: Whole

    @cached_property
    def about(self) -> list[Path]:
        """Every place in what JSON says of the model."""
        return list(paths(self.whole.about))

    @cached_property
    def header(self) -> Any:
        """The header of the file."""
        data = self.whole.to_bytes()
        (length,) = struct.unpack("<Q", data[:8])
        return json.loads(data[8 : 8 + length])

    @cached_property
    def in_header(self) -> list[Path]:
        """Every place in the header."""
        return list(paths(self.header))

    def change(self, random: Random) -> list[Any]:
        """One change, as a recipe has it."""
        kind = random.choice((*COMMON, *KINDS))
        array = random.choice(list(self.whole.arrays))
        match kind:
            case "about":
                return self._value("about", self.whole.about, self.about, random)
            case "header":
                return self._value("header", self.header, self.in_header, random)
            case "bytes":
                return self._bytes(array, random)
            case "size":
                return [kind, array, random.choice(FACTORS)]
            case "type":
                return [kind, array, random.choice(list(ITEM_SIZE))]
            case "rename":
                return [kind, array, random.choice([*self.whole.arrays, "", "x"])]
            case "raw":
                return [kind, random.randint(0, 5000), random.choice(BYTES)]
            case "cut":
                return [kind, random.randint(0, 20000)]
            case "blank":
                return [kind]
        return [kind, array]

    def _value(self, kind: str, root: Any, places: list[Path], random: Random) -> list[Any]:
        path = random.choice(places)
        if random.random() < 0.1 and path:
            return [kind, list(path)]
        borrowed = get(root, random.choice(places))
        return [kind, list(path), other_value(get(root, path), [borrowed], random)]

    def _bytes(self, array: str, random: Random) -> list[Any]:
        new = random.choice(BYTES)
        last = max(0, len(self.whole.arrays[array].data) - len(new) // 2)
        return [
            "bytes",
            array,
            random.choice((0, last, *random.choices(range(last + 1), k=4))),
            new,
        ]


class RecipeMutator:
    """A mutator that knows the samples."""

    def __init__(self, wholes: Callable[[str], Whole], names: Sequence[str]) -> None:
        self._wholes, self._names = wholes, names
        self._places: dict[str, Places] = {}

    def __call__(self, data: bytes, random: Random, others: Sequence[bytes]) -> bytes:
        lines = data.split(b"\n")
        name = lines[0].decode(errors="replace")
        chance = random.random()
        if chance < 0.1 or name not in self._names:
            lines[0] = random.choice(self._names).encode()
        elif chance < 0.3 and len(lines) > 1:
            del lines[random.randrange(1, len(lines))]
        else:
            if name not in self._places:
                self._places[name] = Places(self._wholes(name))
            change = json.dumps(self._places[name].change(random)).encode()
            lines.insert(random.randrange(1, len(lines) + 1), change)
        return b"\n".join(lines)
