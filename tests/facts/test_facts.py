"""Clauses and triples: on 200 annotated sentences, and construction by construction."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dodona
from dodona import Sentence
from dodona.facts import patterns
from dodona.query.pattern import Pattern
from support.facts import annotated, annotation, score

FLOORS = {"gold trees": 98.0, "en": 93.0, "en-small": 91.0}


def test_there_are_200_sentences_with_facts() -> None:
    sentences = annotated()
    assert len({sentence.text for sentence in sentences}) == 200
    assert all(annotation(sentence) for sentence in sentences)
    assert sum(annotation(sentence).total() for sentence in sentences) > 350


@pytest.mark.parametrize("trees", FLOORS)
def test_facts_are_found(trees: str) -> None:
    parser = None if trees == "gold trees" else dodona.load(trees)
    assert score(parser).f1 >= FLOORS[trees]


def gold(text: str) -> Sentence:
    """The annotated sentence that begins so."""
    return next(sentence for sentence in annotated() if sentence.text.startswith(text))


def test_the_verb_phrase_has_the_words_of_the_verb() -> None:
    (phrase,) = gold("We called off").verb_phrases()
    assert (phrase.text, phrase.lemma, phrase.head.form) == ("called off", "call off", "called")
    (phrase,) = gold("They can't").verb_phrases()
    assert (phrase.text, phrase.negated, phrase.modality) == ("ca n't find", True, "can")
    (phrase,) = gold("This could be").verb_phrases()
    assert (phrase.text, phrase.lemma, phrase.head.form) == ("could be", "be", "mistake")
    (phrase,) = gold("The law was not").verb_phrases()
    assert (phrase.text, phrase.passive, phrase.negated) == ("was not approved", True, True)
    assert repr(phrase) == "<VerbPhrase was not approved | passive | negated>"
    assert phrase.to_dict()["ids"] == [3, 4, 5]


def test_clauses_have_a_kind_and_words_of_their_own() -> None:
    clauses = gold("The man who bought").clauses()
    assert [(clause.kind, clause.text) for clause in clauses] == [
        ("relative", "who bought the car"),
        ("main", "The man lives here"),
    ]
    assert [word.form for word in clauses[0].subjects] == ["man"]
    assert [word.form for word in clauses[0].objects] == ["car"]
    assert clauses[0].to_dict()["subjects"] == ["The man"]
    kinds = {clause.kind for sentence in annotated() for clause in sentence.clauses()}
    assert kinds == {
        *("main", "relative", "adnominal", "adverbial", "complement"),
        *("subject", "coordinate", "parataxis"),
    }


def test_triples_have_phrases_and_indirect_objects() -> None:
    (triple,) = gold("She gave her brother").triples()
    assert [word.form for word in triple.indirect] == ["brother"]
    (triple,) = gold("She was given").triples()
    assert [word.form for word in triple.indirect] == ["She"]
    triple = gold("The storm destroyed").triples()[0]
    assert str(triple.subject_span) == "The storm"
    assert str(triple.object_span) == "hundreds of houses"
    assert triple.to_dict() == {
        "subject": "The storm",
        "verb": "destroy",
        "object": "hundreds of houses",
        "indirect": [],
        "negated": False,
        "modality": None,
        "passive": False,
        "subject_id": 2,
        "verb_id": 3,
        "object_id": 4,
    }
    assert triple.to_json().startswith('{"subject": "The storm", "verb": "destroy"')
    says = gold("He said that").triples()[0]
    assert str(says.object_span) == "that Anna had left"
    assert str(gold("The cake was eaten").triples()[0].subject_span) == "Tom"


def test_a_verb_without_a_noun_is_no_fact_but_a_clause() -> None:
    listen = Sentence.from_columns(
        ["Listen"], lemmas=["listen"], upos=["VERB"], heads=[0], deprels=["root"]
    )
    assert listen.triples() == []
    assert [clause.verb.lemma for clause in listen.clauses()] == ["listen"]
    assert Sentence.from_columns(["Listen"]).clauses() == []


# FORM/lemma/UPOS/FEATS/head/deprel, and the triples
OTHERS = {
    "Anna/Anna/PROPN/_/2/nsubj can/can/AUX/_/0/root": ["Anna | can | -"],
    "Anna/Anna/PROPN/_/3/nsubj kann/können/AUX/VerbType=Mod/3/aux singen/singen/VERB/_/0/root": [
        "Anna | singen | - | können"
    ],
    "books/book/NOUN/_/0/root he/he/PRON/_/3/nsubj wants/want/VERB/_/1/acl:relcl "
    "to/to/PART/_/5/mark read/read/VERB/VerbForm=Inf/3/xcomp": [
        "he | want | read",
        "he | read | books",
    ],
    "cakes/cake/NOUN/_/0/root Tom/Tom/PROPN/_/3/nsubj bakes/bake/VERB/_/1/acl:relcl "
    "and/and/CCONJ/_/6/cc Anna/Anna/PROPN/_/6/nsubj eats/eat/VERB/_/3/conj": [
        "Tom | bake | cakes",
        "Anna | eat | cakes",
    ],
    "he/he/PRON/_/3/nsubj neither/neither/CCONJ/Polarity=Neg/3/cc:preconj eats/eat/VERB/_/0/root "
    "nor/nor/CCONJ/Polarity=Neg/5/cc drinks/drink/VERB/_/3/conj": [
        "he | eat | - | negated",
        "he | drink | - | negated",
    ],
    "Not/not/PART/Polarity=Neg/2/advmod all/all/PRON/_/3/nsubj agree/agree/VERB/_/0/root": [
        "all | agree | - | negated"
    ],
}


def make(words: str) -> Sentence:
    columns = zip(*(word.split("/") for word in words.split()), strict=True)
    forms, lemmas, upos, feats, heads, deprels = columns
    numbers = [int(head) for head in heads]
    return Sentence.from_columns(
        forms, lemmas=lemmas, upos=upos, feats=feats, heads=numbers, deprels=deprels
    )


@pytest.mark.parametrize("words", OTHERS)
def test_constructions_that_the_sentences_lack(words: str) -> None:
    triples = make(words).triples()
    assert triples == make(words).triples()
    assert [repr(triple) for triple in triples] == [f"<Triple {one}>" for one in OTHERS[words]]


def test_every_pattern_of_the_table_is_valid_and_found_in_some_sentence() -> None:
    """A row that nothing matches would be a row that nobody needs."""
    sentences = annotated()
    rows = {name: row for name, row in vars(patterns).items() if name.isupper() and name[0] != "_"}
    del rows["CLAUSES"]
    unused = [
        (name, text)
        for name, row in rows.items()
        for text in row
        if not any(map(Pattern(text).is_in, sentences))
    ]
    others = [make(words) for words in OTHERS]
    unknown = [row for row in unused if not any(map(Pattern(row[1]).is_in, others))]
    assert not unknown


LABELS = ["nsubj", "obj", "conj", "xcomp", "acl:relcl", "cop", "nsubj:pass", "advcl", "root"]


@given(st.data())
def test_any_arcs_at_all_give_facts_without_an_error(data: st.DataObject) -> None:
    """Also cycles, several roots and missing heads."""
    n = data.draw(st.integers(1, 7))
    heads = data.draw(st.lists(st.one_of(st.none(), st.integers(0, n)), min_size=n, max_size=n))
    labels = data.draw(st.lists(st.sampled_from(LABELS), min_size=n, max_size=n))
    tags = data.draw(st.lists(st.sampled_from(["VERB", "NOUN", "AUX"]), min_size=n, max_size=n))
    sentence = Sentence.from_columns(
        [f"w{i}" for i in range(n)], upos=tags, heads=heads, deprels=labels
    )
    for triple in sentence.triples():
        assert triple.subject or triple.object
        assert triple.to_json()
    for clause in sentence.clauses():
        assert clause.verb.head.id in range(1, n + 1)
    assert all(len(phrase) for phrase in sentence.noun_phrases())
