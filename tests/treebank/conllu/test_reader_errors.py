"""Errors in files are reported with their line, at a bounded cost."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dodona.treebank.conllu.errors import BadSentence, TreebankError
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence


def words(*heads: object, ids: list[str] | None = None) -> str:
    ids = ids or [str(i + 1) for i in range(len(heads))]
    return "".join(f"{i}\tw\t_\t_\t_\t_\t{h}\td\t_\t_\n" for i, h in zip(ids, heads, strict=True))


def sentences(text: str | bytes, **options: object) -> list[Sentence | BadSentence]:
    data = text.encode() if isinstance(text, str) else text
    return list(read(io.BytesIO(data), name="x.conllu", **options))


def error_of(text: str | bytes, **options: object) -> str:
    with pytest.raises(TreebankError) as caught:
        sentences(text, **options)
    return str(caught.value)


WRONG = {
    "columns": ("1\ta\tb\n\n", 1, "expected 10 tab-separated columns, found 3"),
    "eleven columns": (words("0\t_"), 1, "expected 10 tab-separated columns, found 11"),
    "spaces": (
        words(0) + "  \n" + words(0),
        2,
        "a line of spaces only; expected a blank line to be empty",
    ),
    "empty field": (
        "# c\n" + words(0).replace("w", ""),
        2,
        "column 2 (form) is empty; expected '_' where there is no value",
    ),
    "empty last field": (
        "1" + "\t_" * 5 + "\t0\t_\t_\t\r\n\n",
        1,
        "column 10 (misc) is empty; expected '_' where there is no value",
    ),
    "id": (words(0, ids=["x"]), 1, "expected id 1, found 'x'"),
    "id zero": (words(0, ids=["0"]), 1, "expected id 1, found '0'"),
    "leading zero": (words(0, ids=["01"]), 1, "expected id 1, found '01'"),
    "order": (words(0, 1, ids=["1", "3"]), 2, "expected id 2, found '3'"),
    "huge id": (words(0, ids=["9" * 5000]), 1, f"expected id 1, found '{'9' * 40}…'"),
    "range form": (words(0, 1, ids=["1-", "1"]), 1, "expected id 1, found '1-'"),
    "range place": (
        words(0, "_", ids=["1", "3-4"]),
        2,
        "the range 3-4 is out of place; expected it to begin at 2",
    ),
    "range reversed": (words("_", 0, ids=["2-1", "1"]), 1, "the range 2-1 ends before it begins"),
    "range overlap": (
        words("_", 0, "_", 1, ids=["1-2", "1", "2-3", "2"]),
        3,
        "the range 2-3 overlaps the one before it, which ends at 2",
    ),
    "range beyond": (
        "# c\n" + words("_", 0, ids=["1-2", "1"]) + "\n",
        2,
        "the range ends at 2, but the sentence has 1 word",
    ),
    "empty node place": (
        words(0, "_", ids=["1", "2.1"]),
        2,
        "the empty node 2.1 is out of place; expected 1.1 or id 2",
    ),
    "empty node order": (
        words(0, "_", "_", ids=["1", "1.1", "1.3"]),
        3,
        "the empty node 1.3 is out of place; expected 1.2 or id 2",
    ),
    "empty node in a range": (
        words("_", "_", 0, ids=["1-1", "0.1", "1"]),
        2,
        "the empty node 0.1 is out of place; expected 0.1 or id 1",
    ),
    "no words": (
        "# c\n" + words("_", ids=["0.1"]) + "\n",
        1,
        "no words in this sentence, only ranges or empty nodes",
    ),
    "late comment": (
        words(0) + "# late\n",
        2,
        "a comment among the words; expected comments above the first word of a sentence",
    ),
    "head": (
        words(0, "x"),
        2,
        "word 2 has head 'x'; expected a number from 0 to the number of words",
    ),
    "negative head": (
        words("-1"),
        1,
        "word 1 has head '-1'; expected a number from 0 to the number of words",
    ),
    "no head": (
        words("_"),
        1,
        "word 1 has head '_'; expected a number from 0 to the number of words",
    ),
    "head beyond": (
        "\n# c\n" + words(0, 1, 31),
        5,
        "word 3 has head 31, but the sentence has 3 words",
    ),
    "huge head": (
        words(0, "4294967297"),
        2,
        "word 2 has head 4294967297, but the sentence has 2 words",
    ),
    "own head": (words(0, 2), 2, "word 2 is its own head"),
    "cycle": (words(0, 1, 5, 3, 4), 3, "the heads of words 3, 5 and 4 form a cycle"),
    "cycle reached": (words(3, 0, 4, 3), 3, "the heads of words 3 and 4 form a cycle"),
    "long cycle": (
        words(0, *range(3, 22), 2),
        2,
        "the heads of 20 words (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …) form a cycle",
    ),
    "no root": (words(2, 1), 1, "no word has head 0; expected at least one root"),
    "no sentence": ("# c\n\n", 1, "no words in the whole file; expected sentences in CoNLL-U"),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("chunk_size", [1, 5, 1 << 18])
@pytest.mark.parametrize("end", ["", "\n", "\n\n" + words(0)])
def test_errors_name_file_line_and_expectation(case, chunk_size, end):
    text, line, message = WRONG[case]
    if case == "no sentence":
        end = ""
    before = 2 if case != "no sentence" else 0
    text = (words(0) + "\n") * (before // 2) + text + end
    assert error_of(text, chunk_size=chunk_size) == f"x.conllu:{line + before}: {message}"


@pytest.mark.parametrize(
    ("raw", "where"),
    [
        (b"\xff", "byte 3 of the line, 0xff (invalid start byte)"),
        (b"12345678\xc3(", "byte 11 of the line, 0xc3 (invalid continuation byte)"),
        (b"\xed\xa0\x80", "byte 3 of the line, 0xed (invalid continuation byte)"),
        (b"\xc0\xaf", "byte 3 of the line, 0xc0 (invalid start byte)"),
        (b"\xf4\x90\x80\x80", "byte 3 of the line, 0xf4 (invalid continuation byte)"),
    ],
)
def test_invalid_utf8_is_found_in_words_and_comments(raw, where):
    for line in (words(0).encode().replace(b"w", raw), b"# " + raw + b"\n"):
        found = error_of(words(0).encode() + b"\n" + line + b"\n")
        assert found == f"x.conllu:3: invalid UTF-8 at {where}; expected a file in UTF-8"


@settings(max_examples=500, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=24),
        st.lists(
            st.sampled_from([b"a", b"\x80", b"\xbf", b"\xc2", b"\xe0", b"\xed", b"\xf0", b"\xf4"]),
            max_size=12,
        ).map(b"".join),
        st.text(max_size=12).map(lambda text: text.encode("utf-8", "surrogatepass")),
    ).filter(lambda raw: not set(b"\t\r\n") & set(raw))
)
def test_utf8_is_what_python_says_it_is(raw):
    line = b"# " + raw + b"\n" + words(0).encode() + b"\n"
    try:
        line.decode()
    except UnicodeDecodeError:
        assert "invalid UTF-8" in error_of(line)
    else:
        assert bytes(sentences(line)[0]) == line


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=9), st.sampled_from(["required", "optional"])
)
def test_trees_are_those_where_every_word_climbs_to_the_root(heads, trees):
    def climbs(word: int) -> bool:
        for _ in heads:
            word = heads[word - 1] if word else 0
        return word == 0

    heads = [min(head, len(heads)) for head in heads]
    if all(climbs(word) for word in range(1, len(heads) + 1)):
        assert sentences(words(*heads), trees=trees)[0].heads == heads
    else:
        assert "cycle" in (found := error_of(words(*heads), trees=trees)) or (
            "own head" in found or "no word has head 0" in found
        )


def test_several_roots_are_a_tree():
    assert sentences(words(0, 0))[0].heads == [0, 0]


def test_optional_trees_may_miss_heads_but_not_have_wrong_ones():
    assert sentences(words("_", "1"), trees="optional")[0].heads == [None, 1]
    assert error_of(words("_", "3"), trees="optional").endswith(
        "word 2 has head 3, but the sentence has 2 words"
    )
    assert error_of(words("_", "3", "2"), trees="optional").endswith("2 and 3 form a cycle")
    assert "word 1 has head '__'" in error_of(words("__"), trees="optional")


def test_ignored_trees_read_as_none_where_they_are_no_heads():
    (s,) = sentences(words("x", "31", "2", "_", "3"), trees="ignored")
    assert s.heads == [None, None, 2, None, 3]


def test_conllx_has_words_only():
    assert sentences("# tolerated\n" + words(0), format="conllx")[0].format == "conllx"
    assert error_of(words("_", 0, ids=["1-1", "1"]), format="conllx") == (
        "x.conllu:1: expected id 1, found '1-1'; CoNLL-X has no ranges and no empty nodes"
    )


def test_sentences_before_an_error_are_read_and_nothing_after_it():
    found = read(io.BytesIO((words(0) + "\n" + words(9) + "\n" + words(0)).encode()))
    assert next(found).heads == [0]
    with pytest.raises(TreebankError):
        next(found)
    assert list(found) == []


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("chunk_size", [1, 1 << 18])
def test_bad_sentences_pass_untouched_and_are_counted(case, chunk_size):
    wrong = WRONG[case][0].rstrip("\n") + "\n\n"
    text = words(0) + "\n" + wrong + words(0, 1) + "\n" + wrong
    if case == "no sentence":
        text = wrong
    found = read(io.BytesIO(text.encode()), bad="pass", name="x", chunk_size=chunk_size)
    items = list(found)
    assert b"".join(map(bytes, items)).decode() == text
    bad = [item for item in items if isinstance(item, BadSentence)]
    assert found.n_bad == len(bad) == (1 if case == "no sentence" else 2)
    assert bad[0].error.message == WRONG[case][2]
    assert [len(s) for s in items if isinstance(s, Sentence)] == ([1, 2] if len(bad) == 2 else [])


@pytest.mark.thorough
@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.sampled_from([*"\n\n\t\t\t#1 2-.0_ax\r", words(0), "\n", "é", "\x80"]), max_size=40
    ),
    st.sampled_from([1, 3, 1 << 18]),
)
def test_any_bytes_at_all_pass_with_bad_pass(pieces, chunk_size):
    data = "".join(pieces).encode("latin-1")
    found = read(io.BytesIO(data), bad="pass", chunk_size=chunk_size, max_words=2)
    assert b"".join(map(bytes, found)) == data


class Endless(io.RawIOBase):
    """A file of `n` copies of one block that is never stored."""

    def __init__(self, block: bytes, n: int) -> None:
        self.block, self.n, self.n_read = block, n, 0

    def read(self, size: int = -1) -> bytes:
        copies = min(self.n, size // len(self.block) + 1)
        self.n -= copies
        self.n_read += copies * len(self.block)
        return self.block * copies


class Generated(io.RawIOBase):
    """A file made of lines as they are asked for."""

    def __init__(self, lines) -> None:
        self.lines, self.n_read = iter(lines), 0

    def read(self, size: int = -1) -> bytes:
        chunk = b"".join(line for _, line in zip(range(5000), self.lines, strict=False))
        self.n_read += len(chunk)
        return chunk


def test_a_sentence_without_end_fails_before_it_is_read_whole():
    numbered = (b"%d\tw\t_\t_\t_\t_\t0\t_\t_\t_\n" % i for i in range(1, 10_000_001))
    source = Generated(numbered)
    with pytest.raises(TreebankError) as caught:
        list(read(source, max_words=50_000, name="x"))
    assert str(caught.value) == (
        "x:50001: a sentence of more than 50,000 words or 13,848,576 bytes; "
        "expected a blank line after each sentence (or raise max_words)"
    )
    assert source.n_read < 4_000_000


@pytest.mark.parametrize("junk", [b"x", b"x" * 9 + b"\r\n"])
def test_a_block_without_end_passes_in_bounded_pieces(junk):
    source = Endless(junk * 1000, 10_000_000 // len(junk) // 1000)
    found = read(source, bad="pass", max_words=1000)
    sizes = [len(bytes(item)) for item in found]
    assert sum(sizes) == source.n_read and max(sizes) < 4_000_000 and len(sizes) > 3
    assert found.n_bad == 1


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 50, 1 << 18])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_after_a_block_that_is_too_long_reading_goes_on(chunk_size, end):
    text = (words(*[0] * 9) + "\n" + words(0, 1) + "\n").replace("\n", end).encode()
    found = read(io.BytesIO(text), bad="pass", max_words=4, chunk_size=chunk_size)
    items = list(found)
    assert b"".join(map(bytes, items)) == text
    assert found.n_bad == 1 and [len(s) for s in items if isinstance(s, Sentence)] == [2]
