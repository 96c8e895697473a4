"""Our own English sentences: what holds of the model that ships, and whether the checks make sense.

`python -m tools.english --floors` raises the floors once a better model ships.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import dodona
from dodona.treebank.trees.ud_rules import TAGS
from tools.english import (
    ANY,
    Answer,
    BedError,
    Check,
    Item,
    Tally,
    make_table,
    read_bed,
    read_floors,
    read_items,
    run,
)
from tools.english import main as run_tool

BED = read_bed()
LEAST = {"en": 0.98, "en-small": 0.96}  # of all checks
ITEMS = [item for items in BED.values() for item in items]
# https://universaldependencies.org/u/dep
RELATIONS = {
    "acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "clf", "compound",
    "conj", "cop", "csubj", "dep", "det", "discourse", "dislocated", "expl", "fixed", "flat",
    "goeswith", "iobj", "list", "mark", "nmod", "nsubj", "nummod", "obj", "obl", "orphan",
    "parataxis", "punct", "reparandum", "root", "vocative", "xcomp",
}  # fmt: skip


@pytest.fixture(scope="module")
def tallies() -> dict[str, Tally]:
    return run(dodona.load("en"), BED)


@pytest.mark.parametrize("phenomenon", BED)
def test_the_model_that_ships_holds_what_it_held(
    phenomenon: str, tallies: dict[str, Tally]
) -> None:
    tally, floor = tallies[phenomenon], read_floors()[phenomenon]
    failed = [f"{item.path.name}:{check.line} {item.text} {check}" for item, check in tally.failed]
    assert tally.n_held >= floor, "\n".join(failed)


@pytest.mark.parametrize("name", LEAST)
def test_both_networks_hold_nearly_all(name: str, tallies: dict[str, Tally]) -> None:
    found = tallies if name == "en" else run(dodona.load(name), BED)
    n_checks = sum(tally.n_checks for tally in found.values())
    assert sum(tally.n_held for tally in found.values()) >= LEAST[name] * n_checks


def test_every_phenomenon_has_a_floor_that_can_be_missed() -> None:
    floors = read_floors()
    assert floors.keys() == BED.keys()
    for name, items in BED.items():
        assert 0 < floors[name] <= sum(len(item.checks) for item in items)


def test_there_are_many_sentences_and_no_two_alike() -> None:
    texts = [item.text for item in ITEMS]
    assert len(texts) >= 300 and len(set(texts)) == len(texts)
    assert sum(len(item.checks) for item in ITEMS) >= 4 * len(ITEMS)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.path.stem}:{item.line}")
def test_checks_are_about_words_that_are_there(item: Item) -> None:
    forms = [form for sentence in item.sentences for form in sentence]
    assert "".join(forms) == "".join(item.text.split())
    answer = Answer([dodona.Sentence.from_columns(words) for words in item.sentences])
    assert len(item.checks) >= 2 and len(set(map(str, item.checks))) == len(item.checks)
    for check in item.checks:
        for name in check.named:
            assert answer.find(name) is not None, f"{check}: there is no {name}"
            assert forms.count(name) <= 1, f"{check}: which {name}?"
        if check.kind == "upos":
            assert check.what[1] in TAGS
        elif check.kind == "sentences":
            assert int(check.what[0]) == len(item.sentences)
        elif check.is_arc:
            labels = {label.partition(":")[0] for label in check.kind.split("|")}
            assert labels <= RELATIONS | {ANY}, check
            assert len(check.what) == (1 if check.kind == "root" else 2), check


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.path.stem}:{item.line}")
def test_the_arcs_of_a_text_can_all_be_in_one_tree(item: Item) -> None:
    heads: dict[str, str] = {}
    for check in item.checks:
        if check.is_arc:
            head, word = ("", check.what[0]) if check.kind == "root" else check.what
            assert heads.setdefault(word, head) == head, f"{word} has two heads"
    for word in heads:
        seen = {word}
        while (word := heads.get(word, "")) != "":
            assert word not in seen, f"{word} is its own ancestor"
            seen.add(word)
    roots = [word for word, head in heads.items() if not head]
    assert len(roots) <= len(item.sentences)


def parsed() -> Answer:
    """Two sentences: The dog 's bowl is empty . | It is ."""
    first = dodona.Sentence.from_columns(
        ["The", "dog", "'s", "bowl", "is", "empty", "."],
        lemmas=["the", "dog", "'s", "bowl", "be", "empty", "."],
        upos=["DET", "NOUN", "PART", "NOUN", "AUX", "ADJ", "PUNCT"],
        heads=[2, 4, 2, 6, 6, 0, 6],
        deprels=["det", "nmod:poss", "case", "nsubj", "cop", "root", "punct"],
    )
    second = dodona.Sentence.from_columns(
        ["It", "is", "."],
        lemmas=["it", "be", "."],
        upos=["PRON", "AUX", "PUNCT"],
        heads=[2, 0, 2],
        deprels=["nsubj", "root", "punct"],
    )
    return Answer([first, second])


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("words: The dog 's bowl is empty . | It is .", True),
        ("words: The dog's bowl is empty . | It is .", False),
        ("sentences: 2", True),
        ("sentences: 1", False),
        ("word: bowl", True),
        ("word: cat", False),
        ("upos: is#1=AUX", True),
        ("upos: bowl=VERB", False),
        ("upos: cat=NOUN", False),
        ("lemma: is#2=be", True),
        ("lemma: is#3=be", False),
        ("root(empty)", True),
        ("root(bowl)", False),
        ("root(is#2)", True),
        ("nmod:poss(bowl, dog)", True),
        ("nmod(bowl, dog)", True),
        ("nmod:unmarked(bowl, dog)", False),
        ("nsubj(empty, bowl)", True),
        ("nsubj(bowl, empty)", False),
        ("nsubj(is#2, It)", True),
        ("nsubj(is#1, It)", False),
        ("acl|nsubj(empty, bowl)", True),
        ("acl|obl(empty, bowl)", False),
        ("arc(empty, bowl)", True),
        ("arc(empty, dog)", False),
        ("nsubj(empty, cat)", False),
    ],
)
def test_a_check_holds_or_does_not(line: str, holds: bool, tmp_path: Path) -> None:
    (check,) = _read(tmp_path, line)
    assert parsed().holds(check) is holds
    assert str(check) == line


@pytest.mark.parametrize("line", ["upos bowl=NOUN", "nsubj(a, b) and more", "nsubj[a, b]", "x: y"])
def test_what_is_no_check_is_told(line: str, tmp_path: Path) -> None:
    with pytest.raises(BedError, match=r"bed\.txt:2: unknown check"):
        _read(tmp_path, line)


def test_odd_texts_need_their_words(tmp_path: Path) -> None:
    (tmp_path / "bed.txt").write_text("It's odd.\n  root(odd)\n", encoding="utf-8")
    (item,) = read_items(tmp_path / "bed.txt")
    with pytest.raises(BedError, match=r"bed\.txt:1: add a `words:` check"):
        _ = item.sentences


def test_a_check_needs_a_text(tmp_path: Path) -> None:
    (tmp_path / "bed.txt").write_text("  root(odd)\n", encoding="utf-8")
    with pytest.raises(BedError, match=r"bed\.txt:1: a check without a text"):
        list(read_items(tmp_path / "bed.txt"))


def test_a_model_without_segmenter_is_given_the_words() -> None:
    parser = dodona.load("en")
    parser.segmenter = None
    found = run(parser, {"contractions": BED["contractions"]})["contractions"]
    asked = [
        check
        for item in BED["contractions"]
        for check in item.checks
        if check.kind not in ("words", "sentences", "word")
    ]
    assert found.n_checks == len(asked) and found.n_held > 0.7 * len(asked)


def test_the_table_is_for_cards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    item = BED["short_clauses"][0]
    table = make_table({"short_clauses": Tally(4, [(item, item.checks[0])])})
    assert "| short clauses | 3 | 4 | 75% |" in table and "| all | 3 | 4 | 75% |" in table
    run_tool(["en", "--out", str(tmp_path / "table.md")])
    assert (tmp_path / "table.md").read_text(encoding="utf-8") == capsys.readouterr().out
    with pytest.raises(SystemExit, match="no model of that name"):
        run_tool(["no-such-model"])


def _read(folder: Path, line: str) -> list[Check]:
    (folder / "bed.txt").write_text(f"A text.\n  {line}\n", encoding="utf-8")
    (item,) = read_items(folder / "bed.txt")
    return item.checks
