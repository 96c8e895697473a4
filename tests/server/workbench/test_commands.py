"""Typed commands: what each means, and what is said of those that mean nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')

from dodona.annotate import Workbench
from dodona.annotate.changes import (
    Change,
    ClearArc,
    ClearRange,
    Confirm,
    MergeSentence,
    MergeWords,
    SetArc,
    SetField,
    SetRange,
    SplitSentence,
    SplitWord,
)
from dodona.annotate.errors import ChangeError
from dodona.annotate.views import SentenceView
from dodona.server.workbench.commands import HELP, Action, read_command
from support.annotate_lab import PRIEST, bare


def view_of(folder: Path, conllu: str) -> SentenceView:
    path = folder / "one.conllu"
    path.write_text(conllu, encoding="utf-8")
    with Workbench(path) as workbench:
        return workbench.sentence(0)


@pytest.fixture
def view(tmp_path: Path) -> SentenceView:
    return view_of(tmp_path, PRIEST)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("3 < 5 nsubj", SetArc(3, 5, "nsubj")),
        ("  3<5   nsubj:pass ", SetArc(3, 5, "nsubj:pass")),
        ("5 > 3 nsubj", SetArc(3, 5, "nsubj")),
        ("3 < 5", SetArc(3, 5)),
        ("3 < 0", SetArc(3, 0, "root")),
        ("3 < _", ClearArc(3)),
        ("3 obl", SetArc(3, 4, "obl")),
        ("3 upos NOUN", SetField(3, "upos", "NOUN")),
        ("3 feats Case=Nom|Number=Plur", SetField(3, "feats", "Case=Nom|Number=Plur")),
        ("3 form old oak", SetField(3, "form", "old oak")),
        ("3 lemma _", SetField(3, "lemma", "_")),
        ("3 split do n't", SplitWord(3, ("do", "n't"))),
        ("3-4 merge", MergeWords(3, 4)),
        ("3 - 4 token don't", SetRange(3, 4, "don't")),
        ("2-3 token", SetRange(2, 3, "oldpriests")),
        ("3 untoken", ClearRange(3)),
        ("3 cut", SplitSentence(3)),
        ("append", MergeSentence()),
        ("ok", Confirm()),
        ("ok 3", Confirm((3,))),
        ("ok 3-5", Confirm((3, 4, 5))),
        ("undo", Action("undo")),
        ("go 12", Action("go", "12")),
        ("find upos=NOUN  >obl *", Action("find", "upos=NOUN >obl *")),
    ],
)
def test_a_command_means_a_change_or_an_action(
    view: SentenceView, text: str, meant: Change | Action
) -> None:
    assert read_command(text, view) == meant


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("speak", "“speak” is no command; type for example 3 < 5 nsubj"),
        ("6 < 4 obj", "there is no word 6; this sentence has words 1 to 5"),
        ("3 < 99999999999999999999999 obj", "there is no word 99999999999999999999;"),
        ("0 < 4 obj", "there is no word 0"),
        ("4-3 merge", "4-3 ends before it begins"),
        ("3 merge", "“merge” cannot be done with word 3"),
        ("3-4 split a b", "“split” cannot be done with words 3-4"),
        ("3 upos", "what is the upos of word 3?"),
        ("3 > _", "to take the arc of word 3 away, type 3 < _"),
        ("3 <b>", "“<b>” cannot be done with word 3"),
    ],
)
def test_an_error_says_what_to_type(view: SentenceView, text: str, why: str) -> None:
    with pytest.raises(ChangeError) as error:
        read_command(text, view)
    assert why in str(error.value)


def test_a_relation_without_a_head_decides_only_the_relation(tmp_path: Path) -> None:
    assert read_command("2 obj", view_of(tmp_path, bare(3))) == SetField(2, "deprel", "obj")


def test_a_multiword_token_is_taken_away_by_any_of_its_words(tmp_path: Path) -> None:
    lines = PRIEST.splitlines(keepends=True)
    lines.insert(3, "2-3\toldpriests" + "\t_" * 8 + "\n")
    assert read_command("3 untoken", view_of(tmp_path, "".join(lines))) == ClearRange(2)


def test_every_command_of_the_help_is_one(view: SentenceView) -> None:
    for examples, _ in HELP:
        for example in examples.split(", "):
            read_command(example, view)
