"""Encoding of sentences as integers, and decoding of trees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dodona
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.encoding.vocabulary import Vocabulary

N_RESERVED = 3  # nothing there, the root, a string never seen
UNKNOWN = 2


@given(st.lists(st.binary(max_size=20), max_size=200), st.lists(st.binary(max_size=3)))
def test_a_vocabulary_numbers_strings_in_the_order_they_came(
    strings: list[bytes], others: list[bytes]
) -> None:
    vocabulary = Vocabulary(strings)
    distinct = list(dict.fromkeys(strings))
    assert vocabulary.strings() == distinct and len(vocabulary) == len(distinct)
    assert [vocabulary[string] for string in distinct] == list(
        range(N_RESERVED, N_RESERVED + len(distinct))
    )
    for other in set(others) - set(distinct):
        assert vocabulary[other] == UNKNOWN


def test_a_large_vocabulary_loses_nothing() -> None:
    strings = [f"{i:x}".encode() for i in range(20_000)]
    vocabulary = Vocabulary(strings)
    assert [vocabulary[string] for string in strings] == list(range(3, 20_003))
    assert vocabulary[b"oak"] == UNKNOWN


def test_strings_that_differ_only_beyond_eight_bytes_or_in_zeros_are_distinct() -> None:
    strings = [b"", b"\0", b"\0\0", b"abcdefgh", b"abcdefgh\0", b"abcdefghi", b"abcdefghj"]
    assert Vocabulary(strings).strings() == strings


def learned(column: str, **columns: list[str]) -> list[bytes]:
    """Return the strings that an encoder reads in a column."""
    n_words = len(next(iter(columns.values())))
    encoder = Encoder([column])
    forms = columns.pop("forms", ["word"] * n_words)
    encoder.learn([dodona.Sentence.from_columns(forms, **columns)])
    return encoder.vocabularies[0].strings()


def test_each_column_is_read_from_its_field() -> None:
    assert learned("form", forms=["Oak", "oak"]) == [b"Oak", b"oak"]
    assert learned("lemma", lemmas=["oak", "tree"]) == [b"oak", b"tree"]
    assert learned("upos", upos=["NOUN", "VERB"]) == [b"NOUN", b"VERB"]
    assert learned("xpos", xpos=["NN", "VB"]) == [b"NN", b"VB"]
    assert learned("feats", feats=["Case=Nom", "_"]) == [b"Case=Nom", b"_"]


def test_a_tag_is_upos_and_xpos() -> None:
    tags = learned("tag", upos=["A", "AB", "A"], xpos=["BC", "C", "_"])
    assert tags == [b"A\tBC", b"AB\tC", b"A\t_"]


@pytest.mark.parametrize(
    ("feats", "value"),
    [
        ("Case=Nom", b"Nom"),
        ("Abbr=Yes|Case=Acc,Nom|Number=Sing", b"Acc,Nom"),
        ("Number=Sing|Case=Gen", b"Gen"),
        ("_", b""),
        ("Number=Sing", b""),
        ("XCase=Nom", b""),
        ("Cases=Nom", b""),
        ("Case", b""),
        ("Case[x]=Nom", b""),
        ("Number=Case=Nom", b""),
    ],
)
def test_a_named_feature_is_read_from_all_of_them(feats: str, value: bytes) -> None:
    assert learned("feats:Case", feats=[feats]) == [value]


def test_an_unknown_column_is_refused() -> None:
    with pytest.raises(ValueError, match="no column 'shape'"):
        Encoder(["form", "shape"])


def test_labels_are_numbered_as_they_come() -> None:
    encoder = Encoder(["form"], labels=[b"root"])
    assert [encoder.add_label(label) for label in (b"obj", b"root", b"obj")] == [1, 0, 1]
    assert encoder.labels == [b"root", b"obj"]


def test_trees_go_in_and_come_out() -> None:
    gold = dodona.Sentence.from_columns(
        ["Oaks", "speak"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj", "root"]
    )
    bare = gold.replace(heads=[None, None], deprels=["_", "_"])
    encoder = Encoder(["form"], labels=[b"root", b"nsubj"])
    corpus = encoder.encode([gold], trees=True)
    assert (corpus.heads(0), corpus.labels(0)) == ([2, 0], [1, 0])
    assert encoder.encode([gold]).heads(0) == [None, None]
    assert [bytes(s) for s in encoder.decode(corpus, [bare])] == [bytes(gold)]
