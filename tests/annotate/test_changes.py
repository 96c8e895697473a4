"""Changes in JSON: read strictly, written losslessly."""

from __future__ import annotations

import json

import pytest

from dodona.annotate.changes import (
    Change,
    ClearArc,
    ClearRange,
    Confirm,
    MergeSentence,
    MergeWords,
    SetArc,
    SetComment,
    SetField,
    SetRange,
    SplitSentence,
    SplitWord,
    change_from_json,
    change_to_json,
)
from dodona.annotate.errors import ChangeError

EACH: list[Change] = [
    SetArc(3, 0),
    SetArc(3, 5, "nsubj:pass"),
    ClearArc(1),
    SetField(2, "feats", ""),
    Confirm(),
    Confirm((1, 4)),
    SplitWord(2, ("de", "le")),
    MergeWords(1, 3),
    SetRange(1, 2, "du"),
    ClearRange(1),
    SplitSentence(4),
    MergeSentence(),
    SetComment(("# text = <b>",)),
]


@pytest.mark.parametrize("change", EACH, ids=lambda change: change.kind)
def test_a_change_survives_json(change: Change) -> None:
    assert change_from_json(json.loads(json.dumps(change_to_json(change)))) == change


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "a change is a JSON object, not list"),
        ({"word": 3}, "unknown kind of change None; expected one of set-arc, "),
        ({"kind": ["set-arc"]}, "unknown kind of change"),
        ({"kind": "set-arc", "word": 3}, "set-arc: head is missing"),
        ({"kind": "set-arc", "word": 0, "head": 1}, "set-arc: word is a number from 1, not 0"),
        ({"kind": "set-arc", "word": True, "head": 1}, "word is a number from 1, not True"),
        ({"kind": "set-arc", "word": 1, "head": -1}, "head is a number from 0, not -1"),
        ({"kind": "set-arc", "word": 1, "head": 1.0}, "head is a number from 0, not 1.0"),
        ({"kind": "set-arc", "word": 1, "head": 2, "deprel": 7}, "deprel is a string, not 7"),
        ({"kind": "clear-arc", "word": 1, "hed": 2}, "clear-arc: unknown fields hed"),
        ({"kind": "set-field", "word": 1, "field": "upos", "value": None}, "value is a string"),
        ({"kind": "confirm", "words": "12"}, "words are a list of numbers or null, not '12'"),
        ({"kind": "confirm", "words": [1, "2"]}, "word is a number from 1, not '2'"),
        ({"kind": "split-word", "word": 1, "forms": "ab"}, "forms are a list of strings"),
        ({"kind": "set-comment", "lines": [1]}, "value is a string, not 1"),
    ],
)
def test_anything_else_is_refused(data: object, message: str) -> None:
    with pytest.raises(ChangeError) as refused:
        change_from_json(data)
    assert message in str(refused.value)
