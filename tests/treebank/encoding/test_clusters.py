"""Clusters of words: made from text, looked up, used in templates, kept in models."""

from __future__ import annotations

import gzip
import io
from array import array
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dodona
from dodona.clustering.clusters import ClusteredWord, cluster, read_words, write_clusters
from dodona.core.features.templates import (
    TemplateError,
    cluster_columns,
    load_templates,
    parse_templates,
    template_names,
    with_cluster_templates,
)
from dodona.core.transitions.registry import SYSTEMS
from dodona.parsing.trainer import Trainer
from dodona.storage.container import ContainerError
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.encoding.clusters import Clusters
from dodona.treebank.encoding.encoding import Encoder
from support.small import TEMPLATES, treebank

LINES = ["the oak speaks", "the elm speaks", "the oak sleeps", "an elm sleeps", "an ash"]
TEXT = [line.split() for line in LINES]


# --- making them


def test_the_order_of_sentences_does_not_matter() -> None:
    words = cluster(TEXT, clusters=3)
    shuffled = TEXT[:]
    for seed in range(5):
        Random(seed).shuffle(shuffled)
        assert cluster(shuffled, clusters=3) == words
    assert [word.frequency for word in sorted(words, key=lambda word: word.word)] == [
        *(2, 1, 2, 2, 2, 2, 3)
    ]


def test_rare_words_are_left_out_and_separate_their_neighbours() -> None:
    text = [["a", "b", "rare", "a"], ["b", "a", "b"], ["b"]]
    apart = [["a", "b", "odd", "a"], ["b", "a", "b"], ["b"]]
    words = cluster(text, clusters=2, min_count=2)
    assert {word.word for word in words} == {"a", "b"}
    assert words == cluster(apart, clusters=2, min_count=2)


def test_progress_is_reported_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    text = [[f"w{i}", f"w{i // 2}"] for i in range(200)]
    cluster(text, clusters=10, report=lambda *step: seen.append(step))
    assert len(seen) > 3
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert seen[-1] == (209, 209) and {total for _, total in seen} == {209}


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ([], {}, "there is no word in the text"),
        ([[], []], {}, "there is no word in the text"),
        ([["a", "a"]], {}, "there is only one word: nothing can be clustered"),
        ([["a", "b"]], {"min_count": 2}, "there is no word that occurs 2 times or more"),
        ([["a", "b"]], {"clusters": 1}, "clusters must be from 2 to 10,000, not 1"),
        ([["a", "b"]], {"clusters": 10_001}, "clusters must be from 2 to 10,000, not 10001"),
        ([["a", "b"]], {"min_count": 0}, "min_count must be at least 1, not 0"),
    ],
)
def test_texts_that_cannot_be_clustered_are_refused(
    text: list[list[str]], options: dict[str, int], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        cluster(text, **options)  # type: ignore[arg-type]


def test_text_and_treebanks_are_read_by_their_names(tmp_path: Path) -> None:
    text = "Ask the oak\n\n10\u00a0000  elms \r\n".encode()
    tree = bytes(dodona.Sentence.from_columns(["Ask", "the oak"]))
    contents = {"a.txt": text, "a.txt.gz": gzip.compress(text), "b.conllu": tree}
    contents["b.conllu.gz"] = gzip.compress(tree)
    found = {}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        found[name] = [words for words in read_words(tmp_path / name) if words]
    assert found["a.txt"] == found["a.txt.gz"] == [["Ask", "the", "oak"], ["10\u00a0000", "elms"]]
    assert found["b.conllu"] == found["b.conllu.gz"] == [["Ask", "the oak"]]


def test_text_that_is_not_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("an oak\nthe chêne\n".encode("latin-1"))
    with pytest.raises(TreebankError, match=r"latin\.txt:2: the text is not UTF-8"):
        list(read_words(path))


# --- reading and looking them up


def test_what_is_written_is_read(tmp_path: Path) -> None:
    words = cluster(TEXT, clusters=4)
    for name in ("c.txt", "c.txt.gz"):
        write_clusters(words, tmp_path / name)
        clusters = Clusters.read(tmp_path / name)
        assert len(clusters) == len(words) and clusters.n_clusters == 4
        assert all(clusters[word.word] == word.bits for word in words)
    first = (tmp_path / "c.txt").read_text(encoding="utf-8").splitlines()[0]
    assert first == f"{words[0].bits}\t{words[0].word}\t{words[0].frequency}"


def test_a_form_is_looked_up_as_it_is_then_in_lower_case() -> None:
    clusters = Clusters({"oak": "01", "Oak": "10", "été": "11", "i̇stanbul": "000"})
    forms = ["oak", "Oak", "OAK", "ÉTÉ", "İstanbul", "elm", ""]
    assert [clusters[form] for form in forms] == ["01", "10", "01", "11", "000", "", ""]


@pytest.mark.parametrize(
    "text", ["0 oak", "012\toak\t3", "01", "01\t\t3", "01\toak\t3\tx", "oak\t01"]
)
def test_a_wrong_line_is_named(text: str) -> None:
    file = io.BytesIO(f"01\telm\t2\n{text}\n".encode())
    file.name = "c.txt"
    with pytest.raises(TreebankError, match=r"c\.txt:2: expected bits, a word and its count"):
        Clusters.read(file)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"01\toak\t3\n10\toak\t1\n", ":2: 'oak' occurs twice"),
        (b"01\t\xff\t3\n", r":1: b'\\xff' is not UTF-8"),
        (b"\n", ": the file has no words; `dodona cluster` makes cluster files"),
    ],
)
def test_a_wrong_file_is_refused(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "c.txt"
    path.write_bytes(content)
    with pytest.raises(TreebankError, match=said):
        Clusters.read(path)


def test_counts_blank_lines_and_line_ends_do_not_matter() -> None:
    clusters = Clusters.read(io.BytesIO(b"01\toak\r\n\n10\telm\t7"))
    assert (clusters["oak"], clusters["elm"], len(clusters)) == ("01", "10", 2)


forms = st.text(st.characters(exclude_characters="\n\t", exclude_categories=["Cs"]), min_size=1)


@given(st.dictionaries(forms, st.text("01", max_size=9), max_size=30))
def test_clusters_saved_are_clusters_restored(paths: dict[str, str]) -> None:
    clusters = Clusters(paths)
    words, bits, numbers = map(memoryview, clusters.save())
    if not paths:
        return
    again = Clusters.restore(words, bits, numbers.cast("I"))
    assert again.save() == clusters.save()
    assert all(again[word] == path for word, path in paths.items() if path)


def test_arrays_that_do_not_fit_together_are_refused() -> None:
    words, bits = memoryview(b"oak\nelm"), memoryview(b"0\n1")
    for numbers, said in (([0], "2 words in 1"), ([0, 2], "cluster 2 of 2")):
        with pytest.raises(ValueError, match=said):
            Clusters.restore(words, bits, memoryview(array("I", numbers)))


# --- templates and encoding


def learned(column: str, forms: list[str], clusters: Clusters) -> list[bytes]:
    encoder = Encoder([column], clusters=clusters)
    encoder.learn([dodona.Sentence.from_columns(forms)])
    return encoder.vocabularies[0].strings()


def test_a_column_is_the_bit_string_or_its_beginning() -> None:
    clusters = Clusters({"oak": "01101", "elm": "01111", "the": "1"})
    words = ["The", "oak", "elm", "ash"]
    assert learned("cluster", words, clusters) == [b"1", b"01101", b"01111", b""]
    assert learned("cluster:4", words, clusters) == [b"1", b"0110", b"0111", b""]
    assert learned("cluster:1", words, clusters) == [b"1", b"0", b""]
    assert learned("cluster:99", words, clusters) == learned("cluster", words, clusters)


def test_columns_of_clusters_need_clusters() -> None:
    with pytest.raises(ValueError, match="clusters are required for column 'cluster:4'"):
        Encoder(["form", "cluster:4"])


def test_templates_name_clusters_with_any_number_of_bits() -> None:
    text = "s0.cluster:12 + b0.left.cluster\ns0.cluster:4 + b0.tag"
    assert cluster_columns(text) == ["cluster", "cluster:12", "cluster:4"]
    for wrong in ("cluster:", "cluster:0", "cluster:x", "cluster:4x", "clusters"):
        with pytest.raises(TemplateError, match=rf"no attribute '{wrong}' .* cluster:N"):
            parse_templates(f"s0.{wrong}")


@pytest.mark.parametrize("name", template_names())
def test_templates_for_clusters_are_added_to_any_others(name: str) -> None:
    text = load_templates(name)
    assert cluster_columns(text) == []
    own, both = parse_templates(text), parse_templates(with_cluster_templates(text))
    added = both[len(own) :]
    assert both[: len(own)] == own
    assert 8 <= len(added) <= 20 and len(set(both)) == len(both)
    assert all(any("cluster" in part.attribute for part in template) for template in added)


# --- training and models


def write(path: Path, paths: dict[str, str]) -> str:
    write_clusters([ClusteredWord(bits, word, 1) for word, bits in paths.items()], path)
    return str(path)


@pytest.fixture
def clusters(tmp_path: Path) -> str:
    """Clusters of the small treebank's words."""
    path = tmp_path / "a secret folder" / "brown.txt"
    path.parent.mkdir()
    words = cluster([sentence.forms for sentence in treebank(40, 1)], clusters=12)
    write_clusters(words, path)
    return str(path)


def settings(tmp_path: Path, clusters: str, templates: str = TEMPLATES) -> dict[str, Any]:
    path = tmp_path / "templates.txt"
    path.write_text(templates, encoding="utf-8")
    quick = {"features": str(path), "epochs": 2, "explore_after": 1, "tags": "gold"}
    return quick | {"clusters": clusters}


def test_a_model_carries_its_clusters_but_not_their_folder(clusters: str, tmp_path: Path) -> None:
    parser = dodona.train(treebank(40, 1), treebank(20, 2), **settings(tmp_path, clusters))
    path = tmp_path / "model"
    parser.save(path)
    Path(clusters).unlink()
    again = dodona.load(path)
    assert again.settings.linear.clusters == "brown.txt"
    assert b"secret folder" not in path.read_bytes()
    assert {"cluster", "cluster:6"} <= set(again.encoder.columns)
    assert again.encoder.clusters is not None and parser.encoder.clusters is not None
    assert again.encoder.clusters.save() == parser.encoder.clusters.save()
    corpus = treebank(20, 3)
    assert list(map(bytes, again.pipe(corpus))) == list(map(bytes, parser.pipe(corpus)))
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_unknown_words_are_parsed_by_their_clusters(tmp_path: Path) -> None:
    """A noun and a verb that the treebank does not have, in either order; there are no tags."""
    nouns, verbs = ["oak", "elm", "ash", "fir"], ["speaks", "sleeps", "grows", "falls"]
    paths = dict.fromkeys(nouns, "0") | dict.fromkeys(verbs, "1")

    def sentence(noun: str, verb: str, noun_first: bool) -> dodona.Sentence:
        forms = [noun, verb] if noun_first else [verb, noun]
        labels = ["nsubj", "root"] if noun_first else ["root", "nsubj"]
        return dodona.Sentence.from_columns(
            forms, heads=[2, 0] if noun_first else [0, 1], deprels=labels
        )

    train = [sentence(n, v, first) for n in nouns[:3] for v in verbs[:3] for first in (True, False)]
    unseen = [sentence("fir", "falls", first) for first in (True, False)]
    given = settings(tmp_path, write(tmp_path / "c.txt", paths), "s0.cluster + b0.cluster")
    parser = dodona.train(train * 4, **given)
    assert [parser.parse(one).heads for one in unseen] == [one.heads for one in unseen]
    bare = dodona.train(train * 4, **settings(tmp_path, "", "s0.form + b0.form"))
    assert [bare.parse(one).heads for one in unseen] != [one.heads for one in unseen]


def test_templates_that_name_clusters_are_left_alone(clusters: str, tmp_path: Path) -> None:
    text = "s0.cluster:3 + b0.cluster:3\ns0.tag + b0.tag\n"
    parser = dodona.train(treebank(10, 1), **settings(tmp_path, clusters, text))
    assert parser.scorer.templates == text


def test_templates_that_name_clusters_need_them(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"templates\.txt: the templates name 'cluster:3', but"):
        dodona.train(treebank(10, 1), **settings(tmp_path, "", "s0.cluster:3"))


def test_resuming_needs_the_same_clusters(clusters: str, tmp_path: Path) -> None:
    data = treebank(20, 1)
    with_clusters = dodona.Settings(**settings(tmp_path, clusters))
    trainer = Trainer(data, None, with_clusters)
    next(trainer.epochs())
    checkpoint = tmp_path / "checkpoint"
    trainer.save_checkpoint(checkpoint)
    again = Trainer(data, None, with_clusters)
    again.resume(checkpoint)
    assert again.record() == trainer.record()
    Path(clusters).write_text("0\toak\t1\n1\telm\t1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="the clusters data are not those this run began with"):
        Trainer(data, None, with_clusters).resume(checkpoint)
    with pytest.raises(ValueError, match="the templates data are not those this run began with"):
        Trainer(data, None, with_clusters.replace(clusters="")).resume(checkpoint)


def test_a_model_without_its_clusters_is_refused(clusters: str, tmp_path: Path) -> None:
    from dodona.storage import container

    form = dodona.Parser.FORMAT
    dodona.train(treebank(10, 1), **settings(tmp_path, clusters)).save(tmp_path / "model")
    about, arrays = container.read(tmp_path / "model", *form.readable)
    kinds = {name: "U32" if view.format == "I" else "I8" for name, view in arrays.items()}
    kept = {
        name: container.Array(kinds[name], bytes(view))
        for name, view in arrays.items()
        if name != "clusters.words"
    }
    container.write(tmp_path / "poorer", form.kind, form.version, about, kept)
    with pytest.raises(ContainerError, match="clusters are required for column 'cluster"):
        dodona.load(tmp_path / "poorer")


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_system_has_templates_for_clusters(system: str, tmp_path: Path) -> None:
    words = cluster((sentence.forms for sentence in treebank(40, 1)), clusters=8)
    write_clusters(words, tmp_path / "clusters.txt")
    settings = dodona.Settings(
        system=system, clusters=str(tmp_path / "clusters.txt"), epochs=1, explore_after=0
    )
    trainer = Trainer(treebank(40, 1, 0.0), None, settings)
    assert cluster_columns(trainer.task.templates)
    assert len(list(trainer.epochs())) == 1


def test_with_predicted_tags_no_template_uses_lemmas(tmp_path: Path) -> None:
    words = cluster((sentence.forms for sentence in treebank(40, 1)), clusters=8)
    write_clusters(words, tmp_path / "clusters.txt")
    settings = dodona.Settings(clusters=str(tmp_path / "clusters.txt"), tags="jackknife:2")
    assert "lemma" in Trainer(treebank(20, 1), None, settings.replace(tags="gold")).task.templates
    templates = parse_templates(Trainer(treebank(20, 1), None, settings).task.templates)
    assert all(part.attribute != "lemma" for template in templates for part in template)
