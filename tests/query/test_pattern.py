"""Pattern search against an exhaustive search, and errors in patterns."""

from __future__ import annotations

import pickle
import random
import signal
import tracemalloc
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dodona import Doc, DodonaError, Pattern, Sentence
from dodona.query.language import MOST_WORDS, PatternError, StepLimitError


def make(words: str) -> Sentence:
    """A sentence from FORM/UPOS/head/deprel, with spaces between words."""
    forms, upos, heads, deprels = zip(*(word.split("/") for word in words.split()), strict=True)
    return Sentence.from_columns(
        forms,
        lemmas=[form.lower().removesuffix("s") for form in forms],
        upos=upos,
        heads=[None if head == "_" else int(head) for head in heads],
        deprels=deprels,
    )


OAKS = make("The/DET/3/det old/ADJ/3/amod oaks/NOUN/4/nsubj speak/VERB/0/root truth/NOUN/4/obj")


def found(pattern: str, sentence: Sentence = OAKS) -> list[list[int]]:
    return [match.ids for match in Pattern(pattern).matches(sentence)]


@pytest.mark.parametrize(
    ("pattern", "ids"),
    [
        ("upos=NOUN", [[3], [5]]),
        ("upos=VERB >nsubj lemma=oak", [[4, 3]]),
        ("upos=VERB > upos=NOUN", [[4, 3], [4, 5]]),
        ("upos=NOUN <obj upos=VERB", [[5, 4]]),
        ("* >det * >amod *", [[3, 1, 2]]),
        ("upos=VERB >nsubj (upos=NOUN >det *)", [[4, 3, 1]]),
        ("upos=VERB >> upos=DET|ADJ", [[4, 1], [4, 2]]),
        ("form=The << upos=VERB", [[1, 4]]),
        ("upos=ADJ . *", [[2, 3]]),
        ("upos=NOUN .. upos=NOUN", [[3, 5]]),
        ("deprel=obj $ *", [[5, 3]]),
        ("upos=NOUN !>det *", [[5]]),
        ("upos=NOUN !>det * !<nsubj *", [[5]]),
        ("upos=VERB !>nsubj (* >det *)", []),
        ("upos=VERB !>nsubj (* !>det *)", [[4]]),
        ("upos!=NOUN&form!=speak", [[1], [2]]),
        ("form=/o.*/", [[2], [3]]),
        ("form=/the/i", [[1]]),
        ("form=/the/", []),
        ("deprel=root", [[4]]),
        ("head=0", [[4]]),
        ("lemma=*&xpos=*", []),
        ("xpos!=*&upos=DET", [[1]]),
        ("upos=VERB >nsubj|obj *", [[4, 3], [4, 5]]),
        ("upos=VERB >/n.*/ *", [[4, 3]]),
        ('form="speak"', [[4]]),
        ("upos=VERB as v >nsubj * as s .. * as s", []),
        ("upos=VERB as v >obj * as o .. * as o", [[4, 5, 5]]),
        ("upos=NOUN as n < * as v !< (* !. *)", [[3, 4], [5, 4]]),
    ],
)
def test_what_is_found(pattern: str, ids: list[list[int]]) -> None:
    assert found(pattern) == ids


def test_different_words_of_a_pattern_are_different_words() -> None:
    two = make("a/X/2/dep b/X/0/root c/X/2/dep")
    assert found("form=b >dep * >dep *", two) == [[2, 1, 3], [2, 3, 1]]
    assert found("form=b >dep * as one !>dep *", two) == []
    assert found("form=b >dep form=a >dep * !>dep *", two) == [[2, 1, 3]]


def test_features_and_misc_are_compared_by_name() -> None:
    sentence = Sentence.from_columns(
        ["oaks", "du"],
        feats=["Case=Nom|Number[psor]=Plur", "_"],
        misc=["SpaceAfter=No|Gloss=oak", "_"],
    )
    assert found("Case=Nom", sentence) == [[1]]
    assert found("Case=No", sentence) == []
    assert found("Number[psor]=Plur", sentence) == [[1]]
    assert found("Case!=Nom", sentence) == [[2]]
    assert found("Case=*", sentence) == [[1]]
    assert found("Case!=*", sentence) == [[2]]
    assert found("misc.Gloss=oak", sentence) == [[1]]
    assert found("feats=_", sentence) == [[2]]


def test_a_subtype_is_asked_for_or_left_open() -> None:
    sentence = make("a/X/3/nsubj b/X/3/nsubj:pass c/X/0/root d/X/3/nsubjx")
    assert found("* >nsubj *", sentence) == [[3, 1]]
    assert found("* >nsubj:* *", sentence) == [[3, 1], [3, 2]]
    assert found("deprel=nsubj:*", sentence) == [[1], [2]]


def test_words_without_a_head_and_circles_end() -> None:
    loop = Sentence.from_columns(["a", "b", "c"], heads=[2, 1, None])
    assert found("* >> *", loop) == [[1, 2], [2, 1]]
    assert found("* << *", loop) == [[1, 2], [2, 1]]
    assert found("form=c $ *", loop) == []


def test_words_by_name_and_position() -> None:
    (match,) = Pattern("upos=VERB as verb >nsubj * as subject").matches(OAKS)
    assert match["verb"].form == "speak"
    assert match["subject"].children == match[1].children
    assert [word.form for word in match] == ["speak", "oaks"]
    assert len(match) == 2
    with pytest.raises(KeyError, match="its names: verb, subject"):
        match["object"]


def test_a_document_is_searched_sentence_by_sentence() -> None:
    doc = Doc([OAKS, OAKS])
    matches = doc.match("upos=VERB as v >obj *")
    assert [match["v"].form for match in matches] == ["speak", "speak"]
    assert doc.match(Pattern("upos=INTJ")) == []


def test_the_first_matches_are_enough_where_that_is_asked() -> None:
    assert len(Pattern("* .. *").matches(OAKS, most=3)) == 3
    assert Pattern("upos=NOUN").is_in(OAKS)
    assert not Pattern("upos=INTJ").is_in(OAKS)
    assert Pattern("upos=NOUN").count(OAKS) == 2


def test_patterns_travel() -> None:
    pattern = pickle.loads(pickle.dumps(Pattern("upos=NOUN")))
    assert pattern == Pattern("upos=NOUN")
    assert pattern.count(OAKS) == 2


@pytest.mark.parametrize(
    ("pattern", "place", "message"),
    [
        ("", 1, "expected a word such as upos=VERB"),
        ("VERB", 1, "found 'VERB'"),
        ("upos=", 6, "expected a value"),
        ("upos=VERB >", 12, "the pattern ends here"),
        ("upos=VERB lemma=be", 11, "expected a relation"),
        ("upos=VERB >nsubj (upos=NOUN", 28, r"expected a relation, or the closing \)"),
        ("upos=VERB ! *", 13, "expected a relation after !"),
        ("pos=VERB", 1, "unknown column pos; expected id, form"),
        ("form=/(/", 6, "invalid regular expression"),
        ("upos=VERB >>obj *", 11, "takes no label"),
        ("upos=VERB as", 13, "expected a name after as"),
        (" . ".join(["*"] * (MOST_WORDS + 1)), None, f"at most {MOST_WORDS} words"),
    ],
)
def test_errors_name_the_position(pattern: str, place: int | None, message: str) -> None:
    where = "" if place is None else f"character {place}: .*"
    with pytest.raises(PatternError, match=where + message) as caught:
        Pattern(pattern)
    assert isinstance(caught.value, (DodonaError, ValueError))


def test_strangers_get_no_regular_expressions() -> None:
    assert Pattern("form=a", regexes=False).n_words == 1
    with pytest.raises(PatternError, match="not allowed"):
        Pattern("form=/a/", regexes=False)


ANYWHERE = " .. ".join("******")  # 24 billion matches in 75 words
WORDS = Sentence.from_columns(["oak"] * 75)


def test_a_search_has_a_budget_of_steps() -> None:
    assert Pattern("* .. *", steps=3_000).count(WORDS) == 75 * 74 // 2
    for search in (Pattern(ANYWHERE).count, Pattern(ANYWHERE).matches):
        with pytest.raises(StepLimitError, match=r"<memory>:1: .* 75 words, .* 10,000,000 steps"):
            search(WORDS)
    assert Pattern(ANYWHERE).is_in(WORDS)
    assert len(Pattern(ANYWHERE).matches(WORDS, most=1_000)) == 1_000
    with pytest.raises(StepLimitError):
        pickle.loads(pickle.dumps(Pattern("* .. *", steps=100))).count(WORDS)
    with pytest.raises(ValueError, match="steps must be from 1"):
        Pattern("*", steps=0)


def test_matches_that_are_only_counted_take_no_memory() -> None:
    pattern = Pattern(" .. ".join("****"))
    tracemalloc.start()
    try:
        assert pattern.count(WORDS) == 75 * 74 * 73 * 72 // 4
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


class InterruptedSearchError(Exception):
    pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no such timer")
def test_a_search_can_be_interrupted() -> None:
    """One that cannot ends with StepLimitError, after seconds."""

    def interrupt(*_: object) -> None:
        raise InterruptedSearchError

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        with pytest.raises(InterruptedSearchError):
            Pattern(ANYWHERE, steps=100_000_000).count(WORDS)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_the_search_agrees_with_trying_everything() -> None:
    """Random trees, and a pattern with three kinds of relation, against all triples of words."""
    chance = random.Random(7)
    for _ in range(60):
        n = chance.randint(1, 7)
        heads = [chance.choice([h for h in range(n + 1) if h != i]) for i in range(1, n + 1)]
        tags = [chance.choice("NV") for _ in range(n)]
        labels = [chance.choice(["a", "b"]) for _ in range(n)]
        sentence = Sentence.from_columns(
            [f"w{i}" for i in range(n)], upos=tags, heads=heads, deprels=labels
        )
        expected = [
            [x + 1, y + 1, z + 1]
            for x, y, z in permutations(range(n), 3)
            if tags[x] == "V"
            and heads[y] == x + 1
            and labels[y] == "a"
            and y < z
            and not any(heads[u] == z + 1 and u not in (x, y, z) for u in range(n))
        ]
        assert sorted(found("upos=V >a (* .. (* !> *))", sentence)) == sorted(expected)


PIECES = ["upos=N", "*", ">", ">a", "<<", ">>", "..", ".", "$", "!", "(", ")", "&", "|", " ", " "]
PIECES += [
    "as x",
    "as",
    "/",
    '"',
    "=",
    "!=",
    "form=/w./",
    "a:*",
    "\\",
    "Case=*",
    "misc.",
    "é",
    "\n",
]


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_any_text_is_a_pattern_or_refused_with_a_reason(text: str) -> None:
    try:
        pattern = Pattern(text)
    except PatternError as error:
        assert 0 <= error.place <= len(text) and str(error)
        return
    for match in pattern.matches(OAKS, most=50):
        assert len(match.words) == pattern.n_words
        assert repr(match).startswith("<Match ")
    assert Pattern(pattern.text).names == pattern.names
