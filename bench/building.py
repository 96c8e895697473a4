"""Compare the cost of building the package at two commits: CPU and wall seconds, and their ratio.

python bench/building.py --against REV [--commit REV] [--json FILE]

Each commit is taken out of git into a folder of its own and built there from nothing, by the meson,
ninja, Cython and compiler that are found here; changes that are not committed do not count. CPU
seconds are those of all processes that the build starts, so other work on the machine matters less
than to wall seconds. Takes minutes. Not for Windows, which does not tell what children used.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile
from dataclasses import asdict, dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Annotated

import measure
import typer
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parent.parent
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet")

# Cython searches Python's path for modules, and would find those of an installed package instead of
# those of the commit
CYTHON = """#!{python}
import sys
from pathlib import Path
import cython  # later it is not found any more
from Cython.Compiler.Main import setuptools_main
sys.path = [folder for folder in sys.path if not Path(folder, "dodona").exists()]
sys.exit(setuptools_main())
"""


@dataclass(frozen=True)
class Figures:
    """Measurements of one build."""

    cpu_seconds: float
    wall_seconds: float
    n_modules: int  # compiled extension modules
    n_bytes: int  # of these modules


ROWS = {
    "cpu_seconds": ("CPU, s", "{:,.1f}"),
    "wall_seconds": ("wall, s", "{:,.1f}"),
    "n_modules": ("extension modules", "{:,}"),
    "n_bytes": ("their size, bytes", "{:,}"),
}


def take_out(commit: str, folder: Path) -> None:
    """Extract the files of a commit, without those of git."""
    command = ["git", "archive", "--format=zip", "-0", commit]
    packed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    zipfile.ZipFile(io.BytesIO(packed)).extractall(folder)


def make_environment(folder: Path) -> dict[str, str]:
    """Return the environment variables of a build: our tools first, no compiler cache."""
    cython = folder / "bin" / "cython"
    cython.parent.mkdir()
    cython.write_text(CYTHON.format(python=sys.executable), encoding="utf-8")
    cython.chmod(0o755)
    path = [str(cython.parent), sysconfig.get_path("scripts"), os.environ["PATH"]]
    return os.environ | {"PATH": os.pathsep.join(path), "CCACHE_DISABLE": "1"}


def build(source: Path, folder: Path) -> Figures:
    """Build the sources in `source` and install them below `folder`."""
    environment = make_environment(folder)
    target = folder / "installed"
    how = ["--no-build-isolation", "--no-deps", f"-Cbuild-dir={folder / 'build'}"]
    begin, before = time.perf_counter(), os.times()
    subprocess.run([*PIP, ".", *how, "--target", target], cwd=source, env=environment, check=True)
    wall, after = time.perf_counter() - begin, os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    built = [path for path in target.rglob("*") if path.name.endswith(tuple(EXTENSION_SUFFIXES))]
    return Figures(cpu, wall, len(built), sum(path.stat().st_size for path in built))


def build_commit(commit: str) -> Figures:
    """Build a commit in a temporary folder."""
    with tempfile.TemporaryDirectory() as name:
        source = Path(name, "source")
        take_out(commit, source)
        try:
            return build(source, Path(name))
        except subprocess.CalledProcessError:
            sys.exit(f"{commit} cannot be built here; pip says why above")


def name_of(revision: str) -> str:
    """Return the abbreviated hash of a commit."""
    command = ["git", "rev-parse", "--short", "--verify", "--quiet", f"{revision}^{{commit}}"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if found.returncode:
        raise typer.BadParameter(f"git knows no commit {revision!r}")
    return found.stdout.strip()


def show(found: list[tuple[str, Figures]], console: Console) -> None:
    title = f"building the package on {len(measure.cores())} cores"
    table = Table("", *(commit for commit, _ in found), "ratio", title=title)
    for name, (row, form) in ROWS.items():
        old, new = (getattr(figures, name) for _, figures in found)
        table.add_row(row, form.format(old), form.format(new), f"{new / old:.3f}")
    console.print(table)


def main(
    against: Annotated[str, typer.Option(help="The commit to compare with.")],
    commit: Annotated[str, typer.Option(help="The commit to measure.")] = "HEAD",
    out: Annotated[
        Path | None, typer.Option("--json", help="Write the figures to this file.")
    ] = None,
) -> None:
    """Build the package at both commits and compare."""
    console = Console()
    found = []
    for name in (name_of(against), name_of(commit)):
        console.print(f"building {name} …", highlight=False)
        found.append((name, build_commit(name)))
    show(found, console)
    if out:
        builds = [{"commit": name, **asdict(figures)} for name, figures in found]
        report = {"machine": measure.machine(), "builds": builds}
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
