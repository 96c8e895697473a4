"""The language identifier: what it knows, what it rejects, and that it is safe and fast."""

from __future__ import annotations

import os
import random
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

import dodona
from dodona.core.identifying.ngrams import N_SHARED, NgramScorer, ngram_keys
from dodona.languages.identifier import FILE, Identifier, identify, shipped_identifier
from dodona.languages.names import NAMES, code_of, name_of
from dodona.storage.container import ContainerError

LINES = (Path(__file__).parent / "sentences.txt").read_text(encoding="utf-8").splitlines()
TEXTS = dict(line.split("\t") for line in LINES)  # written for this test
SENTENCES = {code: text for code, text in TEXTS.items() if not code.startswith("-")}
UNKNOWN = {
    **{name[1:]: text for name, text in TEXTS.items() if name.startswith("-")},
    "numbers": "3.14159 2.71828 1.41421 1.73205 2.23606 0.57721 1.61803 1234567890",
    "addresses": "https://example.org/a/b.html www.example.com me@example.org /usr/lib/oak.txt",
    "code": "for(int i=0;i<n;++i){sum+=a[i]*b[i];} std::vector<int>x; x.push_back(42); f(x)",
    "too little": "Die Eiche.",
    "nothing": "",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_is_recognised(language: str) -> None:
    assert identify(SENTENCES[language]) == language
    assert identify(SENTENCES[language].upper()) == language


@pytest.mark.parametrize("what", UNKNOWN)
def test_what_is_in_no_known_language_is_rejected(what: str) -> None:
    assert identify(UNKNOWN[what]) is None


def test_random_letters_are_rejected() -> None:
    chance = random.Random(3)
    texts = ("".join(chance.choices("abcdefghijklmnopqrstuvwxyz    ", k=90)) for _ in range(200))
    assert sum(identify(text) is not None for text in texts) <= 4


def test_every_language_has_a_name_and_names_have_codes() -> None:
    identifier = shipped_identifier()
    assert {*SENTENCES} <= {*identifier.languages} <= NAMES.keys()
    assert len({*identifier.languages}) == 38
    assert all(code_of(name_of(code)) == code for code in NAMES)


def test_the_file_is_small_and_its_damage_is_noticed(tmp_path: Path) -> None:
    data = FILE.read_bytes()
    assert len(data) <= 1_500_000
    bad = tmp_path / "bad.dodona"
    for changed in (data[:-1], data[:5000] + bytes([data[5000] ^ 1]) + data[5001:]):
        bad.write_bytes(changed)
        with pytest.raises(ContainerError):
            Identifier.load(bad)


def test_only_the_beginning_is_read_and_addresses_are_passed_over() -> None:
    german = SENTENCES["de"]
    assert identify(german * 4 + SENTENCES["en"] * 1000) == "de"
    assert identify("https://example.org/the/great/book/of/english/oaks " * 5 + german) == "de"
    assert ngram_keys("oak " * 10_000) == ngram_keys("oak " * 400)
    assert dodona.identify is identify


@pytest.mark.parametrize(
    "text",
    [
        "\ud800" * 50,
        "\0" * 100,
        "a" * 5000,
        "\U0010ffff" * 99,
        "'" * 99,
        "\u2019a" * 99,
        "\u0301" * 99,
    ],
)
def test_hostile_text_is_read_without_harm(text: str) -> None:
    identify(text)
    keys, shared = ngram_keys(text)
    assert len(keys) == 4 * len(shared) and all(row < N_SHARED for row in shared)


def test_weights_that_do_not_fit_are_refused() -> None:
    keys, good = array("I", [5, 7]), array("b", bytes(3 * (N_SHARED + 2)))
    assert NgramScorer(keys, good, 3).scores("An oak") == ([0, 0, 0], 5)
    for weights, n_classes in ((good[:-1], 3), (good, 2), (good, 0), (array("b"), 1)):
        with pytest.raises(ValueError, match="rows of"):
            NgramScorer(keys, weights, n_classes)
    with pytest.raises(ValueError, match="key 0"):
        NgramScorer(array("I", [0, 7]), good, 3)


def test_scores_are_sums_of_rows() -> None:
    keys = array("I", sorted({*memoryview(ngram_keys("oak")[0]).cast("I")}))
    chance = random.Random(1)
    rows = [[chance.randint(-9, 9) for _ in range(2)] for _ in range(N_SHARED + len(keys))]
    scorer = NgramScorer(keys, array("b", [n for row in rows for n in row]), 2)
    found, shared = ngram_keys("An oak speaks")
    expected = [0, 0]
    for key, other in zip(memoryview(found).cast("I"), shared, strict=True):
        row = rows[N_SHARED + keys.index(key) if key in keys else other]
        expected = [a + b for a, b in zip(expected, row, strict=True)]
    assert scorer.scores("An oak speaks")[0] == expected


def test_words_count_by_their_rows_or_by_the_mean_of_their_n_grams() -> None:
    oak, leaf = (memoryview(ngram_keys(word)[0]).cast("I") for word in ("oak", "leafs"))
    rows = {oak[-1]: (7, -2)} | {key: (number, 1) for number, key in enumerate(leaf[1:5], 1)}
    keys = array("I", sorted(rows))
    weights = array("b", bytes(2 * N_SHARED)) + array("b", [n for k in keys for n in rows[k]])
    scorer = NgramScorer(keys, weights, 2, by_words=True)
    assert scorer.scores("oak")[0] == [7, -2]
    assert scorer.scores("leafs")[0] == [3 * (1 + 2 + 3 + 4) // 4, 3]  # a known word has no mean
    assert scorer.scores("oak leafs oak")[0] == [7 + 7 + 7, -2 + 3 - 2]
    assert scorer.scores("tt")[0] == [0, 0]  # no n-gram is known
    assert NgramScorer(keys, weights, 2).scores("leafs")[0] == [10, 4]


def sentences(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# text = ") and len(line) >= 49:
            yield line[9:]


@pytest.mark.parametrize(
    ("treebank", "language", "floor"),
    [("en_ewt", "en", 0.95), ("sv_lines", "sv", 0.99), ("hu_szeged", None, 0.98)],
)
def test_sentences_of_treebanks_are_recognised(
    treebank: str, language: str | None, floor: float
) -> None:
    folder = Path(os.environ.get("DODONA_DATA", "")) / treebank
    if not (folder / "dev.conllu").is_file():
        pytest.skip("DODONA_DATA names no folder with this treebank")
    found = [identify(text) for text in sentences(folder / "dev.conllu")]
    assert found.count(language) >= floor * len(found)


def test_close_languages_are_told_apart_by_a_second_model() -> None:
    keys = array("I", sorted({*memoryview(ngram_keys("oak")[0]).cast("I")}))

    def model(*row: int) -> NgramScorer:
        own, every = array("b", row * len(keys)), array("b", bytes(len(row) * N_SHARED))
        return NgramScorer(keys, every + own, len(row))

    base = model(5, 4, 1, 0)  # of aa, bb, cc and none
    text = "oak " * 8
    for group, expected in ((None, "aa"), (["aa", "bb"], "bb"), (["bb", "cc"], "aa")):
        close = [] if group is None else [(group, lambda: model(1, 2))]
        guess = Identifier(["aa", "bb", "cc"], base, close).guess(text, "aa")
        assert guess is not None and guess.language == expected
        assert guess.lead == (0 if expected == "aa" else len(ngram_keys(text)[1]))
    with pytest.raises(ValueError, match="2 languages, but 4 classes"):
        Identifier(["aa", "bb"], base, [])


CLOSE = {
    "da": "Jeg vidste ikke, hvad de ville gøre, men nogle af dem sagde noget om en bil.",
    "nb": "Jeg visste ikke hva de ville gjøre, men noen av dem sa noe om en bil.",
    "nn": "Eg visste ikkje kva dei ville gjere, men nokre av dei sa noko om ein bil.",
    "hr": "Tko zna što će se dogoditi idući tjedan u glazbenoj školi i u kazalištu.",
    "sr": "Ko zna šta će se desiti sledeće nedelje u muzičkoj školi i u pozorištu.",
}


@pytest.mark.parametrize("language", CLOSE)
def test_a_sentence_in_a_close_language_is_recognised(language: str) -> None:
    assert identify(CLOSE[language]) == language
