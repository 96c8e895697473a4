"""The tagger as people use it: training, missing columns, files, hostile words."""

from __future__ import annotations

from pathlib import Path

import pytest

import dodona
from dodona.clustering.clusters import cluster, write_clusters
from dodona.settings import TaggerSettings
from dodona.storage import container
from dodona.storage.container import ContainerError
from dodona.synthetic.generator import synthetic_treebank
from dodona.tagging.tagger_training import TaggerTrainer, tag_accuracies
from dodona.tagging.word_learning import tag_columns
from dodona.treebank.conllu.errors import TreebankError

Sentences = list[dodona.Sentence]
QUICK = {"epochs": 3, "rare": 3}


def treebank(n: int, seed: int) -> Sentences:
    """Sentences of the invented language; XPOS is made of UPOS and the word's ending."""
    return [
        dodona.Sentence.from_columns(
            found.forms,
            upos=found.upos,
            xpos=[f"{tag}-{form[-1]}" for tag, form in zip(found.upos, found.forms, strict=True)],
            feats=found.feats,
        )
        for found in synthetic_treebank(n, seed)
    ]


def without(sentences: Sentences, *columns: str) -> Sentences:
    return [
        sentence.replace(**{column: ["_"] * len(sentence) for column in columns})
        for sentence in sentences
    ]


@pytest.fixture(scope="module")
def tagger() -> dodona.Tagger:
    return dodona.train_tagger(treebank(150, 1), treebank(40, 2), **QUICK)


@pytest.mark.parametrize("search", ["greedy", "beam"])
def test_a_tagger_learns(search: str) -> None:
    gold = treebank(60, 3)
    tagger = dodona.train_tagger(treebank(150, 1), search=search, **QUICK)
    tagged = list(tagger.pipe(without(gold, "upos", "xpos", "feats")))
    accuracy = tag_accuracies(gold, tagged, ["upos", "xpos", "feats"])
    assert min(accuracy.values()) > 85, accuracy


def test_all_but_the_tags_comes_back_as_it_was(tagger: dodona.Tagger, tmp_path: Path) -> None:
    text = (
        b"# text = a\r\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\r\n1\ta\tl\tX\tY\tZ=1\t0\troot\t_\tM=1\r\n"
        b"2\tb\t_\t_\t_\t_\t1\tdep\t_\t_\r\n2.1\tc\t_\t_\t_\t_\t_\t_\t1:dep\t_\r\n\r\n"
    )
    (tmp_path / "one.conllu").write_bytes(text)
    (sentence,) = dodona.read(tmp_path / "one.conllu")
    tagged = tagger.tag(sentence)
    assert tagged.upos != sentence.upos
    back = tagged.replace(upos=sentence.upos, xpos=sentence.xpos, feats=sentence.feats)
    assert bytes(back) == text
    assert tagged.heads == [0, 1]


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a", "b", "c")]
    for file, seed in zip(files, (1, 1, 2), strict=True):
        dodona.train_tagger(treebank(50, 1), treebank(20, 2), seed=seed, epochs=2).save(file)
    first, again, other = (file.read_bytes() for file in files)
    assert first == again
    assert first != other


def test_a_saved_tagger_is_the_same(tagger: dodona.Tagger, tmp_path: Path) -> None:
    tagger.save(tmp_path / "t.tagger")
    loaded = dodona.Tagger.load(tmp_path / "t.tagger")
    test = treebank(20, 4)
    assert [*map(bytes, loaded.pipe(test))] == [*map(bytes, tagger.pipe(test))]
    assert loaded.record == tagger.record
    assert loaded.scorer.settings == tagger.scorer.settings


def test_threads_do_not_change_the_answer(tagger: dodona.Tagger) -> None:
    test = treebank(300, 5)
    assert [*map(bytes, tagger.pipe(test, threads=3))] == [*map(bytes, tagger.pipe(test))]


@pytest.mark.parametrize("missing", [["xpos"], ["feats"], ["xpos", "feats"], ["upos"]])
def test_an_empty_column_is_left_alone(missing: list[str]) -> None:
    tagger = dodona.train_tagger(without(treebank(50, 1), *missing), epochs=1)
    assert not set(missing) & set(tagger.columns)
    sentence = treebank(1, 9)[0]
    tagged = tagger.tag(sentence)
    for column in missing:
        assert getattr(tagged, column) == getattr(sentence, column)


def test_xpos_comes_first_if_it_is_small_and_last_if_it_is_large() -> None:
    small = treebank(30, 1)
    large = [s.replace(xpos=[f"{i}-{j}" for j in range(len(s))]) for i, s in enumerate(small)]
    assert tag_columns(small) == ["xpos", "upos", "feats"]
    assert tag_columns(large) == ["upos", "feats", "xpos"]


def test_nothing_to_learn_is_an_error() -> None:
    with pytest.raises(ValueError, match="no UPOS, XPOS or FEATS in it: there is nothing to learn"):
        dodona.train_tagger(without(treebank(3, 1), "upos", "xpos", "feats"))
    with pytest.raises(ValueError, match="no sentence in it"):
        dodona.train_tagger([])


@pytest.mark.parametrize(
    "form",
    ["👩🏽\u200d🔬", "a\u0301\u0323\u0302", "x" * 100_000, "\u200b", "한국어", "Ⅷ", "\U0010ffff"],
)
def test_any_word_gets_a_tag(tagger: dodona.Tagger, form: str) -> None:
    tagged = tagger.tag(dodona.Sentence.from_columns([form, form]))
    assert tagged.forms == [form, form]
    assert "_" not in tagged.upos


def test_hostile_words_can_be_learned_from() -> None:
    forms = ["👩🏽\u200d🔬", "a\u0301", "x" * 1000, "İ", "ẞ"]
    sentence = dodona.Sentence.from_columns(forms, upos=["A", "B", "C", "D", "E"])
    tagger = dodona.train_tagger([sentence], epochs=4, certain=0)
    assert tagger.tag(sentence).upos == ["A", "B", "C", "D", "E"]


def test_the_best_epoch_is_that_of_the_dev_set() -> None:
    trainer = TaggerTrainer(treebank(40, 1), treebank(20, 2), TaggerSettings(epochs=4))
    epochs = list(trainer.epochs())
    assert trainer.best_epoch is max(epochs, key=lambda epoch: trainer.rate(epoch.scores))
    tagged = list(trainer.tagger().pipe(trainer.dev))
    found = tag_accuracies(trainer.dev, tagged, trainer.columns)
    assert found == trainer.best_epoch.scores


def test_a_damaged_file_is_refused(tagger: dodona.Tagger, tmp_path: Path) -> None:
    path = tmp_path / "t.tagger"
    tagger.save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    with pytest.raises(ContainerError, match="cut short"):
        dodona.Tagger.load(path)
    with pytest.raises(ContainerError, match="this is a Dodona tagger, not a model"):
        path.write_bytes(whole)
        dodona.load(path)


def test_parts_that_do_not_fit_are_refused(tagger: dodona.Tagger) -> None:
    about, arrays = tagger.serialise()
    arrays["tagger.ambiguity"] = container.Array("U32", bytes(8))
    form = dodona.Tagger.FORMAT
    data = container.to_bytes(form.kind, form.version, about, arrays)
    with pytest.raises(ContainerError, match="2 ambiguity classes for"):
        dodona.Tagger.from_bytes(data)


# --- clusters


@pytest.fixture
def clusters(tmp_path: Path) -> str:
    path = tmp_path / "secret folder" / "brown.txt"
    path.parent.mkdir()
    forms = [sentence.forms for sentence in treebank(60, 7)]
    write_clusters(cluster(forms, clusters=12, min_count=2), path)
    return str(path)


def test_a_tagger_carries_its_clusters_but_not_their_folder(clusters: str, tmp_path: Path) -> None:
    tagger = dodona.train_tagger(treebank(60, 1), treebank(20, 2), clusters=clusters, **QUICK)
    path = tmp_path / "t.tagger"
    tagger.save(path)
    Path(clusters).unlink()
    again = dodona.Tagger.load(path)
    assert again.scorer.settings.clusters == "brown.txt"
    assert b"secret folder" not in path.read_bytes()
    assert len(again.record["checksums"]["clusters"]) == 64
    assert (
        again.scorer.word_encoder.clusters is not None
        and tagger.scorer.word_encoder.clusters is not None
    )
    assert again.scorer.word_encoder.clusters.save() == tagger.scorer.word_encoder.clusters.save()
    test = treebank(40, 4)
    assert [*map(bytes, again.pipe(test))] == [*map(bytes, tagger.pipe(test))]
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_unknown_words_are_tagged_by_their_clusters(tmp_path: Path) -> None:
    """Each is a sentence of its own and shares no letter with what is known."""
    nouns, verbs = ["oak", "elm", "ash", "fly"], ["nod", "run", "beg", "vex"]
    paths = dict.fromkeys([*nouns, "wiz"], "0") | dict.fromkeys([*verbs, "jip"], "1")
    file = tmp_path / "c.txt"
    file.write_text("".join(f"{bits}\t{word}\n" for word, bits in paths.items()), encoding="utf-8")
    train = [
        dodona.Sentence.from_columns([form], upos=[tag])
        for forms, tag in ((nouns, "NOUN"), (verbs, "VERB"))
        for form in forms * 4
    ]
    unseen = [dodona.Sentence.from_columns([form]) for form in ("wiz", "jip")]
    wise = dodona.train_tagger(train, epochs=4, certain=0, clusters=str(file))
    assert [wise.tag(sentence).upos for sentence in unseen] == [["NOUN"], ["VERB"]]
    bare = dodona.train_tagger(train, epochs=4, certain=0)
    assert [bare.tag(sentence).upos for sentence in unseen] != [["NOUN"], ["VERB"]]


def test_a_file_that_has_no_clusters_is_refused_by_name_and_line(tmp_path: Path) -> None:
    file = tmp_path / "c.txt"
    file.write_text("01\toak\t3\noak 01\n", encoding="utf-8")
    with pytest.raises(TreebankError, match=r"c\.txt:2: expected bits, a word and its count"):
        dodona.train_tagger(treebank(5, 1), clusters=str(file))


def test_a_tagger_without_its_clusters_is_refused(clusters: str, tmp_path: Path) -> None:
    tagger = dodona.train_tagger(treebank(10, 1), clusters=clusters, epochs=1)
    about, arrays = tagger.serialise()
    del arrays["clusters.words"]
    form = dodona.Tagger.FORMAT
    container.write(tmp_path / "poorer", form.kind, form.version, about, arrays)
    with pytest.raises(ContainerError, match=r"the clusters of brown\.txt are missing"):
        dodona.Tagger.load(tmp_path / "poorer")


def test_a_tagger_without_clusters_says_nothing_of_them(tagger: dodona.Tagger) -> None:
    """Its file is that of a Dodona whose taggers knew of none."""
    about, arrays = tagger.serialise()
    assert "clusters" not in about["settings"]
    assert "clusters" not in about["record"]["checksums"]
    assert not [name for name in arrays if name.startswith("clusters")]
