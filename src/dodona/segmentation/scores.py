"""How well text was split: F1 of tokens, words and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from dodona.treebank.raw_text import GoldText, tokens_of
from dodona.treebank.sentence import Sentence


def segmentation_scores(gold: GoldText, found: Iterable[Sentence]) -> dict[str, float]:
    """F1 of tokens, words and sentences, in percent, for the sentences found in the gold text.

    A token counts if it has the right beginning and end, a sentence likewise. A word that is a
    token counts as one; others if they are the same, in the same place of the same token.
    """
    spans, words = [], []
    for sentence in found:
        for i, token in enumerate(tokens_of(sentence)):
            start, _, end = (token.attribute("TokenRange") or "").partition(":")
            spans.append((int(start), int(end), i == 0))
            words.append(token.words)
    expected = _units_to_find(gold.spans, gold.words)
    answered = _units_to_find(spans, words)
    return {name: _f1(expected[name], answered[name]) for name in expected}


def _units_to_find(
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


def _f1(expected: list[tuple[Any, ...]], answered: list[tuple[Any, ...]]) -> float:
    n_right = (Counter(expected) & Counter(answered)).total()
    return 200 * n_right / max(len(expected) + len(answered), 1)
