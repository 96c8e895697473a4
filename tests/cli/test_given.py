"""`dodona parse --given` and `--k-best`."""

from __future__ import annotations

from pathlib import Path

import pytest

import dodona
from dodona.parsing.given import Given
from support.given_lab import check, parser
from support.shell import Shell

EAGER = ("arc-eager", "last", "linear")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("given") / "small.dodona"
    parser(*EAGER).save(path)
    return path


FILE = """\
# sent_id = 1
# given_span = 1-3
1\tThe\t_\tDET\t_\t_\t5\tdet\t_\tGiven=Head
2\told\t_\tADJ\t_\t_\t1\tamod\t_\t_
3\toak\t_\tNOUN\t_\t_\t1\tnsubj\t_\tGiven=Deprel
4-5\tspeaks\t_\t_\t_\t_\t_\t_\t_\t_
4\tspeak\t_\tVERB\t_\t_\t0\troot\t_\t_
5\ts\t_\tX\t_\t_\t4\tdep\t_\t_

"""


def test_the_shell_keeps_what_a_file_gives(shell: Shell, model: Path, tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(FILE)
    out = tmp_path / "out.conllu"
    assert shell("parse", model, tmp_path / "a.conllu", "--given", "-o", out).code == 0
    (parsed,) = dodona.read(out)
    check(Given({1: 5}, {3: "nsubj"}, {}, [(1, 3)]), parsed)
    lines = out.read_text().splitlines()
    assert [line.split("\t")[9] for line in lines if "\t" in line][:3] == [
        "Given=Head",
        "_",
        "Given=Deprel",
    ]
    assert Given.from_sentence(parsed).spans == ((1, 3),)
    shell("parse", model, out, "--given", "-o", tmp_path / "again.conllu")
    assert (tmp_path / "again.conllu").read_bytes() == out.read_bytes()


def test_the_shell_writes_the_k_best_trees(shell: Shell, model: Path, tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_text(FILE + FILE.replace("sent_id = 1", "sent_id = 2"))
    out = tmp_path / "out.conllu"
    shell("parse", model, tmp_path / "a.conllu", "--k-best", 3, "--threads", 2, "-o", out)
    found = [*dodona.read(out)]
    assert [s.sent_id for s in found] == ["1"] * 3 + ["2"] * 3
    assert [s.comments[-2] for s in found] == ["# rank = 1", "# rank = 2", "# rank = 3"] * 2
    scores = [float(s.comments[-1].removeprefix("# score = ")) for s in found]
    assert scores[:3] == scores[3:] == sorted(scores[:3], reverse=True)
    best = parser(*EAGER).k_best(next(iter(dodona.read(tmp_path / "a.conllu"))), 3)
    assert [(s.heads, s.deprels) for s in found[:3]] == [(s.heads, s.deprels) for s, _ in best]
    assert "4-5\tspeaks" in found[2].to_conllu()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--k-best", "2", "--confidence"], "--k-best writes trees only"),
        (["--given", "--confidence"], "--given and --confidence exclude each other"),
        (["--given", "--input", "tokens"], "--given does not apply to"),
        (["--k-best", "9", "--beam", "4"], "k must be from 1 to 4"),
    ],
)
def test_flags_that_exclude_each_other_are_refused(
    shell: Shell, model: Path, tmp_path: Path, flags: list[str], said: str
) -> None:
    (tmp_path / "a.conllu").write_text(FILE)
    result = shell("parse", model, tmp_path / "a.conllu", *flags)
    assert result.code != 0
    assert said in result.err
