"""Lexicons of segmenters: learned from raw text and lists, used in segmentation."""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

import dodona
from dodona.segmentation.augmentation import augmented
from dodona.segmentation.expansion_rules import ExpansionRules
from dodona.segmentation.lexicon import Abbreviation
from dodona.segmentation.lexicon_learning import (
    AbbreviationList,
    count_words,
    learn_abbreviations,
    read_abbreviation_list,
)
from dodona.segmentation.segmenter import Segmenter
from dodona.segmentation.segmenter_training import train_segmenter
from dodona.storage import container
from dodona.storage.container import ContainerError
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.raw_text import gold_text

NAMES = ["Zeus", "Dione", "Selene", "Kadmos", "Ino"]
VERBS = ["hears", "sees", "asks", "finds"]
TITLES = ["Mr.", "Dr."]  # those of the treebank; the list has more …
RARE = ["Col.", "Capt.", "Maj.", "Sgt.", "Lt.", "Adm."]  # … and so has the raw text


def treebank(n: int, seed: int) -> list[dodona.Sentence]:
    """Make sentences with titles, dates, times and numbers, in short paragraphs."""
    rng = Random(seed)
    made = []
    for i in range(n):
        words = [rng.choice(TITLES), rng.choice(NAMES), rng.choice(VERBS), "the", "oak"]
        if rng.random() < 0.1:
            words[0] = rng.choice(RARE)
        elif rng.random() < 0.5:
            words[:2] = [rng.choice(["She", "He", "Nobody"])]
        if rng.random() < 0.3:
            words += ["at", rng.choice(["10:30", "1/2/2024", "3.5"])]
        if rng.random() < 0.3:
            words += ["with", rng.choice(TITLES), rng.choice(NAMES)]
        if rng.random() < 0.2:
            words += ["etc."]
            words += ["today"]
        spaces = ["_"] * (len(words) - 1) + ["SpaceAfter=No", "_"]
        comments = ["# newpar"] if i % 5 == 0 else []
        made.append(dodona.Sentence.from_columns([*words, "."], misc=spaces, comments=comments))
    return made


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("sources")
    raw, listed = folder / "raw.txt.gz", folder / "list.txt"
    rng = Random(5)
    lines = [
        f"{rng.choice(NAMES)} saw {title} {rng.choice(NAMES)} near the river. The river is deep."
        for title in ["Gen.", *RARE] * 30
    ]
    raw.write_bytes(gzip.compress("\n".join(lines).encode()))
    listed.write_text(
        "# titles\nProf. name\nMrs. name\netc.\nJan. number\nYahoo! whole\n", encoding="utf-8"
    )
    return {"raw": raw, "abbreviations": listed}


@pytest.fixture(scope="module")
def segmenter(sources: dict[str, Path]) -> Segmenter:
    return train_segmenter(
        treebank(300, 1),
        treebank(60, 2),
        epochs=4,
        raw=[sources["raw"]],
        abbreviations=sources["abbreviations"],
    )


def shown(segmenter: Segmenter, text: str) -> list[str]:
    return [" ".join(sentence.forms) for sentence in segmenter.segment(text)]


def test_abbreviations_are_learned_from_text() -> None:
    text = ["Mr. Oak sees the elm.", "The elm sees Mr. Oak.", "He left Mr. Ash the elm."] * 20
    found = learn_abbreviations(count_words(line.split() for line in text))
    assert found == {"mr": Abbreviation(2, "name")}


def test_the_usual_case_of_words_is_learned() -> None:
    counts = count_words([["The", "oak", "and", "the", "elm", "of", "Zeus."]] * 50)
    assert counts.writing("the") == counts.writing("oak") == "lower"
    assert counts.writing("zeus") == "capital"
    assert counts.is_starter("the")
    assert not counts.is_starter("oak")


def test_listed_abbreviations_need_not_occur_in_training(segmenter: Segmenter) -> None:
    assert shown(segmenter, "Prof. Ino sees the oak. He sees Mrs. Ino.") == [
        "Prof. Ino sees the oak .",
        "He sees Mrs. Ino .",
    ]


def test_abbreviations_of_raw_text_are_used(segmenter: Segmenter) -> None:
    assert segmenter.lexicon is not None
    assert segmenter.lexicon.abbreviations["gen"].follower == "name"
    assert shown(segmenter, "He sees Gen. Ino.") == ["He sees Gen. Ino ."]


def test_patterns_that_the_treebank_lacks_are_one_token(segmenter: Segmenter) -> None:
    text = "He sees the oak at 2024-05-01T10:30Z with /usr/bin/env."
    assert shown(segmenter, text) == ["He sees the oak at 2024-05-01T10:30Z with /usr/bin/env ."]


def test_a_question_mark_after_an_abbreviation_is_a_token(segmenter: Segmenter) -> None:
    assert shown(segmenter, "He sees the oak etc.?")[0].endswith("etc. ?")
    assert shown(segmenter, "He sees the oak at 5 p.m.)") == ["He sees the oak at 5 p.m. )"]


def test_an_emoji_sequence_is_one_token(segmenter: Segmenter) -> None:
    for emoji in ("👩‍👩‍👧", "🙂‍↔️", "🙏🏽", "🇫🇷", "1️⃣", "❤️‍🔥"):
        words = [word for line in segmenter.segment(f"He sees {emoji}") for word in line.forms]
        assert words == ["He", "sees", emoji]


@pytest.mark.parametrize("size", [1, 7, 100])
def test_text_in_pieces_is_the_text(segmenter: Segmenter, size: int) -> None:
    text = "He sees the oak\nShe sees Prof.\nIno. etc. Nobody\nhears 1/2/2024\n- Ino\n- Zeus " * 400
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    streamed = [line.forms for some in segmenter.stream(pieces) for line in some]
    assert streamed == [line.forms for line in segmenter.segment(text)]


def test_a_saved_segmenter_does_the_same(segmenter: Segmenter, tmp_path: Path) -> None:
    segmenter.save(tmp_path / "a.segmenter")
    again = Segmenter.load(tmp_path / "a.segmenter")
    assert again.to_bytes() == segmenter.to_bytes()
    text = "Prof. Ino sees the oak at 2024-05-01 with Gen. Zeus. Nobody hears etc."
    assert shown(again, text) == shown(segmenter, text)


def test_a_segmenter_without_a_lexicon_loads_and_works(segmenter: Segmenter) -> None:
    old = replace(segmenter, lexicon=None)
    again = Segmenter.from_bytes(old.to_bytes())
    assert again.lexicon is None
    text = "He sees http://oak.example/a and 2024-05-01."
    assert shown(again, text) == shown(old, text)
    assert "http://oak.example/a" in shown(again, text)[0]


def test_a_damaged_lexicon_is_refused(segmenter: Segmenter) -> None:
    kind, version = Segmenter.FORMAT.kind, Segmenter.FORMAT.version
    for damage in (
        {"abbreviations": {"mr": [9, "name"]}},
        {"abbreviations": {"mr": [1, "oak"]}},
        {"patterns": {"oak": "whole"}},
        {"patterns": {"date": "oak"}},
    ):
        about, arrays = segmenter.serialise()
        data = container.to_bytes(kind, version, about | damage, arrays)
        with pytest.raises(ContainerError):
            Segmenter.from_bytes(data)


def test_a_bad_list_is_refused_by_its_line(tmp_path: Path) -> None:
    with pytest.raises(TreebankError, match=r"x\.txt:2: .*'Prof\. noun'"):
        read_abbreviation_list(["Dr. name", "Prof. noun"], "x.txt")
    with pytest.raises(TreebankError, match=r"x\.txt:1: .*whole"):
        read_abbreviation_list(["A/C whole oak"], "x.txt")
    (tmp_path / "raw.txt").write_bytes(b"an oak\n\xff\n")
    with pytest.raises(TreebankError, match=r"raw\.txt:2: the text is not UTF-8"):
        train_segmenter(treebank(5, 1), epochs=1, raw=[tmp_path / "raw.txt"])
    with pytest.raises(OSError, match="nothing"):
        train_segmenter(treebank(5, 1), epochs=1, raw=[tmp_path / "nothing.txt"])


def test_augmented_text_is_consistent_and_reproducible() -> None:
    gold = gold_text([*treebank(50, 3), *items(30)])
    listed = read_abbreviation_list(["Prof. name", "Inc.", "N/A whole", "kg unit"], "x.txt")
    known = {"dr": Abbreviation(1, "name"), "etc": Abbreviation(1, "any"), **listed.abbreviations}
    made = augmented(gold, listed, known, seed=1)
    for (start, end, _), words in zip(made.spans, made.words, strict=True):
        assert made.text[start:end] == "".join(words)
    assert augmented(gold, listed, known, seed=1) == made
    tokens = {made.text[start:end] for start, end, _ in made.spans}
    assert {"Prof.", "inc.", "N/A", "kg"} <= tokens
    firsts = {start for start, _, begins in made.spans if begins}
    assert_all_begin(firsts, made.text, r"(?<=\n)(?=Oak)|(?<=inc\. )(?=She|He|Nobody)")
    assert_all_begin(firsts, made.text, r"(?<= [A-Z]\. )(?=She|He|Nobody|Mr|Dr)")
    assert_all_begin(firsts, made.text, r"(?<=oak\.)(?=She|He|Nobody)")


def assert_all_begin(firsts: set[int], text: str, pattern: str) -> None:
    """Check that the pattern matches, and that a sentence begins at every match."""
    found = {match.start() for match in re.finditer(pattern, text)}
    assert found
    assert found <= firsts


def items(n: int) -> list[dodona.Sentence]:
    """Make list items, each a paragraph, and one with a number."""
    oak, six = ["Oak", "leaves"], ["6", "leaves", "fall"]
    lines = [oak] * n + [six]
    return [dodona.Sentence.from_columns(line, comments=["# newpar"]) for line in lines]


def test_augmentation_without_suitable_sentences_is_empty() -> None:
    listed = read_abbreviation_list(["Prof. name", "N/A whole", "kg unit"], "x.txt")
    assert augmented(gold_text([]), listed, listed.abbreviations, seed=1).text == ""
    assert augmented(gold_text(items(3)), AbbreviationList(), {}, seed=1).words == []


def test_listed_tokens_with_punctuation_are_one_token(segmenter: Segmenter) -> None:
    assert shown(segmenter, "She sees Yahoo! the oak.") == ["She sees Yahoo! the oak ."]


@pytest.mark.parametrize("mark", ["-", "*", "•", "1.", "12)", "a)"])
def test_an_item_of_a_list_begins_a_sentence(segmenter: Segmenter, mark: str) -> None:
    text = f"{mark} the oak\n{mark} the elm and\n{mark} the ash"
    assert len(segmenter.segment(text)) == 3
    assert len(segmenter.segment("He sees the oak\nand the elm\n3.5 leaves.")) == 1


def test_lines_hold_the_same_words() -> None:
    gold = gold_text(treebank(60, 4))
    made = gold.in_lines(seed=1)
    assert made.text.split() == gold.text.split()
    assert made.text.count("\n") > 5
    assert [made.text[a:b] for a, b, _ in made.spans] == [gold.text[a:b] for a, b, _ in gold.spans]


def test_two_contractions_are_three_words() -> None:
    rules = ExpansionRules([("suffix", "n't", ("", "n't")), ("suffix", "'ve", ("", "'ve"))])
    assert ("suffix", "n't've", ("", "n't", "'ve")) in rules.doubled()
    assert not ExpansionRules(
        [("suffix", "ki", ("", "ki")), ("suffix", "dir", ("", "dir"))]
    ).doubled()
