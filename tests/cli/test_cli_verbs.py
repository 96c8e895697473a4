"""`dodona evaluate`, `convert`, `info`, `oracle` and `bench`."""

import json
from pathlib import Path

import pytest

import dodona
from support.shell import BAD, Shell

ONE = b"""# text = Ask the oak
1\tAsk\task\tVERB\t_\t_\t0\troot\t_\t_
2\tthe\tthe\tDET\t_\t_\t3\tdet\t_\t_
3\toak\toak\tNOUN\t_\t_\t1\tobj\t_\tSpaceAfter=No

"""
CROSSING = b"""1\tA\t_\t_\t_\t_\t3\tdet\t_\t_
2\tB\t_\t_\t_\t_\t4\tobj\t_\t_
3\tC\t_\t_\t_\t_\t0\troot\t_\t_
4\tD\t_\t_\t_\t_\t3\tobl\t_\t_

"""


@pytest.fixture
def parsed(shell: Shell, model: Path, data: Path, tmp_path: Path) -> Path:
    out = tmp_path / "parsed.conllu"
    assert shell("parse", model, data / "test.conllu", "-o", out).code == 0
    return out


def test_evaluate_prints_the_scores(shell: Shell, data: Path, parsed: Path) -> None:
    gold = data / "test.conllu"
    assert shell("evaluate", gold, parsed).out == dodona.evaluate(gold, parsed).table()
    options = ["--no-punctuation", "--labels", "universal", "--json"]
    found = json.loads(shell("evaluate", gold, parsed, *options).out)
    scores = dodona.evaluate(gold, parsed, punctuation=False, labels="universal")
    assert found == json.loads(json.dumps(scores.to_dict()))
    assert "non-projective" in shell("evaluate", gold, parsed, "--details").out


def test_evaluate_compares_two_systems(shell: Shell, data: Path, parsed: Path) -> None:
    gold = data / "test.conllu"
    result = shell("evaluate", gold, gold, parsed, "--test", "bootstrap", "--json")
    found = json.loads(result.out)
    expected = dodona.compare(gold, gold, parsed, metric="uas", test="bootstrap")
    assert [system["name"] for system in found["systems"]] == [str(gold), str(parsed)]
    assert found["comparisons"]["uas"]["p"] == expected.p
    assert found["comparisons"]["las"]["metric"] == "las"
    table = shell("evaluate", gold, parsed, parsed).out
    assert f"B: {parsed}" in table
    assert "McNemar's test" in table


def test_evaluate_refuses_a_test_of_one_system(shell: Shell, data: Path) -> None:
    gold = data / "test.conllu"
    result = shell("evaluate", gold, gold, "--test", "mcnemar")
    assert (result.code, result.err) == (2, "--test compares two systems: give a second one\n")


def test_evaluate_names_the_first_difference(shell: Shell, data: Path) -> None:
    result = shell("evaluate", data / "test.conllu", data / "dev.conllu")
    assert result.code == 1
    assert "gold and system must have the same words" in result.err
    assert result.err.count("\n") == 1


def test_evaluate_text_prints_the_metrics_of_the_shared_task(
    shell: Shell, data: Path, parsed: Path
) -> None:
    gold = data / "test.conllu"
    scores = dodona.evaluate_text(gold, parsed)
    assert shell("evaluate", gold, parsed, "--text").out == scores.table()
    found = json.loads(shell("evaluate", gold, parsed, "--text", "--json").out)
    assert found == json.loads(json.dumps(scores.to_dict()))


@pytest.mark.parametrize(
    "options",
    [["--details"], ["--no-punctuation"], ["--labels", "universal"], ["--errors"]],
)
def test_evaluate_text_refuses_options_that_it_does_not_follow(
    shell: Shell, data: Path, options: list[str]
) -> None:
    gold = data / "test.conllu"
    result = shell("evaluate", gold, gold, *options, "--text")
    assert result.code == 2
    assert result.err == "--text can be combined with --json and --test mcnemar only\n"


def test_convert_without_options_changes_no_byte(shell: Shell, data: Path) -> None:
    result = shell("convert", data / "test.conllu")
    assert result == (0, (data / "test.conllu").read_text(encoding="utf-8"), "")


def test_convert_says_what_conllx_cannot_hold(shell: Shell) -> None:
    result = shell("convert", "--to", "conllx", stdin=ONE + CROSSING)
    assert "#" not in result.out and "SpaceAfter" not in result.out
    assert result.err.startswith(
        "1 sentences lost information: ranges, empty nodes, comments, DEPS and MISC"
    )
    back = shell("convert", "--from", "conllx", stdin=result.out.encode())
    assert (back.out, back.err) == (result.out, "")


def test_convert_lifts_arcs_and_moves_them_back(shell: Shell) -> None:
    lifted = shell("convert", "--projectivise", "head", stdin=CROSSING)
    assert lifted.err == "1 arcs lifted, in 1 of 1 sentences\n"
    assert "2\tB\t_\t_\t_\t_\t3\tobj↑obl\t" in lifted.out
    back = shell("convert", "--deprojectivise", "head", stdin=lifted.out.encode())
    assert back.out == CROSSING.decode()
    assert back.err == "1 of 1 lifted arcs lowered, in 1 of 1 sentences\n"


def test_convert_refuses_both_ways_at_once(shell: Shell) -> None:
    result = shell("convert", "--projectivise", "head", "--deprojectivise", "head", stdin=ONE)
    assert result.code == 2
    assert result.err.startswith("--projectivise and --deprojectivise are opposites")


def test_convert_skips_what_is_bad_only_if_told(shell: Shell) -> None:
    assert shell("convert", stdin=BAD + ONE).code == 1
    result = shell("convert", "--skip-bad", stdin=BAD + ONE)
    assert result.code == 0
    assert result.out == (BAD + ONE).decode()
    assert result.err.startswith(
        "1 invalid sentence passed through unchanged; the first: <stdin>:1: "
    )


def test_convert_to_text(shell: Shell) -> None:
    text = ONE + b"# newpar\n" + CROSSING + ONE
    assert shell("convert", "--to", "text", stdin=text) == (
        0,
        "Ask the oak\n\nA B C D Ask the oak\n",
        "",
    )
    result = shell("convert", "--to", "text", "--skip-bad", stdin=BAD + ONE)
    assert result.out == "Ask the oak\n"
    assert result.err.startswith("1 invalid sentence left out; the first: <stdin>:1: ")
    assert shell("convert", "--to", "text", "--projectivise", "head", stdin=ONE).code == 2


@pytest.mark.parametrize("record", [{}, {"n_words": "many"}, {"checksums": []}])
def test_a_record_that_is_none_is_told(
    shell: Shell, model: Path, tmp_path: Path, record: dict[str, object]
) -> None:
    parser = dodona.load(model)
    parser.record = parser.record | record if record else {}
    parser.save(tmp_path / "strange.dodona")
    result = shell("info", tmp_path / "strange.dodona")
    assert result.code == 1
    assert "strange.dodona: the record does not fit together: " in result.err


def test_info_tells_everything(shell: Shell, model: Path) -> None:
    found = json.loads(shell("info", model, "--json").out)
    parser = dodona.load(model)
    assert found["bytes"] == model.stat().st_size
    assert found["format"] == dodona.Parser.FORMAT.version
    assert found["settings"]["epochs"] == 3
    assert found["labels"] == sorted(parser.labels)
    assert sum(found["actions"].values()) == len(parser.pairs)
    assert found["n_features"] == parser.scorer.weights.n_rows
    assert set(found["vocabularies"]) == set(parser.encoder.columns)
    assert found["record"] == parser.record
    shown = shell("info", model).out
    for name in ("explore-after", "train SHA-256", "templates", "dev LAS", "obj", "arc-eager"):
        assert name in shown
    assert f"{parser.record['dev_las']:.2f}" in shown


def test_oracle_prints_states_and_costs(shell: Shell) -> None:
    result = shell("oracle", "--gold", "-", "--root", "first", "--sentence", 2, stdin=ONE * 2)
    first, second, *_ = result.out.split("\n\n")
    assert first == (
        "state 0\n"
        "  stack   ROOT\n"
        "  buffer  1:Ask 2:the 3:oak\n"
        "  arcs    \n"
        "    SHIFT       cost 1\n"
        "  → RIGHT-ARC   cost 0  root\n"
        "    RIGHT-ARC   cost 1  det, obj"
    )
    assert "  stack   ROOT 1:Ask\n" in second
    assert "  arcs    ROOT -root-> 1:Ask\n" in second
    assert "●─┬───► Ask  root\n" in result.out


def test_oracle_takes_a_wrong_turn_and_tells_what_is_left(shell: Shell) -> None:
    wrong = "RIGHT-ARC:root RIGHT-ARC:obj"
    result = shell("oracle", "--gold", "-", "--root", "first", "--actions", wrong, stdin=ONE)
    *_, last, outcome = result.out.split("\n\n")
    assert last == (
        "state 2\n"
        "  stack   ROOT 1:Ask 2:the\n"
        "  buffer  3:oak\n"
        "  arcs    ROOT -root-> 1:Ask, 1:Ask -obj-> 2:the\n"
        "  lost    3:oak -det-> 2:the\n"
        "    SHIFT       cost 1\n"
        "    RIGHT-ARC   cost 1  det, obj, root\n"
        "    REDUCE      cost 0"
    )
    assert outcome.startswith("best reachable tree (loss 1):\n●─┬─► Ask  root\n")


def test_oracle_marks_estimates_and_waste(shell: Shell) -> None:
    heads = (2, 3, 0, 5, 2)  # 2 → 5 crosses 0 → 3
    rows = [f"{i}\tw{i}\t_\t_\t_\t_\t{head}\tdep\t_\t_\n" for i, head in enumerate(heads, 1)]
    crossing = "".join([*rows, "\n"]).encode()
    options = ["oracle", "--gold", "-", "--actions", "SHIFT SHIFT"]
    estimated = shell(*options, "--system", "arc-eager", stdin=crossing).out
    assert "cost ≈0" in estimated and "best reachable tree" not in estimated
    exact = shell(*options, "--system", "swap", stdin=crossing).out
    assert "≈" not in exact and "SWAP        cost 0  (wastes 2 actions)" in exact


def test_oracle_shows_the_scores_of_a_model(shell: Shell, model: Path, data: Path) -> None:
    gold = data / "projective.conllu"
    found = json.loads(shell("oracle", "--gold", gold, "--model", model, "--json").out)
    scores = [choice["score"] for step in found["steps"] for choice in step["choices"]]
    assert any(isinstance(score, int) for score in scores)
    followed = shell("oracle", "--gold", gold, "--model", model, "--oracle", "model")
    assert followed.code == 0 and "(score " in followed.out
    assert ", final\n" in followed.out


def test_oracle_as_json(shell: Shell) -> None:
    found = json.loads(shell("oracle", "--gold", "-", "--json", stdin=ONE).out)
    assert found["forms"] == ["Ask", "the", "oak"]
    assert found["steps"][0]["buffer"] == [1, 2, 3]
    assert [0, "root", 1] in found["steps"][-1]["arcs"]


@pytest.mark.parametrize(
    ("options", "stdin", "message"),
    [
        ([], CROSSING, "<stdin>:1: arc-eager cannot derive this tree: "),
        (["--sentence", "2"], ONE, "<stdin>: the file has no sentence 2"),
        (["--sentence", "0"], ONE, "--sentence must be at least 1, not 0"),
        (["--actions", "JUMP"], ONE, "<stdin>:1: action 1: arc-eager has no action "),
        (["--oracle", "model"], ONE, "<stdin>:1: the derivation of a model needs a model"),
    ],
)
def test_oracle_says_why_not(options: list[str], stdin: bytes, message: str, shell: Shell) -> None:
    result = shell("oracle", "--gold", "-", *options, stdin=stdin)
    assert result.code in (1, 2)
    assert result.err.startswith(message)


def test_bench_measures_everything(shell: Shell, model: Path, data: Path) -> None:
    options = ["--repeats", 1, "--threads", 2]
    found = json.loads(shell("bench", model, data / "test.conllu", *options, "--json").out)
    assert found["n_sentences"] == 40
    for figure in ("read", "parse", "parse_threads", "file_to_file", "file_to_file_threads"):
        assert found[figure] > 0
    assert found["cold_start_seconds"] > found["load_seconds"] > 0
    assert found["peak_bytes"] is None or found["peak_bytes"] > 5_000_000
    shown = shell("bench", model, data / "test.conllu", *options).out
    assert "cold start" in shown and "words/s" in shown
    assert shell("bench", model, data / "test.conllu", "--repeats", 0).code == 2
