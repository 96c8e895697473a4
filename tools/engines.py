"""The engines that `make test-engines` tests: installs those that can be, and says which cannot.

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
    """What an extra of pyproject.toml brings; 3.10 reads no TOML, and Python has the same lists."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(rf"^{name} = (\[.*?\])$", text, re.MULTILINE | re.DOTALL)
    assert found, f"pyproject.toml has an extra {name}"
    packages: list[str] = ast.literal_eval(found[1])
    return packages


# the module: what pip is asked for
ENGINES = {
    "pyspark": extra("spark"),
    "ray": extra("ray"),
    "polars": ["polars"],
    "duckdb": ["duckdb"],
    "dask": ["dask[dataframe]"],
    "daft": ["daft"],
    "fsspec": ["fsspec"],
}
JAVA = {  # by the program that installs it; apt-get's lists are empty on a fresh machine
    "apt-get": "apt-get update && apt-get install --yes --no-install-recommends "
    "openjdk-17-jre-headless",
    "dnf": "dnf install --assumeyes java-17-openjdk-headless",
}
LIMIT = 400  # seconds for each


def is_here(module: str) -> bool:
    """Whether a module can be imported, in a process of its own."""
    return not subprocess.run(
        [sys.executable, "-c", f"import {module}"], capture_output=True
    ).returncode


def install(packages: list[str]) -> str:
    """Install them; returns why that failed, or nothing."""
    command = [sys.executable, *PIP, "install", *packages]
    return _run(command, shell=False)


def install_java() -> str:
    """The same for Java, which only root can install."""
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
        print(f"{module}: {why or 'is here'}", flush=True)
    why = "" if shutil.which("java") else install_java()
    print(f"java: {why or 'is here'}", flush=True)


if __name__ == "__main__":
    main()
