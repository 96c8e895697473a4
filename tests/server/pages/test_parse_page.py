"""The parse page in a real browser, and what both pages have in common."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")

from playwright.sync_api import Browser, Page, expect

from support.browser_lab import held, keep, open_page
from support.small import treebank

pytestmark = pytest.mark.thorough  # needs a browser

pytest_plugins = ["support.browser_lab"]


def at(**values: str) -> str:
    """The address of a text."""
    return f"/#{urlencode(values)}"


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


def test_a_page_begins_with_examples_and_a_place_to_type(page: Page) -> None:
    page.goto("/")
    expect(page.locator("#text")).to_be_focused()
    assert page.locator("#text").get_attribute("placeholder")
    assert page.locator("#example option").count() > 6
    page.select_option("#example", "A question")
    expect(page.locator(".tree .word").first).to_be_visible()
    expect(page.locator("#text")).to_have_value(re.compile("the train to the coast"))


@pytest.mark.parametrize(("path", "part"), [("/", "#text"), ("/explore", "#compare")])
def test_nothing_can_be_used_before_it_works(page: Page, path: str, part: str) -> None:
    with held(page, "**/api/models"):
        page.goto(path)
        expect(page.get_by_role("link", name="Manual").first).to_be_visible()
        assert page.locator("main :is(button, input, select, textarea)").count() > 9
        assert (
            page.locator("main :is(button, input, select, textarea) >> visible=true").count() == 0
        )
    expect(page.locator(part)).to_be_visible()
    if path == "/explore":
        with held(page, "**/api/explore"):
            page.goto("about:blank")
            page.goto(path)
            expect(page.locator("[data-setting=system]")).to_be_visible()
            expect(page.locator("[data-do=step]")).to_be_hidden()
        page.click("[data-do=step]")
        expect(page.locator(".chip")).to_have_count(2)


def test_files_of_text_and_treebanks_are_opened(page: Page, tmp_path: Path) -> None:
    page.goto("/")
    text = tmp_path / "note.txt"
    text.write_text("two oaks", encoding="utf-8")
    page.set_input_files("#file", str(text))
    expect(page.locator("#count")).to_have_text("1 sentence")
    expect(page.locator("#input")).to_have_value("text")
    trees = tmp_path / "three.conllu"
    trees.write_bytes(b"".join(map(bytes, treebank(3, 5, 0))))
    page.set_input_files("#file", str(trees))
    expect(page.locator("#count")).to_have_text("3 sentences")
    expect(page.locator("#input")).to_have_value("conllu")


def test_views_and_downloads(page: Page) -> None:
    forms = treebank(5, 9, 0)[2].forms
    page.goto(at(text=" ".join(forms), input="tokens"))
    expect(page.locator(".tree .word")).to_have_count(len(forms))
    for view, part, n in (
        ("compact", ".outline li", len(forms)),
        ("table", ".columns tbody tr", len(forms)),
        ("conllu", "pre", 1),
        ("json", "pre", 1),
        ("graph", ".tree .notice", 1),
        ("trees", ".tree .word", len(forms)),
    ):
        page.click(f"[data-view={view}]")
        expect(page.locator(part)).to_have_count(n)
        expect(page.locator("[data-view][aria-pressed=true]")).to_have_attribute("data-view", view)
    page.click("[data-view=table]")
    page.reload()
    expect(page.locator(".columns tbody tr")).to_have_count(
        len(forms)
    )  # the view is in the address
    for kind, begin in (("conllu", "# newdoc"), ("json", "["), ("svg", "<svg")):
        with page.expect_download() as saved:
            page.click(f"[data-save={kind}]")
        assert Path(saved.value.path()).read_text(encoding="utf-8").startswith(begin)


def test_an_enhanced_graph_is_shown_where_there_is_one(page: Page) -> None:
    deps = "1\tOaks\t_\t_\t_\t_\t2\tnsubj\t2:nsubj\t_\n2\tspeak\t_\t_\t_\t_\t0\troot\t0:root\t_\n"
    page.goto(at(text=deps, input="conllu", view="graph"))
    expect(page.locator(".tree .arc[data-label=nsubj]")).to_have_count(1)


def test_two_models_are_compared_and_differences_marked(page: Page) -> None:
    text = "\n".join(" ".join(sentence.forms) for sentence in treebank(6, 9, 0))
    page.goto(at(text=text, input="tokens", other="other"))
    told = page.locator("#difference")
    expect(told).to_contain_text("invented and other differ in")
    found = re.search(r"differ in (\d+) of (\d+) words", told.inner_text())
    assert found is not None
    marked = page.locator(".tree .arc.differs")
    assert marked.count() == 2 * int(found[1])  # in both pictures
    page.click("[data-view=table]")
    expect(page.locator("tr.differs")).to_have_count(int(found[1]))


def test_a_word_shows_its_features_and_its_children(page: Page) -> None:
    sentence = treebank(5, 9, 0)[2]
    page.goto(at(text=bytes(sentence).decode(), input="conllu"))
    root = page.locator(".tree .arc[data-head='0']").first.get_attribute("data-dependent")
    page.locator(f".tree .word[data-id='{root}']").click()
    columns = page.locator(".word-columns")
    expect(columns).to_contain_text("children")
    expect(columns).to_contain_text("ROOT → ")
    n_arcs = page.locator(".tree .arc.chosen").count()
    assert n_arcs == 1 + page.locator(f".tree .arc[data-head='{root}']").count()


def test_patterns_are_found_and_marked(page: Page) -> None:
    text = "\n".join(" ".join(sentence.forms) for sentence in treebank(4, 9, 0))
    page.goto(at(text=text, input="tokens"))
    expect(page.locator(".tree")).to_have_count(4)
    page.fill("#pattern", "deprel=root")
    page.click("#search button")
    expect(page.locator("#found")).to_contain_text("in 4 sentences")
    n_matches = int(page.locator("#found").inner_text().split()[0])
    expect(page.locator(".word.match")).to_have_count(n_matches)
    page.fill("#pattern", "id=1 & deprel=root")
    page.check("#only")
    page.click("#search button")
    expect(page.locator("#found")).to_contain_text("match")
    assert page.locator(".tree").count() == page.locator(".tree.has-match").count()
    page.fill("#pattern", "upos=")
    page.click("#search button")
    expect(page.locator("#found")).to_contain_text("character")


def test_recent_texts_are_kept_in_the_browser_and_forgotten(page: Page) -> None:
    page.goto("/")
    page.fill("#text", "two oaks")
    page.click("button.primary")
    expect(page.locator("#count")).to_have_text("1 sentence")
    page.goto("/")
    page.click("#history > summary")
    page.click(".recent >> text=two oaks")
    expect(page.locator("#text")).to_have_value("two oaks")
    expect(page.locator("#count")).to_have_text("1 sentence")
    page.click("#forget")
    expect(page.locator("#history")).to_be_hidden()
    page.goto("/")
    expect(page.locator("#history")).to_be_hidden()


def test_a_very_long_sentence_is_explained_and_drawn_as_an_outline(page: Page) -> None:
    page.goto(at(text=" ".join(["oak"] * 300), input="tokens"))
    expect(page.locator(".tree .notice")).to_contain_text("300 words is too wide")
    expect(page.locator(".outline li")).to_have_count(300)
    expect(page.locator(".tree >> text=Copy SVG")).to_have_count(0)


def test_right_to_left_and_wide_letters(page: Page) -> None:
    page.goto(at(text="كتب درس\n市政府 开放 剧院 🎭", input="tokens"))
    expect(page.locator(".tree")).to_have_count(2)
    assert page.locator(".tree .sentence").first.get_attribute("dir") == "auto"
    direction = page.evaluate("getComputedStyle(document.querySelector('#text')).direction")
    assert direction == "rtl"
    assert page.locator(".tree svg").first.get_attribute("direction") == "rtl"
    keep(page, "parse-right-to-left")


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
