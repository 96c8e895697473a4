"""The parse page under use: stale answers, long texts, links, keyboards, paper."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")

from playwright.sync_api import Browser, Error, Page, Request, Route, expect

from support.browser_lab import keep, open_page
from support.small import treebank

pytestmark = pytest.mark.thorough  # needs a browser

pytest_plugins = ["support.browser_lab"]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SMALL = """(least) => [...document.querySelectorAll('button, .button, select, summary, nav a')]
    .filter((e) => e.getClientRects().length && !e.matches('.term'))
    .map((e) => [e.outerHTML.slice(0, 90), e.getBoundingClientRect()])
    .filter(([, box]) => box.height < least || box.width < least).map(([html]) => html)"""


def at(**values: str) -> str:
    """The address of a text."""
    return f"/#{urlencode(values)}"


def lines(n: int) -> str:
    """Return n tokenised sentences, one on each line."""
    known = [" ".join(sentence.forms) for sentence in treebank(20, 9, 0)]
    return "\n".join(known[i % len(known)] for i in range(n))


def parse(page: Page, text: str, kind: str = "tokens") -> None:
    page.fill("#text", text)
    page.select_option("#input", kind)
    page.click("button.primary")


def hold(page: Page, word: str) -> list[Route]:
    """Keep back requests to parse a text with this word."""
    held: list[Route] = []

    def decide(route: Route) -> None:
        if word in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/parse", decide)
    return held


def test_a_stale_answer_does_not_replace_a_newer_one(page: Page) -> None:
    page.goto("/")
    held = hold(page, "slow")
    parse(page, "slow slow slow")
    parse(page, "two oaks")
    expect(page.locator("#count")).to_have_text("1 sentence")
    for route in held:
        try:
            route.continue_()
        except Error:  # the page has given up the request
            continue
    page.wait_for_timeout(500)
    assert page.locator(".tree .word .form").all_text_contents() == ["two", "oaks"]
    expect(page.locator("#error")).to_be_hidden()


def test_long_work_shows_that_it_runs_and_is_cancelled(page: Page) -> None:
    page.goto("/")
    expect(page.locator("#count")).to_contain_text("An example")
    hold(page, "slow")
    parse(page, "slow")
    expect(page.locator("#busy")).to_contain_text("Parsing")
    page.click("#busy button")
    expect(page.locator("#error")).to_have_text("Cancelled.")
    expect(page.locator("#busy")).to_be_hidden()
    expect(page.locator("body[aria-busy]")).to_have_count(0)
    parse(page, "two oaks")
    expect(page.locator("#count")).to_have_text("1 sentence")
    expect(page.locator("#error")).to_be_hidden()


def test_drawings_are_fetched_only_for_the_sentences_shown(page: Page) -> None:
    page.goto("/")
    expect(page.locator("#count")).to_contain_text("An example")
    n_drawn = []
    parsed = []

    def note(request: Request) -> None:
        data = request.post_data_json if request.method == "POST" else None
        if request.url.endswith("/drawings") and data:
            n_drawn.append(data["sentence"].count("\n\n"))
        elif request.url.endswith("/parse") and data:
            parsed.append(data.get("svg"))

    page.on("request", note)
    parse(page, lines(100))
    expect(page.locator("#count")).to_have_text("100 sentences")
    expect(page.locator(".tree svg")).to_have_count(40)
    assert (parsed, sum(n_drawn)) == ([False], 40)
    page.click("#more")
    expect(page.locator(".tree svg")).to_have_count(80)
    assert sum(n_drawn) == 80
    page.click("[data-view=table]")
    expect(page.locator("table.columns")).to_have_count(80)
    assert sum(n_drawn) == 80
    with page.expect_download() as saved:
        page.click("[data-save=svg]")
    assert Path(saved.value.path()).read_text(encoding="utf-8").count("<svg y=") == 100


def test_patterns_are_found_in_a_long_text(page: Page) -> None:
    page.goto("/")
    text = lines(900)  # more CoNLL-U than one request of the explorer may have
    parse(page, text)
    expect(page.locator("#count")).to_have_text("900 sentences")
    page.fill("#pattern", "deprel=root")
    page.click("#search button")
    expect(page.locator("#found")).to_contain_text("in 900 sentences")


def test_a_sentence_has_two_tab_stops_and_arrows_move_between_words(page: Page) -> None:
    page.goto("/")
    parse(page, lines(40))
    expect(page.locator(".tree svg")).to_have_count(40)
    stops = "[...document.querySelectorAll('#sentences *')].filter((e) => e.tabIndex >= 0).length"
    assert page.evaluate(stops) == 80
    words = page.locator(".tree").first.locator(".word")
    words.first.focus()
    page.keyboard.press("ArrowRight")
    expect(words.nth(1)).to_be_focused()
    page.keyboard.press("End")
    expect(words.last).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".word-columns").first).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator(".tree").first.locator(".tools button").first).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".tree").first.locator(".tools a")).to_be_focused()


def test_right_to_left_drawings_are_aligned_to_the_right(page: Page) -> None:
    page.goto(at(text="كتب درس", input="tokens"))
    expect(page.locator(".tree svg")).to_have_attribute("direction", "rtl")
    holder, drawing = (page.locator(f".tree {part}").bounding_box() for part in (".picture", "svg"))
    assert holder is not None and drawing is not None
    assert drawing["width"] < holder["width"] / 2
    assert drawing["x"] + drawing["width"] == pytest.approx(holder["x"] + holder["width"], abs=1)
    page.locator(".tree .word").first.focus()
    page.keyboard.press("ArrowLeft")  # on, in this direction
    expect(page.locator(".tree .word").nth(1)).to_be_focused()


def test_links_say_what_they_cannot_hold(page: Page) -> None:
    page.goto("/")
    text = "two oaks. " * 2500
    parse(page, text, "text")
    expect(page.locator("#count")).to_have_text("2500 sentences")
    page.click("#copy-link")
    expect(page.locator("#error")).to_contain_text("25000 characters; a link holds up to 20000")
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("#notice")).to_contain_text("25000 characters) was too long for an address")


def test_a_link_to_an_unknown_model_says_which_one_is_used(page: Page) -> None:
    page.goto(at(text="two oaks", model="latin", other="greek"))
    expect(page.locator("#count")).to_have_text("1 sentence")
    expect(page.locator("#notice")).to_have_text(
        "This server has no model latin; invented is used instead. "
        "This server has no model greek; nothing is compared."
    )
    expect(page.locator("#model")).to_have_value("invented")
    parse(page, "two oaks")
    expect(page.locator("#notice")).to_be_hidden()


def test_the_start_page_shows_an_example_version_manual_and_api(page: Page) -> None:
    import dodona

    page.goto("/")
    expect(page.locator("#count")).to_contain_text("An example: ")
    expect(page.locator(".tree .word").first).to_be_visible()
    expect(page.locator("#text")).to_have_value("")
    expect(page.locator("#history")).to_be_hidden()  # nothing was typed
    assert page.url.endswith("/")
    foot = page.locator(".foot")
    expect(foot).to_contain_text(f"Dodona {dodona.__version__}")
    for name, heading in (("API", "Dodona: interface"), ("Manual", "Lessons of your own")):
        page.goto("/")
        foot.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
    content = page.request.get("/api/openapi.json").text()
    assert json.loads(content)["openapi"]


def test_paper_gets_light_trees_and_no_buttons(browser: Browser, address: str) -> None:
    for page in open_page(browser, address, color_scheme="dark"):
        page.goto(at(text=lines(2), input="tokens"))
        expect(page.locator(".tree svg")).to_have_count(2)
        page.emulate_media(media="print", color_scheme="dark")
        keep(page, "print-parse")
        seen = "[...document.querySelectorAll('button, .button, select, textarea, header, footer')]"
        assert page.evaluate(f"{seen}.filter((e) => e.getClientRects().length).length") == 0
        colour = page.evaluate("getComputedStyle(document.querySelector('svg .form')).fill")
        assert max(map(int, re.findall(r"\d+", colour)[:3])) < 90
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(255, 255, 255)"
        wide = "[...document.querySelectorAll('svg')].map((e) => e.getBoundingClientRect().right)"
        assert max(page.evaluate(wide)) <= page.evaluate("document.documentElement.clientWidth")


def test_buttons_are_large_enough_for_mice_and_fingers(browser: Browser, address: str) -> None:
    for options, least in (({}, 24), (PHONE, 44)):
        for page in open_page(browser, address, **options):
            for path in (at(text=lines(2), input="tokens"), "/explore#lesson=swap&step=3"):
                page.goto(path)
                expect(page.locator(".tree svg, button.action").first).to_be_visible()
                page.wait_for_load_state("networkidle")
                assert page.evaluate(SMALL, least) == []


def test_a_models_own_tree_is_not_called_gold(page: Page) -> None:
    page.goto(at(text=lines(1), input="tokens"))
    page.click("text=Open in explorer")
    expect(page.locator("#reference")).to_contain_text("predicted by invented; it is not a gold")
    expect(page.locator(".legend .gold .term").first).to_have_text("parsed by invented")
    expect(page.locator(".best .loss")).to_have_text("the reference tree itself")
    page.reload()
    expect(page.locator("#reference")).to_contain_text("predicted by invented")
    page.click("#unparsed")
    expect(page.locator("#reference")).to_be_hidden()
    expect(page.locator(".tally")).to_contain_text("no gold tree")
