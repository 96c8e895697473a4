"""Text without spaces, rests of multiword tokens, and segmenters of a limited size."""

from __future__ import annotations

import io
from pathlib import Path
from random import Random

import pytest

import dodona
from dodona.core.segmenting.expansion import string_hash
from dodona.core.segmenting.lexicon_index import string_number
from dodona.segmentation.segmenter import Segmenter
from dodona.segmentation.segmenter_training import train_segmenter
from dodona.segmentation.string_learning import is_unspaced, learn_strings
from dodona.settings import SettingsError
from dodona.storage import container
from dodona.treebank.raw_text import gold_text, raw_text

Sentences = list[dodona.Sentence]
LETTERS = [chr(c) for c in range(0x4E00, 0x4E00 + 60)]  # Chinese characters, in no language
PREFIX = "\u05d1"  # a Hebrew letter, here a preposition
NOUNS = [a + b for a in "אגדהוזח" for b in "טיכלמנס"]


def words(n: int, seed: int) -> list[str]:
    """Make words of one to three letters."""
    rng = Random(seed)
    return ["".join(rng.choices(LETTERS, k=rng.choice((1, 2, 2, 3)))) for _ in range(n)]


def unspaced(vocabulary: list[str], n: int, seed: int) -> Sentences:
    """Make sentences of words without spaces; all are equally frequent."""
    rng = Random(seed)
    made = []
    for _ in range(n):
        forms = [*rng.choices(vocabulary, k=8), "。"]
        columns = {"misc": ["SpaceAfter=No"] * len(forms), "upos": ["X"] * len(forms)}
        made.append(dodona.Sentence.from_columns(forms, **columns))
    return made


def words_score(segmenter: Segmenter, gold: Sentences) -> float:
    found = segmenter.segment("".join(raw_text(gold)))
    return dodona.evaluate_text(gold, found).words.f1


def test_a_script_without_spaces_is_found() -> None:
    assert is_unspaced(gold_text(unspaced(words(20, 1), 5, 1)))
    spaced = dodona.Sentence.from_columns(["木", "が", "見える"])
    glued = dodona.Sentence.from_columns(["a", "b"], misc=["SpaceAfter=No", "_"])
    assert not is_unspaced(gold_text([spaced, glued]))


def test_entropies_are_those_of_the_characters_around() -> None:
    numbers, entropies = learn_strings(["木山木川木水木火。"] * 8 + ["山石山石。"] * 8)
    classes = dict(zip(numbers, entropies, strict=True))
    after, before = (classes[string_number(string_hash("木"))] >> shift & 15 for shift in (0, 4))
    assert after == 4  # two bits, in half bits
    assert 3 <= before <= 4
    assert classes[string_number(string_hash("山石"))] & 15 == 2  # itself again, or the end


@pytest.mark.thorough
def test_raw_text_finds_words_that_the_treebank_lacks(tmp_path: Path) -> None:
    vocabulary = words(300, 3)
    train, dev = unspaced(vocabulary[:150], 60, 4), unspaced(vocabulary, 60, 5)
    raw = tmp_path / "raw.txt"
    raw.write_text("\n".join(raw_text(unspaced(vocabulary, 1500, 6))), encoding="utf-8")
    alone = train_segmenter(train, dev, epochs=5)
    helped = train_segmenter(train, dev, epochs=5, raw=[raw])
    assert words_score(helped, dev) > words_score(alone, dev) + 3


def test_words_of_the_treebank_are_known() -> None:
    vocabulary = words(300, 10)
    segmenter = train_segmenter(unspaced(vocabulary, 80, 11), epochs=4)
    assert words_score(segmenter, unspaced(vocabulary, 60, 12)) > 70


def test_strings_are_saved_in_files_of_version_3_and_others_stay_as_they_were(
    tmp_path: Path,
) -> None:
    vocabulary, path = words(40, 7), tmp_path / "a.dodona"
    made = train_segmenter(unspaced(vocabulary, 60, 8), epochs=2)
    made.save(path)
    assert container.version(path, "segmenter") == 3
    text = "".join(raw_text(unspaced(vocabulary, 10, 9)))
    assert [s.forms for s in Segmenter.load(path).segment(text)] == [
        s.forms for s in made.segment(text)
    ]
    oaks = dodona.Sentence.from_columns(["Oaks", "speak", "."], misc=["_", "SpaceAfter=No", "_"])
    train_segmenter([oaks] * 10, epochs=1).save(path)
    assert container.version(path, "segmenter") == 2


def prefixed(n: int, seed: int, nouns: list[str]) -> Sentences:
    """Make sentences of nouns with and without a preposition, and of words that begin like it."""
    rng = Random(seed)
    made = []
    for _ in range(n):
        lines, n_words = [], 0
        for _ in range(6):
            noun, kind = rng.choice(nouns), rng.randrange(3)
            if kind == 0:
                lines.append(f"{n_words + 1}-{n_words + 2}\t{PREFIX}{noun}" + "\t_" * 8)
                parts = [(PREFIX, "ADP"), (noun, "NOUN")]
            else:
                parts = [(noun, "NOUN") if kind == 1 else (PREFIX + noun[::-1] + "ת", "VERB")]
            for form, upos in parts:
                n_words += 1
                lines.append(f"{n_words}\t{form}\t_\t{upos}" + "\t_" * 6)
        made += dodona.read(io.BytesIO("\n".join([*lines, "", ""]).encode()), trees="ignored")
    return made


def test_a_token_is_split_if_the_rest_is_a_known_word() -> None:
    rng = Random(1)
    nouns = rng.sample(NOUNS, 40)
    # the last ten occur alone, never with the preposition
    train = prefixed(80, 2, nouns[:30]) + [
        dodona.Sentence.from_columns([noun], upos=["NOUN"]) for noun in nouns[30:] * 3
    ]
    segmenter = train_segmenter(train, epochs=6)
    assert segmenter.rules.reads_rests
    found = [segmenter.segment(PREFIX + noun)[0].forms for noun in nouns[30:]]
    assert sum(forms == [PREFIX, noun] for forms, noun in zip(found, nouns[30:], strict=True)) >= 9
    again = Segmenter.from_bytes(segmenter.to_bytes())
    assert again.rules.reads_rests
    assert [again.segment(PREFIX + noun)[0].forms for noun in nouns[30:]] == found


def test_a_segmenter_takes_no_more_than_its_size() -> None:
    train = unspaced(words(300, 10), 200, 11)
    free, small = (train_segmenter(train, epochs=2, size=size) for size in (0, 40))
    assert len(free.to_bytes()) > 40_000 >= len(small.to_bytes())
    assert words_score(small, train) > 80


def test_a_size_that_leaves_no_room_for_weights_is_refused() -> None:
    with pytest.raises(SettingsError, match="size is 1 kB, but the lexicon alone takes"):
        train_segmenter(unspaced(words(300, 10), 200, 11), epochs=1, size=1)
