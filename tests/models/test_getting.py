"""`dodona get`: from folders, files, URLs and indexes, checked before anything is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

import dodona
from dodona.models import install
from dodona.models.available import INDEX_VARIABLE, default_sources
from dodona.models.cards import Card, card_of
from dodona.models.download import ATTEMPTS, DownloadError, download_file, download_text
from dodona.models.index import BadIndexError, make_index, parse_index
from dodona.models.wheels import make_package
from support.shell import Shell

ROOT = Path(__file__).parents[2]
CARD = Card("German", "oaks", "CC BY-SA 4.0", "1.0")


class Site(BaseHTTPRequestHandler):
    """A server of files, and of answers that go wrong."""

    files: ClassVar[dict[str, bytes]] = {}
    n_requests = 0

    def do_GET(self) -> None:
        type(self).n_requests += 1
        name = self.path.partition("?")[0].rpartition("/")[2]
        if self.path.startswith("/to/"):
            self.send_response(302)
            self.send_header("Location", self.files["location"].decode())
            self.end_headers()
        elif self.path.startswith("/half/"):
            content = self.files[name]
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            is_last = type(self).n_requests >= int(self.files.get("attempts", b"99"))
            self.wfile.write(content if is_last else content[: len(content) // 2])
        elif self.path.startswith("/endless/"):
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(bytes(1 << 16))
            except OSError:
                pass
        elif name in self.files:
            self.send_response(200)
            self.send_header("Content-Length", str(len(self.files[name])))
            self.end_headers()
            self.wfile.write(self.files[name])
        else:
            self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[tuple[str, type[Site]]]:
    """Return the address of a server on this machine, and its files."""
    handler = type("OwnSite", (Site,), {"files": {}, "n_requests": 0})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", handler
        server.shutdown()
        thread.join()


@pytest.fixture
def folder(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the wheels of two models, away from all other sources."""
    folder = tmp_path / "wheels"
    make_package(model, "de", CARD).save(folder)
    make_package(model, "fa-seraji", Card("Persian", "", "MIT", "1.0")).save(folder)
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    monkeypatch.delenv("DODONA_MODELS", raising=False)
    monkeypatch.delenv(INDEX_VARIABLE, raising=False)
    return folder


@pytest.fixture
def no_pip(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the wheels that pip would install; it is not run."""
    given: list[Path] = []

    def note(wheel: Path, target: Path | None) -> None:
        assert wheel.is_file()
        given.append(wheel)

    monkeypatch.setattr(install, "_run_pip", note)
    return given


@pytest.fixture
def target(tmp_path: Path) -> list[str | Path]:
    return ["--target", tmp_path / "site"]


@pytest.mark.thorough
def test_a_model_is_installed_by_pip_and_loaded_by_name(
    shell: Shell, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DODONA_MODELS", str(folder))
    where = ["--target", tmp_path / "site"]
    result = shell("get", "de", "fa_seraji", *where)
    assert result.code == 0, result.err
    assert [line.split()[:3] for line in result.out.splitlines()] == [
        ["installed", "de", "1.0"],
        ["installed", "fa-seraji", "1.0"],
    ]
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert card_of(dodona.load("de").record) == CARD
    assert dodona.load("fa-seraji").labels
    listed = {one["name"]: one for one in json.loads(shell("models", "--json").out)}
    assert listed["de"]["found"] == "installed" and listed["de"]["words"]
    again = shell("get", "de", *where)
    assert again.code == 0 and "de 1.0 is installed" in again.err and not again.out


def test_the_old_scheme_is_installed_as_well(
    shell: Shell, target: list[str | Path], no_pip: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    result = shell("get", "en-large", *target)
    assert result.code == 0 and result.out.startswith("installed en-large 3.0 (English, CC BY-SA")
    assert [path.name for path in no_pip] == ["dodona_model_en_large-3.0-py3-none-any.whl"]
    assert not no_pip[0].exists(), "the copy is removed"


def test_the_index_of_the_repository_is_up_to_date() -> None:
    text = (ROOT / "models" / "index.json").read_text(encoding="utf-8")
    assert text == make_index(ROOT / "models"), "run python -m tools.models_index"


def test_a_name_is_looked_up_in_folders_before_the_network(
    shell: Shell,
    folder: Path,
    site: tuple[str, type[Site]],
    target: list[str | Path],
    no_pip: list[Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address, served = site
    monkeypatch.setenv("DODONA_MODELS", str(folder))
    monkeypatch.setenv(INDEX_VARIABLE, f"{address}/index.json")
    assert default_sources() == [str(folder), f"{address}/index.json"]
    assert shell("get", "de", *target).code == 0
    assert served.n_requests == 0
    assert shell("get", "it", *target).code == 1
    assert served.n_requests > 0, "no folder has it"


def test_an_index_at_an_address_is_read_and_its_wheel_checked(
    shell: Shell,
    folder: Path,
    site: tuple[str, type[Site]],
    target: list[str | Path],
    no_pip: list[Path],
) -> None:
    address, served = site
    served.files["index.json"] = make_index(folder).encode()
    (wheel,) = folder.glob("dodona_de-*")
    served.files[wheel.name] = wheel.read_bytes()
    result = shell("get", "de", "--from", f"{address}/index.json", *target)
    assert result.code == 0 and f"from {address}/{wheel.name}" in result.out
    listed = shell("get", "--list", "--json", "--from", f"{address}/index.json")
    assert [one["name"] for one in json.loads(listed.out)] == ["de", "fa-seraji"]
    served.files[wheel.name] = wheel.read_bytes()[:-1] + b"!"
    no_pip.clear()
    wrong = shell("get", "de", "--from", f"{address}/index.json", *target)
    assert wrong.code == 1 and "wrong checksum" in wrong.err and not no_pip
    served.files[wheel.name] = wheel.read_bytes() + b"more"
    longer = shell("get", "de", "--from", f"{address}/index.json", *target)
    assert longer.code == 1 and "larger than" in longer.err and not no_pip


def test_a_wheel_is_installed_from_its_path_or_url(
    shell: Shell,
    folder: Path,
    site: tuple[str, type[Site]],
    target: list[str | Path],
    no_pip: list[Path],
) -> None:
    address, served = site
    (wheel,) = folder.glob("dodona_de-*")
    assert shell("get", wheel, *target).code == 0
    served.files[wheel.name] = wheel.read_bytes()
    assert shell("get", f"{address}/{wheel.name}?x=1", *target).code == 0
    digest = "0" * 64
    wrong = shell("get", f"{address}/{wheel.name}#sha256={digest}", *target)
    assert wrong.code == 1 and "wrong checksum" in wrong.err
    assert len(no_pip) == 2
    other = shell("get", f"{address}/index.json", *target)
    assert other.code == 1 and "--from" in other.err


def test_wrong_names_are_answered_with_near_ones(shell: Shell, folder: Path) -> None:
    for name, near in (("german", "de"), ("fa-serji", "fa-seraji"), ("dee", "de")):
        result = shell("get", name, "--from", folder)
        assert result.code == 1 and f"did you mean {near}?" in result.err
    none = shell("get", "xx", "--from", folder)
    assert none.code == 1 and "which have: de, fa-seraji" in none.err
    nowhere = shell("get", "de")
    assert nowhere.code == 1 and "--from FOLDER" in nowhere.err
    missing = shell("get", "de", "--from", folder / "no")
    assert missing.code == 1 and "no such folder" in missing.err
    assert shell("get").code == 2


def test_a_newer_version_replaces_an_older_one_on_demand(
    shell: Shell, model: Path, folder: Path, tmp_path: Path, no_pip: list[Path]
) -> None:
    installed = tmp_path / "site" / "dodona_de-1.0.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: dodona-de\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[dodona_models]\nde = dodona_de\n")
    where = ["--from", folder, "--target", tmp_path / "site"]
    assert "not newer" in shell("get", "de", "--upgrade", *where).err and not no_pip
    make_package(model, "de", CARD._replace(version="1.10")).save(folder)
    make_package(model, "de", CARD._replace(version="1.9")).save(folder)
    assert "is installed; to look for" in shell("get", "de", *where).err and not no_pip
    assert shell("get", "de", "--upgrade", *where).code == 0
    assert [path.name for path in no_pip] == ["dodona_de-1.10-py3-none-any.whl"]


def test_without_pip_the_error_says_so(
    shell: Shell, folder: Path, target: list[str | Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "find_spec", lambda name: None)
    result = shell("get", "de", "--from", folder, *target)
    assert result.code == 1 and "has no pip" in result.err and "ensurepip" in result.err


def test_what_pip_says_is_passed_on(
    shell: Shell, folder: Path, target: list[str | Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = subprocess.CompletedProcess([], 1, "", "WARNING: x\nERROR: no space left\nmore\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    result = shell("get", "de", "--from", folder, *target)
    assert result.code == 1 and "pip failed: ERROR: no space left" in result.err
    assert result.err.count("\n") == 1


def test_a_damaged_wheel_is_listed_as_a_problem_and_not_installed(
    shell: Shell, folder: Path, target: list[str | Path], no_pip: list[Path]
) -> None:
    (wheel,) = folder.glob("dodona_de-*")
    wheel.write_bytes(wheel.read_bytes()[:-30])
    result = shell("get", "de", "--from", folder, *target)
    assert result.code == 1 and f"{wheel}: the wheel is damaged" in result.err and not no_pip
    listed = shell("get", "--list", "--from", folder)
    assert listed.code == 0 and "fa-seraji" in listed.out and "damaged" in listed.err


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x"])
def test_a_redirect_leads_nowhere_but_to_the_web(
    site: tuple[str, type[Site]], tmp_path: Path, location: str
) -> None:
    address, served = site
    served.files["location"] = location.encode()
    with pytest.raises(DownloadError, match=r"(?i)redirect.*(only http and https|not allowed)"):
        download_file(f"{address}/to/x", tmp_path / "x", 10**6)
    with pytest.raises(DownloadError, match="only http and https"):
        download_text(location, 10**6)
    assert not [*tmp_path.iterdir()]


def test_a_redirect_within_the_web_is_followed(
    site: tuple[str, type[Site]], tmp_path: Path
) -> None:
    address, served = site
    served.files |= {"location": f"{address}/oak".encode(), "oak": b"speaks"}
    download_file(f"{address}/to/x", tmp_path / "x", 6)
    assert (tmp_path / "x").read_bytes() == b"speaks"


def test_half_a_download_is_started_again_and_never_left_behind(
    site: tuple[str, type[Site]], tmp_path: Path
) -> None:
    address, served = site
    served.files["oak"] = bytes(100_000)
    with pytest.raises(DownloadError, match="the connection broke"):
        download_file(f"{address}/half/oak", tmp_path / "oak", 10**6)
    assert served.n_requests == ATTEMPTS and not [*tmp_path.iterdir()]
    served.n_requests, served.files["attempts"] = 0, b"2"
    download_file(f"{address}/half/oak", tmp_path / "oak", 10**6)
    assert served.n_requests == 2 and (tmp_path / "oak").read_bytes() == bytes(100_000)


def test_a_download_without_end_is_cut(site: tuple[str, type[Site]], tmp_path: Path) -> None:
    address, served = site
    with pytest.raises(DownloadError, match="larger than 300,000 bytes"):
        download_file(f"{address}/endless/oak", tmp_path / "oak", 300_000)
    served.files["oak"] = bytes(300_001)
    with pytest.raises(DownloadError, match="larger than"):
        download_file(f"{address}/oak", tmp_path / "oak", 300_000)
    with pytest.raises(DownloadError, match="answers 404"):
        download_file(f"{address}/elm", tmp_path / "elm", 300_000)
    with pytest.raises(DownloadError, match="no connection"):
        download_file("http://127.0.0.1:1/x", tmp_path / "x", 300_000)
    assert not [*tmp_path.iterdir()]


ENTRY = {
    "name": "de",
    "version": "1.0",
    "file": "dodona_de-1.0-py3-none-any.whl",
    "sha256": "0" * 64,
    "size": 100,
    "language": "German",
    "licence": "MIT",
}


@pytest.mark.parametrize(
    "change",
    [
        {"file": "../dodona_de-1.0-py3-none-any.whl"},
        {"file": "http://evil.example/dodona_de-1.0-py3-none-any.whl"},
        {"file": "dodona_fr-1.0-py3-none-any.whl"},
        {"file": 3},
        {"version": "2.0"},
        {"name": "../de"},
        {"sha256": ""},
        {"sha256": "0" * 63},
        {"size": -1},
        {"size": 1e300},
        {"size": True},
        {"words": "many"},
        {"language": "Ger\nman"},
        {"licence": None},
    ],
)
def test_an_index_with_a_wrong_entry_is_refused(change: dict[str, object]) -> None:
    good = json.dumps({"format": 1, "models": [ENTRY]})
    (one,) = parse_index(good, "https://example.org/models/index.json")
    assert one.location == f"https://example.org/models/{ENTRY['file']}"
    with pytest.raises(BadIndexError, match=r"index\.json"):
        parse_index(json.dumps({"format": 1, "models": [ENTRY | change]}), "x/index.json")


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, "[]", "{}", '{"format": 2, "models": []}']
)
def test_what_is_no_index_is_refused(text: str) -> None:
    with pytest.raises(BadIndexError, match=r"index\.json"):
        parse_index(text, "x/index.json")


def test_a_new_package_is_found_before_one_of_the_old_scheme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dodona.models import find

    for module in ("dodona_model_oak", "dodona_oak"):
        about = tmp_path / f"{module}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[dodona_models]\noak = {module}\n")
        (tmp_path / module).mkdir()
        (tmp_path / module / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find("oak") == tmp_path / "dodona_oak" / "oak.dodona"


def test_a_language_without_its_package_names_the_command(shell: Shell, folder: Path) -> None:
    said = "de: the model for German is not installed; to install it: dodona get de\n"
    for verb in ("parse", "info", "tag"):
        result = shell(verb, "de")
        assert (result.code, result.err) == (1, said)


def test_nothing_of_pip_or_the_network_is_imported_to_parse() -> None:
    code = (
        "import sys, dodona; dodona.load('en');"
        "print([m for m in ('urllib.request', 'zipfile', 'subprocess') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
