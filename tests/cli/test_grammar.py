"""The one reader of command lines: what is written is read, and misuse is explained."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dodona.cli.flags import Parameter, parameters
from dodona.cli.grammar import CommandLine
from dodona.cli.verbs import VERBS, load_verb
from support.shell import Shell

FLAGS = {verb: parameters(load_verb(verb)) for verb in VERBS}
WORDS = st.text("abc-=:,./ é", min_size=1, max_size=6)

MISUSE = {
    "info": "MODEL is missing",
    "oracle --sentence 3": "--gold is missing",
    "parse m.dodona --treads 2": "unknown option --treads; did you mean --threads",
    "parse m.dodona --threads two": "--threads must be a whole number, not 'two'",
    "parse m.dodona --threads": "--threads needs a value",
    "parse -o --threads 2": "--out needs a value",
    "parse -o --thraeds 2": "--out needs a value",
    "parse m.dodona --output yaml": "--output must be one of conllu, conllx, json",
    "parse m.dodona --skip-bad=yes": "--skip-bad takes no value",
    "parse --no-skip-bad": "unknown option --no-skip-bad",
    "parse -x": "unknown option -x",
    "info m.dodona n.dodona": "unexpected argument 'n.dodona'",
    "parze m.dodona": "unknown verb 'parze'; did you mean parse?",
    "pray": "the verbs are: train, parse",
    "--verzion": "did you mean --version?",
    "--show-completion pwsh": "--show-completion must be one of auto, bash",
}


def read(words: list[str], verb: str) -> dict[str, Any]:
    return CommandLine(words, FLAGS[verb]).values()


def values_of(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Any value that a parameter can have in the shell."""
    if parameter.flag.choices:
        one: st.SearchStrategy[Any] = st.sampled_from(parameter.flag.choices)
    elif parameter.type is bool:
        one = st.booleans() if parameter.negative else st.just(True)
    else:
        floats = st.floats(allow_nan=False)
        one = {int: st.integers(-(2**62), 2**62), float: floats, str: WORDS}[parameter.type]
    return st.lists(one, min_size=1, max_size=3) if parameter.is_list else one


@st.composite
def written(draw: st.DrawFn) -> tuple[str, list[str], dict[str, Any]]:
    """A verb, its command line, and the values that this is to mean."""
    verb = draw(st.sampled_from(VERBS))
    places = [p for p in FLAGS[verb] if p.flag.positional]
    flags = [p for p in FLAGS[verb] if not p.flag.positional]
    chosen = draw(st.lists(st.sampled_from(flags), unique=True))
    chosen += [p for p in flags if p.name == "gold" and p not in chosen]  # required
    meant = {p.name: draw(values_of(p)) for p in [*places, *chosen]}
    groups = [write(draw, p, meant[p.name]) for p in draw(st.permutations(chosen))]
    words = [word for p in places for word in as_list(meant[p.name])]
    # words may stand between flags, each a group, or after `--`, where they may look like flags
    ended = any(word.startswith("-") and word != "-" for word in words) or draw(st.booleans())
    for word in [] if ended else words[::-1]:
        groups.insert(0, [word])
    order = groups if ended else keep_order(draw, groups, len(words))
    line = [word for group in order for word in group]
    return verb, line + (["--", *words] if ended else []), meant


def keep_order(draw: st.DrawFn, groups: list[list[str]], n_words: int) -> list[list[str]]:
    """The groups mixed, with the first `n_words` of them in the same order among themselves."""
    words = iter(groups[:n_words])
    is_word = draw(st.permutations([True] * n_words + [False] * (len(groups) - n_words)))
    flags = iter(groups[n_words:])
    return [next(words if one else flags) for one in is_word]


def write(draw: st.DrawFn, parameter: Parameter, value: Any) -> list[str]:
    """A flag and its value, in any of the ways to write them."""
    if parameter.type is bool:
        names = [name for name, says in parameter.spellings.items() if says == value]
        return [draw(st.sampled_from(names))]
    ways = [[f"{parameter.long}={value}"]]
    fits = re.fullmatch(parameter.flag.fits or ".*", str(value), re.DOTALL)
    if fits and not str(value).startswith("--") and str(value) not in ("-o", "-h"):
        ways.append([parameter.long, str(value)])
    if parameter.flag.short and not str(value).startswith("="):
        ways.append([f"{parameter.flag.short}{value}"])
    return draw(st.sampled_from(ways))


def as_list(value: Any) -> list[str]:
    return list(map(str, value)) if isinstance(value, list) else [str(value)]


@pytest.mark.thorough
@given(written())
def test_what_is_written_is_read(case: tuple[str, list[str], dict[str, Any]]) -> None:
    verb, line, meant = case
    defaults = {p.name: p.default for p in FLAGS[verb]}
    assert read(line, verb) == defaults | meant


def test_the_last_of_two_counts() -> None:
    line = "--epochs 1 --checkpoint --no-checkpoint --epochs=2"
    values = read(line.split(), "train")
    assert values["epochs"] == 2
    assert values["checkpoint"] is False


def test_a_value_may_begin_with_a_dash() -> None:
    assert read(["--seed", "-3", "-o", "-"], "train")["seed"] == -3


@pytest.mark.parametrize(("line", "explained"), MISUSE.items())
def test_misuse_is_explained_with_exit_code_2(line: str, explained: str, shell: Shell) -> None:
    result = shell(*line.split())
    assert result.code == 2
    assert result.out == ""
    assert explained in result.err
    assert "--help'" in result.err
    assert "Traceback" not in result.err


def test_help_comes_before_complaints(shell: Shell) -> None:
    assert shell("info", "--help").code == 0
    assert shell("parse", "--threads", "two", "-h").code == 0


def test_help_may_be_the_name_of_a_file(shell: Shell) -> None:
    result = shell("parse", "m.dodona", "--", "--help")
    assert result.code == 1
    assert "m.dodona" in result.err


def test_names_of_other_tools_lead_to_ours(shell: Shell) -> None:
    assert "did you mean --output?" in shell("parse", "--format", "json").err
    assert "did you mean get?" in shell("download", "en").err
