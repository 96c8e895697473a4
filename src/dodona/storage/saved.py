"""One shape for all that is saved: in a file, in bytes, or as a part of something else.

What derives from `Saved` says what it is made of (`take_apart`), which parts go into the same file
(`parts`), and how it comes to be again (`put_together`). All ways to open it are here, so that each
of them checks kind and version, and refuses what does not fit together by the name of the file.
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
from dodona.storage.said import said
from dodona.storage.weights import from_cluster_arrays
from dodona.treebank.encoding.clusters import Clusters

if TYPE_CHECKING:  # else it would be compiled at every start: two milliseconds
    S = TypeVar("S", bound="Saved")


@record(frozen=True)
class Format:
    """What something is called in its file, and which versions of it there are."""

    kind: str
    version: int  # that is written
    oldest: int  # that can be read
    unsaid: int  # of a part that does not say its version: never changes, or old files are misread

    @property
    def readable(self) -> tuple[str, int, int]:
        """Kind, newest and oldest version, as `container` asks for them."""
        return self.kind, self.version, self.oldest


class Saved(ABC):
    """What can be saved and opened again; it is pickled as the bytes of its file."""

    FORMAT: ClassVar[Format]

    @abstractmethod
    def take_apart(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What it is made of, its parts left out: what JSON can say, and arrays by their names."""

    @classmethod
    @abstractmethod
    def put_together(cls: type[S], pieces: Pieces) -> S:
        """What was taken apart; an error means that the pieces do not fit together."""

    def parts(self) -> Mapping[str, Saved | None]:
        """What goes into the same file if it is there. A part brings no parts of its own along."""
        return {}

    def save(self, path: str | Path) -> None:
        """Write it to one file; an old one stays until the new one is complete."""
        container.write(Path(path), self.FORMAT.kind, self.FORMAT.version, *self._with_parts())

    def to_bytes(self) -> bytes:
        """What `save` would write."""
        return container.to_bytes(self.FORMAT.kind, self.FORMAT.version, *self._with_parts())

    @classmethod
    def load(cls: type[S], path: str | Path, *, mapped: bool = False) -> S:
        """What `save` wrote, copied into memory.

        Where it is `mapped`, processes that load the same file share its memory; but then nobody
        may change the file while it is in use, or the process crashes or computes nonsense.
        """
        about, arrays = container.read(Path(path), *cls.FORMAT.readable, mapped=mapped)
        return cls._open(Pieces(str(path), cls.FORMAT.kind, about, arrays))

    @classmethod
    def from_bytes(cls: type[S], data: bytes) -> S:
        """What `to_bytes` made bytes of."""
        about, arrays = container.from_bytes(data, *cls.FORMAT.readable)
        return cls._open(Pieces(container.MEMORY, cls.FORMAT.kind, about, arrays))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)

    def _with_parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        about, arrays = self.take_apart()
        for name, part in self.parts().items():
            if part is not None:
                about[name], inside = part.take_apart()
                if part.FORMAT.version != part.FORMAT.unsaid:
                    about[name]["version"] = part.FORMAT.version
                prefix = _prefix(name, part.FORMAT.kind, self.FORMAT.kind)
                arrays |= {prefix + key: array for key, array in inside.items()}
        return about, arrays

    @classmethod
    def _open(cls: type[S], pieces: Pieces) -> S:
        with fitting(pieces.where, pieces.kind, "get a fresh copy, or train it again"):
            return cls.put_together(pieces)


@record(frozen=True)
class Pieces:
    """What stands in a file, or in a part of it."""

    where: str  # what an error begins with
    kind: str
    about: Any  # what JSON says: of any type, as long as nobody has looked
    arrays: Mapping[str, memoryview]
    whole: Pieces | None = None

    def part(self, name: str, of: type[S]) -> S | None:
        """The part of this name, if there is one, checked like a file of its own."""
        if name not in self.about:
            return None
        if self.whole is not None:
            raise ValueError(f"it has a part {name!r}, but is a part itself")
        about: dict[str, Any] = said(self.about, name, dict)
        where, arrays = f"{self.where}: part {name!r}", self.arrays
        version = said(about, "version", int) if "version" in about else of.FORMAT.unsaid
        container.check_version(where, version, *of.FORMAT.readable)
        if prefix := _prefix(name, of.FORMAT.kind, self.kind):
            inside = (key for key in arrays if key.startswith(prefix))
            arrays = {key.removeprefix(prefix): self.arrays[key] for key in inside}
        return of._open(Pieces(where, of.FORMAT.kind, about, arrays, self))

    @cached_property
    def clusters(self) -> Clusters | None:
        """The clusters among the arrays; parts that have the same arrays share them."""
        if self.whole is not None and self.whole.arrays is self.arrays:
            return self.whole.clusters
        return from_cluster_arrays(self.arrays)


@contextmanager
def fitting(where: str | Path, kind: str, advice: str) -> Iterator[None]:
    """An error in this block means that the pieces of a file do not fit together: it says so.

    What `put_together` knows of its pieces it checks by itself. But whatever is wrong with a file,
    nobody who opens it should have to know what goes on inside.

    >>> with fitting("my.dodona", "model", "train it again"):
    ...     {}["labels"]
    Traceback (most recent call last):
    dodona.storage.container.ContainerError: my.dodona: the model does not fit together: ...
    """
    try:
        yield
    except (ContainerError, MemoryError, OSError):  # they say themselves what is wrong
        raise
    except Exception as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise ContainerError(
            f"{where}: the {kind} does not fit together: {reason}; {advice}"
        ) from error


def _prefix(name: str, kind: str, whole: str) -> str:
    """What the names of a part's arrays begin with where they would else be those of the whole."""
    return f"{name}." if kind == whole else ""
