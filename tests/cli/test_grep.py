"""`dodona grep`: matches as lines, sentences, counts and data."""

import json
from pathlib import Path

import pytest

import dodona
from support.shell import Shell

CONLLU = """\
# sent_id = a
# text = Oaks speak!
1\tOaks\toak\tNOUN\t_\tNumber=Plur\t2\tnsubj\t_\t_
2\tspeak\tspeak\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
3\t!\t!\tPUNCT\t_\t_\t2\tpunct\t_\t_

# sent_id = b
# text = The oak sleeps
1\tThe\tthe\tDET\t_\t_\t2\tdet\t_\t_
2\toak\toak\tNOUN\t_\tNumber=Sing\t3\tnsubj\t_\t_
3\tsleeps\tsleep\tVERB\t_\t_\t0\troot\t_\t_

"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "oaks.conllu"
    path.write_text(CONLLU)
    return path


def test_a_line_for_each_match(shell: Shell, file: Path) -> None:
    result = shell("grep", "upos=VERB >nsubj lemma=oak", file)
    assert (result.code, result.out) == (
        0,
        f"{file}:1: [Oaks] [speak]!\n{file}:7: The [oak] [sleeps]\n",
    )
    assert shell("grep", "upos=VERB >nsubj lemma=oak", file, "-m", "1").out.count("\n") == 1
    assert shell("grep", "form=oak", stdin=CONLLU.encode()).out == "<stdin>:7: The [oak] sleeps\n"


def test_counts(shell: Shell, file: Path) -> None:
    assert shell("grep", "-c", "upos=VERB >nsubj *", file, file).out == "4\n"
    table = shell("grep", "--by", "s.lemma", "upos=VERB >nsubj * as s", file)
    assert table.out == "2\toak\n"
    assert shell("grep", "--by", "n.Number", "upos=NOUN as n", file).out == "1\tPlur\n1\tSing\n"


def test_a_search_that_takes_too_many_steps_names_the_sentence(shell: Shell, file: Path) -> None:
    result = shell("grep", "-c", "* .. *", file, "--steps", "5")
    assert (result.code, result.out) == (1, "")
    assert f"{file}:1: in this sentence of 3 words" in result.err
    assert "more than 5 steps" in result.err
    assert shell("grep", "-c", "* .. *", file, "--steps", "6").out == "6\n"
    assert "--steps must be at least 1" in shell("grep", "*", file, "--steps", "0").err


def test_sentences_and_those_without(shell: Shell, file: Path) -> None:
    found = shell("grep", "upos=NOUN >det *", file, "--output", "conllu").out
    assert [sentence.sent_id for sentence in dodona.Doc.from_conllu(found)] == ["b"]
    rest = shell("grep", "-v", "upos=NOUN >det *", file).out
    assert [sentence.sent_id for sentence in dodona.Doc.from_conllu(rest)] == ["a"]


def test_json(shell: Shell, file: Path) -> None:
    line = shell("grep", "upos=VERB as v >nsubj Number=Sing", file, "--output", "json").out
    found = json.loads(line)
    assert (found["file"], found["line"], found["sent_id"]) == (str(file), 7, "b")
    assert [(word["name"], word["form"]) for word in found["words"]] == [
        ("v", "sleeps"),
        (None, "oak"),
    ]


def test_nothing_found_is_told_by_the_exit_code(shell: Shell, file: Path) -> None:
    assert shell("grep", "upos=INTJ", file) == (1, "", "no matches\n")


def test_folders(shell: Shell, file: Path) -> None:
    assert shell("grep", "-c", "upos=VERB", file.parent).out == "2\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["upos="], 1, "pattern 'upos=', character 6: expected a value"),
        (["upos=VERB", "--by", "v.lemma"], 2, "--by must be a column, or a name of the pattern"),
        (["upos=VERB as v", "--by", "v"], 2, "--by must be a column, or a name of the pattern"),
        (["upos=VERB", "-c", "-v"], 2, "--count, --by and --invert exclude"),
        (["upos=VERB", "-m", "0"], 2, "--most must be at least 1"),
    ],
)
def test_what_is_wrong_is_told(shell: Shell, words: list[str], code: int, said: str) -> None:
    result = shell("grep", *words, stdin=CONLLU.encode())
    assert result.code == code and result.err.startswith(said)


def test_counts_by_a_column_of_the_match(shell: Shell, file: Path) -> None:
    assert shell("grep", "--count", "lemma", "[upos=NOUN]", file).out == "2\toak\n"
    assert (
        shell("grep", "[upos=DET]? [upos=NOUN]", file, "-c", "form").out == "1\tOaks\n1\tThe oak\n"
    )
    assert (
        shell("grep", "[upos=DET]? as d [upos=NOUN]", file, "--count=d.lemma").out
        == "1\t_\n1\tthe\n"
    )
    assert shell("grep", "--count", "[upos=NOUN]", file).out == "2\n"
    assert shell("grep", "-c", "upos=NOUN as n >det *", file, "--threads", "2").out == "1\n"


def test_key_words_in_context(shell: Shell, file: Path) -> None:
    assert shell("grep", "--kwic", "8", "[lemma=oak]", file).out == (
        f"          Oaks  speak!\t{file}:1\n     The  oak  sleeps\t{file}:7\n"
    )
    assert shell("grep", "--kwic", "8", "upos=VERB >nsubj *", file).out == (
        f"  [Oaks]  speak  !\t{file}:1\nhe [oak]  sleeps  \t{file}:7\n"
    )
    (line,) = shell("grep", "--kwic", "form=oak", file, "--output", "json").out.splitlines()
    found = json.loads(line)
    assert (found["left"], found["match"], found["right"]) == ("The", "oak", "sleeps")


def test_threads_change_nothing(shell: Shell, tmp_path: Path) -> None:
    many = tmp_path / "many.conllu"
    many.write_text(CONLLU * 400)
    for flags in ([], ["--kwic"], ["--output", "json"], ["--output", "conllu"], ["-m", "700"]):
        one = shell("grep", "[upos=NOUN] [upos=VERB]", many, *flags)
        assert one.out.count("\n") >= 700
        assert one == shell("grep", "[upos=NOUN] [upos=VERB]", many, *flags, "--threads", "3")


def test_tables_are_searched_like_treebanks(shell: Shell, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    texts = tmp_path / "in.jsonl"
    texts.write_text('{"text": "The old oak speaks. It sleeps."}\n')
    assert shell("parse", "en", texts, "-o", tmp_path / "out", "--quiet").code == 0
    table = tmp_path / "out" / "in.parquet"
    assert (
        shell("grep", "[upos=ADJ]* [upos=NOUN]", table).out
        == f"{table}:1: The [old] [oak] speaks.\n"
    )
    assert shell("grep", "-c", "upos=VERB >nsubj *", tmp_path / "out").out == "2\n"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["[upos=VERB"], 1, "pattern '[upos=VERB', character 1: this [ has no ]"),
        (["[upos=VERB]", "--kwic", "--count"], 2, "--kwic shows matches: it excludes"),
        (["[upos=VERB]", "--kwic", "0"], 2, "--kwic must be from 1 to 1,000, not 0"),
        (["[upos=VERB]", "--kwic", "--output", "svg"], 2, "--kwic prints lines of text or json"),
        (["[upos=VERB]", "--count", "x.lemma"], 2, "--by must be a column, or a name"),
        (["[upos=VERB]", "--threads", "0"], 1, "threads must be from 1"),
    ],
)
def test_misuse_of_the_new_flags_is_explained(
    shell: Shell, words: list[str], code: int, said: str
) -> None:
    result = shell("grep", *words, stdin=CONLLU.encode())
    assert (result.code, result.out) == (code, "") and result.err.startswith(said)


def test_a_treebank_is_not_overwritten_by_its_matches(shell: Shell, file: Path) -> None:
    result = shell("grep", "upos=NOUN", file, "-o", file, "--output", "conllu")
    assert result.code == 2 and "would be overwritten" in result.err
    assert file.read_text() == CONLLU
