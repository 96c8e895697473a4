"""Tags of several treebanks agree with those of the first, by rules and by a list."""

from __future__ import annotations

from pathlib import Path

import pytest

import dodona
from dodona.training.harmony import NOT_LEARNED, Clash, Conventions, find_clashes, harmonise
from dodona.training.harmony_list import parse_harmony, read_harmony
from dodona.training.neural.gold_treebanks import GoldTreebanks
from dodona.treebank.conllu.errors import TreebankError

ENGLISH = Path(__file__).parents[2] / "tools" / "harmony" / "en.txt"


def one(
    form: str,
    upos: str = "NOUN",
    feats: str = "_",
    *,
    xpos: str = "_",
    lemma: str = "_",
    deprel: str = "root",
    source: str = "",
    misc: str = "_",
) -> dodona.Sentence:
    """Return a sentence of one word."""
    return dodona.Sentence.from_columns(
        [form],
        lemmas=[lemma],
        upos=[upos],
        xpos=[xpos],
        feats=[feats],
        heads=[0],
        deprels=[deprel],
        misc=[misc],
        comments=[f"# sent_id = {source}-1"] if source else [],
    )


def tags(sentences: list[dodona.Sentence]) -> list[tuple[str, str, str, str]]:
    return [(s.upos[0], s.xpos[0], s.feats[0], s.lemmas[0]) for s in sentences]


def test_a_form_that_two_treebanks_tag_differently_has_the_analysis_of_the_first() -> None:
    first = [one("United", "ADJ", "Degree=Pos", xpos="NNP", lemma="United")] * 20
    other = [one("United", "VERB", "VerbForm=Part", xpos="VBN", lemma="Unite")] * 3
    clashes = list(find_clashes(Conventions(first), Conventions(other)))
    assert clashes == [Clash("upos", ("United",), "ADJ", 20, "VERB", 3)]
    gold = GoldTreebanks.load(first, [other])
    assert tags(gold.others[0]) == [("ADJ", "NNP", "Degree=Pos", "United")] * 3
    # too little evidence: a noun here and a verb there are ordinary
    few = GoldTreebanks.load(first[:19], [other])
    assert few.others[0] == other
    # nor is a form that the other treebank tags in both ways judged
    mixed = [*other, one("United", "ADJ", "Degree=Pos", xpos="NNP", lemma="United")]
    assert GoldTreebanks.load(first, [mixed]).others[0] == mixed


def test_xpos_alone_may_clash() -> None:
    first, other = [one(";", "PUNCT", xpos=",")] * 20, [one(";", "PUNCT", xpos=":")] * 5
    assert {s.xpos[0] for s in harmonise(Conventions(first), other)} == {","}


def test_feats_of_other_guidelines_become_those_of_the_first_or_are_not_learned() -> None:
    nominative, accusative = "Case=Nom|Person=2", "Case=Acc|Person=2"
    first = [one("you", "PRON", nominative), one("you", "PRON", accusative)] * 20
    first += [one(form, "ADV") for form in ("often", "back", "still")] * 3
    first += [one("well", "ADV", "Degree=Pos"), one("hers", "PRON", "Poss=Yes")]
    other = [one("You", "PRON", "Case=Nom|Number=Sing|Person=2")] * 3
    other += [one(form, "ADV", "Degree=Pos") for form in ("often", "back", "still")] * 2
    # a word that the first lacks, with FEATS that it gives to other words; and one as in the first
    other += [one("gladly", "ADV", "Degree=Pos"), one("well", "ADV", "Degree=Pos")]
    other += [one("ours", "PRON", "Poss=Yes"), one("thine", "PRON", "Poss=Yes|Style=Arch")]
    found = [s.feats[0] for s in harmonise(Conventions(first), other)]
    assert found[:9] == [nominative] * 3 + ["_"] * 6
    assert found[9:] == [NOT_LEARNED, "Degree=Pos", "Poss=Yes", "Poss=Yes|Style=Arch"]


def test_features_are_added_only_to_forms_that_never_vary() -> None:
    full = "Case=Gen|Poss=Yes"
    first = [one("his", "PRON", full)] * 30 + [one("said", "VERB", "Number=Sing|Tense=Past")] * 3
    other = [one("his", "PRON", "Poss=Yes"), one("said", "VERB", "Tense=Past")]
    assert [s.feats[0] for s in harmonise(Conventions(first), other)] == [full, "Tense=Past"]


def test_columns_that_a_source_lacks_are_not_learned_from_it() -> None:
    first = [one("oak", feats="Number=Sing", lemma="oak", misc="SpaceAfter=No")] * 2
    bare, full = one("oak", source="spoken"), one("oak", lemma="oak", source="pud")
    other = [bare, full, one("oak", feats="Number=Sing", source="pud", misc="SpaceAfter=No")]
    gold = GoldTreebanks.load(first, [other])
    assert [s.feats[0] for s in gold.others[0]] == [NOT_LEARNED, "_", "Number=Sing"]
    assert gold.with_lemmas == [*first, full]
    assert gold.with_spacing == [*first, *other[1:]]
    # what a list has decided about single words does not fill a column
    decided = parse_harmony(["elm > feats=Number=Sing"], "list.txt")
    some = [one("elm", source="spoken"), *[bare] * 200]
    found = GoldTreebanks.load(first, [some], decided).others[0]
    assert [s.feats[0] for s in found] == ["Number=Sing", *[NOT_LEARNED] * 200]
    alone = GoldTreebanks.load([one("oak")], [[one("oak")]])  # the first has no FEATS, either
    assert alone.others[0][0].feats == ["_"]


def test_a_list_decides_before_the_rules_and_in_the_first_treebank_too() -> None:
    decided = parse_harmony(
        [
            "# people",
            "people upos=NOUN > lemma=people   # not person",
            "[pud spoken]",
            ", upos=PUNCT > head=_",
            "* deprel=obl:tmod > deprel=obl",
            "[*]",
            "omit odd",
            "omit upos=VERB > lemma=omit",
        ],
        "list.txt",
    )
    first = [one("People", lemma="person"), one("omit", "VERB"), one("people", "VERB")]
    other = [one(",", "PUNCT", source="pud"), one(",", "PUNCT"), one("oak", source="odd")]
    other += [one(form, deprel="obl:tmod", source=source) for form, source in TIMES]
    found = decided.apply([*first, *other])
    assert [s.lemmas[0] for s in found[:3]] == ["people", "omit", "_"]
    assert [(s.heads[0], s.deprels[0]) for s in found[3:5]] == [(None, "_"), (0, "root")]
    assert [s.deprels[0] for s in found[5:]] == ["obl", "obl:tmod"]
    gold = GoldTreebanks.load(first, [other], decided)
    assert gold.first[0].lemmas == ["people"] and len(gold.others[0]) == len(other) - 1


TIMES = ("today", "spoken"), ("today", "gum")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("United upos=VERB upos=ADJ", "expected a form, conditions, '>'"),
        ("United upos=VERB >", "expected a form"),
        ("United pos=VERB > upos=ADJ", "'pos=VERB' is not one of lemma, upos"),
        ("United head=_ > upos=ADJ", "'head=_' is not one of"),
        ("United > upos", "'upos' is not one of"),
        ("United > head=3", "the only value of head is _, not '3'"),
    ],
)
def test_a_line_that_is_no_decision_is_refused_with_its_number(line: str, message: str) -> None:
    with pytest.raises(TreebankError, match=message) as caught:
        parse_harmony(["", line], "list.txt")
    assert str(caught.value).startswith("list.txt:2: ")


def test_the_list_of_english_is_well_formed() -> None:
    decided = read_harmony(ENGLISH)
    assert decided.omitted == {"ctetex"} and decided.decisions[","][0].sources == {"pud", "eslspok"}
    tense = decided.apply([one("Fled", "VERB", lemma="flead")])
    assert tense[0].lemmas == ["flee"]
