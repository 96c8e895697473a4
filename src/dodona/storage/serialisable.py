"""Base class of everything that is saved: to a file, to bytes, or as a part of another object.

A subclass of `Serialisable` defines its JSON and arrays (`serialise`), the parts stored in the same
file (`parts`), and how it is restored (`deserialise`). Loading is done here only, so that every
path checks kind and version, and reports inconsistent content under the name of the file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from dodona.records import record
from dodona.storage import container
from dodona.storage.container import Array, ContainerError
from dodona.storage.json_fields import read_field
from dodona.storage.weights import from_cluster_arrays
from dodona.treebank.encoding.clusters import Clusters

if TYPE_CHECKING:  # defining it costs two milliseconds at every start
    S = TypeVar("S", bound="Serialisable")


@record(frozen=True)
class FileFormat:
    """The kind of a file and its versions."""

    kind: str
    version: int  # written
    oldest: int  # still readable
    implied: int  # of a part without a recorded version: must never change

    @property
    def readable(self) -> tuple[str, int, int]:
        """Return kind, newest and oldest version, in the order of the arguments of `container`."""
        return self.kind, self.version, self.oldest


class Serialisable(ABC):
    """An object that can be saved and loaded; its pickle holds the bytes of its file."""

    FORMAT: ClassVar[FileFormat]

    @abstractmethod
    def serialise(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the JSON object and the named arrays of this object, without its parts."""

    @classmethod
    @abstractmethod
    def deserialise(cls: type[S], payload: Payload) -> S:
        """Restore an object; any exception means that the payload is inconsistent."""

    @property
    def version(self) -> int:
        """The version of the file that `save` writes: the lowest that has all of the content."""
        return self.FORMAT.version

    def parts(self) -> Mapping[str, Serialisable | None]:
        """Return the objects stored in the same file. Parts of parts are not stored."""
        return {}

    def save(self, path: str | Path) -> None:
        """Write one file; an existing file is replaced once the new one is complete."""
        container.write(Path(path), self.FORMAT.kind, self.version, *self._with_parts())

    def to_bytes(self) -> bytes:
        """Return the bytes that `save` would write."""
        return container.to_bytes(self.FORMAT.kind, self.version, *self._with_parts())

    @classmethod
    def load(cls: type[S], path: str | Path, *, mapped: bool = False) -> S:
        """Load what `save` wrote into memory.

        With `mapped`, processes that load the same file share its memory; the file must then not
        change while it is in use, or the process crashes or computes nonsense.
        """
        about, arrays = container.read(Path(path), *cls.FORMAT.readable, mapped=mapped)
        return cls._open(Payload(str(path), cls.FORMAT.kind, about, arrays))

    @classmethod
    def from_bytes(cls: type[S], data: bytes, *, name: str = container.MEMORY) -> S:
        """Restore an object from the bytes of `to_bytes`; errors contain `name`."""
        about, arrays = container.from_bytes(data, *cls.FORMAT.readable, name=name)
        return cls._open(Payload(name, cls.FORMAT.kind, about, arrays))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)

    def _with_parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        about, arrays = self.serialise()
        for name, part in self.parts().items():
            if part is not None:
                about[name], inside = part.serialise()
                if part.version != part.FORMAT.implied:
                    about[name]["version"] = part.version
                prefix = _prefix(name, part.FORMAT.kind, self.FORMAT.kind)
                arrays |= {prefix + key: array for key, array in inside.items()}
        return about, arrays

    @classmethod
    def _open(cls: type[S], payload: Payload) -> S:
        with reporting_damage(payload.where, payload.kind, "get a fresh copy, or train it again"):
            return cls.deserialise(payload)


@record(frozen=True)
class Payload:
    """The JSON object and the arrays of a file, or of a part of it."""

    where: str  # the file and part named in errors
    kind: str
    about: Any  # unchecked JSON: read it by `read_field`
    arrays: Mapping[str, memoryview]
    whole: Payload | None = None

    def part(self, name: str, of: type[S]) -> S | None:
        """Return the part of this name, checked like a file of its own; None if it is absent."""
        if name not in self.about:
            return None
        if self.whole is not None:
            raise ValueError(f"a part cannot have a part of its own, but this one has {name!r}")
        about: dict[str, Any] = read_field(self.about, name, dict)
        where, arrays = f"{self.where}: part {name!r}", self.arrays
        version = read_field(about, "version", int) if "version" in about else of.FORMAT.implied
        container.check_version(where, version, *of.FORMAT.readable)
        if prefix := _prefix(name, of.FORMAT.kind, self.kind):
            inside = (key for key in arrays if key.startswith(prefix))
            arrays = {key.removeprefix(prefix): self.arrays[key] for key in inside}
        return of._open(Payload(where, of.FORMAT.kind, about, arrays, self))

    @cached_property
    def clusters(self) -> Clusters | None:
        """Return the clusters among the arrays, one object for all parts that share the arrays."""
        if self.whole is not None and self.whole.arrays is self.arrays:
            return self.whole.clusters
        return from_cluster_arrays(self.arrays)


@contextmanager
def reporting_damage(where: str | Path, kind: str, advice: str) -> Iterator[None]:
    """Turn any error in this block into a `ContainerError` that names the file.

    Checks in `deserialise` explain what is wrong; this covers what they do not foresee.

    >>> with reporting_damage("my.dodona", "model", "train it again"):
    ...     {}["labels"]
    Traceback (most recent call last):
    dodona.storage.container.ContainerError: my.dodona: the model does not fit together: ...
    """
    try:
        yield
    except (ContainerError, MemoryError, OSError):  # their messages name the file already
        raise
    except Exception as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        problem = f"the {kind} does not fit together: {reason}; {advice}"
        raise ContainerError(f"{where}: {problem}") from error


def _prefix(name: str, kind: str, whole: str) -> str:
    """Return the prefix that keeps the arrays of a part of the same kind apart from the whole's."""
    return f"{name}." if kind == whole else ""
