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
