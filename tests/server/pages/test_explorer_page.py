"""The pages in a real browser: what people click, type and press."""

from __future__ import annotations

import re
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")

from playwright.sync_api import Browser, Page, Route, expect

from support.browser_lab import keep, open_page
from support.small import treebank

pytestmark = pytest.mark.thorough  # needs a browser

pytest_plugins = ["support.browser_lab"]

BEGUN = ["SHIFT", "LEFT-ARC:SBJ", "RIGHT-ARC:PRD"]  # sequence (1) of the paper, three transitions
ALGORITHM_1 = ["SHIFT", "LEFT-ARC:DET", "SHIFT", "SHIFT"]  # what the static oracle then predicts
BETTER = ["SHIFT", "LEFT-ARC:DET", "LEFT-ARC:DET", "RIGHT-ARC:DOBJ", "REDUCE", "RIGHT-ARC:P"]


def at(**values: str) -> str:
    """The address of a state."""
    return f"/explore#{urlencode(values)}"


def take(page: Page, action: str, panel: int = 0) -> None:
    holder = page.locator(".panel").nth(panel)
    button = holder.locator(f'button.action[data-action="{action}"]')
    button.wait_for()
    n_taken = holder.locator(".chip.on").count()
    button.click()
    expect(holder.locator(".chip.on")).to_have_count(n_taken + 1)


def walk(page: Page, *actions: str) -> None:
    for action in actions:
        take(page, action)


def cost(page: Page, action: str) -> str:
    return page.locator(f'button.action[data-action="{action}"] .cost').inner_text()


def stack_and_buffer(page: Page, panel: int = 0) -> tuple[list[str], list[str]]:
    holder = page.locator(".panel").nth(panel)
    stack = holder.locator(".stack .id, .stack .root").all_inner_texts()
    return stack[::-1], holder.locator(".buffer .id, .buffer .root").all_inner_texts()


def test_figure_3_of_the_paper_by_clicking(page: Page) -> None:
    page.goto("/explore")
    walk(page, *BEGUN)
    assert cost(page, "RIGHT-ARC:IOBJ") == "0"
    assert cost(page, "SHIFT") == "1"
    take(page, "SHIFT")  # the wrong turn
    assert stack_and_buffer(page) == (["ROOT", "2", "3"], ["4", "5", "6"])
    expect(page.locator(".tally .lost")).to_have_text("lost: wrote → her (IOBJ)")
    walk(page, *ALGORITHM_1)
    expect(page.locator(".tally .loss b")).to_have_text("3")
    expect(page.locator(".tally .spent b")).to_have_text("3")
    lost = page.locator(".panel .picture").first.locator(".arc.lost")
    assert [arc.get_attribute("data-label") for arc in lost.all()] == ["IOBJ", "DOBJ", "P"]
    keep(page, "figure-3-left")
    page.locator(".chip", has_text="SHIFT").nth(1).click()  # back to the wrong turn, and branch
    expect(page.locator(".chip[aria-current=step]")).to_contain_text("SHIFT")
    walk(page, *BETTER)
    expect(page.locator(".tally .loss b")).to_have_text("1")
    expect(page.locator(".tally .spent b")).to_have_text("1")
    expect(page.locator(".branches > li")).to_have_count(2)  # both ways stay in sight
    keep(page, "figure-3-right")


def test_a_link_leads_to_the_same_state(page: Page, browser: Browser, address: str) -> None:
    page.goto("/explore")
    walk(page, *BEGUN, "SHIFT")
    page.mouse.move(2, 2)  # pointing at nothing
    for other in open_page(browser, address):
        other.goto(page.url)
        expect(other.locator(".why .reason")).to_contain_text("It cost 1")
        shown = other.locator(".panel").inner_text()
    for _ in range(2):
        expect(page.locator(".panel")).to_have_text(shown, use_inner_text=True)
        page.reload()


def test_the_back_button_undoes_and_the_forward_button_redoes(page: Page) -> None:
    page.goto("/explore")
    walk(page, "SHIFT", "SHIFT")
    page.go_back()
    expect(page.locator(".side.stack li")).to_have_count(2)
    expect(page.locator(".chip[aria-current=step]")).to_have_text("SHIFT")
    assert stack_and_buffer(page)[0] == ["ROOT", "1"]
    page.go_forward()
    expect(page.locator(".side.stack li")).to_have_count(3)


def test_undo_redo_start_and_branches(page: Page) -> None:
    page.goto("/explore")
    walk(page, "SHIFT", "LEFT-ARC:SBJ")
    page.click("[data-do=undo]")
    expect(page.locator(".side.stack li")).to_have_count(2)
    page.click("[data-do=redo]")
    expect(page.locator(".side.stack li")).to_have_count(1)
    page.click("[data-do=undo]")
    expect(page.locator(".side.stack li")).to_have_count(2)
    page.locator('[data-action="SHIFT"]').click()  # another way
    expect(page.locator(".branches > li")).to_have_count(2)
    page.locator(".branches .chip", has_text="LEFT-ARC:SBJ").click()
    expect(page.locator(".chip[aria-current=step]")).to_have_text("LEFT-ARC:SBJ")
    page.click("[data-do=start]")
    expect(page.locator(".chip[aria-current=step]")).to_have_text("start")
    expect(page.locator("[data-do=undo]")).to_be_disabled()


def test_a_derivation_is_played_paused_and_stepped(page: Page) -> None:
    page.goto("/explore")
    page.select_option("[data-derivation]", "static")
    page.click("[data-do=step]")
    expect(page.locator(".chip[aria-current=step]")).to_have_text("SHIFT")
    watch_chips(page)
    page.click("[data-do=play]")
    page.wait_for_function("() => seen.includes('LEFT-ARC:SBJ')")
    page.click("[data-do=play]")
    expect(page.locator("[data-do=play]")).to_have_text("▶ Play")
    page.click("[data-do=play]")
    expect(page.locator(".tally")).to_contain_text("final")
    expect(page.locator(".tally .loss b")).to_have_text("0")


def watch_chips(page: Page) -> None:
    """Record the chips of the states that are shown, some of them for a moment only."""
    page.evaluate(
        """() => { window.seen = []; new MutationObserver(() => {
            seen.push(document.querySelector('.chip[aria-current=step]')?.textContent);
        }).observe(document.querySelector('.ways'), { childList: true, subtree: true }); }"""
    )


def test_the_last_path_is_replayed(page: Page) -> None:
    page.goto("/explore")
    walk(page, "SHIFT", "SHIFT", "SHIFT")
    page.select_option("[data-derivation]", "again")
    watch_chips(page)
    page.click("[data-do=play]")
    page.wait_for_function("() => seen.includes('start') && seen.at(-1) !== 'start'")
    expect(page.locator(".side.stack li")).to_have_count(4)
    expect(page.locator(".branches")).to_have_count(0)  # no other way than this


def test_nothing_is_animated_with_reduced_motion(browser: Browser, address: str) -> None:
    for page in open_page(browser, address, reduced_motion="reduce"):
        page.goto("/explore")
        page.click("[data-do=play]")
        expect(page.locator("[data-do=step]")).to_be_focused()
        expect(page.locator("#status")).to_contain_text("use Step")
        steps = page.locator(".steps button")
        expect(steps.first).to_have_text("SHIFT")
        page.wait_for_timeout(1500)
        expect(page.locator(".chip")).to_have_count(1)
        page.keyboard.press("Enter")
        expect(page.locator(".chip")).to_have_count(2)
        expect(page.locator(".steps [aria-current=step]")).to_have_text("SHIFT")
        steps.nth(2).click()
        expect(page.locator(".chip.on")).to_have_count(4)


def test_by_keyboard_alone(page: Page) -> None:
    page.goto("/explore")
    expect(page.locator(".action").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    focused = page.locator(":focus")
    expect(focused).to_have_attribute("data-action", "SHIFT")
    page.keyboard.press("Enter")
    expect(page.locator(".chip.on")).to_have_count(2)
    expect(focused).to_have_attribute("data-action", "LEFT-ARC:SBJ")  # the first optimal one
    expect(page.locator("#status")).to_contain_text("SHIFT, cost 0. Stack: ROOT He.")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    expect(focused).to_have_attribute("data-action", re.compile("."))
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".chip.on")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".chip.on")).to_have_count(3)
    page.keyboard.press("Home")
    expect(page.locator(".chip.on")).to_have_count(1)
    outline = page.evaluate(
        "() => { const b = document.querySelector('.action'); b.focus();"
        " return getComputedStyle(b).outlineStyle }"
    )
    assert outline == "solid"


def test_two_systems_side_by_side(page: Page) -> None:
    page.goto(at(system="arc-eager", root="none"))
    page.click("#compare")
    expect(page.locator(".panel")).to_have_count(2)
    for panel in (0, 1):
        for action in ("SHIFT", "LEFT-ARC:SBJ", "SHIFT", "SHIFT"):
            take(page, action, panel)
    arc_eager, nonmonotonic = page.locator(".tally .loss b").all_inner_texts()
    assert (arc_eager, nonmonotonic) == ("1", "0")  # what one has lost the other can repair
    take(page, "UNSHIFT", 1)
    assert stack_and_buffer(page, 1) == (["2"], ["3", "4", "5", "6"])
    keep(page, "side-by-side")
    page.reload()
    expect(page.locator(".panel")).to_have_count(2)
    expect(page.locator(".panel").nth(1).locator(".chip.on")).to_have_count(6)
    assert stack_and_buffer(page, 1) == (["2"], ["3", "4", "5", "6"])
    page.locator(".panel").nth(1).locator("[data-do=start]").focus()
    page.keyboard.press("ArrowLeft")  # keys are for the panel that has the focus
    expect(page.locator(".panel").nth(1).locator(".chip.on")).to_have_count(5)
    expect(page.locator(".panel").nth(0).locator(".chip.on")).to_have_count(5)
    page.click("#compare")
    expect(page.locator(".panel")).to_have_count(1)


def test_fast_clicks_on_a_slow_server_show_the_last_state(page: Page) -> None:
    page.goto("/explore")
    expect(page.locator(".action").first).to_be_visible()

    def slow(route: Route) -> None:
        time.sleep(0.1)
        route.continue_()

    page.route("**/api/explore", slow)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    right = page.locator('button.action[data-action="RIGHT-ARC:IOBJ"]')
    expect(page.locator(".chip.on")).to_have_count(4)
    right.evaluate("button => { button.click(); button.click(); }")  # twice, for one action
    expect(page.locator(".chip.on")).to_have_count(5)
    expect(page.locator(".tally .loss b")).to_have_text("0")


@pytest.mark.parametrize("system", ["arc-standard", "arc-hybrid", "swap", "nonmonotonic-2013"])
def test_every_system_is_chosen_and_played(page: Page, system: str) -> None:
    page.goto("/explore")
    page.select_option("[data-setting=system]", system)
    expect(page.locator(".panel")).to_have_attribute("aria-label", system)
    expect(page.locator(".action").first).to_be_visible()
    for _ in range(30):
        if page.locator(".final").count():
            break
        n = page.locator(".chip").count()
        page.keyboard.press("ArrowRight")
        expect(page.locator(".chip")).to_have_count(n + 1)
    expect(page.locator(".tally .loss b")).to_have_text("0")
    assert f"system={system}" in page.url


def test_sentences_are_typed_pasted_and_open_page(page: Page, tmp_path: Path) -> None:
    page.goto("/explore")
    page.click("#input > summary")
    page.fill("#sentence", "Ask 0 root\noaks 1 obj")
    page.click("#form button.primary")
    expect(page.locator("#summary")).to_have_text("Ask oaks")
    file = tmp_path / "three.conllu"
    file.write_bytes(b"".join(map(bytes, treebank(3, 5, 0))))
    page.set_input_files("#file", str(file))
    expect(page.locator("#number option")).to_have_count(3)
    page.select_option("#number", "2")
    expect(page.locator("#summary")).to_have_text(" ".join(treebank(3, 5, 0)[2].forms))
    page.fill("#sentence", "Ask the oak")
    page.click("#form button.primary")
    expect(page.locator(".tally")).to_contain_text("no gold tree")
    expect(page.locator(".best")).to_be_hidden()
    page.locator('[data-action="SHIFT"]').click()
    expect(page.locator(".side.stack li")).to_have_count(2)


def test_errors_are_shown_and_left_behind(page: Page) -> None:
    page.goto("/explore")
    page.click("#input > summary")
    page.fill("#sentence", "Ask 0 root\noaks 9 obj")
    page.click("#form button.primary")
    shown = page.locator(".panel .error")
    expect(shown).to_contain_text("9")
    expect(page.locator(".state")).to_be_hidden()
    page.fill("#sentence", "Ask 0 root\noaks 1 obj")
    page.click("#form button.primary")
    expect(shown).to_be_hidden()
    page.goto(at(model="latin"))  # the same document, which reads its address anew
    expect(page.locator("#error")).to_contain_text("no model latin")
    page.goto("about:blank")
    page.goto(at(model="latin"))
    expect(page.locator("#error")).to_contain_text("no model latin")


def test_a_static_oracle_says_that_it_cannot_derive_crossing_arcs(page: Page) -> None:
    page.goto("/explore")
    page.click("#input > summary")
    page.select_option("#example", "Crossing arcs")
    expect(page.locator(".panel")).to_contain_text("Never reachable")  # it is there
    page.select_option("[data-derivation]", "static")
    page.click("[data-do=step]")
    expect(page.locator(".panel .error")).to_contain_text("cannot derive this tree")
    expect(page.locator(".state")).to_be_visible()
    page.select_option("[data-setting=system]", "swap")
    expect(page.locator(".panel .error")).to_be_hidden()
    page.select_option("[data-derivation]", "minimal")
    page.click("[data-do=step]")
    expect(page.locator(".chip")).to_have_count(2)


def test_actions_forbidden_by_ud_are_struck_out_with_a_reason(page: Page) -> None:
    page.goto("/explore#" + urlencode({"sentence": bytes(treebank(5, 9, 0)[1]).decode().strip()}))
    expect(page.locator(".action").first).to_be_visible()
    expect(page.locator(".action.forbidden")).to_have_count(0)
    page.select_option("[data-setting=constraints]", "ud")
    take(page, "SHIFT")
    forbidden = page.locator(".action.forbidden").first
    expect(forbidden).to_have_attribute("title", re.compile("UD"))
    expect(forbidden).to_have_accessible_name(re.compile("forbidden: .*UD"))
    page.select_option("[data-setting=system]", "graph-eager")
    expect(page.locator("[data-constraints]")).to_be_hidden()


def with_model() -> str:
    sentence = bytes(treebank(5, 9, 0)[1]).decode().strip()
    return f"/explore#{urlencode({'sentence': sentence, 'model': 'invented'})}"


def test_a_model_gives_scores_and_is_played(page: Page) -> None:
    page.goto(with_model())
    expect(page.locator(".action .score").first).to_be_visible()
    expect(page.locator(".action .favourite")).to_have_count(1)
    expect(page.locator("[data-setting=root]")).to_be_disabled()
    page.select_option("[data-derivation]", "model")
    page.click("[data-do=step]")
    expect(page.locator(".chip")).to_have_count(2)
    page.select_option("[data-setting=model]", "")
    expect(page.locator(".action .score")).to_have_count(0)
    assert "model=" not in page.url


def test_the_beam_shows_where_the_last_correct_hypothesis_is_pruned(page: Page) -> None:
    page.goto(with_model())
    page.click(".beam > summary")
    expect(page.locator(".verdict")).to_contain_text("correct hypothesis")
    fall = page.locator("th.fall")
    if fall.count():
        step = int(fall.inner_text().split()[0])
        assert f"step {step}" in page.locator(".verdict").inner_text()
        column = page.locator(f".hypotheses tr td:nth-child({step + 1}) .hypothesis.correct")
        assert column.count() == 0
        before = page.locator(f".hypotheses tr td:nth-child({step}) .hypothesis.correct")
        assert before.count() > 0
    page.locator(".hypotheses tr:first-child td:nth-child(4) button").click()
    expect(page.locator(".chip")).to_have_count(4)  # the start and three actions
    page.fill(".beam input", "2")
    page.click(".beam button[type=submit]")
    expect(page.locator(".hypotheses tbody tr")).to_have_count(2)


def test_every_control_has_a_name(page: Page) -> None:
    page.goto(with_model())
    expect(page.locator(".action").first).to_be_visible()
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll('button, select, input, textarea, summary')]
        .filter((e) => e.getClientRects().length && !(e.getAttribute('aria-label')
            || e.labels?.length || e.textContent.trim()))
        .map((e) => e.outerHTML)"""
    )
    assert unnamed == []
