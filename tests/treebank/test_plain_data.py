"""One JSON: shell, Python and server write the same objects, which are read back without loss."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dodona
from dodona.bridges.json_schema import SCHEMA
from dodona.doc import Doc
from dodona.synthetic.generator import write_treebank
from dodona.treebank.plain_data import JsonError, from_data
from support.repository import ROOT
from support.shell import Shell

EVERYTHING = """\
# newpar
# sent_id = s1
# text = Vámonos al mar
0.1\tya\tya\tADV\t_\t_\t_\t_\t1:advmod\t_
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\tGloss=go|Gloss=us
1\tVamos\tir\tVERB\tVM\tMood=Imp|Typo\t0\troot\t0:root\tX=1|X=2|Confidence=0.9500
2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t1:obj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\t_
3\ta\ta\tADP\t_\t_\t5\tcase\t_\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t_\tA==b
4.1\te\te\t_\t_\tCase=Nom\t_\t_\t1:obj\tCopyOf=1
5\tmar\tmar\tNOUN\t_\tGender=Masc\t_\t_\t_\tSpaceAfter=No

"""


def is_valid(data: Any, schema: dict[str, Any] = SCHEMA) -> bool:
    """Check data by the keywords that our schema uses, and refuse to overlook others."""
    if "$ref" in schema:
        return is_valid(data, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]])
    known = {"type", "required", "properties", "additionalProperties", "items", "anyOf", "minimum"}
    known |= {"maximum", "pattern", "description", "title", "$schema", "$defs"}
    assert schema.keys() <= known
    if "anyOf" in schema:
        return any(is_valid(data, one) for one in schema["anyOf"])
    kinds = {"object": dict, "array": list, "string": str, "integer": int, "null": type(None)}
    kinds |= {"number": (int, float)}
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if isinstance(data, bool) or not any(isinstance(data, kinds[name]) for name in names):
        return False
    if isinstance(data, dict):
        inner, rest = schema.get("properties", {}), schema["additionalProperties"]
        return {*schema.get("required", ())} <= data.keys() and all(
            is_valid(value, inner[name]) if name in inner else rest and is_valid(value, rest)
            for name, value in data.items()
        )
    if isinstance(data, list):
        return all(is_valid(item, schema["items"]) for item in data)
    if isinstance(data, (int, float)):
        return schema.get("minimum", data) <= data <= schema.get("maximum", data)
    return data is None or re.search(schema.get("pattern", ""), data) is not None


def test_everything_that_conllu_has_survives() -> None:
    doc = Doc.from_conllu(EVERYTHING)
    again = Doc.from_json(doc.to_json())
    assert again.to_conllu() == EVERYTHING
    assert again == doc
    assert is_valid(json.loads(doc.to_json()))


def test_the_schema_refuses_other_shapes() -> None:
    data = Doc.from_conllu(EVERYTHING).to_dict()
    for damage in ({"head": "1"}, {"head": -1}, {"form": 7}, {"feats": {"A": 1}}, {"other": 1}):
        word = data["sentences"][0]["words"][0]
        before = dict(word)
        word |= damage
        assert not is_valid(data), damage
        word.clear()
        word |= before
    assert is_valid(data)
    del data["sentences"][0]["words"][0]["form"]
    assert not is_valid(data)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["_", "A=1", "A=1|B=2", "A", "A=", "A=1|A=1", "=", "A=b=c", "|"]),
            st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1),
        ),
        min_size=1,
    )
)
def test_any_columns_survive(words: list[tuple[str, str]]) -> None:
    sentence = dodona.Sentence.from_columns(
        [form for _, form in words],
        feats=[value for value, _ in words],
        misc=[value for value, _ in words],
    )
    assert bytes(from_data(sentence.to_dict())) == bytes(sentence)


def test_shell_python_and_lines_agree(shell: Shell, tmp_path: Path) -> None:
    path, out = tmp_path / "gold.conllu", tmp_path / "gold.json"
    write_treebank(path, 20, seed=1)
    assert shell("convert", path, "-o", out).code == 0
    sentences = list(dodona.read(path))
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert lines == [sentence.to_dict() for sentence in sentences]
    assert lines == Doc(sentences).to_dict()["sentences"]
    assert list(Doc.from_json(out.read_bytes())) == sentences


def test_the_server_answers_with_the_same_sentences(tmp_path: Path) -> None:
    from dodona.server.answers.parse_answers import describe
    from dodona.server.limits import Limits
    from dodona.server.requests.parse_request import ParseRequest
    from dodona.server.routes.api import DESCRIPTION

    sentence = Doc.from_conllu(EVERYTHING)[0]
    asked = ParseRequest.__new__(ParseRequest)
    object.__setattr__(asked, "svg", False)
    object.__setattr__(asked, "graph", False)
    assert json.loads(describe(sentence, asked, Limits(), b"")) == sentence.to_dict()
    schemas = DESCRIPTION["components"]["schemas"]
    assert schemas["Word"] == SCHEMA["$defs"]["word"]
    assert (
        schemas["Sentence"]["properties"].keys() >= SCHEMA["$defs"]["sentence"]["properties"].keys()
    )


def test_the_published_schema_is_that_of_the_code() -> None:
    published = ROOT / "docs" / "reference" / "document.schema.json"
    assert json.loads(published.read_text()) == SCHEMA


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([1], "sentences[0] must be an object, not 1"),
        ({"words": [{"form": 3}]}, "sentence.words[0].form must be a string, not 3"),
        ({"words": [{}]}, "sentence.words[0].form must be a string, not None"),
        ({"words": [{"form": "a\tb"}]}, "sentence.words[0]: a value with a tab"),
        ({"words": [{"form": "a", "head": "1"}]}, "head must be a whole number or null, not '1'"),
        ({"words": [{"form": "a"}], "comments": [3]}, "comments must contain strings, not 3"),
        ({"words": []}, "sentence.words is empty"),
    ],
)
def test_data_of_another_shape_are_refused_with_their_place(data: Any, message: str) -> None:
    with pytest.raises(JsonError, match=re.escape(message)):
        Doc.from_dict(data)


def test_a_head_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="word 1 has head 9"):
        Doc.from_dict({"words": [{"form": "Oaks", "head": 9}]})
