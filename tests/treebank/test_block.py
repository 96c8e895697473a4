"""Blocks of sentences: the same bytes as sentences one by one, through all that annotates them."""

from __future__ import annotations

import io
import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dodona
from dodona.cli.outputs import encode_json, json_line
from dodona.core.features.corpus import Corpus
from dodona.treebank.block import Block
from dodona.treebank.encoding.encoding import Encoder
from dodona.treebank.json_lines import json_lines
from dodona.treebank.trees.word_kinds import set_kinds
from support.small import treebank

SENTENCES = treebank(12, 1)
BLOCK = Block.of(SENTENCES)


def test_a_block_is_a_sequence_of_its_sentences() -> None:
    assert [*BLOCK] == BLOCK.sentences() == SENTENCES
    assert (len(BLOCK), BLOCK.n_words) == (12, sum(map(len, SENTENCES)))
    assert BLOCK[3] == SENTENCES[3] and BLOCK[3].heads == SENTENCES[3].heads
    for index in (12, -1):
        with pytest.raises(IndexError, match=f"no sentence {index} among 12"):
            BLOCK[index]


def test_its_bytes_are_conllu() -> None:
    expected = b"".join(map(bytes, SENTENCES))
    file = io.BytesIO()
    file.write(BLOCK)
    assert bytes(BLOCK) == file.getvalue() == bytes(memoryview(BLOCK)) == expected
    assert bytes(Block()) == bytes(memoryview(Block())) == b"" and not [*Block()]


def test_parts_of_a_block() -> None:
    assert [*BLOCK.part(2, 5)] == SENTENCES[2:5] and BLOCK.part(0, 12) is BLOCK
    assert len(BLOCK.part(4, 4)) == 0
    for first, end in ((0, 13), (5, 4)):
        with pytest.raises(IndexError):
            BLOCK.part(first, end)


def test_sentences_are_replaced_by_others_of_any_size() -> None:
    oaks = dodona.Sentence.from_columns(["Oaks"] * 50, heads=[0] + [1] * 49)
    changed = BLOCK.replaced({0: oaks, 11: oaks})
    assert [*changed] == [oaks, *SENTENCES[1:-1], oaks] and changed[11].heads == oaks.heads
    with pytest.raises(IndexError, match="no sentence 12 among 12"):
        BLOCK.replaced({12: oaks})


@cache
def encoder() -> Encoder:
    made = Encoder(["form", "upos"], labels=[b"root", b"obj"])
    made.learn(SENTENCES)
    return made


def test_blocks_are_encoded_and_decoded_like_lists() -> None:
    corpora = [encoder().encode(SENTENCES), encoder().encode(BLOCK)]
    for corpus in corpora:
        for i, sentence in enumerate(SENTENCES):
            n = len(sentence)
            corpus.set_tree(i, [0, *range(1, n)], [0] + [1] * (n - 1))
    as_list = encoder().decode(corpora[0], SENTENCES)
    assert encoder().decode(corpora[1], BLOCK).sentences() == as_list
    assert as_list[0].deprels[:2] == ["root", "obj"]
    assert encoder().sentences_with(corpora[1], [1]) == [*range(12)]
    assert encoder().sentences_with(corpora[1], []) == []
    with pytest.raises(ValueError, match="there is no label 2"):
        encoder().sentences_with(corpora[1], [2])


def test_a_block_of_another_corpus_is_refused() -> None:
    parsed = encoder().encode(BLOCK)
    for block in (BLOCK.part(0, 11), Block.of(SENTENCES[::-1])):
        with pytest.raises(ValueError, match="not the sentences of the corpus"):
            encoder().decode(parsed, block)
    with pytest.raises(ValueError, match="it is not parsed"):
        encoder().decode(parsed, BLOCK)
    with pytest.raises(ValueError, match="kinds for 0 words"):
        set_kinds(Corpus(1), BLOCK)


@cache
def pipeline() -> dodona.Parser:
    return dodona.train(treebank(30, 1, lemmas=True), pipeline="text", epochs=1)


TEXT = " ".join(" ".join(sentence.forms) for sentence in treebank(60, 9)) + " 🌳 € 🌳. \n\nOh!"


@pytest.mark.parametrize("model", ["small", "en-small"])
def test_texts_are_annotated_like_their_sentences(model: str) -> None:
    parser = pipeline() if model == "small" else dodona.load(model)
    assert parser.segmenter is not None
    sentences = parser.segmenter.segment(TEXT)
    block = Block.of(sentences)
    expected = [*parser.pipe(sentences)]
    assert [*parser(TEXT, threads=2)] == expected
    assert [*next(parser.docs([TEXT], threads=2))] == expected
    assert [*parser.pipe_text(iter([TEXT[:99], TEXT[99:]]))] == expected
    assert parser.tagger is not None
    tagged = parser.tagger.tag_batch(block)
    assert isinstance(tagged, Block) and [*tagged] == parser.tagger.tag_batch(sentences)


# --- JSON

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@cache
def english() -> dodona.Segmenter:
    found = dodona.load("en-small").segmenter
    assert found is not None
    return found


@given(TEXTS, st.sampled_from(["", "de"]))
@settings(max_examples=150, deadline=None)
def test_json_of_blocks_is_that_of_sentences(text: str, language: str) -> None:
    hostile = f'"{text}" don\'t \\ / \x08\x0c\x1f\x7f |=| a|b=c'
    for given_text in (text, hostile):
        block = Block.of(english().segment(given_text, language=language))
        lines = json_lines(block, json_line)
        assert lines == "".join(map(json_line, block)).encode()
        assert encode_json(block).n_words == block.n_words


COLUMNS = ["_", "A=b", "A=b|C=d", "A=b|A=c", "A", "A=", "A|B=", "|", "A=b|", "=b", "A=b=c", '"=\\']


OFFSETS = ["0:4", "12:15", "01:4", "1:", ":", "1:2:3", "x:2", "\u0661:\u0662"]


@pytest.mark.parametrize("feats", COLUMNS)
@pytest.mark.parametrize("offsets", OFFSETS)
def test_json_of_odd_columns(feats: str, offsets: str) -> None:
    made = dodona.Sentence.from_columns(
        ["Oaks", "speak"],
        feats=[feats, "_"],
        heads=[None, 0],
        misc=[f"TokenRange={offsets}", "B=c|TokenRange=5:10|Gloss"],
        comments=["# sent_id = 1", "# text = Oaks speak"],
    )
    assert json_lines(Block.of([made] * 2), json_line) == 2 * json_line(made).encode()
    assert json.loads(json_line(made))["words"][0]["form"] == "Oaks"
