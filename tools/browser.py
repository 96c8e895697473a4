"""Find or install a browser for the page tests: an installed one, Playwright's or the system's.

python -m tools.browser    the first step of `make test`
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

NAMES = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "msedge"),
)
# locations outside the PATH
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

DOWNLOAD = f'"{sys.executable}" -m playwright install --only-shell chromium'
PACKAGES = {  # by package manager; the lists of apt-get are empty on a new machine
    "apt-get": "apt-get update && apt-get install --yes --no-install-recommends chromium",
    "dnf": "dnf install --assumeyes chromium",
}
LIMIT = 240  # seconds for each command
MISSING = "no browser could be started"


def candidates() -> Iterator[str | None]:
    """Return the installed browsers, and None for Playwright's own."""
    yield from filter(None, map(shutil.which, NAMES))
    yield from (place for place in PLACES if Path(place).exists())
    yield None


def start_browser(playwright: Playwright) -> Browser | None:
    """Return the first browser that starts; some are scripts that only print a hint."""
    from playwright.sync_api import Error

    for path in candidates():
        try:
            return playwright.chromium.launch(executable_path=path, args=FLAGS)
        except Error:
            continue
    return None


def version() -> str | None:
    """Describe the browser that the tests will use."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = start_browser(playwright)
        return f"{browser.browser_type.name} {browser.version}" if browser else None


def ways_to_install() -> Iterator[str]:
    """Return the commands that may install a browser, best first."""
    yield DOWNLOAD
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        yield from (command for name, command in PACKAGES.items() if shutil.which(name))


def install() -> str | None:
    """Try to install a browser; return the description of the one that starts."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    for command in ways_to_install():
        print(f"No browser yet; trying: {command}", flush=True)
        try:
            subprocess.run(
                command,
                shell=True,
                check=True,
                timeout=LIMIT,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
        except subprocess.SubprocessError:
            continue
        if found := version():
            return found
    return None


def main() -> None:
    try:
        found = version() or install()
    except ImportError as error:
        found = None
        print(error)
    print(f"Browser for the tests of pages: {found or 'none can be had'}", flush=True)


if __name__ == "__main__":
    main()
