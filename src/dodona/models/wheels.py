"""Wheels of models: packages of data that declare their model by an entry point.

The layout is the binary distribution format
(https://packaging.python.org/specifications/binary-distribution-format/). A wheel holds no time and
no machine name: equal models, cards and licences give equal bytes.
"""

from __future__ import annotations

import io
import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version as installed_version
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from dodona.models import GROUP, RULES, SUFFIX, find_rules
from dodona.models.cards import Card, with_card
from dodona.models.pages import make_card, make_licence
from dodona.settings import SettingsError
from dodona.storage import container
from dodona.storage.atomic import atomic_write

# names of PEP 508, canonical versions of PEP 440
NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_NUMBER = r"(0|[1-9]\d*)"
VERSION = re.compile(
    rf"{_NUMBER}(\.{_NUMBER})*((a|b|rc){_NUMBER})?(\.post{_NUMBER})?(\.dev{_NUMBER})?", re.ASCII
)
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time in a zip file
MODE = 0o100644 << 16  # a regular file, readable by all
ON_UNIX = 3


@dataclass(frozen=True)
class ModelPackage:
    """The content of a wheel: the bytes of a model file, its card and its licence.

    >>> ModelPackage("en-small", b"", Card(version="1.0"), "# Card", "Free.").file_name
    'dodona_model_en_small-1.0-py3-none-any.whl'
    >>> ModelPackage("small model", b"", Card(version="1.0"), "", "")
    Traceback (most recent call last):
    dodona.settings.SettingsError: 'small model' is not a package name: use letters, digits and...
    """

    name: str
    model: bytes
    card: Card
    readme: str  # Markdown
    licence: str  # its text
    rules: bytes | None = None  # the file of rules beside the model

    def __post_init__(self) -> None:
        self.card.check()
        if not NAME.fullmatch(self.name):
            raise SettingsError(
                f"{self.name!r} is not a package name: use letters, digits and, between them, - _ ."
            )
        if not VERSION.fullmatch(self.card.version):
            raise SettingsError(
                f"{self.card.version!r} is not a version of a package; expected one such as 1.0, "
                "2.1.post1 or 2.0rc1"
            )

    @property
    def module(self) -> str:
        """Return the name of the Python package."""
        return "dodona_model_" + re.sub(r"[-_.]+", "_", self.name).lower()

    @property
    def file_name(self) -> str:
        """Return the file name of the wheel."""
        return f"{self.module}-{self.card.version}-py3-none-any.whl"

    def save(self, folder: Path) -> Path:
        """Write the wheel into a folder, created if needed, and return its path."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.file_name
        with atomic_write(path) as file:
            file.write(self.to_bytes())
        return path

    def to_bytes(self) -> bytes:
        """Return the wheel as bytes."""
        files = self._files()
        record = f"{self._about}/RECORD"
        rows = []  # path, digest and size of every file but RECORD itself
        for path, content in files.items():
            digest = urlsafe_b64encode(sha256(content).digest()).decode().rstrip("=")
            rows.append(f"{path},sha256={digest},{len(content)}\n")
        files[record] = "".join([*rows, f"{record},,\n"]).encode()
        target = io.BytesIO()
        with ZipFile(target, "w") as zipped:
            for path, content in files.items():
                info = ZipInfo(path, EPOCH)
                info.compress_type, info.external_attr = ZIP_DEFLATED, MODE
                info.create_system = ON_UNIX
                zipped.writestr(info, content, compresslevel=9)
        return target.getvalue()

    @property
    def _about(self) -> str:
        return f"{self.module}-{self.card.version}.dist-info"

    def _files(self) -> dict[str, bytes]:
        """Return every file by path; the metadata comes last, as the format recommends."""
        texts = {
            f"{self.module}/__init__.py": f'"""The Dodona model {self.name}."""\n',
            f"{self.module}/README.md": self.readme,
            f"{self.module}/LICENSE.txt": self.licence,
            f"{self._about}/LICENSE.txt": self.licence,
            f"{self._about}/METADATA": self._metadata(),
            f"{self._about}/WHEEL": _lines(
                ("Wheel-Version", "1.0"),
                ("Generator", f"dodona {installed_version('dodona')}"),
                ("Root-Is-Purelib", "true"),
                ("Tag", "py3-none-any"),
            ),
            f"{self._about}/entry_points.txt": f"[{GROUP}]\n{self.name} = {self.module}\n",
        }
        model = {f"{self.module}/{self.name}{SUFFIX}": self.model}
        if self.rules is not None:
            model[f"{self.module}/{self.name}{RULES}"] = self.rules
        return model | {path: text.encode() for path, text in texts.items()}

    def _metadata(self) -> str:
        card = self.card
        summary = f"A Dodona model{f' for {card.language}' if card.language else ''}"
        fields = [
            ("Metadata-Version", "2.1"),
            ("Name", self.module.replace("_", "-")),
            ("Version", card.version),
            ("Summary", summary + (f", trained on {card.treebank}" if card.treebank else "")),
            ("License", card.licence),
            ("License-File", "LICENSE.txt"),
            ("Requires-Python", ">=3.10"),
            ("Requires-Dist", f"dodona>={installed_version('dodona')}"),
            ("Description-Content-Type", "text/markdown"),
        ]
        return _lines(*fields) + "\n" + self.readme


def make_package(
    path: Path, name: str, card: Card, *, readme: str | None = None, licence: str | None = None
) -> ModelPackage:
    """Make the package of a model file with this card; missing texts are generated.

    >>> from dodona.models import locate
    >>> make_package(locate("en"), "oak", Card(licence="MIT", version="1.0")).licence
    'The Dodona model oak is licensed under: MIT...'
    """
    model = with_card(path, card)
    if readme is None:
        readme = make_card(name, card, container.about(path), len(model))
    rules = None if (file := find_rules(path)) is None else file.read_bytes()
    return ModelPackage(name, model, card, readme, licence or make_licence(name, card), rules)


def _lines(*fields: tuple[str, str]) -> str:
    return "".join(f"{name}: {value}\n" for name, value in fields)
