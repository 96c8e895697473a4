"""Reference implementation of the tagger: features are tuples of strings, weights a dictionary.

It shares no code with the core except the templates, which are data.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

Part = tuple[int, str]
ROOT, MISSING, UNKNOWN = "<root>", "", "<unknown>"


def lowered(form: str) -> str:
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in form)


def shape(form: str) -> str:
    found = ""
    for c in form:
        kind = "o" if ord(c) > 127 else c
        for name, is_kind in (("c", c.isalpha()), ("d", c.isdigit())):
            kind = name if is_kind else kind
        kind = "x" if c.islower() else "X" if c.isupper() else kind
        if not found.endswith(kind * 2) and len(found) < 16:
            found += kind
    return found


def form_attributes(form: str, is_first: bool) -> dict[str, str]:
    lower = lowered(form)
    found = {"form": form, "lower": lower, "shape": shape(form) + ("^" if is_first else "")}
    for i in range(1, 5):
        found[f"prefix{i}"] = lower[:i] if i <= len(form) else MISSING
    for i in range(1, 6):
        found[f"suffix{i}"] = lower[-i:] if i <= len(form) else MISSING
    return found


def feature(parts: Sequence[Part], columns: dict[str, list[str]], word: int) -> tuple[str, ...]:
    """Return the values of a template's parts; words count from 1."""
    n = len(columns["form"])

    def value(node: int, column: str) -> str:
        if 1 <= node <= n:
            return columns[column][node - 1]
        return ROOT if node in (0, n + 1) else MISSING

    return tuple(value(word + offset, column) for offset, column in parts)


def clustered(form: str, paths: dict[str, str]) -> dict[str, str]:
    path = paths.get(form) or paths.get(form.lower()) or UNKNOWN
    first = {f"cluster:{n}": UNKNOWN if path == UNKNOWN else path[:n] for n in (4, 6)}
    return {"cluster": path} | first


def columns_of(
    forms: list[str], ambiguity: dict[str, str], paths: dict[str, str]
) -> dict[str, list[str]]:
    words = [form_attributes(form, i == 0) | clustered(form, paths) for i, form in enumerate(forms)]
    columns = {name: [word[name] for word in words] for name in words[0]}
    return columns | {"ambiguity": [ambiguity.get(form, UNKNOWN) for form in forms]}


class Perceptron:
    """One task, trained online; of equal scores, the first of `classes` wins."""

    def __init__(
        self, templates: list[list[Part]], own: str, classes: list[str], fixed: dict[str, str]
    ) -> None:
        self.templates = sorted(templates, key=lambda parts: any(c == own for _, c in parts))
        self.own, self.classes, self.fixed = own, classes, fixed
        self.weights: defaultdict[tuple[tuple[str, ...], int], Counter[str]] = defaultdict(Counter)

    def features(
        self, columns: dict[str, list[str]], word: int, history: list[str]
    ) -> list[tuple[tuple[str, ...], int]]:
        n = len(columns["form"])
        seen = columns | {self.own: history + [UNKNOWN] * (n - len(history))}
        return [(feature(parts, seen, word), i) for i, parts in enumerate(self.templates)]

    def scores(self, features: list[tuple[tuple[str, ...], int]]) -> dict[str, float]:
        return {c: sum(self.weights[f][c] for f in features) for c in self.classes}

    def learn_greedily(
        self, columns: dict[str, list[str]], gold: list[str], margin: float
    ) -> list[str]:
        """Train on a sentence; return the predicted tags."""
        history: list[str] = []
        for i, form in enumerate(columns["form"]):
            if form in self.fixed:
                history.append(self.fixed[form])
                continue
            features = self.features(columns, i + 1, history)
            scores = self.scores(features)
            rival = max((c for c in self.classes if c != gold[i]), key=scores.__getitem__)
            history.append(gold[i] if scores[gold[i]] > scores[rival] else rival)
            if scores[gold[i]] <= scores[rival] + margin:
                self.move(features, gold[i], 1)
                self.move(features, rival, -1)
        return history

    def move(self, features: list[tuple[tuple[str, ...], int]], tag: str, amount: int) -> None:
        for f in features:
            self.weights[f][tag] += amount

    def learn_structured(
        self, columns: dict[str, list[str]], gold: list[str], width: int
    ) -> list[str]:
        """Train on a sentence with max-violation updates; return the predicted tags."""
        forms = columns["form"]
        wanted = [self.fixed.get(form, tag) for form, tag in zip(forms, gold, strict=True)]
        beam: list[tuple[float, list[str]]] = [(0, [])]
        gold_score, most, worst = 0.0, 0.0, []  # type: ignore[var-annotated]
        for i, form in enumerate(forms):
            beam = self.extended(columns, beam, form, i, width)
            if form not in self.fixed:
                gold_score += self.scores(self.features(columns, i + 1, wanted[:i]))[gold[i]]
            score, tags = beam[0]
            if tags != wanted[: i + 1] and score - gold_score >= most:
                most, worst = score - gold_score, tags
        for i, form in enumerate(forms[: len(worst)]):
            if form not in self.fixed:
                self.move(self.features(columns, i + 1, wanted[:i]), wanted[i], 1)
                self.move(self.features(columns, i + 1, worst[:i]), worst[i], -1)
        return beam[0][1]

    def extended(
        self,
        columns: dict[str, list[str]],
        beam: list[tuple[float, list[str]]],
        form: str,
        i: int,
        width: int,
    ) -> list[tuple[float, list[str]]]:
        """Extend the beam by a word; of hypotheses with the same last two tags keep the best."""
        found = []
        for score, tags in beam:
            if form in self.fixed:
                found.append((score, [*tags, self.fixed[form]]))
                continue
            scores = self.scores(self.features(columns, i + 1, tags))
            found += [(score + scores[c], [*tags, c]) for c in self.classes]
        kept: list[tuple[float, list[str]]] = []
        for score, tags in sorted(found, key=lambda item: -item[0]):
            if all(other[-2:] != tags[-2:] for _, other in kept) and len(kept) < width:
                kept.append((score, tags))
        return kept
