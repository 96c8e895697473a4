"""Brown clustering against its definition, and where the answer is plain to see."""

from __future__ import annotations

from array import array
from collections import Counter
from random import Random

import pytest

from dodona.core.clustering.brown import Brown
from reference import brown as reference

Text = list[list[int]]


def flat(sentences: Text) -> array[int]:
    """The text as the core takes it: -1 before and after each sentence."""
    return array("i", [-1, *(word for sentence in sentences for word in [*sentence, -1])])


def run(sentences: Text, n_words: int, n_clusters: int, chunk: int = 1_000_000) -> Brown:
    brown = Brown(flat(sentences), n_words, n_clusters)
    while brown.n_done < brown.n_steps:
        brown.advance(chunk)
    return brown


def random_text(seed: int, n_words: int, n_sentences: int) -> Text:
    """Words by falling frequency, in which some prefer to follow others."""
    random = Random(seed)
    weights = [1 / (word + 1) for word in range(n_words)]
    text = []
    for _ in range(n_sentences):
        sentence = random.choices(range(n_words), weights, k=random.randint(1, 7))
        for i in range(1, len(sentence)):
            if random.random() < 0.5:
                sentence[i] = (sentence[i - 1] * 3 + random.randint(0, 1)) % n_words
        text.append(sentence)
    return text


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(24))
def test_merges_and_paths_are_those_of_the_definition(seed: int) -> None:
    n_words = 6 + seed % 10
    text = random_text(seed, n_words, n_sentences=3 + 2 * seed)
    for n_clusters in (1, 2, 4, n_words - 1, n_words):
        brown = run(text, n_words, n_clusters)
        assert brown.merges == reference.merges(text, n_words, n_clusters)
        assert brown.paths() == reference.paths(text, n_words, n_clusters)


@pytest.mark.parametrize("seed", range(6))
def test_equal_losses_are_found_equal(seed: int) -> None:
    """Few words in every order: most losses are equal, some as sums of different logarithms."""
    random = Random(seed)
    text = [[a, b] for a in range(8) for b in range(8) for _ in range(random.choice([1, 2, 4]))]
    for n_clusters in (2, 3, 5, 8):
        assert run(text, 8, n_clusters).merges == reference.merges(text, 8, n_clusters)


def test_steps_may_be_taken_in_any_portions() -> None:
    text = random_text(5, 60, n_sentences=200)
    whole = run(text, 60, 10)
    for chunk in (1, 7, 64):
        assert run(text, 60, 10, chunk).merges == whole.merges
    assert whole.n_done == whole.n_steps == 60 + 10 - 1


def test_words_of_the_same_company_share_a_cluster() -> None:
    """Determiners before nouns before verbs: which is which only the neighbours tell."""
    random = Random(3)
    kinds = [range(0, 3), range(3, 9), range(9, 15)]
    text = [[random.choice(kind) for kind in kinds] for _ in range(1000)]
    frequency = Counter(word for sentence in text for word in sentence)
    rank = {word: i for i, (word, _) in enumerate(frequency.most_common())}
    merges = run([[rank[word] for word in sentence] for sentence in text], 15, 15).merges
    cluster = {word: {word} for word in rank.values()}
    for low, high in merges[:12]:
        cluster[low] |= cluster.pop(high)
    assert sorted(map(sorted, cluster.values())) == sorted(
        sorted(rank[word] for word in kind) for kind in kinds
    )


def test_more_clusters_than_words_are_as_many_as_words() -> None:
    brown = run([[0, 1, 2], [1, 0]], 3, 50)
    assert brown.n_clusters == 3
    assert len(set(brown.paths())) == 3


def test_words_without_neighbours_are_clustered_too() -> None:
    assert run([[0], [1], [2], [3]], 4, 2).merges == [(0, 1), (0, 2), (0, 3)]
    nowhere = Brown(array("i", [0, -2, 1, -2, 2]), 3, 3)
    nowhere.advance(nowhere.n_steps)
    assert nowhere.merges == [(0, 1), (0, 2)]


def test_words_that_were_left_out_are_no_neighbours() -> None:
    """0 follows 1 and 2 follows 3, but not across the gap."""
    whole = Brown(array("i", [-1, 0, 1, -2, 2, 3, -1]), 4, 4)
    pieces = Brown(array("i", [-1, 0, 1, -2, -2, -1, -1, -2, 2, 3, -1]), 4, 4)
    for brown in (whole, pieces):
        brown.advance(brown.n_steps)
    assert whole.merges == pieces.merges


def test_a_large_random_text_is_clustered_into_a_full_binary_tree() -> None:
    text = random_text(11, 2000, n_sentences=4000)
    paths = set(run(text, 2000, 64).paths())
    assert len(paths) == 64
    assert sum(2.0 ** -len(path) for path in paths) == 1
    for path in paths:
        assert not any(other != path and other.startswith(path) for other in paths)


def test_what_cannot_be_clustered_is_refused() -> None:
    with pytest.raises(ValueError, match="word 3, but there are 3"):
        Brown(array("i", [0, 3]), 3, 2)
    with pytest.raises(ValueError, match="0 clusters"):
        Brown(array("i", [0]), 1, 0)
    brown = Brown(array("i", [0, 1]), 2, 2)
    with pytest.raises(ValueError, match="only 0 of 3 steps"):
        brown.paths()
