"""Conversion of documents to and from Arrow tables."""

from __future__ import annotations

import pytest

from dodona import Doc, Sentence
from support.sentences import ORACLE
from support.small import treebank

pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: dodona[arrow]")

NAMES = ["sentence", "sent_id", "id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel"]
NAMES += ["deps", "misc", "start", "end"]


def test_a_row_for_each_word() -> None:
    doc = Doc([*Doc.from_conllu(ORACLE), Sentence.from_columns(["Speak"])])
    table = doc.to_arrow()
    assert table.column_names == NAMES and table.num_rows == 9
    columns = table.to_pydict()
    assert columns["sentence"] == [1] * 8 + [2]
    assert columns["sent_id"] == ["dodona-1"] * 8 + [None]
    for name in NAMES[2:]:
        assert columns[name] == [getattr(word, name) for word in doc.words], name
    assert columns["head"][-1] is None and columns["start"][:4] == [0, 5, 8, 8]
    assert columns["start"][-1] is None


def test_types_do_not_depend_on_what_is_there() -> None:
    for doc in (Doc([]), Doc([Sentence.from_columns(["x"])]), Doc.from_conllu(ORACLE)):
        types = {field.name: str(field.type) for field in doc.to_arrow().schema}
        numbers = {"sentence", "id", "head", "start", "end"}
        assert types == {name: "int32" if name in numbers else "string" for name in NAMES}


def test_there_and_back() -> None:
    doc = Doc(treebank(30, 2))
    assert Doc.from_arrow(doc.to_arrow()) == doc
    partial = Doc([Sentence.from_columns(["a", "b"], heads=[None, 1], comments=["# sent_id = 7"])])
    assert Doc.from_arrow(partial.to_arrow()) == partial
    assert Doc.from_arrow(Doc([]).to_arrow()) == Doc([])


def test_a_token_of_several_words_leaves_its_words() -> None:
    doc = Doc.from_arrow(Doc.from_conllu(ORACLE).to_arrow())
    assert doc[0].forms == Doc.from_conllu(ORACLE)[0].forms
    assert doc[0].heads == Doc.from_conllu(ORACLE)[0].heads


def test_only_forms_are_needed() -> None:
    assert Doc.from_arrow(pyarrow.table({"form": ["Oaks", "speak"]}))[0].forms == ["Oaks", "speak"]
    table = pyarrow.table({"form": ["Oaks", "speak"], "sentence": [4, 9], "lemma": [None, "speak"]})
    doc = Doc.from_arrow(table)
    assert [s.lemmas for s in doc] == [["_"], ["speak"]]
    with pytest.raises(ValueError, match="no column 'form', only lemma"):
        Doc.from_arrow(pyarrow.table({"lemma": ["oak"]}))
