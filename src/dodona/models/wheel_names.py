"""Names of model packages: `de` is the package dodona_de in dodona_de-3.1-py3-none-any.whl."""

from __future__ import annotations

import re
from typing import NamedTuple

from dodona.models import OLD_PREFIX

# names of PEP 508, canonical versions of PEP 440
NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_NUMBER = r"(?:0|[1-9]\d*)"
VERSION = re.compile(
    rf"(?P<release>{_NUMBER}(?:\.{_NUMBER})*)(?:(?P<stage>a|b|rc)(?P<pre>{_NUMBER}))?"
    rf"(?:\.post(?P<post>{_NUMBER}))?(?:\.dev(?P<dev>{_NUMBER}))?",
    re.ASCII,
)
PREFIX = "dodona_"
TAG = "py3-none-any"
TAKEN = ("dodona_papers",)  # distributions of ours that are no models
_WHEEL = re.compile(rf"({PREFIX}[a-z0-9_]+)-([a-z0-9.]+)-{TAG}\.whl", re.ASCII)
_FINAL = 1 << 30


class WheelName(NamedTuple):
    """The Python package and the version in the name of a wheel."""

    module: str
    version: str

    @property
    def key(self) -> str:
        """Return the normalised name of the model.

        >>> WheelName("dodona_fa_seraji", "3.1").key, WheelName("dodona_model_en_large", "3.0").key
        ('fa_seraji', 'en_large')
        """
        return self.module.removeprefix(OLD_PREFIX).removeprefix(PREFIX)

    @property
    def file_name(self) -> str:
        """Return the file name of the wheel."""
        return f"{self.module}-{self.version}-{TAG}.whl"

    @property
    def about(self) -> str:
        """Return the name of the folder with the wheel's metadata."""
        return f"{self.module}-{self.version}.dist-info"


def normalise(name: str) -> str:
    """Return the form of a name in which equal packages are equal.

    >>> normalise("FA-Seraji") == normalise("fa_seraji")
    True
    """
    return re.sub(r"[-_.]+", "_", name).lower()


def module_of(name: str) -> str:
    """Return the Python package of a model.

    >>> module_of("en-large")
    'dodona_en_large'
    """
    return PREFIX + normalise(name)


def parse_wheel_name(file_name: str) -> WheelName | None:
    """Return what the file name of a model's wheel says; None for any other file.

    >>> parse_wheel_name("dodona_de-3.1-py3-none-any.whl")
    WheelName(module='dodona_de', version='3.1')
    >>> parse_wheel_name("numpy-2.0-py3-none-any.whl") is None
    True
    """
    found = _WHEEL.fullmatch(file_name)
    if not found or found[1] in TAKEN or not VERSION.fullmatch(found[2]):
        return None
    return WheelName(found[1], found[2])


def version_key(version: str) -> tuple[object, ...]:
    """Return a key that sorts versions by age; what is no version comes before all.

    >>> sorted(["1.10", "1.9", "2.0rc1", "2.0", "2.0.dev3", "2.0.post1"], key=version_key)
    ['1.9', '1.10', '2.0.dev3', '2.0rc1', '2.0', '2.0.post1']
    """
    found = VERSION.fullmatch(version)
    if not found:
        return ((-1,),)
    release = [int(part) for part in found["release"].split(".")]
    while release and not release[-1]:
        release.pop()
    dev = _FINAL if found["dev"] is None else int(found["dev"])
    is_only_dev = found["stage"] is None and found["post"] is None and dev < _FINAL
    stage = found["stage"] or ("" if is_only_dev else "z")
    post = -1 if found["post"] is None else int(found["post"])
    return (tuple(release), stage, int(found["pre"] or 0), post, dev)
