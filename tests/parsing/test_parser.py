"""The parser as people use it: one tree for anything, in order, as it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dodona
from dodona.batches import AHEAD, BATCH
from dodona.treebank.conllu.errors import BadSentence, TreebankError
from reference.trees import is_tree
from support.small import parser, train, treebank

ROOTS = pytest.mark.parametrize("root", ["first", "last", "none"])

KNOWN = [form for sentence in treebank(60, 1) for form in sentence.forms]
text = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r"), min_size=1, max_size=5)
words = st.tuples(  # forms and tags of the language and of none
    st.one_of(st.sampled_from(KNOWN[:30]), text),
    st.one_of(st.sampled_from(["NOUN", "VERB", "PUNCT", "_"]), text),
    st.one_of(st.sampled_from(["_", "Case=Nom", "Case=", "|", "=", "Case=Nom|Case=Acc"]), text),
)


def roots_of(sentence: dodona.Sentence) -> int:
    """The number of words under the root of what must be a tree."""
    heads = tuple(-1 if head is None else head for head in sentence.heads)
    assert all(0 <= head <= len(heads) for head in heads) and is_tree(heads)
    assert all(label != "_" for label in sentence.deprels)
    return heads.count(0)


@given(st.lists(words, min_size=1, max_size=12))
@settings(max_examples=60)
def test_whatever_comes_becomes_one_tree_with_one_root(rows: list[tuple[str, str, str]]) -> None:
    forms, tags, feats = (list(column) for column in zip(*rows, strict=True))
    sentence = dodona.Sentence.from_columns(forms, upos=tags, xpos=tags[::-1], feats=feats)
    for root in ("first", "last", "none"):
        [parsed] = parser(root).pipe([sentence], keep_tags=True)
        assert roots_of(parsed) == 1
        assert (parsed.forms, parsed.upos, parsed.feats) == (forms, tags, feats)
        [several] = parser(root).pipe([sentence], roots="many")
        assert roots_of(several) >= 1


def jumbles(n_sentences: int, n_words: int) -> list[dodona.Sentence]:
    """Words of the language, but no sentences."""
    random = Random(n_words)
    return [
        dodona.Sentence.from_columns(random.choices(KNOWN, k=n_words)) for _ in range(n_sentences)
    ]


@ROOTS
def test_several_roots_are_given_where_they_are_allowed(root: str) -> None:
    assert max(map(roots_of, parser(root).pipe(jumbles(50, 12), roots="many"))) > 1
    assert max(map(roots_of, parser(root).pipe(jumbles(50, 12)))) == 1


@ROOTS
@pytest.mark.parametrize("scheme", ["none", "baseline", "head", "path", "head+path"])
def test_restoring_crossing_arcs_leaves_one_tree_with_one_root(root: str, scheme: str) -> None:
    a_parser = train(treebank(60, 1, 0.8), root=root, projectivise=scheme, epochs=1)
    for parsed in a_parser.pipe(treebank(40, 2, 0.8) + jumbles(60, 15)):
        assert roots_of(parsed) == 1
        assert not any("|" in label for label in parsed.deprels)


@ROOTS
def test_a_sentence_may_be_very_long(root: str) -> None:
    [parsed] = parser(root).pipe(jumbles(1, 5000))
    assert parsed.heads.count(0) == 1 and None not in parsed.heads
    unknown = dodona.Sentence.from_columns([f"?{i}" for i in range(5000)])
    assert parser(root).parse(unknown).heads.count(0) == 1


@ROOTS
def test_one_word_is_the_root(root: str) -> None:
    for form in ["Speak", "…", "_"]:
        parsed = parser(root).parse(dodona.Sentence.from_columns([form]))
        assert (parsed.heads, parsed.deprels) == ([0], ["root"])


def test_heads_that_were_there_do_not_matter() -> None:
    for gold in treebank(10, 4):
        bare = gold.replace(heads=[None] * len(gold), deprels=["_"] * len(gold))
        assert bytes(parser().parse(gold)) == bytes(parser().parse(bare))


def test_sentences_in_conllx_stay_so() -> None:
    sentence = dodona.Sentence.from_columns(["Oaks", "speak"], format="conllx")
    assert parser().parse(sentence).format == "conllx"


# --- streams


@ROOTS
def test_threads_change_nothing(root: str) -> None:
    corpus = treebank(300, 6)
    alone = [bytes(sentence) for sentence in parser(root).pipe(corpus)]
    assert [bytes(sentence) for sentence in parser(root).pipe(corpus, threads=4)] == alone
    assert [bytes(parser(root).parse(sentence)) for sentence in corpus[:20]] == alone[:20]


@pytest.mark.parametrize("threads", [1, 3])
def test_bad_sentences_pass_through_where_they_stand(threads: int) -> None:
    items: list[dodona.Sentence | BadSentence] = list(treebank(200, 6))
    places = [0, 1, 70, 71, 150, 203]
    for place in places:
        items.insert(place, BadSentence(b"1\tOracles\n\n", TreebankError("x.conllu", 1, "bad")))
    parsed = list(parser().pipe(items, threads=threads))
    assert [i for i, item in enumerate(parsed) if isinstance(item, BadSentence)] == places
    assert all(parsed[i] is items[i] for i in places)
    good = [item for item in parsed if isinstance(item, dodona.Sentence)]
    assert list(map(bytes, good)) == list(map(bytes, parser().pipe(treebank(200, 6))))


def test_nothing_but_bad_sentences_is_fine_too() -> None:
    bad = BadSentence(b"1\tOracles\n\n", TreebankError("x.conllu", 1, "bad"))
    assert list(parser().pipe([bad, bad])) == [bad, bad]
    assert list(parser().pipe([])) == []


def endless(sentence: dodona.Sentence, taken: list[int]) -> Iterator[dodona.Sentence]:
    while True:
        taken[0] += 1
        yield sentence


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_a_stream_is_read_as_it_is_used(threads: int) -> None:
    taken = [0]
    stream = parser().pipe(endless(treebank(1, 1)[0], taken), threads=threads)
    assert taken == [0], "nothing is read before the first result is asked for"
    most_ahead = BATCH * (1 if threads == 1 else threads * AHEAD + 1)
    for n_used in range(1, 400):
        next(stream)
        assert taken[0] < n_used + most_ahead + BATCH
    list(islice(stream, 10))


def test_a_long_sentence_does_not_wait_for_a_full_batch() -> None:
    taken = [0]
    long = dodona.Sentence.from_columns(["word"] * 5000)
    next(iter(parser().pipe(endless(long, taken))))
    assert taken == [1]


def test_an_error_in_the_stream_comes_through() -> None:
    def broken() -> Iterator[dodona.Sentence]:
        yield from treebank(70, 1)
        raise TreebankError("dev.conllu", 812, "expected 10 tab-separated columns, found 9")

    for threads in (1, 3):
        with pytest.raises(TreebankError, match=r"dev\.conllu:812"):
            list(parser().pipe(broken(), threads=threads))


@pytest.mark.parametrize("threads", [0, -1])
def test_a_parser_needs_a_thread(threads: int) -> None:
    with pytest.raises(ValueError, match="threads must be from 1 to"):
        parser().pipe([], threads=threads)


def test_an_unknown_number_of_roots_is_answered_with_the_choices() -> None:
    with pytest.raises(ValueError, match="roots is one of one, many, not 'lots'"):
        parser().pipe([], roots="lots")


def same(one: Sequence[dodona.Sentence], other: Sequence[dodona.Sentence]) -> bool:
    return list(map(bytes, one)) == list(map(bytes, other))


def test_parsers_of_one_model_can_be_used_at_once() -> None:
    """Two streams of one parser, taken in turns."""
    left, right = treebank(80, 6), treebank(80, 7)
    streams = parser().pipe(left), parser().pipe(right)
    found = list(zip(*streams, strict=True))
    assert same([one for one, _ in found], list(parser().pipe(left)))
    assert same([other for _, other in found], list(parser().pipe(right)))


def test_arrows_in_labels_mean_nothing_where_no_arc_was_lifted() -> None:
    sentence = dodona.Sentence.from_columns(
        ["Oaks", "speak"], upos=["NOUN", "VERB"], heads=[2, 0], deprels=["nsubj↑obj", "root"]
    )
    parser = train([sentence] * 5, projectivise="none")
    assert parser.parse(sentence).deprels == ["nsubj↑obj", "root"]
