"""Sequences of words: what is found, against trying everything, and what is refused."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dodona import Doc, Pattern, Sentence
from dodona.query.language import MOST_WORDS, PatternError, StepLimitError
from dodona.query.sequence_program import MOST_INSTRUCTIONS
from dodona.query.sequences import MOST_NESTED, MOST_REPEATS
from reference import sequences as twin

OAKS = Sentence.from_columns(
    ["The", "very", "old", "oak", "trees", "and", "elms", "speak"],
    lemmas=["the", "very", "old", "oak", "tree", "and", "elm", "speak"],
    upos=["DET", "ADV", "ADJ", "NOUN", "NOUN", "CCONJ", "NOUN", "VERB"],
    feats=["_", "_", "Degree=Pos", "Number=Sing", "Number=Plur", "_", "Number=Plur", "_"],
    heads=[5, 3, 5, 5, 8, 7, 5, 0],
    deprels=["det", "advmod", "amod", "compound", "nsubj", "cc", "conj", "root"],
)


def found(pattern: str, sentence: Sentence = OAKS) -> list[list[int]]:
    return [match.ids for match in Pattern(pattern).matches(sentence)]


@pytest.mark.parametrize(
    ("pattern", "ids"),
    [
        ("[upos=NOUN]", [[4], [5], [7]]),
        ("[upos=NOUN]+", [[4, 5], [7]]),
        ("[upos=ADJ]* [upos=NOUN]+", [[3, 4, 5], [7]]),
        ("[upos=ADJ]? [upos=NOUN]", [[3, 4], [5], [7]]),
        ("[upos=NOUN]{2}", [[4, 5]]),
        ("[upos=NOUN]{2,}", [[4, 5]]),
        ("[upos=NOUN]{,2}", [[4, 5], [7]]),
        ("[upos=NOUN]{1,3}?", [[4], [5], [7]]),
        ("[upos=NOUN]+?", [[4], [5], [7]]),
        ("[upos=DET] []*? [upos=NOUN]", [[1, 2, 3, 4]]),
        ("[upos=DET] []* [upos=NOUN]", [[1, 2, 3, 4, 5, 6, 7]]),
        ("([upos=ADJ] | [upos=ADV])+", [[2, 3]]),
        ("[upos!=NOUN]+", [[1, 2, 3], [6], [8]]),
        ("[lemma=/o.*/]+", [[3, 4]]),
        ("[form=/THE/i]", [[1]]),
        ("[Number=Plur&upos=NOUN]", [[5], [7]]),
        ("^ []", [[1]]),
        ("[] $", [[8]]),
        ("^ []* $", [[1, 2, 3, 4, 5, 6, 7, 8]]),
        ("^ [upos=NOUN]", []),
        ('[form="oak"] [form=trees|shrubs]', [[4, 5]]),
        ("[upos=NOUN >det *] [upos=CCONJ]", [[5, 6]]),
        ("[upos=NOUN !>det *]", [[4], [7]]),
        ("[upos=NOUN] ([upos=CCONJ] [upos=NOUN])*", [[4], [5, 6, 7]]),
        ("([upos=INTJ])*", []),
        ("[form=/[Tt]he/] []", [[1, 2]]),
        ("([upos=DET][upos=ADV])", [[1, 2]]),
    ],
)
def test_what_is_found(pattern: str, ids: list[list[int]]) -> None:
    assert found(pattern) == ids
    assert Pattern(pattern).count(OAKS) == len(ids)
    assert Pattern(pattern).is_in(OAKS) == bool(ids)


def test_names_stand_for_any_number_of_words() -> None:
    (match, other) = Pattern("[upos=ADJ]* as before ([upos=NOUN]+) as nouns").matches(OAKS)
    assert [word.form for word in match.words_of("before")] == ["old"]
    assert [word.form for word in match.words_of("nouns")] == ["oak", "trees"]
    assert match["nouns"].form == "trees", "the head of oak trees"
    assert (match.names, repr(match)) == (("before", "nouns"), "<Match before=old nouns=oak trees>")
    assert other.words_of("before") == []
    with pytest.raises(KeyError, match="'before' has no words in this match"):
        other["before"]
    with pytest.raises(KeyError, match="its names: before, nouns"):
        match["verb"]


def test_sentences_and_documents_are_searched_alike() -> None:
    assert [match.ids for match in OAKS.match("[upos=NOUN]+")] == [[4, 5], [7]]
    assert [match.ids for match in OAKS.match("upos=VERB >nsubj *")] == [[8, 5]]
    assert len(Doc([OAKS, OAKS]).match("[upos=NOUN]+")) == 4
    assert [len(matches) for matches in Pattern("[]").matches_in([OAKS, OAKS], most=3)] == [3, 3]


@pytest.mark.parametrize(
    ("pattern", "place", "message"),
    [
        ("[upos=NOUN", 1, r"this \[ has no \]"),
        ("[upos=]", 7, "expected a value"),
        ("[pos=NOUN]", 2, "unknown column pos"),
        ("([upos=NOUN]", 1, r"this \( has no \)"),
        ("[upos=NOUN])", 12, r"this \) has no \("),
        ("[upos=NOUN] upos=VERB", 13, "expected a word such as"),
        ("[] | ", 6, "expected a word such as"),
        ("()", 2, "expected a word such as"),
        ("[]{}", 3, "expected a number of times"),
        ("[]{a}", 3, "expected a number of times"),
        ("[]{3,2}", 3, "the smaller first"),
        (f"[]{{{MOST_REPEATS + 1}}}", 3, f"from 1 to {MOST_REPEATS}"),
        ("[upos=NOUN as n]", 1, "a name is given after the bracket"),
        ("[] as n [] as n", 12, "the name n is given twice"),
        ("[] as", 6, "expected a name after as"),
        ("(" * (MOST_NESTED + 1), MOST_NESTED + 1, f"at most {MOST_NESTED} parentheses"),
        ("[]" * (MOST_WORDS + 1), 2 * MOST_WORDS + 1, f"at most {MOST_WORDS} words"),
        ("(([]{100}){100}){100}", 1, f"more than {MOST_INSTRUCTIONS:,} parts"),
    ],
)
def test_errors_name_the_position(pattern: str, place: int, message: str) -> None:
    with pytest.raises(PatternError, match=f"character {place}: .*{message}"):
        Pattern(pattern)


def test_strangers_get_no_regular_expressions() -> None:
    with pytest.raises(PatternError, match="not allowed"):
        Pattern("[form=/a/]", regexes=False)


@pytest.mark.parametrize(
    "pattern",
    ["([]* []*)* [form=x]", "(([]+)+)+ [form=x]", "([] | [])* [form=x]", "[] ([]* [form=x])?"],
)
def test_what_takes_exponential_time_elsewhere_takes_linear_time_here(pattern: str) -> None:
    """A backtracking search without memory of its states would not end: 2 to the power of 2,000."""
    many = Sentence.from_columns(["oak"] * 2000)
    n_found = 2000 if pattern.endswith("?") else 0
    assert Pattern(pattern).count(many) == n_found
    assert Pattern(pattern, steps=100_000).count(many) == n_found, "50 states for each word"
    with pytest.raises(StepLimitError, match="2,000 words"):
        Pattern(pattern, steps=2000).count(many)


LETTERS = "abc"
words = st.sets(st.sampled_from(LETTERS), max_size=2).map(
    lambda some: ("word", tuple(sorted(some)))
)


def nodes(inside: st.SearchStrategy[twin.Node]) -> st.SearchStrategy[twin.Node]:
    several = st.lists(inside, min_size=1, max_size=3)
    least = st.integers(0, 2)
    most = st.one_of(st.none(), st.integers(2, 3))
    return st.one_of(
        several.map(lambda some: ("all", tuple(some))),
        several.map(lambda some: ("any", tuple(some))),
        st.tuples(st.just("times"), inside, least, most, st.booleans()),
        inside.map(lambda node: ("name", node)),
    )


trees = st.recursive(st.one_of(words, words, words, st.just(("begin",)), st.just(("end",))), nodes)


def with_names(node: Any, numbers: list[int]) -> Any:
    """Give every name a number, as no name is given twice."""
    if node[0] == "name":
        numbers[0] += 1
        name = f"n{numbers[0]}"
        return ("name", with_names(node[1], numbers), name)
    if node[0] in ("all", "any"):
        return (node[0], tuple(with_names(below, numbers) for below in node[1]))
    if node[0] == "times":
        return ("times", with_names(node[1], numbers), *node[2:])
    return node


@settings(max_examples=400)
@given(trees, st.text(LETTERS, min_size=1, max_size=7))
def test_the_search_agrees_with_trying_everything(tree: Any, text: str) -> None:
    node = with_names(tree, [0])
    sentence = Sentence.from_columns(list(text))
    try:
        pattern = Pattern(f"({twin.write(node)})")
    except PatternError as error:
        assert "1,000 parts" in str(error) or "32 words" in str(error)
        return
    expected = twin.find(node, text)
    found = pattern.matches(sentence)
    assert [(match.ids[0] - 1, match.ids[-1]) for match in found] == [one[:2] for one in expected]
    for match, (_, _, named) in zip(found, expected, strict=True):
        for name in pattern.names:
            first, end = named.get(name, (0, 0))
            assert [word.id for word in match.words_of(name)] == [*range(first + 1, end + 1)]
    assert pattern.count(sentence) == len(expected)


def test_threads_search_side_by_side() -> None:
    pattern = Pattern("[upos=ADJ]* [upos=NOUN]+")
    tree = Pattern("upos=NOUN >/a.*/ *")
    with ThreadPoolExecutor(4) as pool:
        batches = [[OAKS] * 50] * 40
        assert set(pool.map(pattern.count_in, batches)) == {100}
        assert set(pool.map(tree.count_in, batches)) == {50}
