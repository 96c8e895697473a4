"""`make languages`: every treebank of a data folder gets a model by one recipe."""

from __future__ import annotations

import gzip
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.cli.flags import parameters
from dodona.cli.grammar import CommandLine
from dodona.cli.verbs import load_verb
from dodona.models.cards import Card
from tools.languages.__main__ import main, missing, run
from tools.languages.package import best_model, make_notice, score_tables
from tools.languages.recipe import (
    LINEAR,
    first,
    first_epochs,
    first_of,
    linear,
    model_of,
    related_words,
    silver_per_gold,
    student,
    student_of,
    tuning,
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
        made = [arguments(words)[1] for words in first(one, out)]
        assert (made[0]["system"], made[0]["scorer"]) == ("arc-hybrid", "neural")
        assert made[-1]["out"] == str(first_of(one, out))
        assert len(made) == (2 if find_relatives(one) else 1)
        if len(made) == 2:  # the treebank itself has the last word
            assert made[1]["from_"] == made[0]["out"] and made[1]["more"] is None
        members = linear(one, out)
        assert [arguments(words)[1]["out"] for words in members.values()] == [*map(str, members)]
        assert len({arguments(words)[1]["system"] for words in members.values()}) == len(LINEAR)
        if one.text:
            verb, values = arguments(student(one, out))
            held_out = {Path(path).name for path in values["held_out"].split(",")}
            assert {"dev.conllu.gz", "test.conllu.gz"} <= held_out  # what is scored is not learned
            assert (verb, Path(values["text"]).name) == ("distil", f"{one.code}.txt.gz")
            assert values["by"] == ",".join(map(str, (first_of(one, out), *members)))
            assert values["segmenter"] == str(first_of(one, out))
            assert len(values["treebanks"]) == (2 if find_relatives(one) else 1)
        verb, tuned = arguments(tuning(one, student_of(one, out), model_of(one, out)))
        assert (verb, tuned["from_"]) == ("train", str(student_of(one, out)))


def test_committees_learn_from_relatives(data: Path) -> None:
    sets = by_name(data)
    assert [one.name for one in find_relatives(sets["fa_perdt"])] == ["fa_seraji"]
    write(data / "treebanks" / "gd_arcosg" / "train.conllu", SENTENCE * 20)
    assert [one.name for one in find_relatives(sets["ga_nodev"])] == ["gd_arcosg"]  # of the table
    assert find_relatives(sets["xx_one"]) == []
    _, values = arguments(first(sets["fa_perdt"], data / "out")[0])
    (sentence, *_) = found = list(dodona.read(values["more"]))
    assert len(found) == 20
    assert [*sentence.lemmas, *sentence.xpos] == ["_"] * 6  # differ from language to language
    assert sentence.upos == ["NOUN", "VERB", "PUNCT"]
    for words in linear(sets["fa_perdt"], data / "out").values():  # these read one file
        joined = list(dodona.read(arguments(words)[1]["train"]))
        assert (len(joined), {*joined[-1].lemmas, *joined[-1].xpos}) == (40, {"_"})
    (alone,) = first(sets["xx_one"], data / "out")
    assert arguments(alone)[1]["more"] is None
    members = linear(sets["xx_one"], data / "out").values()
    assert {arguments(words)[1]["train"] for words in members} == {str(sets["xx_one"].train)}


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


def test_numbers_follow_from_sizes(data: Path) -> None:
    one = by_name(data)["cy_ccg"]

    def with_sizes(n_words: int, n_text: int) -> float:
        vars(one).update(n_words=n_words, n_text_words=n_text)
        return silver_per_gold(one)

    assert with_sizes(10_000, 10**6) == 8
    assert with_sizes(200_000, 10**6) == 2
    assert with_sizes(200_000, 100_000) == 0.5  # there is no more text
    assert with_sizes(200_000, 0) > 0
    epochs = []
    for n_words in (10_000, 60_000, 100_000, 10**6):
        vars(one).update(n_words=n_words)
        epochs.append(first_epochs(one))
    assert epochs == [36, 18, 11, 10]


def test_relatives_join_as_far_as_there_are_any(data: Path) -> None:
    one = by_name(data)["fa_perdt"]
    assert related_words(one) == 60  # fa_seraji has no more
    for n_words, expected in ((10, 30), (119_970, 30), (150_000, 0)):
        vars(one).update(n_words=n_words)
        assert related_words(one) == expected


def test_commands_are_shown(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--data", str(data), "--show", "--languages", "cy,fa", "--out", str(data / "out")])
    shown = capsys.readouterr().out.splitlines()
    assert all(line.startswith("dodona ") for line in shown)
    # of cy, which has text: first, committee, silver, student, tuning
    # of fa, which has a relative: first, tuning of it, tuning again
    assert [line.split()[1] for line in shown].count("distil") == 2
    assert len(shown) == 1 + len(LINEAR) + 3 + 3


@pytest.mark.parametrize("code", [0, 1, 130])
def test_an_interrupted_step_is_not_finished(code: int, tmp_path: Path) -> None:
    """What an interrupted training saves does not count as its model."""
    path = tmp_path / "first.dodona"
    save = f"import pathlib, sys; pathlib.Path(sys.argv[-1]).write_bytes(b'x'); sys.exit({code})"
    with (tmp_path / "log.txt").open("wb") as log:
        assert run("cy", ["-c", save, "--out", str(path)], log) is (code == 0)
    assert path.exists() is (code == 0)


def test_failures_are_named(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("jax")
    write(data / "treebanks" / "fa_perdt" / "train.conllu.gz", "1\tOaks\n\n")
    with pytest.raises(SystemExit, match="failed: fa_perdt"):
        main(["--data", str(data), "--languages", "fa", "--out", str(tmp_path / "out")])
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
    assert "committee" not in notice
    assert "committee" in make_notice(sets["cy_ccg"], card, has_silver=True)
    assert "related" not in make_notice(sets["cy_ccg"], card, has_silver=True)


def test_the_table_names_every_source() -> None:
    text = TABLE.read_text(encoding="utf-8")
    assert "NC" not in text.replace("CC BY-NC", "NC")  # models may be used commercially
    assert text.count("treebank = ") == text.count("[sets.")


@pytest.mark.thorough
def test_a_language_without_text_becomes_a_package(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("jax")
    words = ["--data", str(data), "--languages", "fa", "--out", str(tmp_path / "out")]
    for _ in range(2):  # nothing is made twice
        subprocess.run([sys.executable, "-m", "tools.languages", *words], check=True, cwd=ROOT)
    made = tmp_path / "out" / "fa_perdt"
    assert len(list(made.glob("*fa*.whl"))) == 1
    assert dodona.load(made / "fa.dodona")("Oaks grow.").sentences[0].heads == [2, 0, 2]
    assert '"las"' in (made / "fa.scores.json").read_text()


def test_the_better_model_is_packaged(data: Path, tmp_path: Path) -> None:
    one = by_name(data)["cy_ccg"]
    wrong = SENTENCE.replace("2\tnsubj", "3\tnsubj").replace("2\tpunct", "2\tdep")
    write(tmp_path / "wrong.conllu", wrong * 20)
    good, bad = tmp_path / "good.dodona", tmp_path / "bad.dodona"
    dodona.train(one.train, epochs=3).save(good)
    dodona.train(tmp_path / "wrong.conllu", epochs=3).save(bad)
    for models in ([good, bad], [bad, good], [good]):
        assert best_model(one, models) == good
