"""Labels of graphs are valid in UD for any words."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dodona
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.graphs.enhanced import enhanced_graph, with_graph
from dodona.treebank.graphs.graph_decoding import GraphDecoder
from dodona.treebank.graphs.legal_labels import legal_label
from dodona.treebank.graphs.lexical_labels import delexicalise, lexicalise

PLAIN = re.compile("[a-z]+")
MARKED = ["root", "conj:{cc}", "cc", "obl:{case}:{Case}", "case"]


def is_legal(label: str) -> bool:
    """Match UD's pattern, with a word in the second or third part, without `regex`."""
    parts = label.split(":")
    words = [i for i, part in enumerate(parts) if not PLAIN.fullmatch(part)]
    if len(parts) > 4 or words not in ([], [1], [2]) or (words == [1] and len(parts) == 4):
        return False
    return all(is_word(parts[i]) for i in words)


def is_word(part: str) -> bool:
    letters = {"Ll", "Lm", "Lo", "Mn", "Mc", "Me"}
    return all(
        piece and all(unicodedata.category(c) in letters for c in piece)
        for piece in part.split("_")
    )


@pytest.mark.parametrize(
    ("label", "legal"),
    [
        ("conj:&", "conj"),
        ("conj:/", "conj"),
        ("nmod:vs.", "nmod:vs"),
        ("obl:vis-à-vis", "obl:vis_à_vis"),
        ("nmod:O'er:Gen", "nmod:o_er:gen"),
        ("obl:இலிருந்து:nom", "obl:இலிருந்து:nom"),
        ("obl:arg:குறி:nom", "obl:arg:குறி:nom"),
        ("obl:в:на:loc", "obl:в:loc"),
        ("a:b:c:d:e", "a:b:c:d"),
        ("conj:&>nsubj:2", "conj>nsubj"),
        ("conj:_", "conj"),
        ("nsubj:xsubj", "nsubj:xsubj"),
        ("ARG1", "ARG1"),  # not of UD: none of our business
        ("SBJ:x-y", "SBJ:x-y"),
    ],
)
def test_what_is_not_allowed_is_left_out(label: str, legal: str) -> None:
    assert legal_label(label) == legal


@given(st.lists(st.text(max_size=6), max_size=5))
def test_labels_with_a_relation_of_ud_become_legal_and_stay_so(parts: list[str]) -> None:
    found = legal_label(":".join(["obl", *parts]).replace(">", ""))
    assert is_legal(found) and legal_label(found) == found


@given(st.text(min_size=1, max_size=5), st.text(min_size=1, max_size=5))
def test_the_decoder_equals_the_python_functions(lemma: str, case: str) -> None:
    """No words that mark a phrase make a label illegal."""
    clean = [re.sub(r"[\s|=>\x00-\x1f\x7f-\xa0]", "", text) or "&" for text in (lemma, case)]
    sentence = dodona.Sentence.from_columns(
        ["oaks", clean[0], "doves", clean[0]],
        lemmas=["oak", clean[0], "dove", clean[0]],
        feats=["_", "_", f"Case={clean[1]}", "_"],
    )
    for label in (1, 3):  # with a conjunction, or with a preposition and a case
        arcs = [(0, 0, 1), (1, label, 3), (3, 2, 2), (3, 4, 4)]
        plain = lexicalise(sentence, [(h, MARKED[number], d) for h, number, d in arcs])
        assert all(is_legal(name) for _, name, _ in plain)
        corpus = Encoder(["form"]).encode([sentence])
        corpus.set_graph(0, arcs)
        assert enhanced_graph(GraphDecoder(MARKED).decode(corpus, [sentence])[0]) == plain


def test_what_treebanks_have_comes_back() -> None:
    sentence = dodona.Sentence.from_columns(
        ["salt", "&", "oil", "of", "oaks"], lemmas=["salt", "&", "oil", "of", "oak"]
    )
    graph = frozenset(
        {(0, "root", 1), (3, "cc", 2), (1, "conj", 3), (5, "case", 4), (3, "nmod:of", 5)}
    )
    assert lexicalise(sentence, delexicalise(sentence, graph)) == graph
    old = frozenset({*graph - {(1, "conj", 3)}, (1, "conj:&", 3)})  # as no treebank should
    assert lexicalise(sentence, delexicalise(sentence, old)) == graph
    assert enhanced_graph(with_graph(sentence, graph)) == graph
