"""Model files: a saved model is restored, and any other content is refused with a reason."""

from __future__ import annotations

import struct
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path
from random import Random
from typing import Any

import pytest
import safetensors

import dodona
from dodona.parsing.trainer import Trainer
from dodona.settings import Settings
from dodona.storage import container
from dodona.storage.atomic import NamedFile
from dodona.storage.container import Array, ContainerError
from support.small import parser, train, treebank

VERSION = dodona.Parser.FORMAT.version


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "small.dodona"
    parser().save(path)
    return path


def test_a_model_loaded_is_the_model_saved(model: Path, tmp_path: Path) -> None:
    again = dodona.load(model)
    corpus = treebank(50, 8)
    assert list(map(bytes, again.pipe(corpus))) == list(map(bytes, parser().pipe(corpus)))
    assert again.settings == parser().settings
    assert again.record == parser().record
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == model.read_bytes()


def test_two_saves_are_the_same_bytes(model: Path, tmp_path: Path) -> None:
    parser().save(tmp_path / "other name")
    assert (tmp_path / "other name").read_bytes() == model.read_bytes()


def test_any_safetensors_reader_opens_a_model(model: Path) -> None:
    arrays = dict(safetensors.deserialize(model.read_bytes()))
    assert {"weights.buckets", "weights.rows", "vocabulary.form"} <= set(arrays)
    assert bytes(arrays["weights.rows"]["data"]) == parser().scorer.weights.rows_bytes()
    assert arrays["weights.buckets"]["dtype"] == "U32"


def test_the_first_array_starts_on_a_cache_line(model: Path) -> None:
    (length,) = struct.unpack("<Q", model.read_bytes()[:8])
    assert (8 + length) % 64 == 0


def test_a_model_tells_neither_where_nor_when_it_was_made(tmp_path: Path) -> None:
    templates = tmp_path / "templates of my own.txt"
    templates.write_text("s0.form\nb0.form\n", encoding="utf-8")
    path = tmp_path / "model"
    train(treebank(5, 1), features=str(templates)).save(path)
    data = path.read_bytes()
    assert b"templates of my own.txt" in data and b"s0.form" in data
    for secret in (str(tmp_path), str(Path.home()), str(Path.cwd()), "seconds", "per_second"):
        assert secret.encode() not in data


# --- damage


def refused(path: Path, said: str) -> None:
    with pytest.raises(ContainerError, match=said) as caught:
        dodona.load(path)
    assert str(caught.value).startswith(f"{path}: ")


def header_end(data: bytes) -> int:
    (length,) = struct.unpack("<Q", data[:8])
    return 8 + int(length)


def test_a_file_cut_short_anywhere_is_refused(model: Path, tmp_path: Path) -> None:
    data = model.read_bytes()
    end = header_end(data)
    places = [1, 7, 8, 9, end // 2, end - 1, end, end + 1, len(data) // 2, len(data) - 1]
    for place in places:
        path = tmp_path / "cut"
        path.write_bytes(data[:place])
        refused(path, "damaged at its beginning" if place < end else "cut short or has grown")


def test_a_file_that_grew_is_refused(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "grown"
    path.write_bytes(model.read_bytes() + b"\0")
    refused(path, "cut short or has grown")


def test_any_bit_that_flips_is_noticed(model: Path, tmp_path: Path) -> None:
    data = model.read_bytes()
    random = Random(1)
    end = header_end(data)
    bits = [*range(64), *(random.randrange(64, 8 * end) for _ in range(500))]
    bits += [random.randrange(8 * end, 8 * len(data)) for _ in range(100)]
    path = tmp_path / "flipped"
    for bit in bits:
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        refused(path, "damaged|cut short|this is a Dodona|install a newer one")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty, not a Dodona model"),
        (b"1\tOaks\t_\t_\t_\t_\t2\tnsubj\t_\t_\n" * 9, "not a Dodona model"),
        (b"PK\x03\x04" + bytes(100), "not a Dodona model"),
        (bytes(100), "not a Dodona model"),
        (struct.pack("<Q", 2) + b"{}", "not a Dodona model"),
        (struct.pack("<Q", 2) + b"[]", "not a Dodona model"),
        (struct.pack("<Q", 4) + b"null", "not a Dodona model"),
        (struct.pack("<Q", 22) + b'{"__metadata__": null}', "not a Dodona model"),
        (struct.pack("<Q", 20) + b'{"__metadata__": []}', "not a Dodona model"),
        (struct.pack("<Q", 200_000) + b"[" * 200_000, "not a Dodona model"),
        (struct.pack("<Q", 2**63) + bytes(100), "not a Dodona model"),
    ],
    ids=range(11),
)
def test_what_is_no_model_is_refused(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    refused(path, said)


def test_another_kind_of_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "file"
    container.write(path, "checkpoint", 1, {}, {})
    refused(path, "this is a Dodona checkpoint, not a model")


def test_a_newer_version_asks_for_a_newer_dodona(tmp_path: Path) -> None:
    path = tmp_path / "file"
    container.write(path, "model", 99, {}, {})
    refused(
        path, f"model of version 99, but this Dodona reads up to {VERSION}: install a newer one"
    )


def test_an_older_version_must_be_trained_again(tmp_path: Path) -> None:
    path = tmp_path / "file"
    container.write(path, "model", 1, {}, {})
    refused(path, "model of version 1, but this Dodona computes features differently")


def without(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda about: about.pop(name)


def with_value(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    return lambda about: about.update({name: value})


@pytest.mark.parametrize(
    "change",
    [
        *map(without, ["settings", "templates", "labels", "root_label", "actions", "step"]),
        *map(without, ["columns", "record"]),
        with_value("settings", {"system": "arc-lazy"}),
        with_value("settings", {"colour": "green"}),
        with_value("settings", []),
        with_value("templates", "s9.form"),
        with_value("templates", 7),
        with_value("templates", "s0.lemma"),
        with_value("labels", ["root", "root"]),
        with_value("labels", ["root", 1]),
        with_value("labels", []),
        with_value("root_label", "stem"),
        with_value("actions", []),
        with_value("actions", [[0, -1, True, True]]),
        with_value("actions", [[0, -1, True, True], [3, -1, True, True]]),
        with_value("actions", [[10**30, -1, True, True]]),
        with_value("actions", "SHIFT"),
        with_value("actions", [7]),
        with_value("columns", ["form"]),
        with_value("columns", ["shape", "tag", "feats:Case"]),
        with_value("columns", "form"),
        with_value("step", "small"),
    ],
)
def test_parts_that_do_not_fit_together_are_refused(
    model: Path, change: Callable[[dict[str, Any]], None], tmp_path: Path
) -> None:
    """Refuse a complete file with inconsistent content."""
    path = tmp_path / "file"
    rewrite(model, path, change)
    refused(path, "the model does not fit together")


def rewrite(source: Path, target: Path, change: Callable[[dict[str, Any]], None]) -> None:
    about, views = container.read(source, "model", VERSION)
    types = {"B": "U8", "b": "I8", "I": "U32"}
    arrays = {name: Array(types[view.format], view.tobytes()) for name, view in views.items()}
    change(about)
    container.write(target, "model", VERSION, about, arrays)


def test_weights_that_lead_outside_are_refused(model: Path, tmp_path: Path) -> None:
    about, views = container.read(model, "model", VERSION)
    types = {"B": "U8", "b": "I8", "I": "U32"}
    arrays = {name: Array(types[view.format], view.tobytes()) for name, view in views.items()}
    path = tmp_path / "file"
    for name, data in [
        ("weights.rows", arrays["weights.rows"].data[:-64]),
        ("weights.rows", b""),
        ("weights.buckets", b""),
        ("weights.buckets", b"\xff" * 64),
    ]:
        damaged = arrays | {name: Array(arrays[name].type, data)}
        container.write(path, "model", VERSION, about, damaged)
        refused(path, "the model does not fit together")
    for name in arrays:
        container.write(path, "model", VERSION, about, {n: arrays[n] for n in arrays if n != name})
        refused(path, "does not fit together")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.dodona"):
        dodona.load(tmp_path / "nowhere.dodona")


# --- saving


def test_a_save_that_fails_leaves_the_old_model_and_nothing_else(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    path.write_bytes(model.read_bytes())

    def full_disk(self: NamedFile, data: Any) -> int:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(NamedFile, "write", full_disk)
    with pytest.raises(OSError, match="No space left"):
        parser().save(path)
    monkeypatch.undo()
    assert path.read_bytes() == model.read_bytes()
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_saving_leaves_nothing_beside_the_model(tmp_path: Path) -> None:
    parser().save(tmp_path / "model")
    parser().save(tmp_path / "model")
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_saving_to_a_folder_that_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        parser().save(tmp_path / "nowhere" / "model")


def test_a_checkpoint_that_is_damaged_is_refused(tmp_path: Path) -> None:
    trainer = Trainer(treebank(5, 1), None, Settings(epochs=1))
    list(trainer.epochs())
    path = tmp_path / "run"
    trainer.save_checkpoint(path)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(ContainerError, match="damaged"):
        Trainer(treebank(5, 1), None, Settings(epochs=1)).resume(path)
