"""Explanations of tags and relations, in Python and in the shell."""

from __future__ import annotations

import pytest

import dodona
from dodona.glossary.explain import UnexplainedError
from dodona.treebank.universal import RELATIONS, UPOS
from support.shell import Shell


@pytest.mark.parametrize("name", sorted(UPOS | RELATIONS))
def test_everything_universal_is_explained(name: str) -> None:
    assert dodona.explain(name)


def test_whatever_the_english_model_predicts_is_explained() -> None:
    parser = dodona.load("en")
    assert parser.tagger is not None
    columns = dict(zip(parser.tagger.columns, parser.tagger.classes, strict=True))
    labels = {label.partition("↑")[0] for label in parser.labels}  # of lifted arcs: both labels
    names = {*labels, *(tag.decode() for tag in columns["upos"] + columns["xpos"])}
    names |= {part for feats in columns["feats"] for part in feats.decode().split("|")} - {"_"}
    unexplained = []
    for name in sorted(names):
        try:
            dodona.explain(name)
        except UnexplainedError:
            unexplained.append(name)
    assert unexplained == []


def test_features_have_a_name_and_values() -> None:
    assert dodona.explain("Number").startswith("feature: grammatical number")
    assert dodona.explain("Number=Sing") == (
        "feature: Number=Sing: grammatical number; singular: one"
    )
    assert "first: the speaker, or second: the listener" in dodona.explain("Person=1,2")
    assert dodona.explain("Number=Sing|Person=1").count("\n") == 1


def test_a_name_of_two_tagsets_has_both_explanations() -> None:
    assert dodona.explain("SYM").splitlines()[0].startswith("UPOS: symbol")
    assert dodona.explain("SYM").splitlines()[1] == "XPOS, English: symbol"
    assert dodona.explain("#") == "XPOS, English: number sign"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("nsubj:pas", "did you mean nsubj:pass"),
        ("noun", "did you mean NOUN"),
        ("obl:x-very-special", "a subtype of obl: oblique"),
        ("Number=Many", "no explanation for 'Number=Many'"),
        ("qqq", "names are as in CoNLL-U: nsubj, NOUN, Number=Sing, NNS"),
        ("", "no explanation for ''"),
    ],
)
def test_unknown_names_get_advice(name: str, advice: str) -> None:
    with pytest.raises(UnexplainedError, match=advice):
        dodona.explain(name)


def test_the_shell_explains(shell: Shell) -> None:
    done = shell("explain", "nsubj", "VBZ")
    assert done.code == 0
    assert [line.split(":")[0] for line in done.out.splitlines()] == ["relation", "XPOS, English"]
    wrong = shell("explain", "nsubjj")
    assert wrong.code == 1 and "did you mean nsubj" in wrong.err
