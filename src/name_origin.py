"""What a build is made of, as a module of Python: its commit, and a digest of the core's sources.

    python name_origin.py SOURCE        prints it

Results of experiments tell both, and none is used again once the core is another.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

SUFFIXES = (".h", ".py", ".pxd", ".pyx")  # of what decides trees and costs
SHOWN = 12  # digits


def main(source: Path) -> None:
    """Print the module."""
    print('"""What this build was made of."""\n')
    print(f'COMMIT = "{find_commit(source.parent)}"  # none where there is no repository')
    print(f'CORE = "{digest(source / "dodona" / "core")}"')


def digest(folder: Path) -> str:
    """Of all sources below a folder, whatever the system ends lines with."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in SUFFIXES:
            text = path.read_bytes().replace(b"\r\n", b"\n")
            name = path.relative_to(folder).as_posix()
            found.update(f"{name}\n{len(text)}\n".encode() + text)
    return found.hexdigest()[:SHOWN]


def find_commit(root: Path) -> str:
    """The commit of the repository that is at `root` and not above it, with a mark if changed."""
    if ask_git(root, "rev-parse", "--show-prefix") != "":
        return ""
    describe = ("describe", "--always", "--dirty", f"--abbrev={SHOWN}", "--exclude=*")
    return ask_git(root, *describe) or ""


def ask_git(root: Path, *command: str) -> str | None:
    """What Git answers; None if it does not."""
    try:
        asked = subprocess.run(["git", "-C", root, *command], capture_output=True, text=True)
    except OSError:
        return None
    return asked.stdout.strip() if asked.returncode == 0 else None


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
