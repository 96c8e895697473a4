"""Build a wheel, and say how far it is.

python -m tools.build FOLDER [--build-dir DIR] [MESON OPTIONS]

The wheel goes to FOLDER; in DIR (build/) stays what the next build need not do again. While pip
builds, it shows nothing or everything; so this calls what pip would call, and counts the steps.
What was said meanwhile is in DIR/log.txt; where the build fails, this shows why.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

BACKEND = "import json, sys, mesonpy; mesonpy.build_wheel(sys.argv[1], json.loads(sys.argv[2]))"
# as ninja counts them; the backend counts files in the same way when it packs them
STEP = re.compile(r"\[(\d+)/(\d+)\] (?:Compiling|Generating|Linking) ")
WHY = re.compile("ERROR: |FAILED: ")  # how Meson and ninja begin to say why they fail
LINES_SHOWN = 40


def run_backend(folder: Path, settings: dict[str, object], log: Path) -> Iterator[str]:
    """Build, and give every line that is said; ends this program where the build fails."""
    scripts = sysconfig.get_path("scripts")  # where meson, ninja and cython are
    environment = os.environ | {"PATH": os.pathsep.join([scripts, os.environ["PATH"]])}
    command = [sys.executable, "-c", BACKEND, str(folder), json.dumps(settings)]
    with (
        log.open("w", encoding="utf-8") as copy,
        subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        ) as process,
    ):
        assert process.stdout
        for line in process.stdout:
            copy.write(line)
            yield line
    if process.returncode:
        said = log.read_text(encoding="utf-8").splitlines()
        why = next((n for n, line in enumerate(said) if WHY.search(line)), len(said) - LINES_SHOWN)
        shown = said[max(why, 0) :][:LINES_SHOWN]
        sys.exit("\n".join([*shown, f"\nThe build failed; all it said is in {log}"]))


def n_extensions(build: Path) -> int:
    """How many extension modules a configured build makes."""
    targets = json.loads((build / "meson-info" / "intro-targets.json").read_text(encoding="utf-8"))
    return sum(target["type"] == "shared module" for target in targets)


def show_progress(done: int, total: int) -> None:
    """In a terminal, one line that counts; else a line for every quarter of the way."""
    if sys.stdout.isatty():
        print(f"\r  {done} of {total} steps", end="\n" if done == total else "", flush=True)
    elif done * 4 // total > (done - 1) * 4 // total:
        print(f"  {done} of {total} steps", flush=True)


def build_wheel(folder: Path, build: Path, options: list[str]) -> None:
    """Build into a folder, and show how that goes."""
    is_new = not (build / "build.ninja").exists()
    build.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":  # MSVC, not the MinGW that may come first on the PATH
        options = ["--vsenv", *options]
    settings: dict[str, object] = {"build-dir": str(build), "setup-args": options}
    begin = time.monotonic()
    print("Configuring the build" if is_new else "Building what has changed", flush=True)
    has_begun = not is_new
    for line in run_backend(folder, settings, build / "log.txt"):
        if step := STEP.match(line):
            if not has_begun:
                n_modules = n_extensions(build)
                print(f"Building: {n_modules} extension modules, about a minute", flush=True)
                has_begun = True
            show_progress(int(step[1]), int(step[2]))
    print(f"  built in {time.monotonic() - begin:.0f} s", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--build-dir", type=Path, default=Path("build"), metavar="DIR")
    chosen, rest = options.parse_known_args()
    build_wheel(chosen.folder, chosen.build_dir, rest)


if __name__ == "__main__":
    main()
