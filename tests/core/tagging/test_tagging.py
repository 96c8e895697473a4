"""The compiled tagger against its reference implementation, and the encoding of words."""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

import dodona
from dodona.core.tagging.tag_features import TagFeatures
from dodona.core.tagging.tag_search import TagSearch, tag_all
from dodona.core.tagging.tag_task import TagTask
from dodona.core.tagging.tag_templates import parse_tag_templates, tag_templates
from dodona.core.tagging.tag_training import TagTrainer
from dodona.core.weights.linear import Weights
from dodona.core.weights.packing import pack
from dodona.core.weights.shuffle import shuffle
from dodona.settings import TaggerSettings
from dodona.tagging.tags import with_tags
from dodona.tagging.word_encoder import (
    CLUSTER_COLUMNS,
    COLUMNS,
    FORM_ATTRIBUTES,
    WordEncoder,
    form_attributes,
)
from dodona.tagging.word_learning import learn_words
from dodona.treebank.encoding.clusters import Clusters
from dodona.treebank.encoding.vocabulary import Vocabulary
from reference.tagging import MISSING, Perceptron, columns_of, lowered, shape
from reference.tagging import form_attributes as reference_attributes

HOSTILE = [
    "",
    "Ω",
    "a\u0301\u0323",
    "👩🏽\u200d🔬",
    "İstanbul",
    "ẞ",
    "𐐀bc",
    "x" * 5000,
    "한국",
    "ß1-2",
    "\u0130",
]


def sentences(n: int, seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Make sentences whose tags depend on word endings and on the preceding word."""
    endings = [("ak", "N"), ("eth", "V"), ("li", "A"), ("o", "N"), ("o", "V")]
    rng = Random(seed)
    forms, tags = [], []
    for _ in range(n):
        words, found = [], []
        for _ in range(rng.randint(1, 7)):
            ending, tag = rng.choice(endings)
            form = rng.choice(["D", "d", "zeu", "Tár", "3-"]) + rng.choice("aeiou") + ending
            if ending == "o" and found and found[-1] == "N":
                tag = "V"
            words.append(form)
            found.append(tag)
        forms.append(words)
        tags.append(found)
    return forms, tags


def invented_paths(forms: list[list[str]], seed: int) -> dict[str, str]:
    """Make bit strings for two of three words, half of them for the lower case only."""
    rng = Random(seed)
    paths = {}
    for form in sorted({form for sentence in forms for form in sentence}):
        bits = "".join(rng.choices("01", k=rng.randint(1, 8)))
        if rng.random() < 2 / 3:
            paths[rng.choice([form, form.lower()])] = bits
    return paths


class Setup:
    """A UPOS task on invented sentences, for the core and for its reference implementation."""

    def __init__(
        self, seed: int, certain: int, has_clusters: bool = False, many_tags: bool = False
    ) -> None:
        self.forms, self.tags = sentences(60, seed)
        if many_tags:
            words = [zip(*pair, strict=True) for pair in zip(self.forms, self.tags, strict=True)]
            self.tags = [[f"{tag}-{form[:4]}" for form, tag in sentence] for sentence in words]
        self.paths = invented_paths(self.forms, seed) if has_clusters else {}
        settings = TaggerSettings(certain=certain, rare=3)
        known, (self.gold,) = learn_words(self.forms, {"upos": self.tags}, settings)
        self.known = replace(known, clusters=Clusters(self.paths) if has_clusters else None)
        self.sentences = [dodona.Sentence.from_columns(forms) for forms in self.forms]
        self.word_encoder = self.known.word_encoder()
        self.corpus = self.word_encoder.encode(self.sentences, 1)
        (self.task,) = self.known.tasks()
        self.columns = (*COLUMNS, *(CLUSTER_COLUMNS if has_clusters else ()), "upos")
        self.classes = [name.decode() for name in self.known.tag_classes[0].classes]

    def twin(self) -> Perceptron:
        answers = self.known.tag_classes[0]
        names = [form.decode() for form in self.known.forms.strings()]
        certain = {
            names[entry]: self.classes[tag]
            for entry, tag in zip(answers.entries, answers.fixed, strict=True)
        }
        templates = tag_templates(self.columns, "upos", [])
        return Perceptron(templates, "upos", self.classes, certain)

    def twin_columns(self) -> list[dict[str, list[str]]]:
        words = [form for sentence in self.forms for form in sentence]
        counts = Counter(words)
        seen: dict[str, set[str]] = {}
        for form, tag in zip(words, (tag for tags in self.tags for tag in tags), strict=True):
            seen.setdefault(form, set()).add(tag)
        known = {form: "/".join(sorted(seen[form])) for form in counts if counts[form] >= 3}
        return [columns_of(forms, known, self.paths) for forms in self.forms]


@pytest.mark.parametrize("form", [*HOSTILE[1:], "Oak", "3.14", "U.S.A.", "don't"])
def test_spelling_is_that_of_the_reference(form: str) -> None:
    """Equal strings have equal ids, different strings different ids."""
    for other in [*HOSTILE[1:], "oak", "OAK", "4.15", "e.u.a.", "can't"]:
        mine, theirs = form_attributes(form), form_attributes(other)
        first, second = reference_attributes(form, False), reference_attributes(other, False)
        for name in FORM_ATTRIBUTES:
            assert (mine[name] == theirs[name]) == (first[name] == second[name]), name
            assert (mine[name] == 0) == (first[name] == MISSING)


def test_shapes_and_lower_case_are_what_they_should_be() -> None:
    assert shape("McDonald's-3") == "XxXxx'x-d"
    assert lowered("ΣΟΦΙΑ") == "σοφια"
    assert form_attributes("ΣΟΦΙΑ")["lower"] == form_attributes("σοφια")["form"]


@pytest.mark.parametrize("has_clusters", [False, True])
def test_two_features_have_one_key_if_and_only_if_they_are_the_same(has_clusters: bool) -> None:
    setup = Setup(1, 0, has_clusters)
    twin, columns = setup.twin(), setup.twin_columns()
    features = setup.task.features
    found: dict[int, object] = {}
    for s, sentence in enumerate(columns):
        for word in range(1, len(sentence["form"]) + 1):
            keys = features.keys(setup.corpus, s, word)[: features.n_static]
            expected = twin.features(sentence, word, [])[: features.n_static]
            for key, value in zip(keys, expected, strict=True):
                assert found.setdefault(key, value) == value
    assert len(set(found.values())) == len(found) > 300
    named = {column for parts in twin.templates for _, column in parts}
    assert named & {*CLUSTER_COLUMNS} == ({*CLUSTER_COLUMNS} if has_clusters else set())


def test_words_have_the_number_of_their_bits_and_one_number_if_there_are_none() -> None:
    clusters = Clusters({"oak": "01101", "elm": "01100", "ash": "0110", "speaks": "1"})
    word_encoder = WordEncoder(Vocabulary([b"oak", b"fir"]), array("I", [3, 3]), clusters)
    forms = ["oak", "Oak", "elm", "ash", "speaks", "fir", "yew"]
    corpus = word_encoder.encode([dodona.Sentence.from_columns(forms)], 0)
    columns = (*COLUMNS, *CLUSTER_COLUMNS)

    def keys(column: str) -> list[int]:
        features = TagFeatures([[(0, column)]], columns, "")
        return [features.keys(corpus, 0, word)[0] for word in range(1, len(forms) + 1)]

    oak, upper, elm, ash, speaks, fir, yew = keys("cluster")
    assert oak == upper and fir == yew  # known in training or not
    assert len({oak, elm, ash, speaks, fir}) == 5
    oak, upper, elm, ash, speaks, fir, yew = keys("cluster:4")
    assert oak == upper == elm == ash and fir == yew
    assert len({oak, speaks, fir}) == 3
    assert keys("cluster:6") == keys("cluster")


@pytest.mark.parametrize("has_clusters", [False, True])
@pytest.mark.parametrize("certain", [0, 3])
@pytest.mark.parametrize("width", [1, 2, 3])
def test_training_predicts_what_the_reference_does(
    width: int, certain: int, has_clusters: bool
) -> None:
    setup = Setup(width, certain, has_clusters)
    margin = 4 if width == 1 else 0
    weights = Weights(len(setup.classes))
    trainer = TagTrainer(setup.corpus, setup.task, weights, setup.gold, width=width, margin=margin)
    twin, columns = setup.twin(), setup.twin_columns()
    n_wrong = 0
    for epoch in range(3):
        for s in shuffle(len(columns), epoch):
            trainer.train([s])
            gold = setup.tags[s]
            if width == 1:
                expected = twin.learn_greedily(columns[s], gold, margin)
            else:
                expected = twin.learn_structured(columns[s], gold, width)
            assert [setup.classes[c] for c in setup.task.tags(setup.corpus, s)] == expected
            n_wrong += expected != gold
    assert n_wrong > 10  # or there was nothing to learn
    assert trainer.n_updates > 10


def test_tagging_is_what_training_came_to() -> None:
    """Packed weights of one epoch agree with the averages, up to rounding."""
    setup = Setup(5, certain=0)
    weights = Weights(len(setup.classes))
    trainer = TagTrainer(setup.corpus, setup.task, weights, setup.gold, margin=4)
    trainer.train(range(len(setup.forms)))
    search = TagSearch(setup.task, pack(weights, trainer.time))
    search.tag(setup.corpus)
    features, keys, values = setup.task.features, *_averages(weights, trainer.time)
    for s in range(len(setup.forms)):
        for word, tag in enumerate(setup.task.tags(setup.corpus, s), 1):
            scores = [0.0] * len(setup.classes)
            for key in features.keys(setup.corpus, s, word):
                for c, value in values.get(key, {}).items():
                    scores[c] += value
            assert scores[tag] >= max(scores) - 0.3
    assert keys


def test_of_many_tags_each_word_has_the_one_that_scores_best() -> None:
    """Most tags are rare, and scored exactly only where their upper bound is high enough."""
    setup = Setup(8, certain=0, many_tags=True)
    assert len(setup.classes) > 64
    weights = Weights(len(setup.classes))
    trainer = TagTrainer(setup.corpus, setup.task, weights, setup.gold, margin=4)
    trainer.train(range(len(setup.forms)))
    packed = pack(weights, trainer.time)
    TagSearch(setup.task, packed).tag(setup.corpus)
    found = set()
    for s in range(len(setup.forms)):
        for word, tag in enumerate(setup.task.tags(setup.corpus, s), 1):
            scores = packed.scores(setup.task.features.keys(setup.corpus, s, word))
            assert tag == scores.index(max(scores))
            found.add(tag)
    assert min(found) < 48 and max(found) >= 48


@pytest.mark.parametrize("certain", [0, 3])
def test_sentences_have_the_same_tags_alone_and_among_others(certain: int) -> None:
    """In many sentences, the scores of a word alone are cached and reused."""
    setup = Setup(7, certain)
    weights = Weights(len(setup.classes))
    trainer = TagTrainer(setup.corpus, setup.task, weights, setup.gold, margin=4)
    trainer.train(range(len(setup.forms)))
    search = TagSearch(setup.task, pack(weights, trainer.time))
    search.tag(setup.corpus)
    for s, sentence in enumerate(setup.sentences):
        alone = setup.word_encoder.encode([sentence], 1)
        search.tag(alone)
        assert setup.task.tags(alone, 0) == setup.task.tags(setup.corpus, s)
    assert len({tag for s in range(60) for tag in setup.task.tags(setup.corpus, s)}) > 1


def _averages(weights: Weights, time: float) -> tuple[int, dict[int, dict[int, float]]]:
    keys, n_cells, classes, values, totals = (
        memoryview(data).cast(kind)
        for data, kind in zip(weights.save(), "QHHfd", strict=True)  # type: ignore[call-overload]
    )
    found: dict[int, dict[int, float]] = {}
    at = 0
    for key, n in zip(keys, n_cells, strict=True):
        found[key] = {classes[i]: values[i] - totals[i] / time for i in range(at, at + n)}
        at += n
    return len(found), found


@pytest.mark.parametrize("width", [1, 4])
def test_a_beam_of_any_width_tags_every_word(width: int) -> None:
    setup = Setup(6, certain=3)
    weights = Weights(len(setup.classes))
    trainer = TagTrainer(setup.corpus, setup.task, weights, setup.gold, width=width, margin=1)
    trainer.train(range(len(setup.forms)))
    TagSearch(setup.task, pack(weights, trainer.time), width).tag(setup.corpus)
    right = wrong = 0
    for s, tags in enumerate(setup.tags):
        for tag, gold in zip(setup.task.tags(setup.corpus, s), tags, strict=True):
            right += setup.classes[tag] == gold
            wrong += setup.classes[tag] != gold
    assert right > 4 * wrong


def test_tasks_that_are_done_in_one_go_find_the_same() -> None:
    """Later tasks read the tags of earlier ones; kept sentences stay unchanged."""
    forms, upos = sentences(60, 3)
    treebank = [
        dodona.Sentence.from_columns(words, upos=tags, xpos=[f"{tag}{len(words)}" for tag in tags])
        for words, tags in zip(forms, upos, strict=True)
    ]
    tagger = dodona.train_tagger(treebank, epochs=3)
    raw = [dodona.Sentence.from_columns(words) for words in forms]
    kept = bytes(i % 3 == 0 for i in range(len(raw)))
    n_tasks = len(tagger.scorer.searches)
    assert n_tasks == 2
    for marks in ([None] * n_tasks, [kept, None], [None, kept]):
        one, other = (tagger.scorer.word_encoder.encode(raw, n_tasks) for _ in range(2))
        tag_all(tagger.scorer.searches, one, marks)
        for search, mark in zip(tagger.scorer.searches, marks, strict=True):
            search.tag(other, mark)
        for s in range(len(raw)):
            for search in tagger.scorer.searches:
                assert search.task.tags(one, s) == search.task.tags(other, s)
    with pytest.raises(ValueError, match="shorter than"):
        tag_all(tagger.scorer.searches, one, [None])
    with pytest.raises(ValueError, match="2 flags for 60 sentences"):
        tag_all(tagger.scorer.searches, one, [None, b"\0\0"])
    with pytest.raises(TypeError):
        tag_all([tagger], one, [None])  # type: ignore[list-item]


def test_rare_features_are_not_learned() -> None:
    setup = Setup(2, certain=0)
    rows = []
    for cutoff in (1, 2, 5):
        weights = Weights(len(setup.classes))
        trainer = TagTrainer(setup.corpus, setup.task, weights, setup.gold, cutoff=cutoff)
        trainer.train(range(len(setup.forms)))
        rows.append(weights.n_rows)
    assert rows[0] > rows[1] > rows[2] > 0


def test_a_task_knows_only_tags_to_its_left() -> None:
    with pytest.raises(ValueError, match=r"a template reads upos at \+1, which is not available"):
        TagFeatures([[(1, "upos")]], ("form", "upos"), "upos")


def test_templates_name_columns_that_exist() -> None:
    with pytest.raises(
        ValueError, match=r"unknown attribute 'colour' in '0.colour'; there are: form"
    ):
        parse_tag_templates("0.colour", ["form"], "upos", [])


def test_words_with_fixed_classes_are_in_order() -> None:
    features = TagFeatures([[(0, "form")]], ("form", "entry", "upos"), "upos")

    def task(entries: list[int], fixed: list[int]) -> TagTask:
        numbers = (array("I", values) for values in (entries, [0] * len(entries), fixed))
        return TagTask(features, ("form", "entry", "upos"), "upos", [], 3, 9, *numbers)

    assert task([1, 1, 4], [0, 1, 2]).n_classes == 3
    with pytest.raises(ValueError, match="word 1 with a fixed class is out of order"):
        task([4, 1], [0, 0])
    with pytest.raises(ValueError, match="class 3, but there are 3"):
        task([1], [3])
    with pytest.raises(ValueError, match="word 9 has a fixed class, but 9 are known"):
        task([9], [0])


def test_a_corpus_must_have_been_tagged() -> None:
    setup = Setup(3, certain=0)
    with pytest.raises(ValueError, match="has it been tagged"):
        with_tags(setup.corpus, setup.sentences, ["upos"], [[b"N", b"V", b"A"]])
    with pytest.raises(ValueError, match="has none for"):
        with_tags(setup.corpus, setup.sentences, ["upos", "feats"], [[b"N"], [b"_"]])


def test_tasks_refuse_other_corpora_and_weights() -> None:
    setup = Setup(4, certain=0)
    other = setup.word_encoder.encode(setup.sentences, 2)
    weights = Weights(len(setup.classes))
    with pytest.raises(ValueError, match="does not fit the task's columns"):
        TagTrainer(other, setup.task, weights, setup.gold)
    with pytest.raises(ValueError, match=f"{other.n_columns} columns, but the task needs"):
        TagSearch(setup.task, pack(weights, 1)).tag(other)
    with pytest.raises(ValueError, match="weights for 2 classes, but there are 3"):
        TagSearch(setup.task, pack(Weights(2), 1))
