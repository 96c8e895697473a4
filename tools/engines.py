"""Install the engines that `make test-engines` tests, and report those that cannot be installed.

python -m tools.engines
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys

from tools.environment import PIP, ROOT


def extra(name: str) -> list[str]:
    """Return the requirements of an extra, from the metadata (Python 3.10 has no TOML reader)."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(rf"^{name} = (\[.*?\])$", text, re.MULTILINE | re.DOTALL)
    assert found, f"pyproject.toml has an extra {name}"
    packages: list[str] = ast.literal_eval(found[1])
    return packages


# module: requirements for pip
ENGINES = {
    "pyspark": extra("spark"),
    "ray": extra("ray"),
    "polars": ["polars"],
    "duckdb": ["duckdb"],
    "dask": ["dask[dataframe]"],
    "daft": ["daft"],
    "fsspec": ["fsspec"],
}
JAVA = {  # by package manager; the lists of apt-get are empty on a new machine
    "apt-get": "apt-get update && apt-get install --yes --no-install-recommends "
    "openjdk-17-jre-headless",
    "dnf": "dnf install --assumeyes java-17-openjdk-headless",
}
LIMIT = 400  # seconds for each command


def is_here(module: str) -> bool:
    """Say whether a module can be imported, in a separate process."""
    return not subprocess.run(
        [sys.executable, "-c", f"import {module}"], capture_output=True
    ).returncode


def install(packages: list[str]) -> str:
    """Install requirements; return the reason of a failure, or an empty string."""
    command = [sys.executable, *PIP, "install", *packages]
    return _run(command, shell=False)


def install_java() -> str:
    """Install Java, which only root can; return the reason of a failure."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return "no java on the PATH"
    for name, command in JAVA.items():
        if shutil.which(name):
            return _run(command, shell=True)
    return "no java on the PATH"


def _run(command: list[str] | str, shell: bool) -> str:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        subprocess.run(
            command,
            shell=shell,
            check=True,
            timeout=LIMIT,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    except subprocess.CalledProcessError as error:
        return (error.stderr or error.stdout or str(error)).strip().splitlines()[-1]
    except subprocess.SubprocessError as error:
        return str(error)
    return ""


def main() -> None:
    for module, packages in ENGINES.items():
        why = "" if is_here(module) else install(packages)
        print(f"{module}: {why or 'installed'}", flush=True)
    why = "" if shutil.which("java") else install_java()
    print(f"java: {why or 'installed'}", flush=True)


if __name__ == "__main__":
    main()
