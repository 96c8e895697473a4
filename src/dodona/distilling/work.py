"""The folder in which the steps of a recipe keep what they have made.

A step is a folder with files, called parts, and `manifest.json`, which says what the step was made
from, and which parts are there. A part is written beside and renamed, then noted; so whatever stops
a step, those that are noted are whole, and the step goes on with the next.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dodona.errors import DodonaError
from dodona.storage.atomic import atomic_write

MANIFEST = "manifest.json"


class WorkError(DodonaError, ValueError):
    """A folder of work that does not fit what is asked for."""


@dataclass
class Step:
    """One step, in a folder of its own."""

    folder: Path
    made_from: dict[str, Any]
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)  # name → what is said of it
    summary: dict[str, Any] | None = None  # once the step is done

    @classmethod
    def open(cls, folder: Path, made_from: dict[str, Any]) -> Step:
        """The step as it stands; refused if it was begun with something else."""
        made_from = json.loads(json.dumps(made_from))  # tuples are lists then, too
        path = folder / MANIFEST
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            return cls(folder, made_from)
        try:
            said = json.loads(path.read_bytes())
            step = cls(folder, said["made_from"], said["parts"], said["summary"])
        except (ValueError, KeyError, TypeError):
            raise WorkError(f"{path}: this is no manifest of a step; remove {folder}") from None
        for name in {**made_from, **step.made_from}:
            if made_from.get(name) != step.made_from.get(name):
                raise WorkError(
                    f"{folder}: this step was made with another {name.replace('_', ' ')}: remove "
                    "the folder to make it again, or take another one for --work"
                )
        return step

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do."""
        return self.summary is not None and all(map(self._is_there, self.parts))

    def has(self, name: str) -> bool:
        """Whether this part is noted, and there."""
        return name in self.parts and self._is_there(name)

    def _is_there(self, name: str) -> bool:
        return (self.folder / name).exists()

    def paths(self) -> list[Path]:
        """The files of all parts, in order."""
        return [self.folder / name for name in sorted(self.parts)]

    def note(self, name: str, about: dict[str, Any]) -> None:
        """A part is there."""
        self.parts[name] = about
        self._write()

    def finish(self, summary: dict[str, Any]) -> None:
        """The step is done."""
        self.summary = summary
        self._write()

    def _write(self) -> None:
        said = {"made_from": self.made_from, "parts": self.parts, "summary": self.summary}
        with atomic_write(self.folder / MANIFEST) as file:
            file.write(json.dumps(said, ensure_ascii=False, indent=1).encode())
