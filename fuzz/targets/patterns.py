"""Patterns as people write them: trees, and sequences of words."""

from __future__ import annotations

import dodona
from dodona.query.language import StepLimitError
from fuzz import samples
from fuzz.mutation import BLIND, replace_word, words
from fuzz.target import Target, promise

MOST = 50
KNOWN = (
    *(
        "[upos=NOUN]",
        "[]",
        "(",
        ")",
        "|",
        "*",
        "+?",
        "{1,2}",
        "{3}",
        "^",
        "$",
        " as x",
        "upos=VERB",
    ),
    *(">nsubj ", "!>det *", ">> ", "<< ", " .. ", "Case=Nom", "&", '"a b"', "lemma!=", "misc.A="),
)


def run(data: bytes) -> object:
    """Compile the pattern and search a few sentences for it."""
    text = data.decode()
    pattern = dodona.Pattern(text, regexes=False, steps=20_000)
    sentences = samples.treebank()[-3:]
    try:
        found = pattern.matches_in(sentences, most=MOST)
        n_found = pattern.count_in(sentences)
    except StepLimitError:
        return "too many steps"
    for sentence, matches in zip(sentences, found, strict=True):
        promise(
            [m.ids for m in matches] == [m.ids for m in pattern.matches(sentence, most=MOST)],
            "alone",
        )
        for match in matches:
            inside = all(1 <= number <= len(sentence) for number in match.ids)
            promise(inside and len(match) > 0, "words of the sentence")
            promise(
                all(set(match.words_of(name)) <= set(match.words) for name in match.names), "names"
            )
        if pattern.is_sequence:
            ids = [number for match in matches for number in match.ids]
            promise(ids == sorted(set(ids)), "matches follow one another")
            promise(all(m.ids == [*range(m.ids[0], m.ids[-1] + 1)] for m in matches), "no gaps")
    shown = sum(map(len, found))
    promise(n_found >= shown and (n_found == shown or max(map(len, found)) == MOST), "counts")
    promise(dodona.Pattern(pattern.text).names == pattern.names, "compiled again")
    return pattern.is_sequence, len(pattern.names), min(n_found, 5)


TARGET = Target(
    run=run,
    refuses=(ValueError,),  # among them patterns that cannot be understood, and what is no UTF-8
    mutators=[*BLIND, *[words(*KNOWN)] * 4, *[replace_word(b"[]() ")] * 2],
    longest=200,
)
