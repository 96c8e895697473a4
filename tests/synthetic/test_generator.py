"""Random trees are uniform; the synthetic treebank is well-formed, grammatical and ambiguous."""

import doctest
from collections import Counter, defaultdict
from pathlib import Path
from random import Random

import pytest

from dodona.synthetic import generator
from dodona.synthetic.generator import (
    SentenceColumns,
    main,
    random_tree,
    synthetic_treebank,
    to_conllu,
    write_treebank,
)
from dodona.treebank.trees.projectivity import is_projective, is_tree, n_roots

# How many trees of four words there are, by projective and single_root.
N_TREES = {(False, True): 64, (False, False): 125, (True, True): 30, (True, False): 55}


@pytest.mark.thorough
@pytest.mark.parametrize(("projective", "single_root"), N_TREES)
def test_every_tree_is_equally_likely(projective: bool, single_root: bool) -> None:
    n_trees = N_TREES[projective, single_root]
    rng = Random(1)
    seen = Counter(
        tuple(random_tree(4, rng, projective=projective, single_root=single_root)[0])
        for _ in range(400 * n_trees)
    )
    assert len(seen) == n_trees
    chi_square = sum((count - 400) ** 2 / 400 for count in seen.values())
    # Its mean is n - 1 and its variance twice that: four standard deviations are plenty.
    assert chi_square < n_trees + 4 * (2 * n_trees) ** 0.5


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("n_words", [1, 2, 30, 2000])
def test_random_trees_are_what_was_asked_for(projective: bool, n_words: int) -> None:
    heads, labels = random_tree(n_words, Random(5), projective=projective, labels=["x", "y"])
    assert len(heads) == len(labels) == n_words
    assert is_tree(heads) and n_roots(heads) == 1
    assert is_projective(heads) == projective or n_words <= 2
    assert all((label == "root") == (head == 0) for head, label in zip(heads, labels, strict=True))
    assert set(labels) <= {"root", "x", "y"}


def test_a_tree_without_words_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one word, not 0"):
        random_tree(0, Random(1))


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_share_of_nonprojective_sentences(share: float) -> None:
    treebank = list(synthetic_treebank(1000, seed=1, nonprojective=share))
    crossed = sum(not is_projective(sentence.heads) for sentence in treebank)
    assert crossed == 1000 * share if share in (0, 1) else 250 < crossed < 350


def test_a_share_is_between_nothing_and_all() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1, not 1\.5"):
        next(synthetic_treebank(1, seed=1, nonprojective=1.5))


def test_a_seed_is_a_treebank() -> None:
    first = list(synthetic_treebank(50, seed=7))
    assert first == list(synthetic_treebank(50, seed=7))
    assert first != list(synthetic_treebank(50, seed=8))


def feature(sentence: SentenceColumns, word: int, name: str) -> str | None:
    pairs = [pair.split("=") for pair in sentence.feats[word - 1].split("|") if "=" in pair]
    return dict(pairs).get(name)


def test_words_agree_with_their_heads() -> None:
    n_checked = 0
    for sentence in synthetic_treebank(300, seed=2, nonprojective=0.2):
        assert is_tree(sentence.heads) and n_roots(sentence.heads) == 1
        coordinated = {
            head
            for head, deprel in zip(sentence.heads, sentence.deprels, strict=True)
            if deprel == "conj"
        }
        for word, head in enumerate(sentence.heads, start=1):
            deprel = sentence.deprels[word - 1]
            if deprel in ("det", "amod"):
                n_checked += 1
                for name in ("Case", "Number"):
                    assert feature(sentence, word, name) == feature(sentence, head, name)
            if deprel == "nsubj" and sentence.upos[head - 1] == "VERB":
                n_checked += 1
                number = "Plur" if word in coordinated else feature(sentence, word, "Number")
                assert feature(sentence, head, "Number") == number
                assert feature(sentence, word, "Case") == "Nom"
    assert n_checked > 500


def test_the_language_is_ambiguous() -> None:
    """One row of tags has several trees: no parser can have them all right from tags alone."""
    trees = defaultdict(set)
    for sentence in synthetic_treebank(3000, seed=3, nonprojective=0):
        trees[tuple(sentence.upos), tuple(sentence.feats)].add(tuple(sentence.heads))
    assert max(len(heads) for heads in trees.values()) > 1


def test_nouns_have_prepositions_they_like() -> None:
    """Preferred prepositions distinguish phrases of nouns from phrases of verbs."""
    prepositions: dict[str, Counter[str]] = defaultdict(Counter)
    for sentence in synthetic_treebank(4000, seed=4, nonprojective=0):
        for word, deprel in enumerate(sentence.deprels, start=1):
            modifier = sentence.heads[word - 1]
            if deprel == "case" and sentence.deprels[modifier - 1] == "nmod":
                governor = sentence.lemmas[sentence.heads[modifier - 1] - 1]
                prepositions[governor][sentence.lemmas[word - 1]] += 1
    habits = max(prepositions.values(), key=lambda counts: counts.total())
    assert len(habits) > 2
    assert sum(count for _, count in habits.most_common(2)) > 0.75 * habits.total()


def test_conllu_has_ten_columns_and_its_text() -> None:
    sentence = next(synthetic_treebank(1, seed=5))
    lines = to_conllu(sentence, "a-1").split("\n")
    assert lines[0] == "# sent_id = a-1" and lines[-2:] == ["", ""]
    rows = [line.split("\t") for line in lines[2:-2]]
    assert [row[0] for row in rows] == [str(i) for i in range(1, len(sentence.forms) + 1)]
    assert all(len(row) == 10 and all(row) for row in rows)
    columns = zip(*[[*row[1:6], int(row[6]), row[7]] for row in rows], strict=True)
    assert tuple(map(list, columns)) == sentence
    spaced = "".join(row[1] + " " * (row[9] != "SpaceAfter=No") for row in rows)
    assert lines[1] == f"# text = {spaced.strip()}"
    assert lines[1].endswith(f"{sentence.forms[-2]}{sentence.forms[-1]}")


def test_the_command_writes_three_parts(tmp_path: Path) -> None:
    main([str(tmp_path / "new"), "--train", "5", "--dev", "3", "--test", "2", "--seed", "9"])
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (tmp_path / "new").iterdir()}
    assert {part: text.count("\n\n") for part, text in texts.items()} == {
        "train": 5,
        "dev": 3,
        "test": 2,
    }
    assert "# sent_id = dev-3\n" in texts["dev"]
    write_treebank(tmp_path / "train.conllu", 5, seed=27)
    assert (tmp_path / "train.conllu").read_text(encoding="utf-8") == texts["train"]


def test_examples() -> None:
    results = doctest.testmod(generator)
    assert results.attempted >= 4 and results.failed == 0
