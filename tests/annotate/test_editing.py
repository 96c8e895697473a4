"""Changes to sentences, line by line: what they change, and all that they leave as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from dodona.annotate import Workbench
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
)
from dodona.annotate.errors import ChangeError
from support.annotating import LINES, change, write


def differences(path: Path, index: int, *changes: Change) -> tuple[list[str], list[str]]:
    """The lines that some changes remove from the file, and those that they add."""
    with Workbench(path) as bench:
        change(bench, index, *changes)
    old, new = (data.decode().split("\n") for data in (LINES, path.read_bytes()))
    return [line for line in old if line not in new], [line for line in new if line not in old]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path)


def test_an_arc_changes_one_line(path: Path) -> None:
    removed, added = differences(path, 0, SetArc(3, 4, "nsubj"))
    assert removed == ["3\tchêne\tchêne\tNOUN\t_\t_\t4\tobl\t4:obl\tGloss=oak\r"]
    assert added == ["3\tchêne\tchêne\tNOUN\t_\t_\t4\tnsubj\t4:obl\tGloss=oak|Arc=Set\r"]


def test_a_tag_changes_one_line(path: Path) -> None:
    removed, added = differences(path, 2, SetField(3, "upos", "SYM"))
    assert removed == ["3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_"]
    assert added == ["3\t.\t.\tSYM\t.\t_\t2\tpunct\t_\tTags=Set"]


def test_comments_are_replaced(path: Path) -> None:
    removed, added = differences(path, 1, SetComment(("# text = the old oak", "# note = ✓")))
    assert (removed, added) == (["#no space, = and <markup>"], ["# note = ✓"])


def test_the_rest_of_misc_is_set_and_marks_stay(path: Path) -> None:
    changes = SetArc(3, 0, "root"), SetField(3, "misc", "SpaceAfter=No")
    _, added = differences(path, 1, *changes)
    assert added == ["3\toak\t_\t_\t_\t_\t0\troot\t_\tSpaceAfter=No|Arc=Set"]


def test_a_head_without_a_label_is_marked_as_such(path: Path) -> None:
    _, added = differences(path, 1, SetArc(1, 3))
    assert added == ["1\tthe\t_\t_\t_\t_\t3\t_\t_\tArc=Head"]


def test_a_new_root_replaces_the_old_one(path: Path) -> None:
    removed, added = differences(path, 0, SetArc(3, 0))
    assert added[0].split("\t")[6:8] == ["0", "root"]
    assert added[1] == "4\tparle\tparler\tVERB\t_\t_\t_\t_\t0:root\t_\r"
    assert len(removed) == 2


def test_attaching_a_word_below_itself_turns_the_arc_around(path: Path) -> None:
    with Workbench(path) as bench:
        words = change(bench, 0, SetArc(4, 1, "dep")).words
    assert [word.head for word in words] == [3, 3, None, 1, 4]
    assert [word.arc for word in words] == ["confirmed", "confirmed", "open", "set", "confirmed"]


def test_a_word_that_is_no_longer_wanted_is_open_again(path: Path) -> None:
    _, added = differences(path, 2, SetArc(3, 1, "punct"), ClearArc(3))
    assert added == ["3\t.\t.\tPUNCT\t.\t_\t_\t_\t_\t_"]


def test_splitting_a_word_shifts_all_that_follow(path: Path) -> None:
    with Workbench(path) as bench:
        view = change(bench, 0, SplitWord(3, ("chê", "ne")))
        words = [(word.form, word.head, word.space_after) for word in view.words]
        assert words[2:] == [
            ("chê", 5, False),
            ("ne", None, True),
            ("parle", 0, True),
            ("!", 5, True),
        ]
        assert [word.head for word in view.words[:2]] == [3, 3]
        assert view.text == "Du chêne parle !"
    text = path.read_bytes().decode()
    assert "\n5.1\t_\t_\tPRON\t_\t_\t_\t_\t5:nsubj\t_\r\n6\t!" in text
    assert "5:punct" in text


def test_forms_that_do_not_spell_a_word_make_it_a_multiword_token(path: Path) -> None:
    with Workbench(path) as bench:
        view = change(bench, 1, SplitWord(3, ("o", "ac")))
    assert [(each.first, each.last, each.form) for each in view.ranges] == [(3, 4, "oak")]
    assert view.text == "the old oak"
    assert not view.ranges[0].space_after


def test_a_split_inside_a_multiword_token_extends_it(path: Path) -> None:
    with Workbench(path) as bench:
        view = change(bench, 0, SplitWord(2, ("l", "e")))
    assert [(each.first, each.last) for each in view.ranges] == [(1, 3)]


def test_merging_undoes_splitting(path: Path) -> None:
    with Workbench(path) as bench:
        view = change(bench, 1, SplitWord(2, ("ol", "d")), MergeWords(2, 3))
        assert [word.form for word in view.words] == ["the", "old", "oak"]
    assert path.read_bytes() == LINES


def test_merged_words_keep_the_arc_that_leaves_them(path: Path) -> None:
    with Workbench(path) as bench:
        view = change(bench, 0, MergeWords(3, 4))
        words = [(word.form, word.head, word.deprel, word.upos) for word in view.words]
        assert words[:2] == [("De", 3, "case", "ADP"), ("le", 3, "det", "DET")]
        assert words[2:] == [("chêne parle", 0, "root", "_"), ("!", 3, "punct", "PUNCT")]
        assert view.text == "Du chêne parle !"
    assert b"\n3.1\t_\t_\tPRON\t_\t_\t_\t_\t3:nsubj\t_\r\n" in path.read_bytes()


def test_merging_a_whole_multiword_token_keeps_its_form(path: Path) -> None:
    with Workbench(path) as bench:
        view = change(bench, 0, MergeWords(1, 2))
        assert view.words[0].form == "Du"
        assert view.text == "Du chêne parle !"


def test_multiword_tokens_come_and_go(path: Path) -> None:
    with Workbench(path) as bench:
        view = change(bench, 2, SetRange(2, 3, "speaks."))
        assert [(each.form, each.space_after) for each in view.ranges] == [("speaks.", True)]
        view = change(bench, 2, SetRange(2, 3, "Speaks."), ClearRange(2))
        assert view.ranges == ()


def test_a_token_that_goes_leaves_its_words_as_they_were_written(path: Path) -> None:
    with Workbench(path) as bench:
        form = bench.sentence(2).words[1].form
        parts = form[:2], form[2:]
        view = change(bench, 2, SplitWord(2, parts), SetRange(2, 3, form), ClearRange(2))
        assert [word.space_after for word in view.words[1:3]] == [False, view.words[2].space_after]
        assert change(bench, 2, MergeWords(2, 3)).words[1].form == form


def test_a_sentence_is_split_and_merged_again(path: Path) -> None:
    with Workbench(path) as bench:
        view = change(bench, 0, SplitSentence(4))
        assert (bench.n_sentences, view.text) == (4, "Du chêne")
        assert [word.head for word in view.words] == [3, 3, None]
        second = bench.sentence(1)
        assert (second.sent_id, second.text) == ("a-2", "parle !")
        assert [word.head for word in second.words] == [0, 1]
        view = change(bench, 0, MergeSentence())
        assert (bench.n_sentences, view.text, view.sent_id) == (3, "Du chêne parle !", "a")
        assert [word.head for word in view.words] == [3, 3, None, 0, 4]


def test_of_two_roots_a_merged_sentence_keeps_the_first(path: Path) -> None:
    with Workbench(path) as bench:
        view = change(bench, 1, SetArc(3, 0), MergeSentence())
        assert [word.head for word in view.words] == [None, None, 0, 5, None, 5]


@pytest.mark.parametrize(
    ("index", "refused", "message"),
    [
        (0, SetArc(6, 1), "word 6: the sentence has 5 words"),
        (0, SetArc(1, 6), "head 6: the sentence has 5 words"),
        (0, SetArc(2, 2), "word 2 cannot be its own head"),
        (0, SetArc(2, 3, "a b"), "expected a value without white space"),
        (0, SetField(1, "form", "a\tb"), "expected a value without tabs and line ends"),
        (0, SetField(1, "form", "\ud800"), "which is not Unicode text"),
        (0, SetField(1, "id", "7"), "field 'id': expected one of form, lemma"),
        (0, SetField(1, "misc", "Arc=Set"), "Arc and Tags are marks of the workbench"),
        (1, SetField(1, "deprel", "det"), "word 1 has no head yet: set its arc first"),
        (0, SplitWord(1, ("a",)), "expected at least two forms"),
        (0, SplitWord(1, ("a", "")), "form is ''"),
        (0, MergeWords(2, 2), "expected at least two words to merge"),
        (0, MergeWords(2, 3), "words 2 to 3 include a part of the multiword token 1-2"),
        (0, MergeWords(4, 5), "an empty node is among them"),
        (0, SetRange(2, 3, "x"), "words 2 to 3 overlap the token 1-2"),
        (0, ClearRange(2), "no multiword token begins with it"),
        (0, SplitSentence(1), "word 1 is already the first of its sentence"),
        (0, SplitSentence(2), "word 2 is inside the multiword token 1-2"),
        (2, MergeSentence(), "there is no next sentence to merge with"),
        (0, SetComment(("text",)), "expected one line that begins with '#'"),
        (0, SetComment(("# a\n# b",)), "expected one line that begins with '#'"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(
    path: Path, index: int, refused: Change, message: str
) -> None:
    with Workbench(path) as bench:
        before = bench.sentence(index)
        with pytest.raises(ChangeError) as error:
            bench.change(index, before.revision, refused)
        assert message in str(error.value)
        assert bench.sentence(index) == before
        assert bench.overview().n_decisions == 0
    assert path.read_bytes() == LINES


def test_consent_marks_what_was_guessed(path: Path) -> None:
    data = LINES.replace(b"\tGloss=oak", b"\tGloss=oak|Arc=Guessed|Tags=Upos")
    write(path.parent, data)
    with Workbench(path) as bench:
        assert bench.sentence(0).state == "partial"
        view = change(bench, 0, Confirm((3,)))
        assert view.state == "done"
    assert path.read_bytes() == LINES.replace(b"=oak", b"=oak|Arc=Confirmed|Tags=Set")
