"""Reference implementation of the neural scorer's network, one number at a time.

Every operation on floats is done in double precision and rounded to single, which for sums,
products, quotients and roots is what single precision gives (Figueroa 1995). Sums of int8 are
Python's integers.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt

Row = list[float]
About = Mapping[str, object]


def f32(x: float) -> float:
    """Round to the nearest float32."""
    return array("f", [x])[0]


def clamp(x: float, low: float, high: float) -> float:
    return min(max(x, low), high)


@dataclass
class Matrix:
    """A matrix of float32 rows, or of int8 rows with a scale each."""

    rows: list[Row]
    scales: Row | None
    bias: Row

    def times(self, x: Row) -> Row:
        """Return the product with a row plus the bias."""
        return [f32(a + b) for a, b in zip(self.bare_times(x), self.bias, strict=True)]

    def bare_times(self, x: Row) -> Row:
        if self.scales is None:
            return [ascending_sum(row, x) for row in self.rows]
        unit, small = quantised(x)
        sums = (sum(int(w) * q for w, q in zip(row, small, strict=True)) for row in self.rows)
        return [
            f32(f32(total) * f32(unit * scale))
            for total, scale in zip(sums, self.scales, strict=True)
        ]


def ascending_sum(weights: Row, x: Row) -> float:
    total = 0.0
    for weight, value in zip(weights, x, strict=True):
        total = f32(total + f32(weight * value))
    return total


def quantised(x: Row) -> tuple[float, list[int]]:
    """Quantise a row in units of its largest value / 127; an almost zero row has the unit 0."""
    largest = max(map(abs, x), default=0.0)
    if largest < f32(1e-30):
        return 0.0, [0] * len(x)
    factor = f32(127 / largest)
    return f32(largest / 127), [round(f32(value * factor)) for value in x]


def eight_sums(x: Row) -> float:
    """Sum a row as eight partial sums."""
    s = [0.0] * 8
    for i, value in enumerate(x):
        s[i % 8] = f32(s[i % 8] + value)
    first = f32(f32(s[0] + s[4]) + f32(s[2] + s[6]))
    return f32(first + f32(f32(s[1] + s[5]) + f32(s[3] + s[7])))


def norm(x: Row) -> Row:
    mean = f32(eight_sums([f32(value * value) for value in x]) / len(x))
    factor = f32(1 / f32(sqrt(f32(mean + f32(1e-6)))))
    return [f32(value * factor) for value in x]


LOG2_E = f32(1.44269504)
COEFFICIENTS = (1.3264727313e-3, 9.6715129912e-3, 5.5507335812e-2, 2.4022242427e-1, 6.9314700365e-1)


def power_of_two(x: float) -> float:
    """Return the exponential: a power of two times a polynomial of the remainder."""
    x = clamp(x, -125.0, 125.0)
    n = round(x)
    p = 0.0
    for c in (*COEFFICIENTS, 1.0):
        p = f32(f32(p * f32(x - n)) + f32(c))
    return f32(p * 2.0**n)


def sigmoid(x: float) -> float:
    return f32(1 / f32(1 + power_of_two(f32(x * -LOG2_E))))


def softmax(x: Row) -> Row:
    powers = [power_of_two(f32(f32(value - max(x)) * LOG2_E)) for value in x]
    factor = f32(1 / eight_sums(powers))
    return [f32(power * factor) for power in powers]


def in_steps(x: Row, low: int = -32768, high: int = 32767) -> list[int]:
    """Round to steps of 1/1024."""
    return [int(clamp(round(clamp(value * 1024, -1e9, 1e9)), low, high)) for value in x]


@dataclass
class Read:
    """The network's output for a sentence."""

    tags: list[list[int]]  # per head and word
    products: list[list[int]]  # per word
    stages: dict[str, list[Row]] = field(default_factory=dict)


class Network:
    """Reference implementation of `dodona.core.network.network`."""

    def __init__(self, about: Mapping[str, object], arrays: Mapping[str, Sequence[float]]) -> None:
        self.about: dict[str, object] = dict(about)
        self.arrays = arrays
        self.width = self.size("width")
        self.hidden = self.size("hidden")

    def size(self, name: str) -> int:
        value = self.about[name]
        assert isinstance(value, int)
        return value

    def sizes(self, name: str) -> list[int]:
        values = self.about[name]
        assert isinstance(values, list)
        return values

    def rows(self, name: str, width: int) -> list[Row]:
        numbers = list(self.arrays[name])
        return [numbers[i : i + width] for i in range(0, len(numbers), width)]

    def matrix(self, name: str, width: int) -> Matrix:
        rows = self.rows(name, width)
        scales = self.arrays.get(f"{name}.scale")
        bias = self.arrays.get(f"{name}.bias")
        return Matrix(rows, list(scales) if scales else None, list(bias or [0.0] * len(rows)))

    def word(self, spelling: Sequence[Sequence[int]]) -> Row:
        """Return the vector of a word type, given the rows of each field."""
        side_by_side: Row = []
        for number, (rows, width) in enumerate(zip(spelling, self.sizes("fields"), strict=True)):
            table = self.matrix(f"word.{number}", width)
            mean = [0.0] * width
            for row in rows:
                scale = table.scales[row] if table.scales else 1.0
                mean = [f32(m + f32(q * scale)) for m, q in zip(mean, table.rows[row], strict=True)]
            share = f32(1 / len(rows)) if rows else 0.0
            side_by_side += [f32(m * share) for m in mean]
        pieces = self.matrix("word.maxout", sum(self.sizes("fields"))).times(side_by_side)
        return norm([max(pieces[i :: self.width]) for i in range(self.width)])

    def layer(self, number: int, sentence: list[Row]) -> list[Row]:
        """Return the words after a layer."""
        d = self.width
        into, out = (self.matrix(f"layer.{number}.{name}", d) for name in ("in", "out"))
        u = [into.times(n) for n in self.look_around(number, [norm(x) for x in sentence])]
        gated: list[Row] = [[0.0] * d for _ in sentence]
        for i in range(d):
            h = 0.0
            order = range(len(sentence)) if i < d // 2 else reversed(range(len(sentence)))
            for t in order:
                f, o = sigmoid(u[t][d + i]), u[t][2 * d + i]
                h = f32(f32(f * h) + f32(f32(1 - f) * u[t][i]))
                gated[t][i] = f32(h * f32(o * sigmoid(o)))
        return [
            [f32(a + b) for a, b in zip(x, out.times(g), strict=True)]
            for x, g in zip(sentence, gated, strict=True)
        ]

    def look_around(self, number: int, sentence: list[Row]) -> list[Row]:
        """Combine each word with its neighbours, unit by unit."""
        d, weights = self.width, self.arrays[f"layer.{number}.conv"]
        outside = [0.0] * d
        before, after = [outside, *sentence][: len(sentence)], [*sentence, outside][1:]
        return [
            [
                f32(
                    f32(f32(weights[i] * a[i]) + f32(weights[d + i] * b[i]))
                    + f32(weights[2 * d + i] * c[i])
                )
                for i in range(d)
            ]
            for a, b, c in zip(before, sentence, after, strict=True)
        ]

    def read(self, sentence: list[Row]) -> Read:
        """Run the network on a sentence, given the vectors of its word types."""
        found = Read([], [])
        for number in range(self.size("layers")):
            sentence = self.layer(number, sentence)
            found.stages[f"layer.{number}"] = sentence
        normal = [norm(x) for x in sentence]
        words = normal
        for head, n_tags in enumerate(self.sizes("tags")):
            matrix = self.matrix(f"tag.{head}", self.width)
            scores = [matrix.times(x) for x in normal]
            found.stages[f"tag.{head}"] = scores
            found.tags.append([row.index(max(row)) for row in scores])
            if head in self.sizes("back"):
                back = self.matrix(f"tag.{head}.back", n_tags)
                words = [
                    [f32(a + b) for a, b in zip(y, back.bare_times(softmax(row)), strict=True)]
                    for y, row in zip(words, scores, strict=True)
                ]
        found.stages["slot"] = words
        slots = self.matrix("slot", self.width)
        found.products = [in_steps(slots.bare_times(y)) for y in words]
        return found

    def state_scores(self, rows: Sequence[Sequence[int]]) -> list[int]:
        """Return the score of each class, given the rows that a state sums."""
        units = in_steps(list(self.arrays["hidden.bias"]), -(1 << 30), 1 << 30)
        for row in rows:
            units = [a + b for a, b in zip(units, row, strict=True)]
        units = [int(clamp(a if a >= 0 else a >> 3, -32767, 32767)) for a in units]
        classes = self.matrix("class", self.hidden)
        scores = []
        for i, weights in enumerate(classes.rows):
            if classes.scales:
                unit, small = classes.scales[i], [int(w) for w in weights]
            else:
                unit, small = quantised(weights)
            total = f32(sum(w * a for w, a in zip(small, units, strict=True)))
            score = f32(f32(total * f32(unit / 1024)) + classes.bias[i])
            scores.append(round(clamp(f32(score * 256), -8191, 8191)))
        return scores
