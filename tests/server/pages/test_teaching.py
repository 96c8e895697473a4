"""Teaching with the explorer in a real browser: explanations, lessons, edited trees."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")

from playwright.sync_api import Browser, Locator, Page, expect

from support.browser_lab import keep, open_page
from support.small import treebank

pytestmark = pytest.mark.thorough  # needs a browser

pytest_plugins = ["support.browser_lab"]

BEGUN = "SHIFT LEFT-ARC:SBJ RIGHT-ARC:PRD"
PRIEST = "A 2 det\npriest 3 nsubj\narrived 0 root\nyesterday 3 advmod\nwho 6 nsubj\nlistened 2 acl"
LESSONS = {"figure-3": 5, "repair": 5, "swap": 6, "arc-standard": 5, "arc-hybrid": 5}
LESSONS |= {"graph": 4, "beam": 3}


def at(**values: str) -> str:
    """The address of a state."""
    return f"/explore#{urlencode(values)}"


def action(page: Page, name: str) -> Locator:
    return page.locator(f'button.action[data-action="{name}"]')


def long_sentence(n: int) -> str:
    return "\n".join(f"word{i} {i - 1 if i % 5 else max(0, i - 4)} dep" for i in range(1, n + 1))


def test_an_action_shows_lost_arcs_and_the_best_reachable_tree(page: Page) -> None:
    page.goto(at(path=BEGUN))
    action(page, "SHIFT").hover()
    why = page.locator(".why")
    expect(why).to_contain_text("SHIFT puts the front of the buffer on top of the stack.")
    expect(why).to_contain_text("It costs 1: loses wrote → her (IOBJ).")
    doomed = page.locator(".picture-card .arc.doomed")
    expect(doomed).to_have_count(1)
    assert doomed.get_attribute("data-label") == "IOBJ"
    expect(page.locator(".best summary")).to_contain_text("The best tree reachable after SHIFT")
    expect(page.locator(".best .loss")).to_have_text("loss 1")
    keep(page, "why")
    action(page, "RIGHT-ARC:DOBJ").hover()
    expect(why).to_contain_text("the wrong label for wrote → her (IOBJ)")
    page.mouse.move(2, 2)
    expect(page.locator(".best .loss")).to_have_text("the gold tree itself")
    expect(doomed).to_have_count(0)
    action(page, "SHIFT").focus()  # by keyboard as well
    expect(why).to_contain_text("It costs 1")
    page.keyboard.press("Enter")
    expect(why).to_contain_text("It cost 1: lost wrote → her (IOBJ).")  # and afterwards, too


def test_what_costs_nothing_and_is_not_optimal_is_marked_by_a_sign(page: Page) -> None:
    page.goto(at(system="nonmonotonic", path="SHIFT LEFT-ARC:SBJ SHIFT"))
    shift = action(page, "SHIFT")
    expect(shift.locator(".mark")).to_contain_text("↺")
    expect(action(page, "RIGHT-ARC:IOBJ").locator(".mark")).to_contain_text("✓")
    expect(action(page, "RIGHT-ARC:SBJ").locator(".mark")).to_have_count(0)
    shift.hover()
    expect(page.locator(".why")).to_contain_text("needs a repair later: UNSHIFT")


def test_a_new_student_finds_out_why_a_shift_costs_2(page: Page) -> None:
    page.goto("/explore")
    expect(page.locator(".why")).to_contain_text("Point at an action")
    for n_taken in range(1, 6):
        page.click("[data-do=redo]")
        expect(page.locator(".chip.on")).to_have_count(n_taken + 1)
    shift = page.get_by_role("button", name="SHIFT cost 2", exact=True)
    shift.hover()
    expect(page.locator(".why")).to_contain_text(
        "It costs 2: loses letter → a (DET), wrote → letter (DOBJ)."
    )
    expect(page.locator(".picture-card .arc.doomed")).to_have_count(2)


def test_a_tap_explains_where_nothing_can_be_pointed_at(browser: Browser, address: str) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    for page in open_page(browser, address, **phone):
        page.goto(at(path=BEGUN))
        expect(page.locator(".why")).to_contain_text("A tap explains first")
        page.tap("[data-do=explain]")
        action(page, "SHIFT").tap()
        expect(page.locator(".why")).to_contain_text("loses wrote → her (IOBJ)")
        expect(page.locator(".chip.on")).to_have_count(4)
        action(page, "SHIFT").tap()
        expect(page.locator(".chip.on")).to_have_count(5)


def test_crossing_arcs_are_shown_as_never_reachable_and_swap_is_offered(page: Page) -> None:
    page.goto(at(sentence=PRIEST, system="arc-eager"))
    told = page.locator(".unreachable")
    expect(told).to_contain_text("Never reachable: priest → listened (acl)")
    expect(page.locator(".picture-card .arc.never")).to_have_count(1)
    expect(page.locator(".tally")).not_to_contain_text("lost")
    page.click("[data-do=redo]")
    expect(page.locator(".chip.on")).to_have_count(2)
    expect(page.locator(".tally")).not_to_contain_text("lost")
    told.locator("button").click()
    expect(page.locator("[data-setting=system]")).to_have_value("swap")
    expect(told).to_be_hidden()
    expect(page.locator(".tally .loss b")).to_have_text("0")


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_stack_buffer_and_actions_stay_in_view_of_a_long_sentence(
    browser: Browser, address: str, size: tuple[int, int]
) -> None:
    width, height = size
    path = " ".join(["SHIFT"] * 45)
    for page in open_page(browser, address, viewport={"width": width, "height": height}):
        page.goto(at(sentence=long_sentence(60), path=path))
        expect(page.locator(".chip.on")).to_have_count(46)
        if width < 1000:  # scroll to the actions: stack and buffer stay above them
            page.locator(".actions").scroll_into_view_if_needed()
        for part in (".stack .chief", ".buffer .chief", ".actions button.action >> nth=0"):
            expect(page.locator(part)).to_be_in_viewport()
        front = page.locator(".picture-card .word.front")
        assert front.get_attribute("data-id") == "46"
        shown = page.evaluate(
            """() => { const place = (part) => document.querySelector(part).getBoundingClientRect();
            const [box, word] = [place('.picture-card .picture'), place('.word.front')];
            return word.top >= box.top && word.bottom <= box.bottom + 1 }"""
        )
        assert shown  # the drawing follows the front of the buffer
        keep(page, f"long-{width}")


def test_a_sentence_of_250_words_is_explored(page: Page) -> None:
    page.goto(at(sentence=long_sentence(250), path=" ".join(["SHIFT"] * 120)))
    expect(page.locator(".chip.on")).to_have_count(121)
    expect(page.locator(".buffer .count")).to_have_text("130")
    action(page, "SHIFT").click()
    expect(page.locator(".chip.on")).to_have_count(122)


def test_every_lesson_has_a_link_and_every_step_its_state(page: Page) -> None:
    page.goto("/explore")
    expect(page.locator("#lessons a")).to_have_count(len(LESSONS))
    for name, n_steps in LESSONS.items():
        page.goto(f"/explore#lesson={name}")
        for step in range(1, n_steps + 1):
            expect(page.locator("#lesson-count")).to_have_text(f"step {step} of {n_steps}")
            expect(page.locator("#lesson-return")).to_be_hidden()
            expect(page.locator(".panel .notice")).to_be_hidden()
            expect(page.locator(".chip[aria-current=step]")).to_have_count(1)
            assert len(page.locator("#lesson-text").inner_text()) > 50
            if step < n_steps:
                page.click("#lesson-next")
        expect(page.locator("#lesson-next")).to_be_disabled()


def test_a_lesson_shows_the_numbers_of_its_text(page: Page) -> None:
    losses = {
        **{("figure-3", step): loss for step, loss in enumerate("00131", start=1)},
        **{("repair", step): "0" for step in (1, 2, 5)},
        **{("swap", 1): "1", ("swap", 6): "0", ("graph", 4): "0"},
        **{("arc-standard", 3): "3", ("arc-standard", 5): "0", ("arc-hybrid", 5): "0"},
    }
    for (name, step), loss in losses.items():
        page.goto(f"/explore#lesson={name}&step={step}")
        expect(page.locator("#lesson-count")).to_contain_text(f"step {step}")
        expect(page.locator(".tally .loss b")).to_have_text(loss)
    page.goto("/explore#lesson=graph&step=3")
    expect(action(page, "SHIFT").locator(".cost")).to_have_text("2")
    page.goto("/explore#lesson=arc-standard&step=2")
    expect(action(page, "RIGHT-ARC:PRD").locator(".cost")).to_have_text("3")
    page.goto("/explore#lesson=arc-standard&step=4")
    expect(action(page, "SHIFT").locator(".cost")).to_have_text("1")
    page.goto("/explore#lesson=arc-hybrid&step=1")
    expect(action(page, "SHIFT").locator(".cost")).to_have_text("2")
    page.goto("/explore#lesson=arc-hybrid&step=3")
    expect(page.locator(".tally .spent b")).to_have_text("0")
    page.goto("/explore#lesson=beam&step=3")
    expect(page.locator(".verdict")).to_contain_text("At step 5")
    expect(page.locator(".verdict")).to_contain_text("326 too low")
    page.locator(".hypotheses tr:nth-child(2) td:nth-child(4) button").click()
    expect(page.locator(".panel .notice")).to_be_hidden()
    expect(page.locator(".chip.on")).to_have_count(4)


def test_an_exercise_hides_the_costs_until_an_action_is_chosen(page: Page) -> None:
    page.goto("/explore#lesson=figure-3&step=2")
    expect(page.locator(".action .cost").first).to_be_visible()
    page.click("#lesson-try")
    expect(page.locator(".action .cost")).to_have_count(0)
    expect(page.locator(".action .mark")).to_have_count(0)
    action(page, "SHIFT").click()
    expect(page.locator("#lesson-verdict")).to_contain_text("✗ SHIFT costs 1")
    expect(page.locator(".action .cost").first).to_be_visible()
    page.click("#lesson-return")
    expect(page.locator(".chip.on")).to_have_count(4)
    page.click("#lesson-try")
    action(page, "RIGHT-ARC:IOBJ").click()
    expect(page.locator("#lesson-verdict")).to_contain_text("✓ Correct")


def test_a_new_student_sees_the_non_monotonic_system_repair_it(page: Page) -> None:
    page.goto("/explore")
    page.click("text=A repair")
    for _ in range(4):
        page.click("#lesson-next")
    expect(page.locator("#lesson-count")).to_have_text("step 5 of 5")
    expect(page.locator(".tally")).to_contain_text("final")
    expect(page.locator(".tally .loss b")).to_have_text("0")
    expect(page.locator(".ways")).to_contain_text("UNSHIFT")


def test_terms_are_explained_in_place(page: Page) -> None:
    page.goto("/explore")
    for word in ("Stack", "Buffer", "Loss", "gold", "optimal", "repair", "cost"):
        button = page.locator("button.term", has_text=re.compile(f"^{word}$")).first
        button.click()
        note = page.locator(f"#{button.get_attribute('aria-controls')}")
        expect(note).to_be_visible()
        expect(note).to_be_in_viewport()
        page.keyboard.press("Escape")
        expect(note).to_be_hidden()
    page.click(".moves summary")
    moves = page.locator(".moves")
    expect(moves).to_contain_text("Goldberg & Nivre (2012)")
    expect(moves.locator("[data-move=REDUCE]")).to_contain_text(
        "Pops the top of the stack", ignore_case=True
    )
    expect(moves.locator("[data-move=REDUCE]")).to_contain_text("not possible now")


def test_branches_that_were_visited_are_in_the_address(page: Page) -> None:
    page.goto("/explore")
    for n_taken in (1, 2):
        action(page, "SHIFT").click()
        expect(page.locator(".chip.on")).to_have_count(n_taken + 1)
    page.click("[data-do=undo]")
    expect(page.locator(".chip.on")).to_have_count(2)
    action(page, "LEFT-ARC:SBJ").click()
    expect(page.locator(".branches > li")).to_have_count(2)
    page.reload()
    expect(page.locator(".branches > li")).to_have_count(2)
    expect(page.locator(".branches .chip .cost")).to_have_count(1)  # with what they cost
    expect(page.locator(".chip[aria-current=step]")).to_have_text("LEFT-ARC:SBJ")


def test_a_link_with_an_invalid_action_stops_before_it_and_says_so(page: Page) -> None:
    page.goto(at(path="SHIFT REDUCE SHIFT"))
    expect(page.locator(".panel .notice")).to_contain_text("action 2: REDUCE is not valid")
    expect(page.locator(".chip.on")).to_have_count(2)
    assert "REDUCE" not in page.url
    action(page, "SHIFT").click()
    expect(page.locator(".panel .notice")).to_be_hidden()


def test_the_explorer_in_a_frame_of_another_page(page: Page) -> None:
    framing = "<iframe src='explore?embed=1#lesson=swap' width=900 height=700></iframe>"
    page.route("**/framing", lambda route: route.fulfill(body=framing, content_type="text/html"))
    page.goto("/framing")
    frame = page.frame_locator("iframe")
    frame.locator("button.action").first.click()
    expect(frame.locator(".chip.on")).to_have_count(2)
    expect(frame.locator("header")).to_be_hidden()
    link = frame.locator("#outside a")
    expect(link).to_be_visible()
    assert "embed" not in (link.get_attribute("href") or "")


@pytest.mark.parametrize(
    ("kind", "begin"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("film", b"<svg")]
)
def test_states_are_saved_for_slides(page: Page, kind: str, begin: bytes) -> None:
    page.goto(at(path=BEGUN))
    expect(page.locator(".chip.on")).to_have_count(4)
    with page.expect_download() as saved:
        page.click(f"[data-slide={kind}]")
    content = Path(saved.value.path()).read_bytes()
    assert content.startswith(begin)
    assert (b"@keyframes" in content) == (kind == "film")
    if kind == "png":
        assert len(content) > 5000  # something is drawn on it


def test_two_panels_step_together_and_their_first_difference_is_marked(page: Page) -> None:
    page.goto(at(system="arc-eager", root="none", path="SHIFT LEFT-ARC:SBJ SHIFT SHIFT"))
    page.click("#compare")
    expect(page.locator(".panel")).to_have_count(2)
    for number in range(1, 4):
        page.locator(".panel").nth(1).locator("[data-do=step]").click()
        expect(page.locator(".panel").nth(1).locator(".chip.on")).to_have_count(number + 1)
    expect(page.locator("#difference")).to_be_hidden()
    page.locator(".panel").nth(1).locator('[data-action="SHIFT"]').click()
    expect(page.locator("#difference")).to_contain_text(
        "action 4, ≠ SHIFT, cost 1 in the first panel, SHIFT, cost 0 in the second"
    )
    expect(page.locator(".chip.differs")).to_have_count(2)
    page.click("[data-both=undo]")
    for panel in (0, 1):
        expect(page.locator(".panel").nth(panel).locator(".chip.on")).to_have_count(4)
    expect(page.locator("#difference")).to_be_hidden()
    page.click("[data-both=step]")
    for panel in (0, 1):
        expect(page.locator(".panel").nth(panel).locator(".chip.on")).to_have_count(5)


def test_two_models_beside_each_other_on_one_sentence(page: Page) -> None:
    sentence = bytes(treebank(5, 9, 0)[1]).decode().strip()
    page.goto(at(sentence=sentence, model="invented"))
    expect(page.locator(".action .score").first).to_be_visible()
    page.click("#compare")
    second = page.locator(".panel").nth(1)
    expect(second.locator("[data-setting=model]")).to_have_value("other")
    expect(second.locator(".action .score").first).to_be_visible()
    assert "model2=other" in page.url
    for panel in (0, 1):
        page.locator(".panel").nth(panel).locator("[data-derivation]").select_option("model")
    page.click("[data-both=step]")
    for panel in (0, 1):
        expect(page.locator(".panel").nth(panel).locator(".chip.on")).to_have_count(2)
    page.reload()
    expect(second.locator("[data-setting=model]")).to_have_value("other")


def test_the_beam_draws_parents_and_what_was_joined(page: Page) -> None:
    sentence = bytes(treebank(5, 9, 0)[1]).decode().strip()
    page.goto(at(sentence=sentence, model="invented"))
    page.click(".beam > summary")
    expect(page.locator(".hypothesis").first).to_be_visible()
    n_hypotheses = page.locator(".hypothesis").count()
    first = page.locator(".hypotheses td:nth-child(2) .hypothesis").count()
    expect(page.locator(".family path")).to_have_count(n_hypotheses - first)
    arcs = page.locator(".hypothesis", has_text="ARC:")
    expect(arcs.first.locator(".arc-name")).to_contain_text("→")


def drag(page: Page, head: int, dependent: int) -> None:
    """Draw an arc in the editor, once the last drawing has come to rest."""
    for number, act in ((head, page.mouse.down), (dependent, page.mouse.up)):
        box = place_of(page.locator("#editor .word").nth(number - 1))
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
        act()


def place_of(word: Locator) -> Any:
    """Where it stands, found twice: a new drawing may be on its way."""
    before = None
    for _ in range(100):
        found = word.bounding_box()
        if found is not None and found == before:
            return found
        before = found
        word.page.wait_for_timeout(30)
    raise AssertionError("the drawing does not come to rest")


def test_a_gold_tree_is_drawn_by_hand(page: Page) -> None:
    page.goto(at(sentence="Ask the oak"))
    page.click("#input > summary")
    page.click("#edit")
    words = page.locator("#editor .word")
    expect(words).to_have_count(3)
    expect(page.locator("#editor .notice")).to_contain_text("3 words have no head yet")

    drag(page, 1, 3)
    expect(page.locator("#editor .arc")).to_have_count(1)
    drag(page, 3, 2)
    expect(page.locator("#editor .arc")).to_have_count(2)
    drag(page, 2, 3)  # her own head, by a detour
    expect(page.locator("#editor .notice")).to_contain_text("cycle: “oak” → “the” → “oak”")
    expect(page.locator("#editor .arc")).to_have_count(2)
    drag(page, 1, 2)
    expect(page.locator("#editor .notice")).to_contain_text("A word of a tree has one head")
    page.click("#editor button:has-text('Undo')")
    page.locator("[aria-label='head of Ask']").select_option("0")
    expect(page.locator("#editor .arc")).to_have_count(3)
    page.fill("[aria-label='label of oak']", "obj")
    page.keyboard.press("Tab")
    expect(page.locator("#editor .arc[data-label=obj]")).to_have_count(1)
    page.fill("[aria-label='label of the']", "det")
    page.keyboard.press("Tab")
    expect(page.locator("#editor .arc[data-label=det]")).to_have_count(1)
    page.click("#editor .primary")
    expect(action(page, "RIGHT-ARC:root").locator(".cost")).to_have_text("0")
    with page.expect_download() as saved:
        page.click("#save-conllu")
    lines = Path(saved.value.path()).read_text(encoding="utf-8").strip().split("\n")
    assert [line.split("\t")[6:8] for line in lines] == [["0", "root"], ["3", "det"], ["1", "obj"]]


def test_a_word_of_a_graph_may_have_two_heads(page: Page) -> None:
    page.goto(at(sentence="Ask 0 root\nold 3 amod\noaks 1 obj", system="graph-eager"))
    page.click("#input > summary")
    page.click("#edit")
    expect(page.locator("#editor .word")).to_have_count(3)
    page.locator("#editor svg").evaluate("(old) => old.classList.add('old')")
    page.check("#editor input[type=checkbox]")
    expect(page.locator("#editor svg:not(.old) .word")).to_have_count(3)  # drawn again
    drag(page, 1, 2)
    expect(page.locator("#editor .arc")).to_have_count(4)
    page.click("#editor .primary")
    expect(page.locator(".picture-card .arc.gold")).to_have_count(4)


def test_without_a_gold_tree_valid_actions_are_played(page: Page) -> None:
    page.goto(at(sentence="Ask the oak"))
    expect(page.locator("[data-derivation]")).to_have_value("any")
    for _ in range(3):
        n = page.locator(".chip.on").count()
        page.click("[data-do=step]")
        expect(page.locator(".chip.on")).to_have_count(n + 1)
    expect(page.locator(".tally")).to_contain_text("final")


def test_shortcuts_are_switched_off_and_stay_so(page: Page) -> None:
    page.goto("/explore")
    expect(page.locator(".action").first).to_be_visible()
    page.click("#keys")
    page.uncheck("#shortcuts")
    page.locator("h1").click()
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    expect(page.locator(".chip")).to_have_count(1)
    page.reload()
    page.click("#keys")
    expect(page.locator("#shortcuts")).not_to_be_checked()


def test_arcs_of_right_to_left_words_are_named_from_head_to_dependent(page: Page) -> None:
    page.goto(at(sentence="كتب 0 root\nدرس 1 obj", path="RIGHT-ARC:root SHIFT"))
    lost = page.locator(".tally .lost bdi")
    expect(lost.first).to_have_text("كتب")
    left, right = (place_of(lost.nth(i)) for i in (0, 1))
    assert left["x"] < right["x"]
    assert page.locator(".configuration").get_attribute("dir") == "rtl"
    keep(page, "right-to-left")


def test_accessible_names_equal_visible_texts(page: Page) -> None:
    page.goto(at(path=BEGUN))
    button = page.get_by_role("button", name="RIGHT-ARC IOBJ optimal cost 0", exact=True)
    expect(button).to_be_visible()
    expect(page.get_by_role("button", name="SHIFT cost 1", exact=True)).to_be_visible()
    hidden = page.evaluate(
        """() => [...document.querySelectorAll('button[aria-label]')]
        .filter((b) => !b.ariaLabel.includes(b.innerText.trim())).map((b) => b.outerHTML)"""
    )
    assert hidden == []


def test_the_skip_link_leaves_the_state_alone(page: Page) -> None:
    page.goto(at(path=BEGUN))
    expect(page.locator(".chip.on")).to_have_count(4)
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    page.wait_for_timeout(100)
    expect(page.locator(".chip.on")).to_have_count(4)
    assert "path=SHIFT" in page.url
