"""Measure a model on the variants of a treebank: casings, and sentences without punctuation marks.

python -m tools.variants en treebanks/en_ewt/dev.conllu

Words are given. Scores are percentages of words; those of the variants without marks are of the
words that remain, and beside them are the scores of the same words in the ordinary sentences.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

import dodona
from dodona.training.neural.variants import KINDS, kept_words, variant

COLUMNS = ("UPOS", "XPOS", "FEATS", "Lemmas", "UAS", "LAS")
PLAIN = "as it is"


def main() -> None:
    """Parse every variant, and print a table."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("model")
    options.add_argument("treebank", help="a CoNLL-U file")
    given = options.parse_args()
    parser, gold = dodona.load(given.model), list(dodona.read(given.treebank))
    print(f"{'':24}" + "".join(f"{name:>9}" for name in COLUMNS))
    plain = _parsed(parser, gold)
    _print(PLAIN, gold, plain)
    for kind, (_, is_bare, _) in KINDS.items():
        varied = [variant(sentence, kind) for sentence in gold]
        _print(kind, varied, _parsed(parser, varied))
        if is_bare:
            kept = [kept_words(sentence) for sentence in gold]
            _print(f"{PLAIN}, the same words", gold, plain, kept)


def _parsed(parser: dodona.Parser, sentences: Iterable[dodona.Sentence]) -> list[dodona.Sentence]:
    return [parser.parse(dodona.Sentence.from_columns(s.forms)) for s in sentences]


def _print(
    name: str,
    gold: Sequence[dodona.Sentence],
    found: Sequence[dodona.Sentence],
    kept: Sequence[Sequence[int]] | None = None,
) -> None:
    right, n_words = [0] * len(COLUMNS), 0
    for number, (one, other) in enumerate(zip(gold, found, strict=True)):
        rows = [zip(*_columns(s), strict=True) for s in (one, other)]
        pairs = [*zip(*rows, strict=True)]
        for i in range(len(pairs)) if kept is None else kept[number]:
            same = [a == b for a, b in zip(*pairs[i], strict=True)]
            same[-1] &= same[-2]
            right = [n + is_right for n, is_right in zip(right, same, strict=True)]
            n_words += 1
    print(f"{name:24}" + "".join(f"{100 * n / n_words:9.2f}" for n in right))


def _columns(sentence: dodona.Sentence) -> Sequence[Sequence[object]]:
    tags = sentence.upos, sentence.xpos, sentence.feats, sentence.lemmas
    return *tags, sentence.heads, sentence.deprels


if __name__ == "__main__":
    main()
