"""CoNLL-U as a JSON string, against Python's `json`, without the unwanted parts of MISC."""

from __future__ import annotations

import json
import re

import pytest

from dodona import Doc, Sentence
from dodona.treebank.conllu.quoting import quote_conllu

CONTROL = "".join(map(chr, range(1, 32))).replace("\n", "").replace("\t", "")
LEFT_OUT = {
    "ranges": re.compile(r"TokenRange=[^|]*"),
    "spaces": re.compile(r"Spaces(?:After|Before|InToken)=[^|]*"),
}


def unquoted(sentences: list[Sentence], *, ranges: bool = True, spaces: bool = True) -> str:
    quoted = quote_conllu(sentences, ranges=ranges, spaces=spaces)
    found: str = json.loads(b'"' + quoted + b'"')
    assert json.dumps(found, ensure_ascii=False)[1:-1].encode() == quoted
    return found


def less(misc: str, *unwanted: str) -> str:
    """Remove some parts of MISC, as a reference."""
    parts = misc.split("|")
    kept = [part for part in parts if not any(LEFT_OUT[name].fullmatch(part) for name in unwanted)]
    return "|".join(kept) or "_"


@pytest.mark.parametrize("form", ['"', "\\", f"a{CONTROL}b", "\x7f", "chêne", "漢字 🌳"])
def test_every_character_comes_back(form: str) -> None:
    sentences = [Sentence.from_columns([form, "oak"]), Sentence.from_columns(["oak", form])]
    assert unquoted(sentences) == b"".join(map(bytes, sentences)).decode()


@pytest.mark.parametrize(
    "misc",
    [
        "_",
        "SpaceAfter=No",
        "TokenRange=0:3",
        r"SpacesAfter=\n",
        r"SpaceAfter=No|SpacesBefore=\s|TokenRange=0:3",
        r"SpacesInToken=a\sb|Gloss=oak|TokenRange=0:3|SpacesAfter=\t",
        "NoTokenRange=1|MySpacesAfter=2|TokenRanges=3|SpacesAfter",
        "TokenRange=|SpacesAfter=",
    ],
)
@pytest.mark.parametrize("unwanted", [(), ("ranges",), ("spaces",), ("ranges", "spaces")])
def test_only_what_is_not_wanted_is_left_out_of_misc(misc: str, unwanted: tuple[str, ...]) -> None:
    comments = ["# TokenRange=1:2 stays", "# SpacesAfter=here|TokenRange=0:1"]
    given = Sentence.from_columns(["Oaks", "speak"], misc=["_", misc], comments=comments)
    wanted = {name: name not in unwanted for name in LEFT_OUT}
    expected = Sentence.from_columns(
        ["Oaks", "speak"], misc=["_", less(misc, *unwanted)], comments=comments
    )
    assert unquoted([given], **wanted) == bytes(expected).decode()


def test_a_range_of_words_and_an_empty_node_lose_theirs_too() -> None:
    columns = "\t_" * 7
    lines = [
        f"1-2\tdu{columns}\tTokenRange=0:2",
        f"1\tde{columns}\t_",
        f"2\tle{columns}\t_",
        f"2.1\tchêne{columns}\tTokenRange=3:8|Spoken=No",
    ]
    doc = Doc.from_conllu("\n".join(lines) + "\n\n")
    found = unquoted(list(doc), ranges=False)
    assert found == doc.to_conllu().replace("TokenRange=0:2", "_").replace("TokenRange=3:8|", "")


def test_no_sentences_are_nothing() -> None:
    assert quote_conllu([], ranges=False, spaces=False) == b""


def test_a_last_line_without_an_end_is_written_as_it_stands() -> None:
    [sentence] = Doc.from_conllu("1\toak" + "\t_" * 7 + "\tTokenRange=0:3")
    assert unquoted([sentence], ranges=False).endswith("\t_")
