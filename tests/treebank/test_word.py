"""Words: columns, heads, dependents, subtrees and offsets."""

from __future__ import annotations

import io
import json
import pickle

import pytest
from hypothesis import given

import dodona
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence
from dodona.treebank.tokens import Token, escape_spaces, unescape_spaces
from support.sentences import ORACLE
from support.trees import trees


def only(text: str) -> Sentence:
    (found,) = read(io.BytesIO(text.encode()), name="oracle.conllu")
    return found


@pytest.fixture(params=["\n", "\r\n"], ids=["LF", "CRLF"])
def sentence(request: pytest.FixtureRequest) -> Sentence:
    return only(ORACLE.replace("\n", request.param))


def test_a_sentence_is_a_sequence_of_words(sentence: Sentence) -> None:
    words = list(sentence)
    assert len(words) == len(sentence) == 8
    assert all(isinstance(word, dodona.Word) for word in words)
    assert sentence[0] == words[0] and sentence[-1] == words[7]
    assert sentence[2:4] == words[2:4] and sentence[::-1] == words[::-1]
    assert [sentence[i] for i in range(-8, 8)] == words + words
    for beyond in (8, -9):
        with pytest.raises(IndexError, match=f"no word at {beyond}, the sentence has 8 words"):
            sentence[beyond]
    with pytest.raises(TypeError):
        sentence["form"]  # type: ignore[call-overload]


def test_words_tell_what_the_columns_tell(sentence: Sentence) -> None:
    columns = {
        "id": list(range(1, 9)),
        "form": sentence.forms,
        "lemma": sentence.lemmas,
        "upos": sentence.upos,
        "xpos": sentence.xpos,
        "feats": sentence.feats,
        "head": sentence.heads,
        "deprel": sentence.deprels,
        "deps": sentence.deps,
        "misc": sentence.misc,
    }
    for name, column in columns.items():
        assert [getattr(word, name) for word in sentence] == column, name
    assert all(word.sentence is sentence for word in sentence)


def test_features_are_a_dictionary(sentence: Sentence) -> None:
    assert sentence[0].features == {"Mood": "Imp", "Number": "Plur"}
    assert sentence[1].features == {}
    assert Sentence.from_columns(["x"], feats=["sg|Gloss=a=b"])[0].features == {
        "sg": "",
        "Gloss": "a=b",
    }


def test_the_tree_around_a_word(sentence: Sentence) -> None:
    allez, y, a, le, chene, comma, vite, _ = sentence
    assert allez.parent is None and chene.parent == allez and comma.parent == vite
    assert allez.children == [y, chene, vite, sentence[7]]
    assert chene.left_children == [a, le] and chene.right_children == []
    assert allez.left_children == [] and allez.right_children == allez.children
    assert le.ancestors == [chene, allez] and allez.ancestors == []
    assert chene.subtree == [a, le, chene] and allez.subtree == list(sentence)
    assert sentence.root == allez and sentence.roots == [allez]


@given(trees(max_words=12))
def test_subtrees_and_ancestors_are_two_sides_of_one_thing(heads: list[int]) -> None:
    sentence = Sentence.from_columns(["w"] * len(heads), heads=heads)
    for word in sentence:
        assert word.parent == (sentence[word.head - 1] if word.head else None)
        assert word.children == [child for child in sentence if child.head == word.id]
        assert word.left_children + word.right_children == word.children
        for other in sentence:
            below = other == word or word in other.ancestors
            assert (other in word.subtree) == below
    assert [word.id for word in sentence.roots] == [
        i for i, head in enumerate(heads, start=1) if head == 0
    ]


def test_a_circle_does_not_go_on_for_ever() -> None:
    lines = [
        f"{i}\t{form}\t_\t_\t_\t_\t{head}\tx\t_\t_\n" for i, form, head in ("1a2", "2b1", "3c9")
    ]
    text = "".join(lines) + "\n"
    (sentence,) = read(io.BytesIO(text.encode()), trees="ignored")
    a, b, c = sentence
    assert a.subtree == b.subtree == [a, b] and c.subtree == [c]
    assert len(a.ancestors) <= 3
    assert c.head is None and c.parent is None and c.ancestors == []
    assert sentence.root is None and sentence.roots == []


def test_offsets_of_words_are_those_of_their_letters(sentence: Sentence) -> None:
    text = sentence.text
    assert [(word.start, word.end) for word in sentence] == [
        (0, 5),  # Allez-y is Allez and -y
        (5, 7),
        (8, 10),  # but au is not à and le
        (8, 10),
        (11, 16),
        (16, 17),
        (18, 22),
        (22, 23),
    ]
    assert [text[token.start : token.end] for token in sentence.tokens] == [
        token.form for token in sentence.tokens
    ]
    for misc in ("_", "TokenRange=3", "TokenRange=a:b", "MyTokenRange=1:2", "TokenRange=-1:2"):
        word = Sentence.from_columns(["x"], misc=[misc])[0]
        assert word.start is None and word.end is None
        assert Token(1, 1, "x", misc).start is None


def test_spaces_are_those_of_the_token(sentence: Sentence) -> None:
    # SpaceAfter=No of word 2 says nothing: its token has a space after it
    assert [word.space_after for word in sentence] == [
        False,
        True,
        False,
        True,
        False,
        True,
        False,
        True,
    ]


def test_tokens_cover_the_words(sentence: Sentence) -> None:
    assert [(t.first, t.last, t.form, t.is_multiword) for t in sentence.tokens] == [
        (1, 2, "Allez-y", True),
        (3, 4, "au", True),
        (5, 5, "chêne", False),
        (6, 6, ",", False),
        (7, 7, "vite", False),
        (8, 8, "!", False),
    ]


def test_a_range_in_the_first_line_of_a_file_is_found() -> None:
    lines = ORACLE.split("\n", 2)[2].encode()
    for start in (b"", b"\xef\xbb\xbf", b"\n", b"\r\n", b"\xef\xbb\xbf\n", b"# 3-4\n"):
        (sentence,) = read(io.BytesIO(start + lines))
        assert sentence.tokens[0].form == "Allez-y" and sentence[1].start == 5, start
        assert not sentence[0].space_after and sentence[1].space_after
    (plain,) = read(io.BytesIO(b"\xef\xbb\xbf1\tx\t_\t_\t_\t_\t0\t_\t_\tSpaceAfter=No\n"))
    assert len(plain.tokens) == 1 and not plain[0].space_after


def test_the_text_is_that_of_the_comment_or_of_the_tokens(sentence: Sentence) -> None:
    assert sentence.text == "Allez-y au chêne, vite!" and sentence.sent_id == "dodona-1"
    bare = only("\n".join(ORACLE.split("\n")[2:]))
    assert bare.text == "Allez-y au chêne, vite!" and bare.sent_id is None
    odd = Sentence.from_columns(["x"], comments=["#text=a = b", "# sent_id", "# newpar"])
    assert odd.text == "a = b" and odd.sent_id is None


def test_white_space_is_escaped_as_udpipe_does() -> None:
    assert escape_spaces(" \t\n\r|\\") == r"\s\t\n\r\p\\"
    for text in (" \t\n\r|\\", r"\s", r"\\n", "\u00a0", ""):
        assert unescape_spaces(escape_spaces(text)) == text
    assert [
        Token(1, 1, "x", m).white_space for m in ("_", "SpaceAfter=No", r"SpacesAfter=\n\n")
    ] == [
        " ",
        "",
        "\n\n",
    ]


def test_equal_words_are_the_same_word_of_equal_sentences(sentence: Sentence) -> None:
    again = only(bytes(sentence).decode())
    assert again == sentence and hash(again) == hash(sentence) and again is not sentence
    assert again[1] == sentence[1] and hash(again[1]) == hash(sentence[1])
    assert again[1] != sentence[2] and again[1] != "-y" and sentence != "x"
    assert sentence.replace(lemmas=["x"] * 8) != sentence
    assert sentence.replace(lemmas=["x"] * 8)[1] != sentence[1]
    conllx = Sentence.from_columns(["x"], format="conllx")
    assert conllx != Sentence.from_columns(["x"])
    assert len({*sentence, *again}) == 8


def test_words_and_sentences_survive_pickle(sentence: Sentence) -> None:
    again = pickle.loads(pickle.dumps(sentence))
    assert bytes(again) == bytes(sentence) and again.heads == sentence.heads
    assert (again.source, again.line, again.format) == ("oracle.conllu", 1, "conllu")
    assert pickle.loads(pickle.dumps(sentence[3])) == sentence[3]
    file = b"\n\n# a\n\n1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n\n1\ty\t_\t_\t_\t_\t_\t_\t_\t_\r\n\r\n# tail"
    for first in read(io.BytesIO(file), trees="optional", name="f"):
        second = pickle.loads(pickle.dumps(first))
        assert bytes(second) == bytes(first) and second.line == first.line
    conllx = Sentence.from_columns(["x"], heads=[0], format="conllx")
    assert pickle.loads(pickle.dumps(conllx)).format == "conllx"


def test_words_show_themselves(sentence: Sentence) -> None:
    assert repr(sentence[4]) == "<Word 5 chêne>" and str(sentence[4]) == "chêne"
    with pytest.raises(TypeError, match="words come from a sentence"):
        dodona.Word()


def test_a_sentence_draws_itself(sentence: Sentence) -> None:
    assert sentence.tree().split("\n")[0] == "●─┬───► Allez  VERB   root"
    assert "DET" not in Sentence.from_columns(["a"], heads=[0]).tree()
    svg = sentence.to_svg()
    assert svg == sentence._repr_svg_() and svg.count('class="word"') == 8
    assert ">VERB<" in svg and ">V<" not in svg
    assert ">V<" in sentence.to_svg(tags="xpos") and 'class="tag"' not in sentence.to_svg(tags=None)
    assert "<style" not in sentence.to_svg(standalone=False)
    assert "<title>a tree</title>" in sentence.to_svg(title="a tree")
    with pytest.raises(ValueError, match="tags is 'upos', 'xpos' or None; found 'pos'"):
        sentence.to_svg(tags="pos")  # type: ignore[arg-type]


def test_a_sentence_without_a_tree_can_still_be_drawn_as_svg() -> None:
    sentence = Sentence.from_columns(["a", "b"], heads=[2, None])
    assert sentence.to_svg().count('class="arc"') == 1
    assert 'class="tag"' not in sentence.to_svg()
    with pytest.raises(ValueError, match="<memory>:1: no tree to draw: 1 words have no head"):
        sentence.tree()
    with pytest.raises(ValueError, match="no tree to draw; try"):
        Sentence.from_columns(["a", "b"], heads=[2, 1]).tree()


def test_a_sentence_as_conllu_ends_with_a_blank_line() -> None:
    line = "1\tx\t_\t_\t_\t_\t0\troot\t_\t_"
    for end in ("", "\n", "\n\n", "\r\n", "\r\n\r\n"):
        text = only(line + end).to_conllu()
        assert text.replace("\r", "") == line + "\n\n"
    assert only(ORACLE).to_conllu() == ORACLE
    conllx = Sentence.from_columns(["x"], heads=[0], deprels=["root"], format="conllx")
    assert conllx.to_conllu() == line + "\n\n"
    (marked,) = read(io.BytesIO(b"\xef\xbb\xbf" + line.encode()))
    assert marked.to_conllu() == line + "\n\n"


def test_a_sentence_as_data(sentence: Sentence) -> None:
    found = sentence.to_dict(as_text=True)
    assert found["text"] == sentence.text and found["comments"] == sentence.comments
    assert [word["form"] for word in found["words"]] == sentence.forms
    assert found["words"][4] == {
        "id": 5,
        "form": "chêne",
        "lemma": "chêne",
        "upos": "NOUN",
        "xpos": "N",
        "feats": "Gender=Masc",
        "head": 1,
        "deprel": "obl",
        "deps": "1:obl",
        "misc": "SpaceAfter=No|TokenRange=11:16",
    }
    assert [(t["first"], t["last"], t["form"]) for t in found["tokens"]] == [
        (1, 2, "Allez-y"),
        (3, 4, "au"),
    ]
    assert "tokens" not in Sentence.from_columns(["x"]).to_dict()


def test_data_has_features_as_maps_and_offsets(sentence: Sentence) -> None:
    word = sentence.to_dict()["words"][4]
    assert word["feats"] == {"Gender": "Masc"}
    assert word["misc"] == {"SpaceAfter": "No", "TokenRange": "11:16"}
    assert (word["start"], word["end"]) == (11, 16)
    assert json.loads(sentence.to_json()) == sentence.to_dict()


def test_the_subtree_of_a_chain_is_found_in_one_pass() -> None:
    """A chain of fifty thousand words must not be climbed from each word."""
    chain = Sentence.from_columns(["oak"] * 50_000, heads=list(range(50_000)))
    assert len(chain[0].subtree) == 50_000
    assert chain[49_998].subtree == [chain[49_998], chain[49_999]]
