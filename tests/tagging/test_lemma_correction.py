"""Lemmas of unknown words: by analogy, and with a lexicon."""

from __future__ import annotations

import pytest

import dodona
from dodona.tagging.lemma_correction import LemmaCorrection
from dodona.tagging.lemma_learning import learn_unknown_lemmas
from dodona.tagging.lemma_scripts import lemma_script
from dodona.tagging.tagger import Tagger

PAST = [
    ("tilted", "tilt"), ("planted", "plant"), ("turned", "turn"), ("opened", "open"),
    ("played", "play"), ("built", "build"), ("went", "go"), ("took", "take"), ("did", "do"),
    ("returned", "return"), ("reopened", "reopen"), ("replayed", "replay"), ("hoped", "hope"),
    ("overturned", "overturn"), ("overplayed", "overplay"), ("overtook", "overtake"),
    ("undertook", "undertake"), ("underplayed", "underplay"), ("undid", "undo"),
    ("loved", "love"), ("baked", "bake"), ("named", "name"),
]  # fmt: skip
BASE = [
    "bake",
    "do",
    "go",
    "hope",
    "love",
    "name",
    "take",
    "open",
    "play",
    "turn",
    "build",
    "plant",
]
BASE += ["undergrow", "grow", "stop", "nod", "step"]
DOUBLED = [("stopped", "stop"), ("nodded", "nod"), ("stepped", "step")]


def treebank() -> list[dodona.Sentence]:
    pairs = [(form, lemma, "VBD") for form, lemma in PAST + DOUBLED]
    pairs += [(form, form, "VB") for form in BASE]
    return [
        dodona.Sentence.from_columns([form], lemmas=[lemma], upos=["VERB"], xpos=[tag])
        for form, lemma, tag in pairs
        for _ in range(3)
    ]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return dodona.train_tagger(treebank(), epochs=5)


def guesses() -> tuple[LemmaCorrection, dict[str, int]]:
    pairs = [*PAST, *DOUBLED, *((form, form) for form in BASE)]
    tags = [0] * len(PAST + DOUBLED) + [1] * len(BASE)
    scripts = sorted({lemma_script(*pair) for pair in pairs})
    number = {script: i for i, script in enumerate(scripts)}
    unknown, more = learn_unknown_lemmas(*zip(*pairs, strict=True), tags, number)  # type: ignore[call-arg]
    classes = [script.encode() for script in [*scripts, *more]]
    found = LemmaCorrection(
        classes,
        zip(unknown.endings, unknown.tags, unknown.scripts, strict=True),
        unknown.lemmas,
        unknown.prefixes,
        zip(unknown.usual_tags, unknown.usual_scripts, strict=True),
    )
    return found, number


@pytest.mark.parametrize(
    ("form", "lemma"),
    [
        ("rebuilt", "rebuild"),
        ("Rebuilt", "rebuild"),
        ("underwent", "undergo"),
        ("overbuilt", "overbuild"),
        ("retook", "retake"),
        ("overdid", "overdo"),
    ],
)
def test_prefixed_words_go_like_the_exceptions_that_they_end_in(form: str, lemma: str) -> None:
    found, number = guesses()
    for chosen in (lemma_script("planted", "plant"), lemma_script("hoped", "hope")):
        script = found.script(number[chosen], form, 0)
        assert found.scripts.lemma(script, form) == lemma


@pytest.mark.parametrize("form", ["xqbuilt", "rebuilt"])
def test_other_beginnings_or_other_tags_tell_nothing(form: str) -> None:
    found, number = guesses()
    chosen = number[lemma_script("planted", "plant")]
    assert found.script(chosen, form, 0 if form == "xqbuilt" else 1) == chosen


def test_a_lemma_that_is_known_is_left_alone() -> None:
    found, number = guesses()
    chosen = number[lemma_script("planted", "plant")]
    assert found.script(chosen, "growed", 0) == chosen


def test_a_usual_script_that_gives_a_known_lemma_is_better_than_one_that_does_not() -> None:
    found, number = guesses()
    chosen = number[lemma_script("hoped", "hope")]  # growed: "growe"
    assert found.scripts.lemma(chosen, "growed") == "growe"
    script = found.script(chosen, "growed", 0)
    assert found.scripts.lemma(script, "growed") == "grow"


def test_without_what_is_known_of_unknown_words_the_model_is_right() -> None:
    scripts = [lemma_script("planted", "plant").encode()]
    assert LemmaCorrection(scripts).script(0, "rebuilt", 0) == 0


def test_scripts_that_do_not_exist_are_refused() -> None:
    scripts = [lemma_script("planted", "plant").encode()]
    with pytest.raises(ValueError, match="no lemma script 7 among 1"):
        LemmaCorrection(scripts, exceptions=[(1, 1, 7)])
    with pytest.raises(ValueError, match="no lemma script 7 among 1"):
        LemmaCorrection(scripts, usual=[(1, 7)])


def test_a_tagger_finds_lemmas_of_words_it_has_not_seen(tagger: Tagger) -> None:
    forms = ["rebuilt", "underwent", "overdid", "rehoped"]
    tagged = [tagger.tag(dodona.Sentence.from_columns([form], xpos=["VBD"])) for form in forms]
    assert [found.xpos for found in tagged] == [["VBD"]] * len(forms)
    assert [found.lemmas for found in tagged] == [["rebuild"], ["undergo"], ["overdo"], ["rehope"]]


def test_a_saved_tagger_does_the_same(tagger: Tagger) -> None:
    again = Tagger.from_bytes(tagger.to_bytes())
    assert again.to_bytes() == tagger.to_bytes()
    assert again.tag(dodona.Sentence.from_columns(["rebuilt"])).lemmas == ["rebuild"]


def test_where_every_form_has_a_lemma_of_its_own_known_lemmas_tell_nothing() -> None:
    pairs = [(f"{stem}{end}", f"{stem}+{end}") for stem in ("mok", "san") for end in ("ta", "ga")]
    number = {script: i for i, script in enumerate(sorted({lemma_script(*p) for p in pairs}))}
    forms, lemmas = zip(*pairs, strict=True)
    apart, _ = learn_unknown_lemmas(forms, lemmas, [0] * len(pairs), number)
    assert not len(apart.usual_tags)
    stems = [lemma.partition("+")[0] for lemma in lemmas]
    number = {lemma_script(*pair): i for i, pair in enumerate(zip(forms, stems, strict=True))}
    together, _ = learn_unknown_lemmas(forms, stems, [0] * len(pairs), number)
    assert len(together.usual_tags)
