"""A real browser on the pages, for their tests: fixtures, which test modules load as a plugin."""

from __future__ import annotations

import asyncio
import os
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

from dodona.server.app import make_app
from dodona.server.http.guard import ConnectionGuard
from dodona.server.http.serving import serve
from dodona.server.limits import Limits
from support.server_lab import page_models
from support.waiting import until
from tools.browser import MISSING, start_browser

PATIENCE = 120_000  # milliseconds: a busy machine is no reason to fail
expect.set_options(timeout=PATIENCE)
SLOW = float(os.environ.get("DODONA_SLOW", 1))  # how many times, to find tests that depend on it
SHOTS = os.environ.get("DODONA_SHOTS")  # a folder to keep pictures in


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of a server of the pages, while it runs."""
    listening = socket.create_server(("127.0.0.1", 0))
    loop, end = asyncio.new_event_loop(), asyncio.Event()
    running = serve(make_app(page_models()), listening, ConnectionGuard(Limits()), end=end)
    thread = threading.Thread(target=loop.run_until_complete, args=(running,))
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    loop.call_soon_threadsafe(end.set)
    thread.join()
    loop.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Skips the tests where there is none, and fails them where nobody reads what was skipped."""
    with sync_playwright() as playwright:
        browser = start_browser(playwright)
        if browser is None:
            (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(MISSING)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    yield from open_page(browser, address)


def open_page(browser: Browser, address: str, **options: object) -> Iterator[Page]:
    """A page whose every request goes to our own server, and whose scripts make no errors."""
    context = browser.new_context(base_url=address, **options)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    if SLOW > 1:
        slow_down(page)
    elsewhere: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: elsewhere.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    yield page
    context.close()
    ours = (address, "data:", "blob:")
    assert [url for url in elsewhere if not url.startswith(ours)] == []
    refused = re.compile(r"Failed to load resource.* 4\d\d")  # an error that the page itself shows
    assert [error for error in errors if not refused.search(error)] == []


def slow_down(page: Page) -> None:
    """Give the page a slow processor and a slow network."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOW})
    speed = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", {**speed, "latency": 30 * SLOW})  # ms


def keep(page: Page, name: str) -> None:
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


@contextmanager
def held(page: Page, pattern: str) -> Iterator[None]:
    """Keep back the answers to some requests meanwhile; there is one at least."""
    routes: list[Route] = []
    is_over = False

    def hold(route: Route) -> None:
        if is_over:  # it comes late
            route.continue_()
        else:
            routes.append(route)

    page.route(pattern, hold)
    yield
    assert until(lambda: page.wait_for_timeout(10) is None and bool(routes))  # they arrive
    is_over = True
    for route in routes:
        route.continue_()
