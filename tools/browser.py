"""A browser for the tests of pages: one that is here, else Playwright's, else the system's package.

python -m tools.browser    finds or installs one, and says what it does: `make test` begins so
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
# where they are, if not on the PATH
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

DOWNLOAD = f'"{sys.executable}" -m playwright install --only-shell chromium'
PACKAGES = {  # by the program that installs them; apt-get's lists are empty on a fresh machine
    "apt-get": "apt-get update && apt-get install --yes --no-install-recommends chromium",
    "dnf": "dnf install --assumeyes chromium",
}
LIMIT = 240  # seconds for each
MISSING = "no browser could be started"


def candidates() -> Iterator[str | None]:
    """The browsers that are here, and None for Playwright's own, which it finds by itself."""
    yield from filter(None, map(shutil.which, NAMES))
    yield from (place for place in PLACES if Path(place).exists())
    yield None


def start_browser(playwright: Playwright) -> Browser | None:
    """The first browser that starts; some are scripts that only tell how to get one."""
    from playwright.sync_api import Error

    for path in candidates():
        try:
            return playwright.chromium.launch(executable_path=path, args=FLAGS)
        except Error:
            continue
    return None


def version() -> str | None:
    """The browser that tests will use, in words."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = start_browser(playwright)
        return f"{browser.browser_type.name} {browser.version}" if browser else None


def ways_to_install() -> Iterator[str]:
    """Commands that may bring a browser, best first."""
    yield DOWNLOAD
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        yield from (command for name, command in PACKAGES.items() if shutil.which(name))


def install() -> str | None:
    """Try what may work until a browser starts; which, in words."""
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
