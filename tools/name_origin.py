"""Print a Python module that identifies a build: its commit and a digest of the core's sources.

    python name_origin.py SOURCE

Results of experiments record both, and a result is recomputed when the core has changed.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

SUFFIXES = (".h", ".py", ".pxd", ".pyx")  # of the files that decide trees and costs
SHOWN = 12  # hexadecimal digits


def main(source: Path) -> None:
    """Print the module."""
    print('"""The sources of this build."""\n')
    print(f'COMMIT = "{find_commit(source.parent)}"  # empty outside a repository')
    print(f'CORE = "{digest(source / "dodona" / "core")}"')


def digest(folder: Path) -> str:
    """Return a digest of all sources below a folder, independent of their line endings."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in SUFFIXES:
            text = path.read_bytes().replace(b"\r\n", b"\n")
            name = path.relative_to(folder).as_posix()
            found.update(f"{name}\n{len(text)}\n".encode() + text)
    return found.hexdigest()[:SHOWN]


def find_commit(root: Path) -> str:
    """Return the commit of the repository whose root this is, with a suffix if it has changes."""
    if run_git(root, "rev-parse", "--show-prefix") != "":
        return ""
    describe = ("describe", "--always", "--dirty", f"--abbrev={SHOWN}", "--exclude=*")
    return run_git(root, *describe) or ""


def run_git(root: Path, *command: str) -> str | None:
    """Return Git's output, or None if Git fails or is not installed."""
    try:
        done = subprocess.run(["git", "-C", root, *command], capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
