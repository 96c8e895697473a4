"""User lists of words with their lemmas."""

from __future__ import annotations

from pathlib import Path

import pytest

import dodona
from dodona.tagging.lemma_lexicon import list_words, parse_lexicon, read_lexicon
from dodona.tagging.tagger import Tagger
from dodona.treebank.conllu.errors import TreebankError

PAST = [("walked", "walk"), ("talked", "talk"), ("planted", "plant"), ("rewalked", "rewalk")]
PAST += [("retalked", "retalk"), ("replanted", "replant"), ("plented", "plent"), ("saw", "see")]
NOUNS = ["bore", "oak", "saw", "leaf"]
LIST = """\
# irregular verbs
swim VBD swam
bear VBD bore,bare VBN born   # "bore" is a noun in the treebank
walk VBD walked,walkked
plant VBD plented
talk VBD talked
saw NN saw
see VBD saw
"""


def treebank() -> list[dodona.Sentence]:
    words = [(form, lemma, "VERB", "VBD", "Tense=Past") for form, lemma in PAST]
    words += [(form, lemma, "VERB", "VBD", "_") for form, lemma in PAST[:-1]]
    words += [(noun, noun, "NOUN", "NN", "_") for noun in NOUNS]
    return [
        dodona.Sentence.from_columns([form], lemmas=[lemma], upos=[upos], xpos=[tag], feats=[feats])
        for form, lemma, upos, tag, feats in words
        for _ in range(6)
    ]


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lexicon") / "list.txt"
    path.write_text(LIST, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tagger(lexicon: Path) -> Tagger:
    return dodona.train_tagger(treebank(), epochs=5, lexicon=str(lexicon))


def lemma(tagger: Tagger, form: str, xpos: str, feats: str = "Tense=Past") -> str:
    """Return the lemma of a form with given tags."""
    upos = {"VBD": "VERB", "NN": "NOUN"}[xpos]
    given = dodona.Sentence.from_columns([form], upos=[upos], xpos=[xpos], feats=[feats])
    (found,) = tagger.tag_batch([given], keep=["upos", "xpos", "feats"])
    return found.lemmas[0]


def test_entries_are_read(lexicon: Path) -> None:
    assert read_lexicon(lexicon)[:3] == [
        ("swam", "VBD", "swim"),
        ("bore", "VBD", "bear"),
        ("bare", "VBD", "bear"),
    ]


@pytest.mark.parametrize("line", ["swim", "swim VBD", "swim VBD swam VBN"])
def test_lines_that_are_no_entries_are_named(line: str) -> None:
    with pytest.raises(TreebankError, match=r"list.txt:2: expected a lemma, then tags"):
        list(parse_lexicon(["# verbs", line], "list.txt"))


def test_entries_have_all_tags_that_go_with_theirs() -> None:
    numbers = {5: ["VERB", "VBD", "_"], 6: ["VERB", "VBD", "Tense=Past"], 7: ["NOUN", "NN", "_"]}
    entries = parse_lexicon(["swim VBD swam NOUN swim XX swum"], "list.txt")
    assert list_words(entries, numbers) == [
        ("swam", "swim", 5),
        ("swam", "swim", 6),
        ("swim", "swim", 7),
    ]


def test_a_form_has_one_lemma_with_a_tag() -> None:
    with pytest.raises(TreebankError, match=r"list.txt:2: 'lay' with VBD has two lemmas, 'lie'"):
        list(parse_lexicon(["lie VBD lay", "lay VBD laid,lay"], "list.txt"))


def test_a_list_of_other_tags_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("swim V-PST swam\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no tag of the lexicon is a UPOS or XPOS"):
        dodona.train_tagger(treebank(), lexicon=str(other))


def test_a_list_is_refused_where_no_lemmas_are_learned(lexicon: Path) -> None:
    with pytest.raises(ValueError, match="a lexicon is for lemmas"):
        dodona.train_tagger(treebank(), lexicon=str(lexicon), lemmas=False)


def test_bytes_that_are_no_text_are_an_error_with_their_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"swim VBD swam\ng\xff VBD x\n")
    with pytest.raises(TreebankError, match=r"bad\.txt:2: the text is not UTF-8"):
        read_lexicon(bad)


@pytest.mark.parametrize("form", ["swam", "Swam", "reswam", "SWAM"])
def test_words_of_the_list_have_its_lemmas_and_others_go_like_them(
    tagger: Tagger, form: str
) -> None:
    expected = "reswim" if form.startswith("re") else "swim"
    assert lemma(tagger, form, "VBD") == lemma(tagger, form, "VBD", "_") == expected
    assert lemma(tagger, form, "NN", "_") == expected  # it has no other, whatever its tags are


def test_a_word_of_the_treebank_has_the_lemma_of_the_list_with_other_tags(tagger: Tagger) -> None:
    assert lemma(tagger, "bore", "NN", "_") == "bore"
    assert lemma(tagger, "bore", "VBD") == "bear"


def test_the_list_mends_slips_of_the_treebank(tagger: Tagger) -> None:
    assert lemma(tagger, "plented", "VBD") == "plant"
    assert lemma(tagger, "saw", "VBD") == "see"
    assert lemma(tagger, "saw", "NN", "_") == "saw"


def test_a_tagger_without_the_list_does_not_know(lexicon: Path) -> None:
    plain = dodona.train_tagger(treebank(), epochs=5)
    assert lemma(plain, "swam", "VBD") != "swim"
    assert lemma(plain, "bore", "VBD") != "bear"


def test_a_saved_tagger_knows_the_list_but_not_where_it_was(tagger: Tagger) -> None:
    again = Tagger.from_bytes(tagger.to_bytes())
    assert again.scorer.settings.lexicon == "list.txt"
    assert lemma(again, "swam", "VBD") == "swim"


def test_a_list_that_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.txt"):
        dodona.train_tagger(treebank(), lexicon="nowhere.txt")
