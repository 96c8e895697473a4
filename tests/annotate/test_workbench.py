"""What next, completion, consistency, agreement, and texts without a treebank."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from dodona.annotate import Workbench
from dodona.annotate.agreement import kappa
from dodona.annotate.changes import Confirm, SetArc, SetComment, SetField, SplitSentence
from dodona.annotate.errors import AnnotateError, ChangeError
from dodona.annotate.plain_text import segment
from dodona.treebank.raw_text import raw_text
from dodona.validation.validator import validate
from support.annotating import LINES, change, gold, model, stripped, write

# --- what next


def test_the_order_of_the_file_skips_what_is_done(tmp_path: Path) -> None:
    data = LINES + b"\n\n" + stripped(gold(2))
    (tmp_path / "more").mkdir()
    mistaken: Any = "random"
    with Workbench(write(tmp_path, data)) as bench:
        assert [bench.next("file", after) for after in (None, 1, 3, 4)] == [1, 3, 4, 1]
        with pytest.raises(ChangeError, match="order 'random'"):
            bench.next(mistaken)
        change(bench, 1, SetArc(1, 3, "det"), SetArc(2, 3, "amod"), SetArc(3, 0))
        assert bench.next() == 3
    finished = b"".join(map(bytes, gold(2)))
    with Workbench(write(tmp_path / "more", finished)) as bench:
        assert bench.next() is None


def test_patterns_find_sentences_whether_they_are_done_or_not(tmp_path: Path) -> None:
    with Workbench(write(tmp_path)) as bench:
        pattern = "upos=VERB >nsubj *"
        assert bench.next("pattern", pattern=pattern) == 2
        assert bench.next("pattern", after=2, pattern=pattern) is None
        [match] = bench.find(pattern)
        assert (match.index, match.sent_id, match.words) == (2, "c", (2, 1))
        with pytest.raises(ChangeError, match="needs a pattern"):
            bench.next("pattern")


# --- completion


def test_labels_are_completed_by_what_the_treebank_has(tmp_path: Path) -> None:
    data = b"".join(map(bytes, gold(40))) + stripped(gold(1))
    with Workbench(write(tmp_path, data)) as bench:
        bench._learning.close()
        noun = next(word for word in bench.sentence(0).words if word.deprel == "nsubj")
        for_noun = bench.suggest(0, noun.id)
        assert for_noun[0] == "nsubj"
        assert {"obj", "root", "vocative"} <= {*for_noun}  # also what is not in the treebank
        assert bench.suggest(0, noun.id, prefix="ns") == ["nsubj"]
        assert bench.suggest(0, noun.id, "upos")[0] == noun.upos
        assert noun.form in bench.suggest(0, noun.id, "lemma")
        assert bench.suggest(0, 1, "head")[:2] == [str(bench.sentence(0).words[0].head), "2"] or (
            bench.suggest(0, 1, "head")[0] == "2"
        )
        with pytest.raises(ChangeError, match="field 'deps'"):
            bench.suggest(0, 1, "deps")


def test_the_inventory_follows_the_changes(tmp_path: Path) -> None:
    with Workbench(write(tmp_path)) as bench:
        change(bench, 2, SetField(1, "deprel", "nsubj:new"))
        assert bench.suggest(2, 1)[0] == "nsubj:new"
        bench.undo()
        assert "nsubj:new" not in bench.suggest(2, 1)


# --- consistency


def test_one_decision_is_applied_to_all_alike_sentences_in_one_step(tmp_path: Path) -> None:
    data = b"".join(map(bytes, gold(30)))
    with Workbench(write(tmp_path, data)) as bench:
        n_matches = len(bench.find("* >amod *"))
        previews = bench.preview("* >amod *", SetArc(2, 1, "acl"))
        assert len(previews) == n_matches > 3
        for preview in previews:
            word = preview.change.words if isinstance(preview.change, Confirm) else ()
            assert word == ()
            assert preview.before == bench.sentence(preview.index)
            changed = preview.after.words[preview.words[1] - 1]
            assert (changed.head, changed.deprel, changed.arc) == (preview.words[0], "acl", "set")
        change(bench, previews[0].index, SetComment(("# mine",)))  # this one was seen otherwise
        skipped = sum(preview.index == previews[0].index for preview in previews)
        assert bench.apply(previews) == n_matches - skipped
        assert len(bench.find("* >acl *")) >= n_matches - skipped
        bench.undo()
        assert len(bench.find("* >amod *")) == n_matches
        assert len(bench.preview("* >amod *", SetArc(2, 1, "acl"), most=2)) == 2
        assert bench.preview("* >amod *", Confirm()) == []  # they are confirmed
        with pytest.raises(ChangeError, match="word 3 of the pattern: a match has 2 words"):
            bench.preview("* >amod *", SetArc(3, 1))


# --- agreement


def test_two_annotators_are_compared_arc_by_arc(tmp_path: Path) -> None:
    other = tmp_path / "other.conllu"
    theirs = LINES.replace(b"4\tobl", b"4\tnsubj").replace(b"2\tpunct", b"1\tpunct")
    other.write_bytes(theirs.replace(b"VERB\tVBZ", b"AUX\tVBZ").replace(b"old", b"new"))
    with Workbench(write(tmp_path)) as bench:
        found = bench.compare(other)
        assert (found.n_sentences, found.n_words, found.unmatched) == (2, 8, (1,))
        assert (found.uas, found.las) == (87.5, 75.0)
        assert [(one.index, one.word, one.fields) for one in found.differences] == [
            (0, 3, ("deprel",)),
            (2, 2, ("upos",)),
            (2, 3, ("head",)),
        ]
        assert found.differences[2].theirs == ("1", "punct", "PUNCT")
        labels = [("case", "case"), ("det", "det"), ("obl", "nsubj"), ("root", "root")]
        labels += [("punct", "punct"), ("nsubj", "nsubj"), ("root", "root"), ("punct", "punct")]
        assert found.label_kappa == pytest.approx(kappa(labels))
        change(bench, 0, SetArc(3, 4, "nsubj"))
        assert bench.compare(other).las == 87.5
        assert bench.compare(bench.path).head_kappa == 1


def test_kappa_is_agreement_beyond_chance() -> None:
    """The example of Cohen (1960) in counts: 20 and 15 agreed, 5 and 10 not."""
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5
    pairs += [("no", "yes")] * 10 + [("no", "no")] * 15
    assert kappa(pairs) == pytest.approx(0.4)
    assert kappa([("a", "a")] * 5) is None
    assert kappa([]) is None


# --- texts


def test_a_text_becomes_a_treebank_beside_it(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text(
        "Dr. Oak met 3.5 trees.  “Speak!” she said\n\nமரம் பேசுகிறது. 木が話す。はい。\n"
    )
    with Workbench(text) as bench:
        assert bench.path == tmp_path / "notes.conllu"
        found = [" ".join(word.form for word in bench.sentence(i).words) for i in range(5)]
        assert found[0] == "Dr ."
        assert found[1:] == [
            "Oak met 3.5 trees .",
            "“ Speak ! ” she said",
            "மரம் பேசுகிறது .",
            "木 が 話 す 。",
        ]
        change(bench, 1, SetArc(1, 2, "nsubj"))
    assert [each for each in validate(bench.path) if each.level == 1] == []
    with Workbench(text) as bench:
        assert bench.sentence(1).words[0].arc == "set"


def test_rules_segment_text_without_losing_any() -> None:
    text = "He said: “No.” It's e-mail: a@b.org, see https://x.org/a.b?c! A. B. came… Well?"
    sentences = segment(text)
    assert "".join(raw_text(sentences)) == text
    forms = [form for sentence in sentences for form in sentence.forms]
    assert {"It's", "e-mail", "a@b.org", "https://x.org/a.b?c", "…"} <= {*forms}
    assert [sentence.text for sentence in sentences][2:] == ["A. B. came…", "Well?"]


def test_a_models_own_segmenter_is_used(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("Mr. Oak can't speak. He listens.")
    with Workbench(text, model="en-small") as bench:
        assert bench.n_sentences == 2
        assert "ca" in [word.form for word in bench.sentence(0).words]
        assert bench.sentence(0).words[1].arc == "guessed"


def test_what_is_neither_text_nor_treebank_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "corpus.txt"
    path.write_bytes(LINES)
    with pytest.raises(AnnotateError, match=r"this is CoNLL-U; rename the file to corpus\.conllu"):
        Workbench(path)
    path.write_text(" \n")
    with pytest.raises(AnnotateError, match="there is no text in this file"):
        Workbench(path)
    with pytest.raises(FileNotFoundError):
        Workbench(tmp_path / "missing.conllu")


# --- views


def test_views_are_json(tmp_path: Path) -> None:
    with Workbench(write(tmp_path), model=model()) as bench:
        assert json.loads(json.dumps(asdict(bench.sentence(1))))["words"][0]["arc"] == "guessed"
        assert json.loads(json.dumps(asdict(bench.overview())))["learning"]["state"] == "idle"
        [preview, *_] = bench.preview("upos=VERB >nsubj *", SetArc(2, 1, "obj"))
        assert json.loads(json.dumps(asdict(preview)))["change"]["kind"] == "set-arc"


def test_hostile_text_is_kept_as_it_is(tmp_path: Path) -> None:
    evil = "<script>alert('x')</script>&amp;\"\u202e"
    with Workbench(write(tmp_path)) as bench:
        changes = SetField(1, "form", evil), SetComment((f"# {evil}",)), SetArc(1, 2, "<b>")
        view = change(bench, 2, *changes)
        assert (view.words[0].form, view.comments, view.words[0].deprel) == (
            evil,
            (f"# {evil}",),
            "<b>",
        )
    with Workbench(tmp_path / "corpus.conllu") as bench:
        assert bench.sentence(2).words == view.words


def test_an_index_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with Workbench(write(tmp_path)) as bench:
        for index in (-1, 3):
            with pytest.raises(ChangeError, match=f"sentence {index}: there are 3, from 0"):
                bench.sentence(index)
        change(bench, 0, SplitSentence(3))
        assert bench.sentence(3).sent_id == "c"
