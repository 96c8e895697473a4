"""`make languages`: every treebank of a data folder gets a model by one recipe."""

from __future__ import annotations

import gzip
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dodona
from dodona.cli.flags import parameters
from dodona.cli.grammar import CommandLine
from dodona.cli.verbs import load_verb
from dodona.models.cards import Card
from dodona.parsing.network_scorer import NetworkParserScorer
from tools.languages.__main__ import main, missing, run
from tools.languages.package import LEVEL, coarse, make_notice, score_tables
from tools.languages.recipe import (
    Step,
    after_networks,
    arrays_of,
    before_networks,
    beside,
    related_words,
    segmenter_of,
    student_of,
    text,
    tuned_of,
)
from tools.languages.sets import (
    NO_LICENCE,
    TABLE,
    LanguageSet,
    find_relatives,
    find_sets,
    prepared,
    write_relatives,
)
from tools.treebanks import ROOT

WORDS = (
    "1\tOaks\toak\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tgrow\tgrow\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
    "3\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n"
)
SENTENCE = f"# text = Oaks grow.\n{WORDS}"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Five treebanks: of a language without an entry in the table, one without text, two of one
    language, and one without a dev set."""
    for name in ("xx_one", "cy_ccg", "fa_perdt", "fa_seraji"):
        for part in ("train", "dev", "test"):
            write(tmp_path / "treebanks" / name / f"{part}.conllu.gz", SENTENCE * 20)
    write(tmp_path / "treebanks" / "cy_ccg" / "test2.conllu", SENTENCE)
    write(tmp_path / "treebanks" / "ga_nodev" / "train.conllu", SENTENCE * 40)
    write(tmp_path / "text" / "ga.txt.gz", "\n")
    for name in ("xx", "cy"):
        write(tmp_path / "text" / f"{name}.txt.gz", "Oaks grow.\n" * 200)
    return tmp_path


def by_name(data: Path) -> dict[str, LanguageSet]:
    return {one.name: one for one in find_sets(data)}


def test_sets_are_found_without_a_list(data: Path) -> None:
    sets = by_name(data)
    assert list(sets) == ["cy_ccg", "fa_perdt", "fa_seraji", "ga_nodev", "xx_one"]
    unknown, welsh = sets["xx_one"], sets["cy_ccg"]
    assert (unknown.language, unknown.package, unknown.licence) == ("xx", "xx", NO_LICENCE)
    assert (welsh.language, welsh.treebank) == ("Welsh", "UD Welsh CCG")
    assert [path.name for path in welsh.held_out][-1] == "test2.conllu"
    assert (welsh.n_words, welsh.n_text_words) == (60, 600)
    assert sets["fa_perdt"].text is None


def test_one_treebank_of_a_language_has_its_name(data: Path) -> None:
    assert [one.name for one in find_sets(data, ["fa"])] == ["fa_perdt"]
    assert [one.package for one in find_sets(data, ["fa_seraji"])] == ["fa-seraji"]
    with pytest.raises(SystemExit, match="zz: no such set"):
        find_sets(data, ["zz"])
    with pytest.raises(SystemExit, match=r"no treebanks/CODE_NAME/train\.conllu there"):
        find_sets(data / "text")


def test_a_treebank_without_a_dev_set_gets_one(data: Path, tmp_path: Path) -> None:
    whole = by_name(data)["ga_nodev"]
    one = prepared(whole, tmp_path / "out")
    assert (whole.n_words, one.n_words) == (120, 108)
    assert [len(list(dodona.read(path))) for path in (one.train, one.dev)] == [36, 4]
    assert one.dev in one.held_out and whole.folder not in one.train.parents
    before = one.dev.stat()
    assert prepared(whole, tmp_path / "out").dev.stat() == before  # not cut again
    write(whole.folder / "train.conllu", SENTENCE * 9)
    with pytest.raises(SystemExit, match=r"train\.conllu: 9 sentences are too few"):
        prepared(whole, tmp_path / "other")


def test_columns_that_are_not_learned_are_emptied(data: Path, tmp_path: Path) -> None:
    one = by_name(data)["xx_one"]
    found = prepared(replace(one, about={"without": ["lemmas"]}), tmp_path / "out")
    assert found.dev == one.dev and found.train != one.train and not found.is_cut
    before, after = (list(dodona.read(path)) for path in (one.train, found.train))
    assert {lemma for sentence in after for lemma in sentence.lemmas} == {"_"}
    assert [s.replace(lemmas=["_"] * len(s)) for s in before] == after


def test_what_is_not_split_into_sentences_teaches_no_segmenter(data: Path, tmp_path: Path) -> None:
    one = by_name(data)["cy_ccg"]
    assert one.segmented == one.train
    folder = tmp_path / "treebanks" / "cy_tweets"
    write(
        folder / "train.conllu",
        "".join(f"# sent_id = {x}-1\n{SENTENCE}" for x in "abc"),
    )
    write(folder / "dev.conllu", SENTENCE)
    one = replace(one, folder=folder, about={"unsegmented": ["b", "c-2"]})
    found = prepared(one, tmp_path / "out")
    assert not found.is_cut and found.dev == one.dev
    ids = [[s.comments[0] for s in dodona.read(path)] for path in (found.train, found.segmented)]
    assert ids == [[f"# sent_id = {x}-1" for x in some] for some in ("abc", "ac")]
    assert str(found.segmented) in text(found, tmp_path)


def test_what_a_set_lacks_is_reported(data: Path, tmp_path: Path) -> None:
    sets = by_name(data)
    assert sets["ga_nodev"].text is None  # an empty file
    assert list(missing(sets["cy_ccg"])) == []
    found = list(missing(prepared(sets["ga_nodev"], tmp_path)))
    assert [line.partition(";")[0] for line in found] == [
        "no dev set",
        "no raw text in text/ga.txt.gz",
        "no test set",
    ]


def arguments(words: list[str]) -> tuple[str, dict[str, Any]]:
    """Return the verb of a command and its values, if they are valid."""
    verb, *others = words
    return verb, CommandLine(others, parameters(load_verb(verb))).values()


def test_the_commands_are_valid(data: Path) -> None:
    out = data / "out"
    for one in (prepared(one, out / one.name) for one in find_sets(data)):
        before, after = (
            {step.name: step for step in steps(one, out, data)}
            for steps in (before_networks, after_networks)
        )
        assert (list(before), before["arrays"].made) == (["text", "arrays"], arrays_of(one, out))
        if one.text:
            verb, values = arguments(before["text"].words)
            held_out = {Path(path).name for path in values["held_out"].split(",")}
            assert {"dev.conllu.gz", "test.conllu.gz"} <= held_out  # what is scored is not learned
            assert (verb, Path(values["text"]).name) == ("distil", f"{one.code}.txt.gz")
            assert len(values["treebanks"]) == (2 if find_relatives(one) else 1)
            assert values["work"] in str(segmenter_of(one, out))
        else:
            assert before["text"].made == segmenter_of(one, out)
        assert [step.made for step in after.values()] == [student_of(one, out), tuned_of(one, out)]
        assert str(student_of(one, out)) in after["tuned"].words


def test_networks_learn_from_relatives(data: Path) -> None:
    sets = by_name(data)
    assert [one.name for one in find_relatives(sets["fa_perdt"])] == ["fa_seraji"]
    write(data / "treebanks" / "gd_arcosg" / "train.conllu", SENTENCE * 20)
    assert [one.name for one in find_relatives(sets["ga_nodev"])] == ["gd_arcosg"]  # of the table
    assert find_relatives(sets["xx_one"]) == [] == beside(sets["xx_one"], data / "out")
    (path,) = beside(sets["fa_perdt"], data / "out")
    (sentence, *_) = found = list(dodona.read(path))
    assert len(found) == 20
    assert [*sentence.lemmas, *sentence.xpos] == ["_"] * 6  # differ from language to language
    assert sentence.upos == ["NOUN", "VERB", "PUNCT"]
    (more,) = beside(replace(sets["xx_one"], about={"more": ["test"]}), data / "out")
    assert Path(more).name == "test.conllu.gz"


def test_relatives_are_not_more_than_asked_for(data: Path, tmp_path: Path) -> None:
    one = by_name(data)["fa_perdt"]
    path = write_relatives(one, tmp_path / "few", 10)
    assert path is not None and len(list(dodona.read(path))) == 3
    assert write_relatives(one, tmp_path / "none", 2) is None


def test_a_licence_may_forbid_to_lend(data: Path) -> None:
    for name in ("pl_lfg", "sk_snk", "cs_cac"):
        write(data / "treebanks" / name / "train.conllu", SENTENCE * 20)
    sets = by_name(data)
    assert not sets["pl_lfg"].lends
    czech = replace(sets["cs_cac"], about={"relatives": ["pl", "sk"]})
    assert [one.name for one in find_relatives(czech)] == ["sk_snk"]


def test_relatives_join_as_far_as_there_are_any(data: Path) -> None:
    one = by_name(data)["fa_perdt"]
    assert related_words(one) == 60  # fa_seraji has no more
    for n_words, expected in ((10, 30), (119_970, 30), (150_000, 0)):
        vars(one).update(n_words=n_words)
        assert related_words(one) == expected


def test_commands_are_shown(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--data", str(data), "--show", "--languages", "cy,fa", "--out", str(data / "out")]
    for together, n_programs in ((1, 2), (2, 1)):
        main([*words, "--together", str(together)])
        shown = [line.split() for line in capsys.readouterr().out.splitlines()]
        programs = [words for words in shown if words[2] == "tools.languages.lanes.training"]
        assert len(programs) == n_programs
        assert all("--trunk" in words for words in programs)
        assert len(shown) - n_programs == 4 + 4
        assert {words[0] for words in shown} == {"dodona", "python"}


def test_one_language_makes_no_trunk(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--data", str(data), "--show", "--out", str(data / "out"), "--new-trunk"]
    with pytest.raises(SystemExit):
        main(words)
    assert "give --together 2 or more" in capsys.readouterr().err
    main([*words, "--together", "9"])
    shown = capsys.readouterr().out
    assert "lanes.training" in shown and "--trunk" not in shown and "--teacher" not in shown


def test_all_languages_have_one_teacher(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--data", str(data), "--show", "--out", str(data / "out"), "--languages", "cy,fa"]
    main([*words, "--teacher", "--seconds", "9"])
    lines = capsys.readouterr().out.splitlines()
    (training,) = (line for line in lines if "lanes.training" in line)
    own, _, others = training.partition("--teacher")
    assert "--seconds 9" in own and "cy_ccg.npz" in own and "fa_perdt.npz" in own
    for one in find_sets(data):
        assert (f"{one.name}.npz" in own) != (f"{one.name}.npz" in others)


@pytest.mark.parametrize("code", [0, 1, 130])
def test_an_interrupted_step_is_not_finished(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an interrupted training saves does not count as its model."""
    path = tmp_path / "folder" / "student.dodona"
    save = f"import pathlib, sys; pathlib.Path(sys.argv[-1]).write_bytes(b'x'); sys.exit({code})"
    write(tmp_path / "saving.py", save)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with (tmp_path / "log.txt").open("wb") as log:
        assert run("cy", Step("tuned", path, "saving", ["--out", str(path)]), log) is (code == 0)
    assert path.exists() is (code == 0)


def test_failures_are_named(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("jax")
    write(data / "treebanks" / "fa_perdt" / "train.conllu.gz", "1\tOaks\n\n")
    words = ["--data", str(data), "--languages", "fa", "--out", str(tmp_path / "out")]
    with pytest.raises(SystemExit, match="failed: fa_perdt"):
        main([*words, "--until", "arrays"])
    log = (tmp_path / "out" / "fa_perdt" / "log.txt").read_text(encoding="utf-8")
    assert "train.conllu.gz:1: expected 10" in log


def test_tables_have_other_parsers_beside() -> None:
    scores = {"las": 70.0, "upos": 90.0}
    found = {"test": {"text": scores, "words": scores}}
    peers = [{"set": "cy_ccg", "part": "test", "text": {"las": 60.0}, "words": {"las": 61.0}}]
    _, text, _, words = score_tables(found, peers)
    assert "| test | Dodona | 90.00 | 70.00 |" in text
    assert "| test | UDPipe 1 | - | 61.00 |" in words


def test_relatives_are_credited(data: Path) -> None:
    sets = by_name(data)
    card = Card("Persian", "UD Persian PerDT", "CC BY-SA 4.0", "1.0")
    notice = make_notice(sets["fa_perdt"], card, has_silver=False)
    assert "related treebanks:\n  UD Persian Seraji (CC BY-SA 4.0)\n" in notice
    assert "other networks" not in notice
    assert "other networks" in make_notice(sets["cy_ccg"], card, has_silver=True)
    assert "related" not in make_notice(sets["cy_ccg"], card, has_silver=True)
    assert "also learned from these\ntreebanks" in notice  # the trunk
    assert "  UD Welsh CCG (CC BY-SA 4.0)\n" in notice
    assert "LGPL" not in notice  # what does not lend
    taught = make_notice(sets["cy_ccg"], card, ["fr_gsd", "cy_ccg"], has_silver=True)
    assert "LGPL" in taught and taught.count("UD Welsh CCG") == 1


def test_the_table_names_every_source() -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert "NC" not in text.replace("CC BY-NC", "NC")  # models may be used commercially
    assert text.count("treebank = ") == text.count("[sets.")


@pytest.mark.thorough
def test_a_language_without_text_becomes_a_package(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("jax")
    words = ["--data", str(data), "--languages", "fa", "--out", str(tmp_path / "out")]
    for _ in range(2):  # nothing is made twice
        subprocess.run(
            [sys.executable, "-m", "tools.languages", *words, "--seconds", "1"],
            check=True,
            cwd=ROOT,
        )
    made = tmp_path / "out" / "fa_perdt"
    assert len(list(made.glob("*fa*.whl"))) == 1
    assert dodona.load(made / "tuned.dodona")("Oaks grow.").sentences[0].heads == [2, 0, 2]
    assert '"las"' in (made / "fa.scores.json").read_text()


def test_tables_of_packages_have_few_numbers() -> None:
    parser = dodona.load("en-small")
    assert isinstance(parser.scorer, NetworkParserScorer)
    arrays = parser.scorer.tagger.scorer.arrays
    before = dict(arrays)
    assert coarse(parser) is parser
    for name, numbers in arrays.items():
        if name.startswith("word.") and name[5:].isdigit():
            old, new = np.asarray(before[name], int), np.asarray(numbers, int)
            assert len({*new.tolist()}) <= 33 < len({*old.tolist()})
            assert abs(new - old).max() <= LEVEL // 2
        else:
            assert numbers == before[name]
