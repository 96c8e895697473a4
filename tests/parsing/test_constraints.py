"""Parsing within the rules of Universal Dependencies: whatever the system, the search, the tags."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import dodona
from dodona.core.transitions.registry import SYSTEMS
from dodona.treebank.trees.ud_rules import Broken, SentenceRules, errors, late_errors
from dodona.treebank.trees.word_kinds import TAGS, kinds_of
from reference.trees import is_tree
from support.small import train, treebank
from support.treebanks import treebank_file

VALIDATOR = os.environ.get("DODONA_UD_TOOLS", "")
KEPT = (
    "too-many-subjects",
    "too-many-objects",
    "leaf-",
    "goeswith-gap",
    "goeswith-nospace",
    "obl-should-be-nmod",
    "punct-",
    "rel-upos-",
    "upos-rel-",
    "right-to-left-",
)


@cache
def parser(system: str, **settings: Any) -> dodona.Parser:
    """One that learned from little, and from trees that break rules themselves."""
    return train(odd(treebank(40, 1, 0.3)), system=system, **settings)


def odd(sentences: list[dodona.Sentence]) -> list[dodona.Sentence]:
    """The treebank with some relations where UD does not have them."""
    random = Random(1)
    swapped = {"det": "case", "obj": "nsubj", "amod": "aux", "obl": "punct", "advmod": "mark"}
    return [
        sentence.replace(
            deprels=[
                swapped.get(label, label) if random.random() < 0.3 else label
                for label in sentence.deprels
            ]
        )
        for sentence in sentences
    ]


def wrongly_tagged(sentences: list[dodona.Sentence]) -> list[dodona.Sentence]:
    random = Random(2)
    return [
        sentence.replace(
            upos=[t if random.random() < 0.6 else random.choice(TAGS[1:]) for t in sentence.upos]
        )
        for sentence in sentences
    ]


UNSEEN = wrongly_tagged(treebank(60, 3, 0.3))


def broken(sentences: list[dodona.Sentence]) -> list[Broken]:
    return [
        found
        for sentence in sentences
        for rules in (errors, late_errors)
        for found in rules(
            [head or 0 for head in sentence.heads],
            sentence.deprels,
            kinds_of(sentence),
        )
    ]


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("name", SYSTEMS)
def test_no_tree_breaks_a_rule(name: str, beam: int) -> None:
    """Where many did; and all are trees with one root."""
    trained = parser(name)
    assert len(broken(list(trained.pipe(UNSEEN, beam=beam)))) > 20
    parsed = list(trained.pipe(UNSEEN, beam=beam, constraints="ud"))
    assert broken(parsed) == []
    for sentence in parsed:
        heads = tuple(head or 0 for head in sentence.heads)
        assert is_tree(heads) and heads.count(0) == 1
        assert all(
            (label == "root") == (h == 0) for label, h in zip(sentence.deprels, heads, strict=True)
        )


@pytest.mark.parametrize("scheme", ["head", "path"])
def test_arcs_that_are_moved_in_the_end_keep_the_rules_too(scheme: str) -> None:
    trained = parser("arc-eager", projectivise=scheme)
    assert broken(list(trained.pipe(UNSEEN, constraints="ud"))) == []


def test_trees_that_keep_the_rules_stay_as_they_are() -> None:
    good = [s for s in treebank(80, 1, 0.0) if not broken([s])]
    trained = train(good, epochs=6)
    free = list(trained.pipe(good))
    bound = list(trained.pipe(good, constraints="ud"))
    n_same = 0
    for one, other in zip(free, bound, strict=True):
        if not broken([one]):
            assert bytes(one) == bytes(other)
            n_same += 1
    assert n_same > 0.5 * len(good)


def test_threads_and_order_make_no_difference() -> None:
    trained = parser("arc-hybrid")
    one = list(map(bytes, trained.pipe(UNSEEN, constraints="ud")))
    assert list(map(bytes, trained.pipe(UNSEEN, constraints="ud", threads=2))) == one
    assert [bytes(next(trained.pipe([s], constraints="ud"))) for s in UNSEEN] == one


def test_words_without_tags_have_no_rules_about_tags() -> None:
    bare = [s.replace(upos=["_"] * len(s)) for s in UNSEEN[:20]]
    parsed = list(parser("arc-eager").pipe(bare, constraints="ud"))
    assert broken(parsed) == []


def test_a_model_records_the_constraints_that_it_parses_with(tmp_path: Path) -> None:
    free, bound = parser("arc-eager"), parser("arc-eager", constraints="ud")
    expected = list(map(bytes, free.pipe(UNSEEN, constraints="ud")))
    assert list(map(bytes, free.pipe(UNSEEN))) != expected
    bound.save(tmp_path / "bound.dodona")
    for model in (bound, dodona.load(tmp_path / "bound.dodona"), free.with_constraints("ud")):
        assert model.settings.constraints == "ud"
        assert list(map(bytes, model.pipe(UNSEEN))) == expected
        assert [bytes(model.parse(sentence)) for sentence in UNSEEN] == expected
        unbound = list(map(bytes, model.pipe(UNSEEN, constraints="none")))
        assert unbound == list(map(bytes, free.pipe(UNSEEN)))
    loaded = dodona.load(tmp_path / "bound.dodona", constraints="none")
    assert list(map(bytes, loaded.pipe(UNSEEN))) == list(map(bytes, free.pipe(UNSEEN)))


def test_a_model_without_constraints_is_the_file_that_it_was_before_they_existed() -> None:
    about, _ = parser("arc-eager").serialise()
    assert "constraints" not in about["settings"]
    assert parser("arc-eager", constraints="ud").serialise()[0]["settings"]["constraints"] == "ud"


def test_traces_obey_the_constraints_of_the_model() -> None:
    bound = parser("arc-eager", constraints="ud")
    n_forbidden = 0
    for sentence in UNSEEN:
        rules = SentenceRules(bound.labels, sentence)
        states = bound.trace(sentence)
        whys = [rules.why_not(state, action) for state, action in states if action is not None]
        free = parser("arc-eager").trace(sentence)
        n_forbidden += sum(rules.why_not(s, a) is not None for s, a in free if a is not None)
        assert sum(why is not None for why in whys) <= 1  # a dead end, which is repaired
    assert n_forbidden > 20


@pytest.mark.parametrize(
    ("system", "constraints", "why"),
    [
        ("arc-eager", "sud", "constraints are one of none, ud, not 'sud'"),
        ("graph-eager", "ud", "constraints are for trees, and graph-eager builds graphs"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(system: str, constraints: str, why: str) -> None:
    sentences = [s.replace(deps=[f"{h}:{d}" for h, d in zip(s.heads, s.deprels, strict=True)])
                 for s in treebank(10, 1, 0.0)]  # fmt: skip
    trained = train(sentences, system=system, features="auto")
    with pytest.raises(ValueError, match=why):
        list(trained.pipe(UNSEEN, constraints=constraints))


@pytest.mark.skipif(not VALIDATOR, reason="set DODONA_UD_TOOLS to UD's validate.py or udvalidate")
@pytest.mark.parametrize("name", ["en_ewt", "sv_lines", "fr_sequoia"])
def test_the_official_validator_finds_none_of_these_errors(name: str, tmp_path: Path) -> None:
    sentences = treebank_file(name, "train"), treebank_file(name, "test")
    trained = dodona.train(sentences[0], epochs=2, tags="predicted")
    test = list(dodona.read(sentences[1]))[:400]
    out = tmp_path / "parsed.conllu"
    with out.open("wb") as file:
        file.writelines(map(bytes, trained.pipe(test, retag=True, constraints="ud")))
    said = subprocess.run(
        [sys.executable, VALIDATOR, "--lang", "ud", "--level", "3", "--max-err", "0", out],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = [line for line in (said.stdout + said.stderr).splitlines() if "[L3 " in line]
    assert said.stdout + said.stderr
    assert not [line for line in lines if any(f" {kind}" in line for kind in KEPT)]
