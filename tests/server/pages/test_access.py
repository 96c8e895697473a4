"""The pages by the rules of WCAG, as axe-core checks them, in every state and colour scheme."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")
pytest.importorskip("axe_playwright_python", reason="needs axe-core in a package")

from playwright.sync_api import Browser, expect

from support.access import LOOKS, fits, violations
from support.browser_lab import keep, open_page

pytestmark = pytest.mark.thorough  # needs a browser

pytest_plugins = ["support.browser_lab"]

LETTER = "/explore#path=SHIFT+LEFT-ARC%3ASBJ"


@pytest.mark.parametrize("look", LOOKS)
def test_the_parse_page_in_all_its_views(browser: Browser, address: str, look: str) -> None:
    for page in open_page(browser, address, **LOOKS[look]):
        page.goto("/#text=two+oaks+speak&other=other")
        expect(page.locator(".tree .word").first).to_be_visible()
        page.locator(".tree .word").first.click()
        page.click("#history > summary")
        views = ("trees", "compact", "table", "conllu", "json", "graph")
        for view in views if look == "light" else ("table", "trees"):
            page.click(f"[data-view={view}]")
            expect(page.locator(f"[data-view={view}]")).to_have_attribute("aria-pressed", "true")
            assert violations(page) == []
        keep(page, f"access-parse-{look}")
        assert fits(page)


@pytest.mark.parametrize("look", LOOKS)
def test_the_explorer_in_many_states(browser: Browser, address: str, look: str) -> None:
    for page in open_page(browser, address, **LOOKS[look]):
        page.goto(LETTER)
        expect(page.locator(".chip.on")).to_have_count(3)
        assert violations(page) == []
        page.locator("button.action").first.focus()
        expect(page.locator(".why .reason")).to_be_visible()
        page.click("#keys")
        page.click(".moves summary")
        page.click("#input > summary")
        page.click("#edit")
        expect(page.locator("#editor .word").first).to_be_visible()
        assert violations(page) == []
        keep(page, f"access-explore-{look}")
        assert fits(page)


@pytest.mark.parametrize("look", LOOKS)
def test_the_manual(browser: Browser, address: str, look: str) -> None:
    for page in open_page(browser, address, **LOOKS[look]):
        page.goto("/help")
        expect(page.locator("#lessons")).to_be_visible()
        assert violations(page) == []
        keep(page, f"access-help-{look}")
        assert fits(page)


@pytest.mark.parametrize("look", ["dark", "phone"])
def test_lessons_pairs_errors_and_beams(browser: Browser, address: str, look: str) -> None:
    for page in open_page(browser, address, **LOOKS[look]):
        page.goto("/explore#lesson=beam&step=3")
        expect(page.locator(".hypothesis").first).to_be_visible()
        assert violations(page) == []
        keep(page, f"access-beam-{look}")
        page.goto("/explore#lesson=swap")
        expect(page.locator(".unreachable")).to_be_visible()
        page.click("#compare")
        expect(page.locator(".panel")).to_have_count(2)
        expect(page.locator(".panel").nth(1).locator("button.action").first).to_be_visible()
        assert violations(page) == []
        assert fits(page)
        page.goto("/explore#path=REDUCE")
        expect(page.locator(".panel .notice").first).to_be_visible()
        page.click("#lessons a >> nth=0")
        page.click("#lesson-try")
        expect(page.locator("#lesson-verdict")).to_be_visible()
        assert violations(page) == []
        page.goto("/explore#lesson=arc-hybrid&step=3")
        page.click(".table > summary")
        expect(page.locator(".table td").first).to_be_visible()
        assert violations(page) == []
        assert fits(page)
        page.click("#lesson-quiz")
        page.locator("button.action").first.click()
        expect(page.locator("#quiz")).to_be_visible()
        assert violations(page) == []


def test_optimal_and_lost_are_shown_without_colours(browser: Browser, address: str) -> None:
    for page in open_page(browser, address, forced_colors="active"):
        page.goto(LETTER + "+RIGHT-ARC%3APRD+SHIFT")
        expect(page.locator(".chip.on")).to_have_count(5)
        optimal = page.locator("button.action.optimal").first
        expect(optimal.locator(".mark")).to_contain_text("✓")
        style = "(e) => getComputedStyle(e).borderTopStyle"
        assert optimal.evaluate(style) == "double"
        assert page.locator("button.action:not(.optimal)").first.evaluate(style) == "solid"
        dashes = "(e) => getComputedStyle(e).strokeDasharray"
        kinds = [page.locator(f".arc.{kind} .line").first for kind in ("built", "gold", "lost")]
        assert len({line.evaluate(dashes) for line in kinds}) == 3
