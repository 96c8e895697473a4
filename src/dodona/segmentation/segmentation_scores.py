"""F1 of tokens, words and sentences found in raw text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from dodona.treebank.raw_text import GoldText, tokens_of
from dodona.treebank.sentence import Sentence


def segmentation_scores(gold: GoldText, found: Iterable[Sentence]) -> dict[str, float]:
    """Return F1 of tokens, words and sentences, in percent.

    A token or sentence is correct if its start and end are. A word that is a whole token counts as
    the token; words of a multiword token must have the right form and position in the right token.
    """
    spans, words = [], []
    for sentence in found:
        for i, token in enumerate(tokens_of(sentence)):
            start, _, end = (token.attribute("TokenRange") or "").partition(":")
            spans.append((int(start), int(end), i == 0))
            words.append(token.words)
    expected, predicted = _units(gold.spans, gold.words), _units(spans, words)
    return {name: _f1(expected[name], predicted[name]) for name in expected}


def _units(
    spans: list[tuple[int, int, bool]], words: list[tuple[str, ...]]
) -> dict[str, list[tuple[Any, ...]]]:
    tokens: list[tuple[Any, ...]] = [(start, end) for start, end, _ in spans]
    parts: list[tuple[Any, ...]] = []
    for token, forms in zip(tokens, words, strict=True):
        if len(forms) == 1:
            parts.append(token)
        else:
            parts += [(*token, i, form.lower()) for i, form in enumerate(forms)]
    firsts = [i for i, span in enumerate(spans) if span[2]] + [len(spans)]
    sentences: list[tuple[Any, ...]] = [(spans[a][0], spans[b - 1][1]) for a, b in pairwise(firsts)]
    return {"tokens": tokens, "words": parts, "sentences": sentences}


def _f1(expected: list[tuple[Any, ...]], predicted: list[tuple[Any, ...]]) -> float:
    n_right = (Counter(expected) & Counter(predicted)).total()
    return 200 * n_right / max(len(expected) + len(predicted), 1)
