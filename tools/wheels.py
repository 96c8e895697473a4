"""Build a wheel for every installed version of Python, and test the last one.

python -m tools.wheels    write the wheels to dist/
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tools.environment import PIP, ROOT, python_of

VERSIONS = [f"3.{minor}" for minor in range(10, 15)]
# the models that ship, and that of the language identifier; others are packages of their own
MODELS = {"en.dodona", "en-small.dodona", "identifier.dodona"}
MOST_BYTES = 30_000_000


def find_python(version: str) -> str | None:
    """Return the interpreter of a version: from the PATH, else the newest of pyenv."""
    by_pyenv = Path.home().glob(f".pyenv/versions/{version}.*/bin/python")
    for name in (f"python{version}", *map(str, sorted(by_pyenv, reverse=True))):
        program = "import sys; print(sys.executable)"
        try:
            found = subprocess.run(
                [name, "-c", program], capture_output=True, text=True, check=True
            )
        except (
            OSError,
            subprocess.CalledProcessError,
        ):  # pyenv has commands of versions that are not installed
            continue
        return found.stdout.strip()
    return None


def build(version: str, python: str, folder: Path) -> None:
    """Build a wheel for one version."""
    print(f"Python {version}: {python}", flush=True)
    build = ROOT / "build" / "wheels" / version
    environment = build / "environment"
    subprocess.run([python, "-m", "tools.environment", environment], check=True, cwd=ROOT)
    inside = str(python_of(environment))
    command = [inside, "-m", "tools.build", str(folder), "--build-dir", str(build)]
    subprocess.run(command, check=True, cwd=ROOT)


def check_content(wheel: Path) -> None:
    """Raise ValueError if a wheel has other models than those that ship, or is too large."""
    with zipfile.ZipFile(wheel) as zipped:
        names = {Path(name).name for name in zipped.namelist() if name.endswith(".dodona")}
    if names != MODELS:
        raise ValueError(f"{wheel}: models {sorted(names)}, expected {sorted(MODELS)}")
    if (n_bytes := wheel.stat().st_size) > MOST_BYTES:
        raise ValueError(f"{wheel}: {n_bytes:,} bytes, at most {MOST_BYTES:,} are allowed")


def try_wheel(wheel: Path, python: str) -> None:
    """Install a wheel outside the repository, and test it."""
    print(f"Testing {wheel.name}", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        subprocess.run([python, "-m", "venv", folder], check=True)
        inside = python_of(folder)
        subprocess.run([inside, *PIP, "install", wheel, "pytest", "hypothesis"], check=True)
        script = ROOT / "tools" / "try_installed.py"
        subprocess.run([inside, script], check=True, cwd=folder)


def main() -> None:
    folder = ROOT / "dist"
    built = []
    for version in VERSIONS:
        if python := find_python(version):
            build(version, python, folder)
            built.append((version, python))
        else:
            print(f"Python {version}: not installed, skipped", flush=True)
    if not built:
        sys.exit(f"none of these versions of Python is installed: {', '.join(VERSIONS)}")
    version, python = built[-1]
    (wheel,) = folder.glob(f"dodona-*-cp{version.replace('.', '')}-*.whl")
    check_content(wheel)
    try_wheel(wheel, python)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:  # which has printed the reason
        sys.exit(error.returncode)
    except ValueError as error:
        sys.exit(str(error))
