"""`dodona facts`: tables and JSON of triples, clauses and phrases."""

import json
from pathlib import Path

import pytest

from support.shell import Shell

ANNOTATED = Path(__file__).parents[1] / "facts" / "english.conllu"
TEXT = "The oak was not planted by Zeus. Birds can sing."


def test_a_table_of_triples(shell: Shell) -> None:
    result = shell("facts", "en", stdin=TEXT.encode())
    assert (result.code, result.out.splitlines()) == (
        0,
        [
            "sentence\tsubject\tverb\tobject\tindirect\tnegated\tmodality\tpassive",
            "1\tZeus\tplant\tThe oak\t-\tyes\t-\tyes",
            "2\tBirds\tsing\t-\t-\t-\tcan\t-",
        ],
    )
    assert shell("facts", stdin=TEXT.encode()).out == result.out, "en is the default"


def test_json_lines(shell: Shell, tmp_path: Path) -> None:
    out = tmp_path / "facts.jsonl"
    assert shell("facts", "en", "-o", out, stdin=TEXT.encode()).code == 0
    first, second = map(json.loads, out.read_text().splitlines())
    assert (first["sent_id"], first["subject"], first["object_id"]) == ("1", "Zeus", 2)
    assert second["modality"] == "can"


@pytest.mark.parametrize(
    ("what", "header"),
    [
        ("clauses", "kind\ttext\tsubjects\tobjects\tindirect\tverb\tnegated\tmodality\tpassive"),
        ("verb-phrases", "text\tverb\tnegated\tmodality\tpassive"),
        ("noun-phrases", "text\thead"),
    ],
)
def test_other_things_to_list_from_trees_that_are_given(
    shell: Shell, what: str, header: str
) -> None:
    result = shell("facts", "--parsed", ANNOTATED, "--what", what)
    assert result.out.splitlines()[0] == f"sentence\t{header}"
    assert result.out.splitlines()[1].startswith("facts-1\t")


def test_given_trees_are_not_parsed(shell: Shell) -> None:
    found = shell("facts", "--parsed", ANNOTATED).out
    assert "\nfacts-69\tThe man\tbuy\tthe car\t" in found
    assert "--parsed reads CoNLL-U" in shell("facts", "--parsed", "--input", "text").err
