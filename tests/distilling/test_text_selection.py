"""Selection of the sentences of a text that are annotated."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from dodona import Sentence
from dodona.distilling.text_selection import (
    AGAIN,
    FOREIGN,
    LONG,
    ODD,
    SEEN,
    SentenceFilter,
    find_scripts,
    find_texts,
    read_sentences,
)

OAK = Sentence.from_columns(["The", "oak", "speaks", "."])


def sentence(text: str) -> Sentence:
    return Sentence.from_columns(text.split())


def test_what_is_held_out_repeated_long_or_odd_is_left_out() -> None:
    wanted = SentenceFilter(find_scripts([OAK]), longest=5)
    wanted.hold_out([OAK])
    given = {
        "THE  oak speaks !": SEEN,  # also in other letters and with other marks
        "Doves sat on it .": "",
        "doves sat on it": AGAIN,
        "one two three four five six": LONG,
        "3 . 141 592": ODD,
        "Δωδώνη ήταν μαντείο": FOREIGN,
        "Zeus said Δωδώνη": "",
    }
    expected = [text.split() for text, why in given.items() if not why]
    assert [s.forms for s in wanted.select(map(sentence, given))] == expected
    assert wanted.left_out == dict.fromkeys((SEEN, AGAIN, LONG, ODD, FOREIGN), 1)


def test_only_words_are_taken_over() -> None:
    known = OAK.replace(heads=[2, 3, 0, 3], deprels=["det", "nsubj", "root", "punct"])
    (found,) = SentenceFilter({"LATIN"}).select([known])
    assert found.heads == [None] * 4 and found.comments == []


def test_scripts_are_those_of_the_treebank() -> None:
    many = [sentence("oak " * 60), sentence("ω")]
    assert find_scripts(many) == {"LATIN"}
    assert find_scripts([sentence("oak ω")]) == {"LATIN", "GREEK"}


def test_files_are_read_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "a.tokens.txt").write_text("An oak .\n\nIt speaks .\n", encoding="utf-8")
    with gzip.open(tmp_path / "b.conllu.gz", "wb") as file:
        file.write(bytes(OAK))
    (tmp_path / "c.md").write_text("no text", encoding="utf-8")
    paths = find_texts([str(tmp_path)])
    assert [path.name for path in paths] == ["a.tokens.txt", "b.conllu.gz"]
    found = [s.forms for path in paths for s in read_sentences(path, None)]
    assert found == [["An", "oak", "."], ["It", "speaks", "."], OAK.forms]
    plain = tmp_path / "d.txt"
    plain.write_bytes(b"An oak.\n\xff\n")
    with pytest.raises(ValueError, match="plain text needs a segmenter"):
        list(read_sentences(plain, None))
    (tmp_path / "e.tokens.txt").write_bytes(b"An oak .\n\xff\n")
    with pytest.raises(ValueError, match=r"e\.tokens\.txt:2: the text is not UTF-8"):
        list(read_sentences(tmp_path / "e.tokens.txt", None))


def test_a_text_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no such file or folder"):
        find_texts([str(tmp_path / "none.txt")])
    with pytest.raises(ValueError, match=r"ends in \.txt"):
        find_texts([str(tmp_path)])
