"""Error analysis by hand, punctuation rules, and comparison of systems that segment the text."""

from __future__ import annotations

import json

import pytest

import dodona
from dodona import Sentence
from dodona.evaluation.pairs import find_rule

FORMS = ["Oaks", "speak", "truth", "."]


def make(heads: list[int], deprels: list[str], **columns: list[str]) -> Sentence:
    columns = {"upos": ["NOUN", "VERB", "NOUN", "PUNCT"]} | columns
    return Sentence.from_columns(FORMS, heads=heads, deprels=deprels, **columns)


GOLD = make([2, 0, 2, 2], ["nsubj", "root", "obj", "punct"])
SYSTEM = make(
    [2, 0, 1, 2], ["iobj", "root", "obj", "punct"], upos=["NOUN", "NOUN", "NOUN", "PUNCT"]
)


def test_what_is_confused_and_how_often() -> None:
    found = dodona.analyse([GOLD, GOLD, GOLD], [GOLD, SYSTEM, SYSTEM], train=[GOLD])
    assert found.labels == {("nsubj", "iobj"): 2}
    assert found.tags == {("VERB", "NOUN"): 2}
    assert {
        name: (p.n_words, p.n_attached, p.n_labelled) for name, p in found.by_depth.items()
    } == {
        "1": (3, 3, 3),
        "2": (9, 7, 5),
    }
    assert {name: p.n_words for name, p in found.by_known.items()} == {"known": 12}
    assert [(s.number, s.wrong, s.las) for s in found.worst] == [(2, [1, 3], 50), (3, [1, 3], 50)]


def test_words_that_training_has_not_seen() -> None:
    found = dodona.analyse([GOLD], [SYSTEM], train=[Sentence.from_columns(["Oaks", "speak"])])
    assert {name: p.n_words for name, p in found.by_known.items()} == {"known": 2, "unknown": 2}


def test_depth_where_trees_are_none() -> None:
    loop = Sentence.from_columns(["a", "b", "c"], heads=[2, 1, 0], deprels=["x", "x", "root"])
    found = dodona.analyse([loop], [loop])
    assert sum(part.n_words for part in found.by_depth.values()) == 3


def test_the_table_the_data_and_the_page() -> None:
    found = dodona.analyse([GOLD, GOLD], [GOLD, SYSTEM])
    assert "iobj" in found.table() and "worst sentences" in found.table()
    data = json.loads(json.dumps(found.to_dict()))
    assert data["labels"] == [{"gold": "nsubj", "system": "iobj", "n_words": 1}]
    page = found.to_html("A & B")
    assert "<h1>A &amp; B</h1>" in page
    assert page.count('class="arc missing"') == page.count('class="arc wrong"') == 2
    assert page.count('class="arc"') == 2


@pytest.mark.parametrize(
    ("columns", "rule", "said", "n_left"),
    [
        ({}, "auto", "by UPOS PUNCT", 3),
        ({"upos": ["N", "V", "N", "IK"]}, "auto", "by UPOS IK", 3),
        ({"upos": ["N", "V", "N", "IK"], "xpos": ["NN", "VB", "NN", "."]}, "auto", "by XPOS .", 3),
        ({"upos": ["_"] * 4}, "auto", "by characters", 3),
        ({}, "characters", "by characters", 3),
        ({"upos": ["N", "V", "N", "N"]}, "auto", "by characters", 3),
        ({"upos": ["N", "V", "N", "IK"]}, "upos", "by UPOS PUNCT", 4),
        ({"xpos": ["N", "V", "N", "N"]}, "xpos", "by UPOS PUNCT", 3),
    ],
)
def test_the_punctuation_rule_is_reported(
    columns: dict[str, list[str]], rule: str, said: str, n_left: int
) -> None:
    gold = make([2, 0, 2, 2], ["nsubj", "root", "obj", "punct"], **columns)
    scores = dodona.evaluate([gold], [gold], punctuation=False, punctuation_by=rule)
    assert (scores.punctuation_by, scores.n_words) == (said, n_left)
    assert f"({said})" in scores.table()
    with pytest.raises(ValueError, match="expected one of auto, upos"):
        find_rule([gold], "smell")


def test_there_is_no_clas_where_labels_are_not_universal() -> None:
    gold = make([2, 0, 2, 2], ["SB", "ROOT", "OA", "--"])
    scores = dodona.evaluate([gold], [gold])
    assert scores.clas is None
    assert "CLAS" in scores.table() and "\N{EN DASH}" in scores.table()
    assert dodona.evaluate([GOLD], [GOLD]).clas == 100


def test_two_systems_from_raw_text() -> None:
    other = Sentence.from_columns(
        ["Oak", "s", "speak", "truth", "."],
        heads=[2, 3, 0, 3, 3],
        deprels=["dep", "nsubj", "root", "obj", "punct"],
        misc=["SpaceAfter=No", *"____"],
    )
    found = dodona.compare_text([GOLD], [GOLD], [other])
    assert (found.score_a, found.score_b, found.n_only_a, found.n_only_b) == (100, 75, 1, 0)
    with pytest.raises(ValueError, match="expected 'uas' or 'las'"):
        dodona.compare_text([GOLD], [GOLD], [other], metric="clas")  # type: ignore[arg-type]
