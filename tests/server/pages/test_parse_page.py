"""The parse page in a real browser, and what both pages have in common."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")

from playwright.sync_api import Browser, Page, expect

from support.browser_lab import keep, open_page
from support.small import treebank

pytest_plugins = ["support.browser_lab"]


def test_text_is_parsed_drawn_and_explored(page: Page) -> None:
    forms = treebank(5, 9, 0)[2].forms
    page.goto("/")
    page.fill("#text", " ".join(forms))
    page.select_option("#input", "tokens")
    page.click("button.primary")
    expect(page.locator("#count")).to_have_text("1 sentence")
    assert page.locator(".tree .word .form").all_text_contents() == forms
    page.locator(".tree .word").nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".word-columns dd").nth(1)).to_have_text(forms[1])
    keep(page, "parse")
    page.reload()
    expect(page.locator(".tree .word")).to_have_count(len(forms))
    page.click("text=Open in explorer")
    expect(page.locator("#summary")).to_have_text(" ".join(forms))
    expect(page.locator(".action .score").first).to_be_visible()
    page.go_back()
    expect(page.locator(".tree .word")).to_have_count(len(forms))


def test_the_parse_page_copies_and_shows_errors(browser: Browser, address: str) -> None:
    for page in open_page(browser, address, permissions=["clipboard-read", "clipboard-write"]):
        page.goto("/")
        page.fill("#text", "no columns")
        page.select_option("#input", "conllu")
        page.click("button.primary")
        expect(page.locator("#error")).to_contain_text("line 1: expected 10 tab-separated columns")
        page.fill("#text", "two oaks")
        page.select_option("#input", "text")
        page.locator("#text").press("Control+Enter")
        expect(page.locator("#error")).to_be_hidden()
        page.click("#copy-conllu")
        expect(page.locator("#copy-conllu")).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()").startswith(
            "# text = two oaks\n1\ttwo\t"
        )
        page.click(".tree >> text=Copy SVG")
        expect(page.locator(".tree >> text=Copied")).to_be_visible()
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied.startswith("<svg") and "<style>" in copied  # it looks the same elsewhere
        assert page.locator(".tree style").count() == 0  # here the page's own style holds


@pytest.mark.parametrize("path", ["/", "/explore"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_a_phone_in_light_and_dark(
    browser: Browser, address: str, path: str, scheme: str
) -> None:
    options = {"viewport": {"width": 390, "height": 844}, "color_scheme": scheme, "has_touch": True}
    for page in open_page(browser, address, **options):
        page.goto(path)
        page.wait_for_load_state("networkidle")
        if path == "/explore":
            page.locator('button.action[data-action="SHIFT"]').click()
            page.locator(".chip").nth(1).wait_for()
        too_wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert too_wide <= 0
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        light = sum(map(int, re.findall(r"\d+", background)[:3])) > 3 * 128
        assert light == (scheme == "light")
        keep(page, f"phone-{scheme}{path.replace('/', '-')}")
