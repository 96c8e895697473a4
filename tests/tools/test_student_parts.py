"""Parts of a student are exchanged, and nothing else of it changes."""

from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("jax", reason='needs pip install "dodona[neural]"')

import dodona
from dodona.training.neural.gold_treebanks import GoldTreebanks
from dodona.training.neural.strategy import lemma_trainer
from fuzz import samples
from tools.student_parts import count_forms, tags_of, with_fewer_words, with_lemmas


@pytest.fixture(scope="module")
def student() -> dodona.Parser:
    return samples.parser("network")


def test_the_most_frequent_words_keep_their_vectors(student: dodona.Parser) -> None:
    forms = [form.decode() for form in tags_of(student).words.forms]
    assert len(forms) > 3
    whole = with_fewer_words(student, Counter(), len(forms), 0)
    assert whole.to_bytes() == student.to_bytes()
    fewer = with_fewer_words(student, Counter({forms[2]: 9, forms[0]: 5}), 2, 0)
    assert [form.decode() for form in tags_of(fewer).words.forms] == [forms[0], forms[2]]
    again = dodona.Parser.from_bytes(fewer.to_bytes())
    known = dodona.Sentence.from_columns([forms[2], forms[0]])
    assert again.parse(known).to_conllu() == student.parse(known).to_conllu()
    assert len(fewer.to_bytes()) < len(student.to_bytes())


def test_lemmas_are_those_of_the_trainer(student: dodona.Parser) -> None:
    sentences = samples.treebank()
    changed = [s.replace(lemmas=[f"{form}x" for form in s.forms]) for s in sentences]
    gold = GoldTreebanks(changed, [])
    made = with_lemmas(student, gold, lemma_trainer(gold, [], 1).complete())
    before, after = (one.parse(sentences[0]) for one in (student, made))
    assert before.heads == after.heads and before.upos == after.upos
    plain = dodona.Sentence.from_columns(sentences[0].forms)
    assert made.parse(plain).lemmas == [f"{form.lower()}x" for form in plain.forms]
    other = GoldTreebanks([s.replace(upos=["X"] * len(s)) for s in changed], [])
    with pytest.raises(ValueError, match="trained with other classes of"):
        with_lemmas(student, other, lemma_trainer(other, [], 1))


def test_a_linear_student_is_refused() -> None:
    with pytest.raises(ValueError, match="the student has no network"):
        tags_of(samples.parser("arc-eager"))


def test_forms_are_counted_in_lower_case() -> None:
    assert count_forms([dodona.Sentence.from_columns(["Oak", "oak", "!"])]) == {"oak": 2, "!": 1}
