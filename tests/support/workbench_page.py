"""The workbench's page in a browser: a fixture that opens it, and what tests do with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from dodona.annotate import Workbench
from dodona.server.workbench.endpoints import Endpoints
from support.annotate_lab import TOKEN, opened, save_model
from support.browser_lab import open_page

Open = Callable[..., tuple[Page, Workbench]]


@pytest.fixture(scope="module")
def tagging_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model of the invented language."""
    return save_model(tmp_path_factory.mktemp("models"))


@pytest.fixture
def start(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """A function that opens the page on a treebank."""
    with ExitStack() as stack:

        def begin(
            conllu: str,
            other: str | None = None,
            lesson: bool = False,
            look: dict[str, Any] | None = None,
            **options: Any,
        ) -> tuple[Page, Workbench]:
            path, theirs = tmp_path / "corpus.conllu", tmp_path / "other.conllu"
            path.write_text(conllu, encoding="utf-8")
            if other is not None:
                theirs.write_text(other, encoding="utf-8")
            workbench = Workbench(path, **options)
            served = Endpoints(workbench, None if other is None else theirs, lesson)
            address = stack.enter_context(opened(served))
            pages = open_page(browser, address, **(look or {}))
            page = next(pages)
            stack.callback(next, pages, None)
            page.goto(f"/?token={TOKEN}")
            expect(page.locator(".word").first).to_be_visible()
            return page, workbench

        yield begin


def word(page: Page, number: int) -> Locator:
    return page.locator(f".word[data-word='{number}']")


def arc(page: Page, dependent: int) -> Locator:
    return page.locator(f".arc[data-word='{dependent}']")


def label(page: Page, dependent: int) -> Locator:
    return arc(page, dependent).locator(".label")


def drag(page: Page, head: int, dependent: int) -> None:
    """Drag from a head, or from the empty space above the words (0), to a dependent."""
    box = (page.locator(".arcs") if head == 0 else word(page, head)).bounding_box()
    to = word(page, dependent).bounding_box()
    assert box is not None and to is not None
    start = (box["x"] + box["width"] - 5, box["y"] + 5) if head == 0 else middle(box)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*middle(to), steps=5)
    page.mouse.up()


def middle(box: Any) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def do(page: Page, command: str) -> None:
    """Type a command, and wait until it is done."""
    page.fill("#command", command)
    page.press("#command", "Enter")
    expect(page.locator("#command")).to_have_value("")
