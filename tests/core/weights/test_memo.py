"""Scores that are remembered against scores that are added up each time."""

from __future__ import annotations

from importlib import import_module

import pytest

from support.small import parser, treebank

COMPILED = import_module("dodona._compiled.core_parsing")


def trees(root: str) -> tuple[list[object], list[object]]:
    """Arcs of sentences, found with what is remembered of others, and step by step without."""
    a_parser = parser(root)
    search, sentences = a_parser._search("one"), treebank(60, 5)
    corpus = a_parser.encoder.encode(sentences)
    search.parse(corpus)
    search.parse(corpus)  # all that there is room for is known now
    found, expected = [], []
    for i, sentence in enumerate(sentences):
        state, _ = a_parser.trace(sentence)[-1]  # which remembers nothing
        arcs = {(head, dependent) for head, _, dependent in state.arcs if head != 0}
        heads = corpus.heads(i)
        found.append({(heads[dependent - 1], dependent) for _, dependent in arcs})
        expected.append(arcs)
    return found, expected


@pytest.mark.parametrize("root", ["first", "last", "none"])
def test_what_is_remembered_changes_no_tree(root: str) -> None:
    found, expected = trees(root)
    assert found == expected
    assert all(expected[:5])


def test_what_takes_the_place_of_another_changes_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for two sums, nearly every one is overwritten by the next."""
    monkeypatch.setattr(COMPILED, "LOG_SIZES", (1, 1, 1))
    found, expected = trees("first")
    assert found == expected
