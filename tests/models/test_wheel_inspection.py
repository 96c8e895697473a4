"""Wheels from anywhere: only those that hold a model and nothing else are installed."""

from __future__ import annotations

import io
import stat
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from dodona.models.cards import Card
from dodona.models.inspection import WheelError, describe_wheel, inspect_wheel
from dodona.models.wheels import make_package

CARD = Card("Invented", "oaks", "CC BY-SA 4.0", "1.0")
NAME = "dodona_oak-1.0-py3-none-any.whl"
ABOUT = "dodona_oak-1.0.dist-info"
ROOT = Path(__file__).parents[2]

Files = dict[str, bytes]


def files_of(model: Path) -> Files:
    with zipfile.ZipFile(io.BytesIO(make_package(model, "oak", CARD).to_bytes())) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def pack(path: Path, files: Files, mode: int = 0o100644) -> Path:
    """Write a wheel of these files, with the RECORD that fits them."""
    record = f"{ABOUT}/RECORD"
    rows = []
    for name, content in files.items():
        digest = urlsafe_b64encode(sha256(content).digest()).decode().rstrip("=")
        if name != record:
            rows.append(f'"{name}",sha256={digest},{len(content)}\n')
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in {**files, record: "".join([*rows, f"{record},,\n"]).encode()}.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            zipped.writestr(info, content)
    return path


def test_the_wheel_of_a_model_passes_and_says_what_it_holds(model: Path, tmp_path: Path) -> None:
    path = make_package(model, "oak", CARD).save(tmp_path)
    found = inspect_wheel(path)
    assert (found.name, found.version, found.card) == ("oak", "1.0", CARD)
    assert found.words and "las" in found.scores and describe_wheel(path) == found
    assert inspect_wheel(pack(path, files_of(model))) == found, "the tests' own wheels pass"


def test_the_wheel_of_the_old_scheme_passes() -> None:
    (path,) = (ROOT / "models").glob("dodona_model_en_large-3.0-*.whl")
    assert describe_wheel(path).name == "en-large"


EXTRA = {
    "another package": "evil/__init__.py",
    "a module beside it": "dodona_oak.py",
    "a path file": "dodona_oak.pth",
    "the package itself": "dodona/__init__.py",
    "a script": "dodona_oak-1.0.data/scripts/dodona",
    "data elsewhere": "dodona_oak-1.0.data/data/etc/passwd",
    "a parent": "dodona_oak/../../evil.txt",
    "an absolute path": "/tmp/evil.txt",
    "a drive": "C:/evil.txt",
    "a backslash": "dodona_oak\\..\\evil.txt",
    "an empty part": "dodona_oak//evil.txt",
    "code in the package": "dodona_oak/evil.py",
    "a compiled module": "dodona_oak/evil.so",
    "code in a folder": "dodona_oak/deep/evil.txt",
    "a path file inside": f"{ABOUT}/evil.pth",
    "a folder": "dodona_oak/more/",
    "the same in capitals": "DODONA_OAK/README.md",
    "a name that is not portable": "dodona_oak/eviä.txt",
}


@pytest.mark.parametrize("path", EXTRA.values(), ids=EXTRA.keys())
def test_a_file_that_a_model_does_not_have_is_refused(
    model: Path, tmp_path: Path, path: str
) -> None:
    wheel = pack(tmp_path / NAME, {**files_of(model), path: b"x"})
    with pytest.raises(WheelError, match="refused"):
        inspect_wheel(wheel)


def set_file(name: str, text: str) -> Callable[[Files], None]:
    return lambda files: files.update({name: text.encode()})


CHANGES: dict[str, tuple[Callable[[Files], None], str]] = {
    "code": (set_file("dodona_oak/__init__.py", '"""Oak."""\nimport os\n'), "has code"),
    "no Python": (set_file("dodona_oak/__init__.py", "(" * 500), "has code"),
    "no entry point": (set_file(f"{ABOUT}/entry_points.txt", ""), "entry points"),
    "a script": (
        set_file(f"{ABOUT}/entry_points.txt", "[console_scripts]\nls = dodona_oak:x\n"),
        "entry points",
    ),
    "two groups": (
        set_file(
            f"{ABOUT}/entry_points.txt",
            "[dodona_models]\noak = dodona_oak\n[console_scripts]\nls = dodona_oak:x\n",
        ),
        "entry points",
    ),
    "another module": (
        set_file(f"{ABOUT}/entry_points.txt", "[dodona_models]\noak = os\n"),
        "entry point",
    ),
    "a path as name": (
        set_file(f"{ABOUT}/entry_points.txt", "[dodona_models]\n../oak = dodona_oak\n"),
        "entry point",
    ),
    "other metadata": (
        set_file(f"{ABOUT}/METADATA", "Metadata-Version: 2.1\nName: pip\nVersion: 1.0\n"),
        "metadata is that of pip",
    ),
    "no metadata": (lambda files: files.pop(f"{ABOUT}/METADATA") and None, "missing"),
    "no model": (lambda files: files.pop("dodona_oak/oak.dodona") and None, "missing"),
    "an empty model": (set_file("dodona_oak/oak.dodona", ""), "empty"),
    "another file as model": (set_file("dodona_oak/oak.dodona", "x" * 99), "not a Dodona model"),
}


@pytest.mark.parametrize(("change", "said"), CHANGES.values(), ids=CHANGES.keys())
def test_a_wheel_that_was_changed_is_refused(
    model: Path, tmp_path: Path, change: Callable[[Files], None], said: str
) -> None:
    files = files_of(model)
    change(files)
    with pytest.raises(WheelError, match=said):
        inspect_wheel(pack(tmp_path / NAME, files))


def test_links_and_encrypted_files_are_refused(model: Path, tmp_path: Path) -> None:
    link = pack(tmp_path / NAME, files_of(model), mode=stat.S_IFLNK | 0o777)
    with pytest.raises(WheelError, match="not a regular file"):
        inspect_wheel(link)
    data = bytearray(pack(tmp_path / NAME, files_of(model)).read_bytes())
    at = data.index(b"PK\x01\x02")
    data[at + 8] |= 1  # the flag of encryption in the central directory
    (tmp_path / NAME).write_bytes(data)
    with pytest.raises(WheelError, match=r"encrypted|damaged"):
        inspect_wheel(tmp_path / NAME)


def test_a_bomb_is_refused_before_it_is_unpacked(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dodona.models.inspection.MAX_TEXT", 50_000)
    bomb = pack(tmp_path / NAME, {**files_of(model), "dodona_oak/README.md": bytes(10**6)})
    with pytest.raises(WheelError, match="1,000,000 bytes"):
        inspect_wheel(bomb)


def read_all(path: Path) -> Files:
    with zipfile.ZipFile(path) as zipped:
        return {name: zipped.read(name) for name in zipped.namelist()}


def test_no_damage_of_content_passes(model: Path, tmp_path: Path) -> None:
    whole = make_package(model, "oak", CARD).save(tmp_path)
    data, content = whole.read_bytes(), read_all(whole)
    n_noticed = 0
    for at in range(40, len(data), len(data) // 50):
        changed = bytearray(data)
        changed[at] ^= 0x55
        whole.write_bytes(changed)
        try:
            inspect_wheel(whole)
        except WheelError as error:
            n_noticed += 1
            assert str(whole) in str(error)
        else:  # a time or an attribute
            assert read_all(whole) == content, at
    assert n_noticed > 30
    for n in (0, 10, len(data) // 2, len(data) - 1):
        whole.write_bytes(data[:n])
        with pytest.raises(WheelError, match="damaged"):
            inspect_wheel(whole)


@pytest.mark.parametrize(
    "name",
    ["oak.whl", "dodona_oak-1.0.whl", "dodona_papers-1.0-py3-none-any.whl", "numpy-1.0-py3-x.whl"],
)
def test_a_file_with_another_name_is_no_wheel_of_a_model(
    model: Path, tmp_path: Path, name: str
) -> None:
    path = pack(tmp_path / name, files_of(model))
    with pytest.raises(WheelError, match="not the name of a model's wheel"):
        inspect_wheel(path)
