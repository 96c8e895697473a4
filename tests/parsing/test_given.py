"""Given heads, labels, tags and spans: kept by every system, scorer and search, or refused."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

import dodona
from dodona.parsing.given import Given, GivenError
from dodona.settings import SettingsError
from support.given_lab import PARSERS, anything, check, is_possible, parser, run
from support.small import enhanced, train, treebank

OAKS = dodona.Sentence.from_columns(["The", "old", "oak", "still", "speaks", "."])
EAGER = ("arc-eager", "last", "linear")
SWAP = ("swap", "first", "linear")


# --- what is given is kept


@pytest.mark.thorough("-500")
@pytest.mark.parametrize("n_cases", [40, 500])
@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize(("name", "root", "scorer"), PARSERS)
def test_whatever_is_given_is_kept(
    name: str, root: str, scorer: str, beam: int, n_cases: int
) -> None:
    """Most cases are possible by construction; bench/given.py tries a hundred thousand."""
    n_refused = run(name, root, scorer, beam, n_cases, seed=n_cases)
    assert 0 < n_refused < n_cases / 5


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize(("name", "root", "scorer"), PARSERS)
def test_a_search_that_is_given_nothing_finds_the_tree_that_it_finds_anyway(
    name: str, root: str, scorer: str, beam: int
) -> None:
    one, sentences = parser(name, root, scorer), treebank(12, 9)
    free = [*one.pipe(sentences, beam=beam)]
    assert [*one.pipe(sentences, beam=beam, given=lambda _: Given())] == free
    assert [*one.pipe(sentences, beam=beam, given=lambda _: None)] == free


@pytest.mark.parametrize("beam", [1, 4])
def test_a_search_that_is_given_its_own_tree_finds_it_again(beam: int) -> None:
    one = parser(*SWAP)
    for constraints in ("none", "ud"):
        options: Any = {"beam": beam, "constraints": constraints}
        free = [*one.pipe(treebank(20, 9), **options)]
        assert [*one.pipe(free, given=Given.from_sentence, **options)] == free


def test_a_given_label_that_the_model_knows_is_that_of_an_action() -> None:
    """Other words see it: a label that is only written over the old one changes no other."""
    one, n_changed = parser(*EAGER), 0
    for sentence in treebank(40, 9):
        free = next(one.pipe([sentence]))
        word = free.heads.index(0) + 1
        other = word + 1 if word < len(free) else word - 1
        given = Given({other: word}, {other: "conj"})
        parsed = one.parse(sentence, given=given)
        check(given, parsed)
        rest = [i for i in range(len(free)) if i + 1 != other and free.heads[other - 1] == word]
        n_changed += any(free.deprels[i] != parsed.deprels[i] for i in rest)
    assert n_changed > 0


def test_several_roots_are_kept_where_they_are_allowed() -> None:
    one = parser("arc-standard", "first", "linear")
    given = Given({2: 0, 5: 0}, {3: "obj"})
    parsed = next(one.pipe([OAKS], roots="many", given=lambda _: given))
    assert (parsed.heads[1], parsed.heads[4], parsed.deprels[2]) == (0, 0, "obj")
    assert parsed.heads[2] != 0


def test_given_tags_are_kept_and_others_predicted_around_them() -> None:
    data = treebank(60, 1, lemmas=True)
    one = train(data, tags="predicted")
    assert one.tagger is not None
    bare = dodona.Sentence.from_columns(data[0].forms)
    free = one.parse(bare)
    other = "NOUN" if free.upos[1] != "NOUN" else "VERB"
    parsed = one.parse(bare, given=Given(tags={2: other}))
    assert parsed.upos == [free.upos[0], other, *free.upos[2:]]
    assert "_" not in parsed.feats or "_" in free.feats
    tagged = bare.replace(upos=["X"] * len(bare))
    again = next(one.pipe([tagged], retag=True, given=lambda _: Given(tags={2: other})))
    assert again.upos == parsed.upos
    kept = next(one.pipe([tagged], keep_tags=True, given=lambda _: Given(tags={2: other})))
    assert kept.upos == ["X", other, *["X"] * (len(bare) - 2)]


def test_given_tags_are_what_features_see() -> None:
    """A model that was trained on gold tags parses other tags in another way."""
    one, n_changed = parser(*EAGER), 0
    for sentence in treebank(30, 9):
        tags = dict.fromkeys(range(1, len(sentence), 2), "PUNCT")
        parsed = one.parse(sentence, given=Given(tags=tags))
        assert all(parsed.upos[i - 1] == "PUNCT" for i in tags)
        n_changed += parsed.heads != one.parse(sentence).heads
    assert n_changed > 10


def test_what_is_given_comes_before_the_rules_of_ud_and_a_warning_says_so() -> None:
    one = parser(*EAGER)
    tagged = OAKS.replace(upos=["DET", "ADJ", "NOUN", "ADV", "VERB", "PUNCT"])
    given = Given({1: 3}, {1: "punct"})
    with pytest.warns(UserWarning, match=re.escape("what is given of 'The' (word 1 of 'The old")):
        parsed = next(one.pipe([tagged], constraints="ud", given=lambda _: given))
    check(given, parsed)


def test_graphs_are_made_from_trees_that_keep_what_is_given() -> None:
    one = train([enhanced(s) for s in treebank(30, 1, 0)], graph="basic+enhanced")
    parsed = one.parse(treebank(3, 2)[0], given=Given({1: 3}))
    assert parsed.heads[0] == 3
    assert {*parsed.deps} != {"_"}


# --- what cannot be kept is refused


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("which", [EAGER, ("arc-standard", "first", "network"), SWAP], ids=str)
def test_it_is_refused_if_and_only_if_no_tree_has_it(which: tuple[str, str, str], n: int) -> None:
    one, random, seen = parser(*which), Random(n), {True: 0, False: 0}
    for _ in range(150):
        given = anything(n, random)
        expected = is_possible(given, n, crossing=which == SWAP)
        seen[expected] += 1
        sentence = dodona.Sentence.from_columns(random.choices("abc", k=n), upos=["X"] * n)
        try:
            check(given, one.parse(sentence, given=given))
        except GivenError:
            assert not expected, given
        else:
            assert expected, given
    assert min(seen.values()) > 10


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Given({7: 1}), "word 7 is given, but the sentence has 6 words"),
        (Given(tags={0: "X"}), "word 0 is given, but the sentence has 6 words"),
        (Given({1: 9}), "word 1 (The) is given head 9, but the sentence has 6 words"),
        (Given({2: 2}), "the given heads form a cycle: 2 (old) → 2 (old)"),
        (Given({1: 2, 2: 4, 4: 1}), "form a cycle: 1 (The) → 2 (old) → 4 (still) → 1 (The)"),
        (Given({1: 0}, {5: "root"}), "words 5 (speaks) and 1 (The) are both given under the root"),
        (Given({1: 3, 4: 2}), "the given arcs 3 (oak) → 1 (The) and 2 (old) → 4 (still) cross"),
        (Given({3: 1, 2: 0}), "the root → 2 (old) and 1 (The) → 3 (oak) cross"),
        (Given({1: 3, 3: 2}), "the given arc 3 (oak) → 1 (The) spans 2 (old), on which it depends"),
        (Given(spans=[(1, 3), (2, 4)]), "the spans 1-3 and 2-4 cross"),
        (Given(spans=[(4, 2)]), "the span 4-2 ends before it begins"),
        (
            Given({1: 5, 2: 0}, spans=[(1, 3)]),
            "two words of the span 1-3 are given heads outside of it: "
            "5 (speaks) → 1 (The) and the root → 2 (old)",
        ),
        (
            Given({2: 4, 4: 3}, spans=[(2, 3)]),
            "word 2 (old) of the span 2-3 is given a head outside of it that depends on another",
        ),
        (Given(labels=dict.fromkeys(range(1, 7), "obj")), "no word is left that could be the root"),
    ],
)
def test_the_impossible_is_refused_and_the_words_named(given: Given, said: str) -> None:
    with pytest.raises(GivenError, match=re.escape(said)):
        parser(*EAGER).parse(OAKS, given=given)


def test_crossing_arcs_are_for_swap() -> None:
    given = Given({1: 3, 4: 2})
    with pytest.raises(
        GivenError, match="arc-eager cannot build; a model that was trained with --"
    ):
        parser(*EAGER).parse(OAKS, given=given)
    check(given, parser(*SWAP).parse(OAKS, given=given))


def test_the_sentence_is_named_by_its_id() -> None:
    named = dodona.Sentence.from_columns(["Speak"], comments=["# sent_id = oak-7"])
    with pytest.raises(GivenError, match=r"^sentence oak-7: word 2 is given"):
        parser(*EAGER).parse(named, given=Given({2: 0}))


def test_an_arc_that_the_model_has_no_action_for_is_refused() -> None:
    words = dodona.Sentence.from_columns(["a", "b"], heads=[2, 0], deprels=["dep", "root"])
    one = train([words] * 3, system="arc-eager", root="last")
    with pytest.raises(GivenError, match=r"b \(word 2\) cannot be given this head: the model has"):
        next(one.pipe([words], roots="many", given=lambda _: Given({2: 1})))


def test_options_that_do_not_go_together_are_refused() -> None:
    mistaken: Any = Given({1: 2})
    with pytest.raises(TypeError, match=r"for one sentence, parser.parse\(sentence, given=Given"):
        parser(*EAGER).pipe([OAKS], given=mistaken)
    graphs = train(
        [enhanced(s) for s in treebank(20, 1, 0)], system="graph-eager", graph="enhanced"
    )
    with pytest.raises(SettingsError, match="this is for trees, and graph-eager builds graphs"):
        graphs.parse(OAKS, given=Given())


# --- in columns and in MISC


def test_columns_give_what_they_hold_and_marks_restrict_it() -> None:
    whole = OAKS.replace(
        heads=[3, 3, 5, None, 0, None],
        deprels=["det", "_", "nsubj", "advmod", "root", "_"],
        upos=["DET", "_", "_", "_", "VERB", "_"],
    )
    assert Given.from_sentence(whole) == Given(
        {1: 3, 2: 3, 3: 5, 5: 0},
        {1: "det", 3: "nsubj", 4: "advmod", 5: "root"},
        {1: "DET", 5: "VERB"},
    )
    marked = whole.replace(misc=["Given=Head,Upos", "SpaceAfter=No", "Given=Deprel", *"___"])
    assert Given.from_sentence(marked) == Given({1: 3}, {3: "nsubj"}, {1: "DET"})


def test_comments_give_spans() -> None:
    comments = ["# given_span = 1-3", "# text = x", "# given_span = 2 - 3"]
    sentence = dodona.Sentence.from_columns(["a", "b", "c"], comments=comments)
    assert Given.from_sentence(sentence).spans == ((1, 3), (2, 3))
    bad = dodona.Sentence.from_columns(["a"], comments=["# given_span = 2"])
    with pytest.raises(GivenError, match="'# given_span = 2' is not a span of words, such as"):
        Given.from_sentence(bad)
