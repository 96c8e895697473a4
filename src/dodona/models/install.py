"""Installation of packaged models: found, copied or downloaded, checked, and passed to pip.

Nothing is installed before its checksum and its content are checked (`inspection`), and pip gets
the very copy that was checked. pip is that of the running interpreter; it reaches no network and
resolves no dependencies.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from hashlib import sha256
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urldefrag

from dodona.errors import DodonaError
from dodona.languages.names import NAMES
from dodona.models import FOLDERS, GROUP, NoModelError, find_shipped
from dodona.models.available import HERE, INDEX_VARIABLE, default_sources, find_packages
from dodona.models.cards import NO_CARD
from dodona.models.download import DownloadError, download_file
from dodona.models.index import PackagedModel, describe_file, file_name_of, is_url
from dodona.models.inspection import WheelContent, WheelError, inspect_wheel
from dodona.models.wheel_names import parse_wheel_name, version_key

MAX_WHEEL = 1_000_000_000  # bytes of a wheel of unknown size
PIP = ("pip", "install", "--no-deps", "--no-index", "--no-input", "--disable-pip-version-check")
_CHECKSUM = "sha256="


class InstallError(DodonaError, OSError):
    """An installation that failed; the message says why and what to do."""


def choose_package(
    name: str, sources: Sequence[str] | None = None, *, newest: bool = False
) -> PackagedModel:
    """Return the package of a model: a wheel's path or URL, or a name that is looked up.

    The first source that has the name wins, so that an index on the network is read only if no
    folder has it; with `newest`, the newest version of all sources.
    """
    if is_url(name):
        return _at_url(name)
    if name.endswith(".whl") and Path(name).is_file():
        return describe_file(Path(name))
    sources = default_sources() if sources is None else sources
    found = find_packages(sources, name)
    if newest:
        every = list(found)
        best = max(every, key=lambda one: version_key(one.version), default=None)
    else:
        best = next(found, None)
    if best is None:
        raise NoModelError(_explain_unknown(name, sources))
    return best


def _at_url(address: str) -> PackagedModel:
    """Return the wheel at a URL, which may end in #sha256=… as in indexes of Python packages."""
    url, checksum = urldefrag(address)
    wheel = parse_wheel_name(file_name_of(url))
    if wheel is None:
        raise NoModelError(
            f"{address}: not the URL of a model's wheel; for an index: --from {address}"
        )
    digest = checksum.removeprefix(_CHECKSUM) if checksum.startswith(_CHECKSUM) else ""
    return PackagedModel(wheel.key, wheel.version, url, NO_CARD, 0, sha256=digest.lower())


def _explain_unknown(name: str, sources: Sequence[str]) -> str:
    known = sorted({one.name for one in find_packages(sources, problems=[])})
    what = f"{name}: no package of that name"
    if not sources:
        return (
            f"{what}: there is no folder {HERE} here, and neither {FOLDERS} nor {INDEX_VARIABLE} "
            "is set; give a source: --from FOLDER or --from URL of an index"
        )
    language = [one for one in known if NAMES.get(one, "").lower() == name.lower()]
    near = (
        language or get_close_matches(name, known, n=3) or [n for n in known if n[:2] == name[:2]]
    )
    if near:
        return f"{what} in {', '.join(sources)}; did you mean {' or '.join(near)}?"
    return f"{what} in {', '.join(sources)}, which have: {', '.join(known) or 'none'}"


def installed_version(name: str, target: Path | None = None) -> str | None:
    """Return the version of the installed package of a model, or None."""
    every = metadata.distributions
    found = every() if target is None else every(path=[str(target)])
    versions = [
        distribution.version
        for distribution in found
        for point in distribution.entry_points
        if point.group == GROUP and point.name == name
    ]
    return max(versions, key=version_key, default=None)


def install_package(found: PackagedModel, *, target: Path | None = None) -> WheelContent:
    """Copy or download a wheel, check it, and install it, by pip into `target` if that is given."""
    with TemporaryDirectory(prefix="dodona-get-") as folder:
        wheel = Path(folder) / found.file_name
        if found.is_remote:
            download_file(found.location, wheel, found.size or MAX_WHEEL)
        else:
            shutil.copyfile(found.location, wheel)
        _check_digest(found, wheel)
        try:
            content = inspect_wheel(wheel)
        except WheelError as error:
            raise WheelError(str(error).replace(str(wheel), found.location)) from None
        if content.name in find_shipped():
            raise InstallError(f"{content.name}: Dodona includes a model of that name")
        _run_pip(wheel, target)
        return content


def _check_digest(found: PackagedModel, wheel: Path) -> None:
    digest = sha256(wheel.read_bytes()).hexdigest()
    if found.sha256 and found.sha256 != digest:
        raise DownloadError(
            f"{found.location}: wrong checksum: SHA-256 {digest}, expected {found.sha256}; nothing "
            "was installed; get a fresh copy of the wheel or of the index"
        )


def _run_pip(wheel: Path, target: Path | None) -> None:
    if find_spec("pip") is None:
        raise InstallError(
            f"{sys.executable} has no pip, which installs models: run "
            f"`{sys.executable} -m ensurepip`, or install the wheel with another tool"
        )
    where = [] if target is None else ["--target", str(target)]
    words = [sys.executable, "-m", *PIP, "--upgrade", "--quiet", *where, str(wheel)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.strip().splitlines() if line.startswith("ERROR")]
        reason = (lines or done.stderr.strip().splitlines() or ["no message"])[0]
        raise InstallError(f"{wheel.name}: pip failed: {reason}")
