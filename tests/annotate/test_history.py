"""Nothing is lost: undo without end, the journal, locks, and processes that are killed."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dodona.annotate import Workbench, workbench
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
from dodona.annotate.errors import AnnotateError, ChangeError, ConflictError, LockedError
from dodona.annotate.journal import JournalError
from dodona.annotate.views import SentenceView
from dodona.treebank.conllu.reader import read
from support.annotate_killing import kill_once
from support.annotating import LINES, change, model, write
from support.waiting import until

NUMBERS = st.integers(1, 6)
TEXTS = st.sampled_from(["a", "b c", "<i>", "nsubj", "VERB", "_", "Case=Nom", "é"])
CHANGES: st.SearchStrategy[Change] = st.one_of(
    st.builds(SetArc, NUMBERS, st.integers(0, 6), st.sampled_from([None, "nsubj", "obj"])),
    st.builds(ClearArc, NUMBERS),
    st.builds(SetField, NUMBERS, st.sampled_from(["form", "lemma", "upos", "misc"]), TEXTS),
    st.builds(Confirm, st.none() | st.tuples(NUMBERS)),
    st.builds(SplitWord, NUMBERS, st.tuples(TEXTS, TEXTS)),
    st.builds(MergeWords, NUMBERS, NUMBERS),
    st.builds(SetRange, NUMBERS, NUMBERS, TEXTS),
    st.builds(ClearRange, NUMBERS),
    st.builds(SplitSentence, NUMBERS),
    st.builds(MergeSentence),
    st.builds(SetComment, st.tuples(st.sampled_from(["# a", "#", "# sent_id = a", "b"]))),
)
STEPS = st.lists(
    st.tuples(st.integers(0, 2), CHANGES | st.sampled_from(["undo", "redo"])), max_size=12
)


def perform(bench: Workbench, index: int, step: Change | str) -> None:
    """Do what is possible, and leave the rest."""
    try:
        if isinstance(step, str):
            bench.undo() if step == "undo" else bench.redo()
        else:
            change(bench, index, step)
    except ChangeError:
        pass


def abandon(bench: Workbench) -> None:
    """Let go of the files without saving, as if the process had been killed."""
    bench._closing.set()
    bench._store.close()


def contents(bench: Workbench) -> list[SentenceView]:
    """All sentences; revisions are those of a process."""
    views = map(bench.sentence, range(bench.n_sentences))
    return [replace(view, revision="") for view in views]


@pytest.mark.parametrize("with_model", [False, True])
@settings(max_examples=15)
@given(steps=STEPS)
def test_whatever_was_changed_survives_a_restart_and_can_be_undone(
    tmp_path_factory: pytest.TempPathFactory, with_model: bool, steps: list[tuple[int, Change]]
) -> None:
    path = write(tmp_path_factory.mktemp("history"))
    name = model() if with_model else "none"
    with Workbench(path, model=name) as bench:
        for number, (index, step) in enumerate(steps):
            perform(bench, index, step)
            if number % 5 == 4:
                bench.save()
        live, n_decisions = contents(bench), bench.overview().n_decisions
        abandon(bench)
        with Workbench(path, model=name) as again:
            assert contents(again) == live
            assert again.overview().n_decisions == n_decisions
            again.save()
            assert all(len(sentence) > 0 for sentence in read(path, trees="optional"))
            while again.overview().can_undo:
                again.undo()
            again.save()
            assert path.read_bytes() == LINES
            while again.overview().can_redo:
                again.redo()
            if not any(step == "undo" for _, step in steps):
                assert contents(again) == live


def test_undo_and_redo_go_through_the_whole_work(tmp_path: Path) -> None:
    path = write(tmp_path)
    with Workbench(path) as bench:
        change(bench, 2, SetArc(1, 2, "obj"))
        change(bench, 1, SetArc(1, 3, "det"))
    with Workbench(path) as bench:
        assert bench.undo().index == 1
        assert bench.undo().index == 2
        with pytest.raises(ChangeError, match="nothing to undo"):
            bench.undo()
        assert bench.redo().words[0].deprel == "obj"
        change(bench, 0, ClearArc(1))
        with pytest.raises(ChangeError, match="nothing to redo"):
            bench.redo()


def test_a_stale_page_destroys_nothing(tmp_path: Path) -> None:
    with Workbench(write(tmp_path)) as bench:
        seen_by_both = bench.sentence(1).revision
        newer = bench.change(1, seen_by_both, SetArc(1, 3, "det"))
        with pytest.raises(ConflictError, match="sentence 2 has changed since it was shown"):
            bench.change(1, seen_by_both, SetArc(1, 2, "amod"))
        assert bench.sentence(1).words == newer.words
        bench.change(1, newer.revision, SetArc(1, 2, "amod"))


def test_a_page_does_not_change_the_sentence_that_has_come_in_the_place_of_its_own(
    tmp_path: Path,
) -> None:
    twins = b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n" * 3
    with Workbench(write(tmp_path, twins)) as bench:
        revision = bench.sentence(1).revision
        change(bench, 0, SplitSentence(2), MergeSentence())
        bench.change(1, revision, SetArc(1, 2))
        change(bench, 0, MergeSentence())
        with pytest.raises(ConflictError):
            bench.change(1, revision, SetArc(2, 1))


# --- the journal


def test_a_torn_last_line_is_dropped(tmp_path: Path) -> None:
    path, journal = write(tmp_path), tmp_path / "corpus.conllu.journal"
    with Workbench(path) as bench:
        change(bench, 1, SetArc(1, 3, "det"))
        first = journal.stat().st_size
        change(bench, 1, SetArc(2, 3, "amod"))
        whole = journal.read_bytes()
    for size in (first + 1, first + 40, len(whole) - 1):
        path.write_bytes(LINES)
        journal.write_bytes(whole[:size])
        with Workbench(path) as bench:
            assert [word.deprel for word in bench.sentence(1).words] == ["det", "_", "_"]
            change(bench, 1, SetArc(2, 1, "dep"))
        with Workbench(path) as bench:
            assert [word.deprel for word in bench.sentence(1).words] == ["det", "dep", "_"]


def test_a_damaged_journal_is_reported_with_its_line(tmp_path: Path) -> None:
    path, journal = write(tmp_path), tmp_path / "corpus.conllu.journal"
    with Workbench(path) as bench:
        change(bench, 1, SetArc(1, 3, "det"), SetArc(2, 3, "amod"))
    journal.write_bytes(journal.read_bytes().replace(b'"det"', b'"dat"', 1))
    with pytest.raises(JournalError, match=r"journal:2: the checksum is wrong"):
        Workbench(path)


def test_every_line_of_the_journal_is_json(tmp_path: Path) -> None:
    with Workbench(write(tmp_path)) as bench:
        change(bench, 1, SetArc(1, 3, "det"))
    lines = (tmp_path / "corpus.conllu.journal").read_text().splitlines()
    records = [json.loads(line)["record"] for line in lines]
    assert [record["kind"] for record in records] == ["open", "step", "save"]
    expected = {"kind": "set-arc", "word": 1, "head": 3, "deprel": "det"}
    assert records[1]["change"] == expected


def test_a_file_that_another_program_has_changed_is_not_overwritten(tmp_path: Path) -> None:
    path = write(tmp_path)
    bench = Workbench(path)
    change(bench, 1, SetArc(1, 3, "det"))
    path.write_bytes(LINES + b"\n\n")
    with pytest.raises(AnnotateError, match="another program has changed this file"):
        bench.close()
    assert path.read_bytes() == LINES + b"\n\n"
    with pytest.raises(JournalError, match="journal does not fit any more"):
        Workbench(path)


def test_a_file_that_was_removed_is_written_again(tmp_path: Path) -> None:
    path = write(tmp_path)
    with Workbench(path) as bench:
        change(bench, 1, SetArc(1, 3, "det"))
        path.unlink()
    assert b"Arc=Set" in path.read_bytes()


def test_a_compressed_treebank_stays_compressed(tmp_path: Path) -> None:
    path = tmp_path / "corpus.conllu.gz"
    path.write_bytes(gzip.compress(LINES))
    for _ in range(2):
        with Workbench(path) as bench:
            change(bench, 1, SetArc(1, 3, "det"))
    assert gzip.decompress(path.read_bytes()) == LINES.replace(
        b"1\tthe\t_\t_\t_\t_\t_\t_\t_\t_", b"1\tthe\t_\t_\t_\t_\t3\tdet\t_\tArc=Set"
    )


def test_a_second_process_is_kept_out_and_told_of_the_first(tmp_path: Path) -> None:
    path = write(tmp_path)
    program = f"from dodona.annotate import Workbench; Workbench({str(path)!r})"
    with Workbench(path):
        second = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        assert second.returncode
        assert "is annotating this file" in second.stderr
        with pytest.raises(LockedError, match=r"process \d+ on "):
            Workbench(path)
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "corpus.conllu",
        "corpus.conllu.journal",
    ]
    assert not subprocess.run([sys.executable, "-c", program], capture_output=True).returncode


def test_the_treebank_is_saved_while_people_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbench, "SAVE_AFTER", 0.01)
    path = write(tmp_path)
    with Workbench(path) as bench:
        change(bench, 1, SetArc(1, 3, "det"))
        assert until(lambda: bench.overview().is_saved)
        assert b"Arc=Set" in path.read_bytes()


# --- kill -9


@pytest.mark.thorough
def test_a_killed_process_loses_no_acknowledged_change(tmp_path: Path) -> None:
    """At twenty random moments; bench/workbench.py tries two hundred."""
    path, rng = write(tmp_path), Random(7)
    n_acknowledged = sum(kill_once(path, i, rng.random() * 0.4) for i in range(20))
    assert n_acknowledged > 50
