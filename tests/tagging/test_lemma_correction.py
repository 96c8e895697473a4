"""Lemmas of unknown words: by analogy, and with a lexicon."""

from __future__ import annotations

import pytest

import dodona
from dodona.tagging.lemma_correction import LemmaCorrection, lemma_hash
from dodona.tagging.lemma_learning import learn_lemmas, learn_unknown_lemmas
from dodona.tagging.lemma_scripts import lemma_script
from dodona.tagging.tag_classes import class_arrays, describe_tasks, read_classes
from dodona.tagging.tagger import Tagger

PAST = [
    ("tilted", "tilt"), ("planted", "plant"), ("ended", "end"), ("roared", "roar"),
    ("turned", "turn"), ("opened", "open"),
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
        zip(unknown.cut_endings, unknown.cut_scripts, strict=True),
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
    found, number = guesses()  # "ed" was cut off after d, n, r, t, y
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


# --- casing, and endings that are cut off

CASINGS = [
    f"{casing}\t0\t\t{cut}\t".encode() for casing in ("lower", "kept", "title") for cut in "01"
]
LOWER, CUT, KEPT, KEPT_CUT, TITLE, TITLE_CUT = range(6)
NAME, NOUN = 3, 7  # ids of tags
LEMMAS = ["India", "rough", "trader", "Trader", "polish", "Polish", "bell", "Bell", "US"]


@pytest.mark.parametrize(
    ("form", "tags", "chosen", "script"),
    [
        ("india", NAME, LOWER, TITLE),
        ("india", NAME, KEPT, TITLE),
        ("INDIA", NAME, KEPT, TITLE),
        ("bell", NAME, KEPT, TITLE),  # also a noun
        ("US", NAME, KEPT, KEPT),  # known as it is
        ("McIndia", NAME, KEPT, KEPT),
        ("Rough", NAME, KEPT, KEPT),
        ("Rough", NOUN, KEPT, LOWER),
        ("ROUGH", NOUN, TITLE, LOWER),
        ("Indias", NOUN, KEPT_CUT, KEPT_CUT),
        ("Roughs", NOUN, KEPT_CUT, CUT),
        ("Traders", NOUN, KEPT_CUT, KEPT_CUT),  # both are known: the model decides
        ("Polish", NOUN, KEPT, KEPT),
        ("Quaint", NOUN, KEPT, KEPT),  # neither is known
    ],
)
def test_the_casing_of_a_known_lemma_is_preferred(
    form: str, tags: int, chosen: int, script: int
) -> None:
    lemmas = [lemma_hash(lemma) for lemma in LEMMAS]
    found = LemmaCorrection(CASINGS, lemmas=lemmas, names=[NAME])
    assert found.script(chosen, form, tags) == script
    assert LemmaCorrection(CASINGS, lemmas=lemmas).script(chosen, form, tags) == chosen


def test_the_capital_of_the_first_word_means_nothing() -> None:
    lemmas = [lemma_hash(lemma) for lemma in LEMMAS]
    found = LemmaCorrection(CASINGS, lemmas=lemmas, names=[NAME])
    assert found.script(KEPT, "Polish", NOUN, True) == LOWER  # both are known
    assert found.script(KEPT, "Polish", NAME, True) == KEPT
    assert found.script(KEPT, "Indian", NOUN, True) == KEPT  # neither is known
    both = LemmaCorrection(CASINGS, lemmas=[lemma_hash("I"), lemma_hash("i")], names=[NAME])
    assert both.script(KEPT, "I", NOUN, True) == KEPT


def test_a_known_word_with_tags_that_it_never_had_is_cased_as_lemmas_are() -> None:
    names = [(name, name, "PROPN") for name in ("Fine", "Ann", "Rio", "Oslo", "Max", "Eve")]
    others = [(word, word.lower(), "ADJ") for word in ("fine", "Grand", "Rough", "Wide", "Old")]
    sentences = [
        dodona.Sentence.from_columns([form], lemmas=[lemma], upos=[upos])
        for form, lemma, upos in (*names, *others)
        for _ in range(2)
    ]
    tagger = dodona.train_tagger(sentences, epochs=5)
    for upos, lemma in (("PROPN", "Fine"), ("ADJ", "fine")):
        given = dodona.Sentence.from_columns(["Fine"], upos=[upos])
        assert tagger.tag_batch([given], keep=["upos"])[0].lemmas == [lemma]


def test_only_endings_that_a_script_has_cut_off_are_cut_off() -> None:
    plurals = [("boxes", "box"), ("taxes", "tax"), ("oaks", "oak"), ("elms", "elm")]
    plurals += [("owners", "owner"), ("hike", "hike"), ("in", "in"), ("six", "six")]
    plurals += [("box", "box"), ("oak", "oak")]
    tags = [1] * 5 + [2] * 5
    scripts = sorted({lemma_script(*pair) for pair in plurals})
    number = {script: i for i, script in enumerate(scripts)}
    forms, lemmas = zip(*plurals, strict=True)
    unknown, _ = learn_unknown_lemmas(forms, lemmas, tags, number)
    cuts = [*zip(unknown.cut_endings, unknown.cut_scripts, strict=True)]
    usual = [*zip(unknown.usual_tags, unknown.usual_scripts, strict=True)]
    found, before = (
        LemmaCorrection([s.encode() for s in scripts], (), unknown.lemmas, (), usual, seen)
        for seen in (cuts, ())
    )
    cut_one = number[lemma_script("oaks", "oak")]
    for form, lemma in (("hikers", "hiker"), ("ints", "int"), ("sixes", "six")):
        script = found.script(cut_one, form, 1)
        assert found.scripts.lemma(script, form) == lemma
    assert before.scripts.lemma(before.script(cut_one, "hikers", 1), "hikers") == "hike"


def test_a_number_keeps_its_digits() -> None:
    scripts = [lemma_script("8,000", "8000").encode(), lemma_script("7", "7").encode()]
    ending = [(lemma_hash("xes"), 1)]
    found = LemmaCorrection(scripts, lemmas=[lemma_hash("8000")], cuts=ending)
    assert found.scripts.lemma(found.script(0, "6,606", 1), "6,606") == "6,606"
    assert found.scripts.lemma(found.script(0, "8,606", 1), "8,606") == "8606"
    assert found.script(1, "6,606", 1) == 1


def test_a_word_that_should_change_does_if_that_gives_a_known_lemma() -> None:
    pairs = [("higher", "high"), ("darker", "dark"), ("older", "old"), ("rich", "rich")]
    pairs += [("high", "high"), ("dark", "dark")]
    scripts = sorted({lemma_script(*pair) for pair in pairs})
    number = {script: i for i, script in enumerate(scripts)}
    forms, lemmas = zip(*pairs, strict=True)
    unknown, _ = learn_unknown_lemmas(forms, lemmas, [1, 1, 1, 2, 2, 2], number)
    found = LemmaCorrection(
        [s.encode() for s in scripts],
        (),
        unknown.lemmas,
        (),
        zip(unknown.usual_tags, unknown.usual_scripts, strict=True),
        zip(unknown.cut_endings, unknown.cut_scripts, strict=True),
    )
    same = number[lemma_script("rich", "rich")]
    assert found.scripts.lemma(found.script(same, "richer", 1), "richer") == "rich"
    assert found.script(same, "richer", 2) == same  # words with these tags stay as they are


def test_names_are_told_by_the_capitals_of_their_lemmas() -> None:
    names = [("Ann", "Ann"), ("Rio", "Rio"), ("Oslo", "Oslo"), ("paris", "paris")]
    nouns = [("Oak", "oak"), ("Elm", "elm"), ("Ash", "ash"), ("yew", "yew")]
    forms, lemmas = zip(*names, *nouns, strict=True)
    task = learn_lemmas(forms, lemmas, [[0] * 4 + [1] * 4], least=1).answers
    assert [*task.unknown.names] == [0]


def test_older_files_without_endings_and_names_are_read() -> None:
    forms, lemmas = ["oaks", "elms", "Ann", "Rio", "Oslo"], ["oak", "elm", "Ann", "Rio", "Oslo"]
    task = learn_lemmas(forms, lemmas, [[0, 0, 1, 1, 1]], least=1).answers
    (about,) = describe_tasks([task], [])
    arrays = {name: memoryview(array.data) for name, array in class_arrays("tag", task).items()}
    typed = {name: arrays[name].cast("I") for name in arrays if ".unknown." not in name}
    old = {
        f"tag.lemma.unknown.{part}": memoryview(getattr(task.unknown, part))
        for part in ("endings", "tags", "scripts", "lemmas", "prefixes", "usual_tags")
    }
    old["tag.lemma.unknown.usual_scripts"] = memoryview(task.unknown.usual_scripts)
    found = read_classes("tag", about, typed | old)
    assert [*found.unknown.lemmas] == [*task.unknown.lemmas]
    assert not found.unknown.names and not found.unknown.cut_endings
    assert task.unknown.names
