"""Lemmas: scripts, words with fixed lemmas, and learning for all others."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import dodona
from dodona.core.tagging.tag_task import ANY, join
from dodona.settings import TaggerSettings
from dodona.storage import container
from dodona.storage.container import ContainerError
from dodona.synthetic.generator import synthetic_treebank
from dodona.tagging.lemma_learning import learn_lemmas
from dodona.tagging.lemma_scripts import LemmaScripts, lemma_script
from dodona.tagging.tagger_training import TaggerTrainer, tag_accuracies

Sentences = list[dodona.Sentence]
TAGS = ("upos", "xpos", "feats", "lemma")
ODD = [
    "İstanbul",
    "ẞ",
    "ǆep",
    "a\u0301\u0323",
    "👩🏽\u200d🔬",
    "ΣΟΦΟΣ",
    "𐐀bc",
    "한국",
    "x" * 3000,
    "_",
]


def treebank(n: int, seed: int) -> Sentences:
    return [
        dodona.Sentence.from_columns(
            found.forms, lemmas=found.lemmas, upos=found.upos, xpos=found.xpos, feats=found.feats
        )
        for found in synthetic_treebank(n, seed)
    ]


def words(*rows: tuple[str, str, str], times: int = 1) -> Sentences:
    """Make sentences of one word, from its form, lemma and UPOS."""
    return [
        dodona.Sentence.from_columns([form], lemmas=[lemma], upos=[tag])
        for form, lemma, tag in rows
        for _ in range(times)
    ]


def bare(sentences: Sentences) -> Sentences:
    return [dodona.Sentence.from_columns(sentence.forms) for sentence in sentences]


@pytest.fixture(scope="module")
def tagger() -> dodona.Tagger:
    return dodona.train_tagger(treebank(150, 1), treebank(40, 2), epochs=3, rare=3)


# --- scripts


def applied(form: str, lemma: str) -> str:
    return LemmaScripts([lemma_script(form, lemma).encode()]).lemma(0, form)


def test_a_script_makes_the_lemma_it_was_made_for() -> None:
    rng = Random(1)
    for _ in range(3000):
        form, lemma = (
            "".join(rng.choices("aAbBéÉß\u0131IiİǅŉΣ-1", k=rng.randint(1, 6))) for _ in "ab"
        )
        assert applied(form, lemma) == lemma, (form, lemma)


@pytest.mark.parametrize("form", ODD)
def test_odd_forms_have_scripts_too(form: str) -> None:
    for lemma in [*ODD, form.lower(), form.upper(), form.title(), form[:-1] or "x", "a b"]:
        assert applied(form, lemma) == lemma


@pytest.mark.parametrize(
    "pairs",
    [
        [("walks", "walk"), ("talks", "talk"), ("Walks", "walk"), ("TALKS", "talk")],
        [("gesagt", "sagen"), ("gefragt", "fragen")],
        [("PARIS", "Paris"), ("ROME", "Rome")],
        [("Paris", "Paris"), ("McDonald", "McDonald"), ("IBM", "IBM")],
        [("is", "be"), ("am", "be")],
    ],
)
def test_words_that_change_alike_share_a_script(pairs: list[tuple[str, str]]) -> None:
    assert len({lemma_script(*pair) for pair in pairs}) == 1


def test_a_form_that_is_too_short_only_changes_case() -> None:
    scripts = LemmaScripts([b"lower\t0\tge\t3\ten", b"title\t1\t\t1\t", b"kept\t2\t\t0\t"])
    assert [scripts.lemma(i, "ÉB") for i in range(3)] == ["éb", "Éb", "ÉB"]
    assert scripts.lemma(0, "ABC") == "geen"  # just long enough: something is put in its place


@pytest.mark.parametrize(
    "script",
    [
        "",
        "upper\t0\t\t0\t",
        "lower\t0\t\t0",
        "lower\t-1\t\t0\t",
        "lower\t9999999\t\t0\t",
        "lower\tx\t\t0\t",
        "whole",
        "whole\ta\tb",
        "whole\ta\nb",
    ],
)
def test_what_is_no_script_is_refused(script: str) -> None:
    with pytest.raises(ValueError, match="lemma script"):
        LemmaScripts([script.encode()])


# --- the dictionary


def test_the_dictionary_depends_on_tags_only_where_lemmas_do() -> None:
    forms = ["saw", "saw", "oaks", "oaks", "a"]
    lemmas = ["saw", "see", "oak", "oak", "a"]
    tags = [[0, 1, 0, 1, 0], [5, 6, 5, 6, 7]]
    found = learn_lemmas(forms, lemmas, tags, least=2)
    scripts = LemmaScripts(found.answers.classes)

    def dictionary(answers: dodona.tagging.tag_classes.TagClasses) -> set[tuple[str, int, str]]:
        known = sorted(set(forms))
        rows = zip(answers.entries, answers.before, answers.fixed, strict=True)
        return {(known[e], given, scripts.lemma(c, known[e])) for e, given, c in rows}

    oaks = ("oaks", ANY, "oak")
    saw = {("saw", join([0, 5]), "saw"), ("saw", join([1, 6]), "see")}
    assert dictionary(found.answers) == {oaks, ("a", ANY, "a"), *saw}
    assert dictionary(found.in_training) == {oaks}
    assert [scripts.lemma(c, form) for c, form in zip(found.gold, forms, strict=True)] == lemmas


def test_scripts_of_one_word_are_not_learned() -> None:
    forms, lemmas = ["went", "oaks", "elms"], ["go", "oak", "elm"]
    answers = learn_lemmas(forms, lemmas, [[0, 0, 0]], least=1).answers
    assert answers.n_classes == 1 < len(answers.classes)
    alone = learn_lemmas(["went"], ["go"], [[0]], least=1).answers
    assert alone.n_classes == len(alone.classes) == 1


def test_a_word_seen_once_takes_its_lemma_and_one_of_other_tags_too() -> None:
    odd = dodona.Sentence.from_columns(["Zzyzx"], lemmas=["oak tree"], upos=["NOUN"])
    tagger = dodona.train_tagger([*treebank(30, 1), odd], epochs=1)
    assert tagger.tag(dodona.Sentence.from_columns(["Zzyzx"])).lemmas == ["oak tree"]
    other = dodona.Sentence.from_columns(["Zzyzx"], upos=["VERB"])
    assert tagger.tag_batch([other], keep=["upos"])[0].lemmas == ["oak tree"]


def test_tags_tell_the_lemmas_of_a_form_apart() -> None:
    rows = [("saw", "saw", "NOUN"), ("saw", "see", "VERB"), ("oak", "oak", "NOUN")]
    tagger = dodona.train_tagger(words(*rows, times=4), epochs=2)
    given = [dodona.Sentence.from_columns(["saw"], upos=[tag]) for tag in ("NOUN", "VERB")]
    found = tagger.tag_batch(given, keep=["upos"])
    assert [sentence.lemmas for sentence in found] == [["saw"], ["see"]]


# --- learning


@pytest.mark.parametrize("search", ["greedy", "beam"])
def test_lemmas_are_learned(search: str) -> None:
    gold = treebank(60, 3)
    trainer = TaggerTrainer(treebank(150, 1), None, TaggerSettings(search=search, epochs=3, rare=3))
    *_, last = trainer.epochs()
    assert last.scores == {} and trainer.columns[-1] == "lemma"
    tagged = trainer.tagger().tag_batch(bare(gold))
    assert tag_accuracies(gold, tagged, ["lemma"])["lemma"] > 90


def test_unseen_words_are_lemmatised_by_rare_ones() -> None:
    """Words seen once must not have fixed classes, or nothing would be learned."""
    stems = ["oak", "elm", "ash", "yew", "fir", "bay", "fig", "gum"]
    rows = [(f"{stem}im", f"{stem}o", "NOUN") for stem in stems]
    rows += [(f"{stem}ad", f"{stem}u", "VERB") for stem in stems]
    tagger = dodona.train_tagger(words(*rows), epochs=5)
    unseen = [dodona.Sentence.from_columns([form]) for form in ("Plumim", "plumad")]
    assert [tagger.tag(sentence).lemmas for sentence in unseen] == [["plumo"], ["plumu"]]


def test_case_is_learned() -> None:
    names = [(f"{c}emon", f"{c}emon", "PROPN") for c in "DLMNPRST"]
    nouns = [(f"{c}oaks", f"{c.lower()}oak", "NOUN") for c in "DLMNPRST"]
    tagger = dodona.train_tagger(words(*names, *nouns, times=2), epochs=5)
    unseen = [dodona.Sentence.from_columns([form]) for form in ("Kemon", "Koaks", "koaks")]
    assert [tagger.tag(sentence).lemmas[0] for sentence in unseen] == ["Kemon", "koak", "koak"]


@pytest.mark.parametrize("form", ODD)
def test_any_word_gets_a_lemma(tagger: dodona.Tagger, form: str) -> None:
    (lemma,) = tagger.tag(dodona.Sentence.from_columns([form])).lemmas
    assert lemma


def test_no_lemmas_no_task(tagger: dodona.Tagger) -> None:
    train = treebank(30, 1)
    assert tagger.columns == ["xpos", "upos", "feats", "lemma"]
    without = [s.replace(lemmas=["_"] * len(s)) for s in train]
    for found in (
        dodona.train_tagger(without, epochs=1),
        dodona.train_tagger(train, epochs=1, lemmas=False),
    ):
        assert found.columns == ["xpos", "upos", "feats"]
        assert found.tag(train[0]).lemmas == train[0].lemmas


# --- files


def test_words_without_lemmas_teach_none() -> None:
    full = treebank(40, 1)
    empty = [s.replace(lemmas=["_"] * len(s)) for s in treebank(80, 2)]
    with_both = dodona.train_tagger([*empty, *full], epochs=3)
    new = treebank(40, 3)
    tagged = [with_both.tag(s.replace(lemmas=["_"] * len(s))) for s in new]
    accuracies = tag_accuracies(new, tagged, TAGS)
    assert "_" not in {lemma for s in tagged for lemma in s.lemmas}
    assert accuracies["lemma"] > 90


def test_a_first_treebank_without_lemmas_takes_them_from_others() -> None:
    first = [s.replace(lemmas=["_"] * len(s)) for s in treebank(40, 1)]
    trainer = TaggerTrainer([*first, *treebank(40, 2)], None, TaggerSettings(), n_first=40)
    assert trainer.columns[-1] == "lemma"


def test_a_saved_tagger_has_its_lemmas(tagger: dodona.Tagger, tmp_path: Path) -> None:
    tagger.save(tmp_path / "t")
    loaded = dodona.Tagger.load(tmp_path / "t")
    test = bare(treebank(20, 4))
    assert [*map(bytes, loaded.pipe(test))] == [*map(bytes, tagger.pipe(test))]
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "t").read_bytes()


def test_a_script_that_is_damaged_is_refused(tagger: dodona.Tagger, tmp_path: Path) -> None:
    about, arrays = tagger.serialise()
    about["tasks"][-1]["classes"][0] = "lower\t0\tno end"
    form = dodona.Tagger.FORMAT
    container.write(tmp_path / "t", form.kind, form.version, about, arrays)
    with pytest.raises(ContainerError, match="invalid lemma script"):
        dodona.Tagger.load(tmp_path / "t")


def test_an_older_tagger_is_refused(tagger: dodona.Tagger, tmp_path: Path) -> None:
    form = dodona.Tagger.FORMAT
    container.write(tmp_path / "t", form.kind, form.version - 1, *tagger.serialise())
    with pytest.raises(ContainerError, match="version"):
        dodona.Tagger.load(tmp_path / "t")


# --- what the input has


@pytest.mark.parametrize("threads", [1, 2])
def test_only_what_a_sentence_lacks_is_filled_in(tagger: dodona.Tagger, threads: int) -> None:
    gold = treebank(3, 8)
    odd = gold[0].replace(upos=["X"] * len(gold[0]), lemmas=["oak"] + ["_"] * (len(gold[0]) - 1))
    given = [odd, *bare(gold)]
    found = list(tagger.pipe(given, keep=TAGS, threads=threads))
    assert (found[0].upos, found[0].lemmas) == (odd.upos, odd.lemmas)
    assert (found[0].xpos, found[0].feats) == (gold[0].xpos, gold[0].feats)
    assert [*map(bytes, found[1:])] == [*map(bytes, tagger.pipe(given[1:]))]
    assert tagger.tag_batch([odd], keep=["lemma"])[0].upos != odd.upos
    with pytest.raises(ValueError, match=r"keep has some of upos, .*, not \['lemmas'\]"):
        tagger.tag_batch([odd], keep=["lemmas"])


# --- parsers


@pytest.mark.parametrize("tags", ["predicted", "jackknife:2"])
def test_a_parser_looks_at_predicted_lemmas(tags: str) -> None:
    train = [
        dodona.Sentence.from_columns(
            s.forms, lemmas=s.lemmas, upos=s.upos, heads=s.heads, deprels=s.deprels
        )
        for s in synthetic_treebank(30, 1)
    ]
    parser = dodona.train(train, epochs=1, tags=tags)
    assert "lemma" in parser.encoder.columns
    assert parser.tagger is not None and parser.tagger.columns == ["upos", "lemma"]
    other = train[3].replace(lemmas=["oak"] * len(train[3]))
    [retagged] = parser.pipe([other], retag=True)
    assert bytes(retagged) == bytes(parser.parse(bare(train[3:4])[0]))
    kept = next(iter(parser.pipe([other], keep_tags=True)))
    assert kept.lemmas == other.lemmas
