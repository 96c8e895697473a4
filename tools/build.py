"""Build a wheel and show the progress.

python -m tools.build FOLDER [--source DIR] [--build-dir DIR] [MESON OPTIONS]

The wheel of the project in the source folder (.) goes to FOLDER; the build folder (build/) keeps
what the next build can reuse. pip shows either nothing or everything of a build, so this calls the
build backend as pip would and counts the steps. The output is in log.txt of the build folder; if
the build fails, the relevant lines are printed.
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
# ninja's steps; the backend counts the files that it packs in the same format
STEP = re.compile(r"\[(\d+)/(\d+)\] (?:Compiling|Generating|Linking) ")
REASON = re.compile("ERROR: |FAILED: ")  # the first words of errors of Meson and ninja
LINES_SHOWN = 40


def run_backend(
    source: Path, folder: Path, settings: dict[str, object], log: Path
) -> Iterator[str]:
    """Build and yield every line of output; exit if the build fails."""
    scripts = sysconfig.get_path("scripts")  # where meson, ninja and cython are
    environment = os.environ | {"PATH": os.pathsep.join([scripts, os.environ["PATH"]])}
    command = [sys.executable, "-c", BACKEND, str(folder), json.dumps(settings)]
    with (
        log.open("w", encoding="utf-8") as copy,
        subprocess.Popen(
            command,
            cwd=source,
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
        lines = log.read_text(encoding="utf-8").splitlines()
        reasons = (n for n, line in enumerate(lines) if REASON.search(line))
        shown = lines[max(next(reasons, len(lines) - LINES_SHOWN), 0) :][:LINES_SHOWN]
        sys.exit("\n".join([*shown, f"\nThe build failed; its full output is in {log}"]))


def n_extensions(build: Path) -> int:
    """Return the number of extension modules of a configured build."""
    targets = json.loads((build / "meson-info" / "intro-targets.json").read_text(encoding="utf-8"))
    return sum(target["type"] == "shared module" for target in targets)


def show_progress(done: int, total: int) -> None:
    """Show one updated line in a terminal, elsewhere a line for every quarter of the steps."""
    if sys.stdout.isatty():
        print(f"\r  {done} of {total} steps", end="\n" if done == total else "", flush=True)
    elif done * 4 // total > (done - 1) * 4 // total:
        print(f"  {done} of {total} steps", flush=True)


def build_wheel(source: Path, folder: Path, build: Path, options: list[str]) -> None:
    """Build a wheel into a folder and show the progress."""
    is_new = not (build / "build.ninja").exists()
    build.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":  # MSVC, not the MinGW that may come first on the PATH
        options = ["--vsenv", *options]
    settings: dict[str, object] = {"build-dir": str(build.resolve()), "setup-args": options}
    begin = time.monotonic()
    print("Configuring the build" if is_new else "Building what has changed", flush=True)
    has_begun = not is_new
    for line in run_backend(source, folder.resolve(), settings, build / "log.txt"):
        if step := STEP.match(line):
            if not has_begun:
                n_modules = n_extensions(build)
                print(f"Compiling {n_modules} extension modules", flush=True)
                has_begun = True
            show_progress(int(step[1]), int(step[2]))
    print(f"  built in {time.monotonic() - begin:.0f} s", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("folder", type=Path)
    options.add_argument("--source", type=Path, default=Path(), metavar="DIR")
    options.add_argument("--build-dir", type=Path, default=Path("build"), metavar="DIR")
    chosen, rest = options.parse_known_args()
    build_wheel(chosen.source, chosen.folder, chosen.build_dir, rest)


if __name__ == "__main__":
    main()
