"""Odd values of flags: every number of every verb, and patterns, end in a message."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import dodona
from dodona.cli.flags import Parameter, parameters
from dodona.cli.verbs import VERBS, load_verb
from support.shell import Shell
from support.small import treebank

HUGE = ["9" * 50, "-" + "9" * 50, "9" * 5000, str(2**63), str(2**31), str(10**12), "1e400", "nan"]


def numbers() -> list[tuple[str, Parameter]]:
    """Return every flag of every verb that takes a number; a server would listen."""
    return [
        (verb, parameter)
        for verb in VERBS
        for parameter in parameters(load_verb(verb))
        if parameter.type in (int, float) and verb not in ("serve", "annotate")
    ]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("odd")
    with dodona.Writer(folder / "oaks.conllu") as writer:
        for sentence in treebank(4, 3):
            writer.write(sentence)
    dodona.train(treebank(8, 3), epochs=1).save(folder / "oak.dodona")
    return folder


def command(verb: str, folder: Path) -> list[str]:
    """Return a short command that does the work of a verb."""
    oaks, model, out = (str(folder / name) for name in ("oaks.conllu", "oak.dodona", "out"))
    return {
        "train": ["train", "--train", oaks, "-o", out, "--epochs", "1", "--quiet"],
        "parse": ["parse", model, oaks],
        "tag": ["tag", "--train", oaks, "-o", out, "--epochs", "1"],
        "cluster": ["cluster", oaks, "--clusters", "2", "-o", out],
        "distil": ["distil", oaks, "-o", out, "--silver", oaks, "--until", "segmenter"],
        "enhance": ["enhance", model, "--train", oaks, "-o", out],
        "evaluate": ["evaluate", oaks, oaks],
        "validate": ["validate", oaks],
        "grep": ["grep", "upos=NOUN", oaks],
        "facts": ["facts", "--parsed", oaks],
        "convert": ["convert", oaks],
        "draw": ["draw", oaks],
        "oracle": ["oracle", "--gold", oaks],
        "bench": ["bench", model, oaks],
    }[verb]


REPEATS = ("bench", "repeats")  # a large number is right, and takes all day


@pytest.mark.parametrize(
    ("verb", "flag"), numbers(), ids=lambda value: getattr(value, "name", str(value))
)
def test_a_huge_number_ends_in_a_message(
    verb: str, flag: Parameter, files: Path, shell: Shell
) -> None:
    for value in HUGE[:3] if (verb, flag.name) == REPEATS else HUGE:
        more = ["--learner", "pa"] if flag.name == "aggressiveness" else []
        result = shell(*command(verb, files), *more, f"{flag.long}={value}")  # raises on a bug
        assert result.code in (0, 1, 2)
        if len(value) >= 50 or value in ("1e400", "nan"):
            assert result.code == 2, (value, result.err)
        assert len(result.err) < 3000


DEEP = ["/" + "(" * 5000 + ")" * 5000 + "/", "/a{99999999999999999999}/", "/oak(/"]


@pytest.mark.parametrize("regex", DEEP, ids=lambda regex: regex[:5])
def test_a_regular_expression_that_python_cannot_compile_is_refused(
    regex: str, files: Path, shell: Shell
) -> None:
    with pytest.raises(dodona.DodonaError):
        dodona.Pattern(f"form={regex}")
    result = shell("grep", f"form={regex}", files / "oaks.conllu")
    assert result.code == 1 and "regular expression" in result.err


def test_quiet_parsing_writes_nothing_but_trees(files: Path, shell: Shell) -> None:
    plain = shell("parse", files / "oak.dodona", files / "oaks.conllu")
    quiet = shell("parse", files / "oak.dodona", files / "oaks.conllu", "--quiet")
    assert (quiet.out, quiet.err) == (plain.out, "")


def test_no_value_that_is_no_file_is_called_file() -> None:
    files = re.compile(r"\bfiles?\b|treebank|page|output|\ba list\b|CoNLL-U", re.IGNORECASE)
    for verb in VERBS:
        for parameter in parameters(load_verb(verb)):
            if parameter.metavar == "FILE" and not parameter.flag.metavar:
                assert files.search(parameter.flag.help), (verb, parameter.long)


def test_distil_shows_its_own_defaults() -> None:
    known: dict[str, Any] = {p.name: p for p in parameters(load_verb("distil"))}
    assert known["scorer"].flag.default == "neural"
    assert not {"clusters", "learner", "prune", "tagger_prune", "tags"} & known.keys()
