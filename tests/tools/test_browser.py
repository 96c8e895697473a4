"""Finding and installing a browser; a failure affects only the page tests."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import browser

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def installs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Iterator[str]:
        raise AssertionError("a test is about to install something")

    monkeypatch.setattr(browser, "ways_to_install", fail)


def test_scripts_that_are_no_browsers_are_skipped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    api = pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")
    stub = tmp_path / "chromium"
    stub.write_text("#!/bin/sh\necho 'first install the package'\nexit 1\n")
    stub.chmod(0o755)
    monkeypatch.setattr(browser, "candidates", lambda: iter([str(stub)]))
    with api.sync_playwright() as playwright:
        assert browser.start_browser(playwright) is None


def test_playwrights_own_comes_after_those_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browser, "PLACES", (sys.executable, "/nowhere"))
    monkeypatch.setattr(browser.shutil, "which", {"chromium": "/bin/chromium"}.get)
    assert list(browser.candidates()) == ["/bin/chromium", sys.executable, None]


def test_packages_are_installed_only_by_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(browser.shutil, "which", {"dnf": "/bin/dnf"}.get)
    monkeypatch.setattr(browser.os, "geteuid", lambda: 1000, raising=False)
    assert list(browser.ways_to_install()) == [browser.DOWNLOAD]
    monkeypatch.setattr(browser.os, "geteuid", lambda: 0, raising=False)
    assert list(browser.ways_to_install()) == [browser.DOWNLOAD, browser.PACKAGES["dnf"]]


def test_a_command_that_fails_or_hangs_is_followed_by_the_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sleep = f'"{sys.executable}" -c "import time; time.sleep(60)"'
    write = f"echo here > {tmp_path / 'browser'}"
    monkeypatch.setattr(browser, "ways_to_install", lambda: iter(["exit 3", sleep, write]))
    monkeypatch.setattr(browser, "LIMIT", 0.5)
    found = tmp_path / "browser"
    monkeypatch.setattr(browser, "version", lambda: "chromium 1" if found.exists() else None)
    browser.main()
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[2] for line in said] == ["exit 3", sleep, write, "chromium 1"]


def test_a_missing_browser_is_no_error_of_the_tool(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(browser, "ways_to_install", lambda: iter(()))
    monkeypatch.setattr(browser, "version", lambda: None)
    browser.main()
    assert "none can be had" in capsys.readouterr().out


@pytest.mark.parametrize(("ci", "outcome"), [("", "skipped"), ("true", "errors")])
def test_a_missing_browser_is_reported_at_the_end_and_fails_in_ci(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, outcome: str
) -> None:
    pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")
    pytest.importorskip("starlette", reason='needs the extra: pip install "dodona[server]"')
    monkeypatch.setenv("CI", ci)
    tests = Path(__file__).parents[1]
    conftest = (tests / "conftest.py").read_text(encoding="utf-8")
    nothing = "import tools.browser\ntools.browser.candidates = lambda: iter(())\n"
    pytester.makeconftest(conftest + nothing)
    pytester.makepyfile("pytest_plugins = ['support.browser_lab']\ndef test_page(browser): pass\n")
    pytester.makeini(f"[pytest]\npythonpath = {tests.as_posix()} {tests.parent.as_posix()}\n")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(**{outcome: 1})
    told = f"*1 tests of pages did not run: {browser.MISSING}*"
    if ci:
        result.stdout.fnmatch_lines([f"*{browser.MISSING}*"])
        assert result.ret != 0
    else:
        result.stdout.fnmatch_lines([told])
        assert result.ret == 0
