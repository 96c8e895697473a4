"""Saving and loading of all kinds of models: kind, version and content are always checked.

A case is a model in its own file, or a part of another model; every case is loaded from a file and
from bytes. Errors name the file and the part, and give advice.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from functools import cache
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import dodona
from dodona.enhancing.enhancer import Enhancer
from dodona.enhancing.training import train_enhancer
from dodona.records import replace
from dodona.segmentation.segmenter import Segmenter
from dodona.storage import container
from dodona.storage.container import MEMORY, Array, ContainerError
from dodona.storage.serialisable import FileFormat, Serialisable
from support.small import enhanced, treebank

ADVICE = r"(install a newer one|train it again|get a fresh copy|open it as a \w+)$"
CLASSES: list[type[Serialisable]] = [dodona.Parser, dodona.Tagger, Segmenter, Enhancer]
PARTS: dict[str, type[Serialisable]] = {
    "tagger": dodona.Tagger,
    "segmenter": Segmenter,
    "graphs": dodona.Parser,
    "enhancer": Enhancer,
}
CASES: list[tuple[type[Serialisable], str]] = [  # what is opened, and its part that is looked at
    *((whole, "") for whole in CLASSES),
    *((dodona.Parser, part) for part in PARTS),
    (dodona.Tagger, "segmenter"),
]
OPTIONAL = "segmenter.lexicon.tags"  # an array that segmenters of version 1 do not have
WAYS = ["file", "bytes"]

Contents = tuple[dict[str, Any], dict[str, Array]]

cases = pytest.mark.parametrize(
    ("whole", "part"),
    CASES,
    ids=[f"{part} in {whole.__name__}" if part else whole.__name__ for whole, part in CASES],
)
ways = pytest.mark.parametrize("way", WAYS)


@cache
def model(kind: type[Serialisable]) -> Any:
    """Return a model of this kind with all its possible parts."""
    corpus = [enhanced(sentence) for sentence in treebank(40, 3)]
    if kind is dodona.Parser:
        parser = dodona.train(corpus, pipeline="text", graph="basic+enhanced", epochs=1)
        return replace(parser, enhancer=model(Enhancer))
    if kind is Enhancer:
        return train_enhancer(corpus, epochs=1)
    if kind is Segmenter:
        return dodona.train_segmenter(corpus, epochs=1)
    tagger = dodona.train_tagger(corpus, epochs=1)
    tagger.segmenter = model(Segmenter)
    return tagger


def pieces(whole: type[Serialisable]) -> Contents:
    """Return the content of a model file, to be changed."""
    about, views = container.from_bytes(model(whole).to_bytes(), *whole.FORMAT.readable)
    types = {form: name for name, form in container.FORMATS.items()}
    return about, {name: Array(types[view.format], bytes(view)) for name, view in views.items()}


def open_as(kind: type[Serialisable], way: str, data: bytes) -> Any:
    if way == "bytes":
        return kind.from_bytes(data)
    with TemporaryDirectory() as folder:
        path = Path(folder, "model")
        path.write_bytes(data)
        return kind.load(path)


def refuse(kind: type[Serialisable], way: str, data: bytes, said: str) -> None:
    with pytest.raises(ContainerError, match=said) as caught:
        open_as(kind, way, data)
    source = MEMORY if way == "bytes" else r"\S*[/\\]model"
    caught.match(f"^{source}: .*{ADVICE}")


def laid_out(whole: type[Serialisable], changed: Contents, version: int | None = None) -> bytes:
    version = whole.FORMAT.version if version is None else version
    return container.to_bytes(whole.FORMAT.kind, version, *changed)


def named(part: str) -> str:
    return f": part '{part}': " if part else ": "


def format_of(whole: type[Serialisable], part: str) -> FileFormat:
    return PARTS[part].FORMAT if part else whole.FORMAT


# --- what is opened is what was saved


@ways
@pytest.mark.parametrize("kind", CLASSES)
def test_what_is_opened_is_what_was_saved(kind: type[Serialisable], way: str) -> None:
    data = model(kind).to_bytes()
    again = open_as(kind, way, data)
    assert type(again) is kind and again.to_bytes() == data
    assert again.parts().keys() == model(kind).parts().keys()
    assert None not in again.parts().values()


@pytest.mark.parametrize("kind", CLASSES)
def test_a_pickle_is_opened_as_bytes_are(kind: type[Serialisable]) -> None:
    assert model(kind).__reduce__() == (kind.from_bytes, (model(kind).to_bytes(),))
    assert pickle.loads(pickle.dumps(model(kind))).to_bytes() == model(kind).to_bytes()


def test_a_segmenter_in_another_process_finds_the_same() -> None:
    text = "Zeus sees oaks. Elms hear Zeus."
    again = pickle.loads(pickle.dumps(model(Segmenter)))
    assert list(map(bytes, again.segment(text))) == list(map(bytes, model(Segmenter).segment(text)))


def test_parser_and_tagger_share_the_clusters_of_their_file(tmp_path: Path) -> None:
    file = tmp_path / "clusters.txt"
    forms = sorted({form for sentence in treebank(40, 3) for form in sentence.forms})
    lines = [f"{i % 8:03b}\t{form}\t1\n" for i, form in enumerate(forms)]
    file.write_text("".join(lines), encoding="utf-8")
    data = dodona.train(treebank(40, 3), tags="predicted", clusters=str(file), epochs=1).to_bytes()
    again = dodona.Parser.from_bytes(data)
    assert again.tagger is not None and again.encoder.clusters is not None
    assert again.tagger.scorer.inventory.clusters is again.encoder.clusters
    assert again.to_bytes() == data


# --- versions


@ways
@cases
def test_what_is_newer_is_refused(whole: type[Serialisable], part: str, way: str) -> None:
    form = format_of(whole, part)
    changed = pieces(whole)
    version = form.version + 1
    if part:
        changed[0][part]["version"] = version
    said = f"{named(part)}{form.kind} of version {version}, but this Dodona reads up to"
    refuse(whole, way, laid_out(whole, changed, None if part else version), said)


@ways
@cases
def test_what_is_older_is_refused(whole: type[Serialisable], part: str, way: str) -> None:
    form = format_of(whole, part)
    changed = pieces(whole)
    version = form.oldest - 1
    if part:
        changed[0][part]["version"] = version
    said = f"{named(part)}{form.kind} of version {version}, but .* from version {form.oldest} on"
    refuse(whole, way, laid_out(whole, changed, None if part else version), said)


@ways
@pytest.mark.parametrize("version", ["9", None, [], {}])
def test_a_version_that_is_no_number_is_refused(way: str, version: object) -> None:
    changed = pieces(dodona.Parser)
    changed[0]["tagger"]["version"] = version
    refuse(dodona.Parser, way, laid_out(dodona.Parser, changed), "does not fit together")


def test_parts_say_their_version_from_the_next_one_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The version of a part is recorded only if it differs from the implied one."""
    for whole, part in CASES:
        if part:
            recorded = format_of(whole, part).version != format_of(whole, part).implied
            assert ("version" in pieces(whole)[0][part]) == recorded
    old = model(dodona.Parser).to_bytes()
    monkeypatch.setattr(Enhancer, "FORMAT", FileFormat("enhancer", version=2, oldest=1, implied=1))
    assert pieces(dodona.Parser)[0]["enhancer"]["version"] == 2
    new = model(dodona.Parser).to_bytes()
    assert dodona.Parser.from_bytes(new).enhancer and dodona.Parser.from_bytes(old).enhancer
    monkeypatch.setattr(Enhancer, "FORMAT", FileFormat("enhancer", version=2, oldest=2, implied=1))
    refuse(dodona.Parser, "file", old, "part 'enhancer': enhancer of version 1, but")
    monkeypatch.undo()
    refuse(dodona.Parser, "file", new, "part 'enhancer': enhancer of version 2, but")


# --- kinds


@ways
@pytest.mark.parametrize(("saved", "opened"), [*permutations(CLASSES, 2)])
def test_another_kind_is_named(
    saved: type[Serialisable], opened: type[Serialisable], way: str
) -> None:
    found, sought = saved.FORMAT.kind, opened.FORMAT.kind
    said = f": this is a Dodona {found}, not a {sought}; open it as a {found}"
    refuse(opened, way, model(saved).to_bytes(), said)


@ways
@pytest.mark.parametrize(("part", "other"), [*permutations(PARTS, 2)])
def test_a_part_in_the_place_of_another_is_refused(part: str, other: str, way: str) -> None:
    about, arrays = pieces(dodona.Parser)
    about[part] = {name: x for name, x in about[other].items() if name != "version"}
    said = f": part '{part}': the {PARTS[part].FORMAT.kind} does not fit together"
    refuse(dodona.Parser, way, laid_out(dodona.Parser, (about, arrays)), said)


@ways
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("instead", [None, 7, "oak", []])
def test_a_part_that_is_none_is_refused(part: str, instead: object, way: str) -> None:
    about, arrays = pieces(dodona.Parser)
    about[part] = instead
    refuse(dodona.Parser, way, laid_out(dodona.Parser, (about, arrays)), "does not fit together")


# --- pieces


@ways
@cases
def test_every_entry_must_be_there(whole: type[Serialisable], part: str, way: str) -> None:
    kind = format_of(whole, part).kind
    inside = pieces(whole)[0][part] if part else pieces(whole)[0]
    for name in inside.keys() - PARTS.keys() - {"version"}:  # without it, the implied one
        about, arrays = pieces(whole)
        del (about[part] if part else about)[name]
        said = f"{named(part)}the {kind} does not fit together: '{name}' is missing"
        refuse(whole, way, laid_out(whole, (about, arrays)), said)


@ways
@cases
def test_every_array_must_be_there(whole: type[Serialisable], part: str, way: str) -> None:
    about, arrays = pieces(whole)
    others = [f"{name}." for name in PARTS if name in about]
    mine = [
        name
        for name in arrays
        if (name.startswith(f"{part}.") if part else not name.startswith(tuple(others)))
    ]
    mine = [name for name in mine if not name.endswith(OPTIONAL)]
    assert mine
    for name in mine:
        kept = {key: array for key, array in arrays.items() if key != name}
        missing = name.removeprefix("graphs.")
        said = f"{named(part)}the {format_of(whole, part).kind} does not .*'{missing}' is missing"
        refuse(whole, way, laid_out(whole, (about, kept)), said)


def damage_bias(about: dict[str, Any]) -> None:
    about["segmenter"]["bias"] = 10**30


def damage_tasks(about: dict[str, Any]) -> None:
    about["tagger"]["tasks"] = about["tagger"]["tasks"][:-1]


def damage_graphs(about: dict[str, Any]) -> None:
    about["graphs"]["root_label"] = "stem"


@ways
@pytest.mark.parametrize("damage", [damage_bias, damage_tasks, damage_graphs])
def test_a_part_must_fit_together(damage: Callable[[dict[str, Any]], None], way: str) -> None:
    about, arrays = pieces(dodona.Parser)
    damage(about)
    said = r": part '\w+': the \w+ does not fit together"
    refuse(dodona.Parser, way, laid_out(dodona.Parser, (about, arrays)), said)


@ways
@pytest.mark.parametrize("kind", CLASSES)
def test_what_is_cut_short_is_refused(kind: type[Serialisable], way: str) -> None:
    data = model(kind).to_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    for place in [1, 8, 9, end // 2, end - 1]:
        refuse(kind, way, data[:place], "damaged at its beginning")
    for place in [end, end + 1, (end + len(data)) // 2, len(data) - 1]:
        refuse(kind, way, data[:place], "cut short or has grown")
    refuse(kind, way, data[:-1] + bytes([data[-1] ^ 1]), "wrong checksum")


@ways
def test_numbers_that_are_no_whole_ones_are_refused(way: str) -> None:
    data = container.to_bytes("segmenter", 1, {}, {"segmenter.words.answers": Array("U32", b"oak")})
    refuse(Segmenter, way, data, "the checksum is right, but this is no Dodona segmenter")


def test_a_file_is_replaced_only_by_a_whole_one(tmp_path: Path) -> None:
    """A model that cannot be written leaves the old file and no temporary file."""
    for kind in CLASSES:
        path = tmp_path / "model"
        model(kind).save(path)
        assert path.read_bytes() == model(kind).to_bytes()
        broken = kind.from_bytes(model(kind).to_bytes())
        broken.record["when"] = {1, 2}  # type: ignore[attr-defined]  # a set: JSON has none
        with pytest.raises(TypeError, match="JSON"):
            broken.save(path)
        assert path.read_bytes() == model(kind).to_bytes()
        assert [file.name for file in tmp_path.iterdir()] == ["model"]
