"""The explorer for lecturers and students: waste, estimates, quizzes, lessons, tables, phones."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")

from playwright.sync_api import Browser, Locator, Page, expect

from support.browser_lab import keep, open_page

pytestmark = pytest.mark.thorough  # needs a browser

pytest_plugins = ["support.browser_lab"]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
BEGUN = "SHIFT LEFT-ARC:SBJ RIGHT-ARC:PRD"
CROSSING = "A 2 det\npriest 3 nsubj\ncame 0 root\nwho 5 nsubj\nlistened 2 acl"
LESSON = """\
# A lesson of one's own.
lesson: The oak
source: A lecture
system: arc-eager
root: first
sentence:
Ask 0 root
the 3 det
oak 1 obj

step:
Nothing has happened yet.

quiz: RIGHT-ARC:root
What comes next?

quiz: RIGHT-ARC:root SHIFT
And now?
"""


def at(**values: str) -> str:
    """The address of a state."""
    return f"/explore#{urlencode(values)}"


def action(page: Page, name: str) -> Locator:
    return page.locator(f'button.action[data-action="{name}"]')


def open_lessons(page: Page, folder: Path, text: str) -> None:
    file = folder / "oak.txt"
    file.write_text(text, encoding="utf-8")
    page.set_input_files("#lesson-file", str(file))


def test_the_swap_lesson_plays_the_shortest_derivation(page: Page) -> None:
    page.goto("/explore#lesson=swap&step=2")
    expect(page.locator(".best .loss")).to_have_text("the gold tree itself")
    shown = page.locator(".completion").inner_text()
    taken = shown.removeprefix("By ").removesuffix(".").split(", ")
    assert len(taken) == 20 and taken.count("SWAP") == 1


def test_the_shift_that_undoes_a_swap_is_wasteful_and_names_what_it_needs(page: Page) -> None:
    page.goto("/explore#lesson=swap&step=4")
    shift = action(page, "SHIFT")
    expect(shift.locator(".mark")).to_contain_text("↷+6")
    expect(shift).to_have_accessible_name("SHIFT wasteful: 6 actions more than needed cost 0")
    expect(action(page, "RIGHT-ARC:acl:relcl").locator(".mark")).to_contain_text("✓")
    shift.hover()
    why = page.locator(".why .reason")
    expect(why).to_contain_text("wasteful: 6 actions more than the shortest derivation")
    expect(why).to_contain_text("needed later: SWAP (")
    keep(page, "wasteful")
    shift.click()
    expect(page.locator(".tally .waste")).to_have_text("wasted actions 6")
    expect(page.locator(".chip[aria-current=step] .cost")).to_contain_text("↷+6")


def test_a_needed_repair_is_named_with_its_word(page: Page) -> None:
    page.goto(at(system="nonmonotonic", path="SHIFT LEFT-ARC:SBJ SHIFT"))
    action(page, "SHIFT").hover()
    expect(page.locator(".why .reason")).to_contain_text("a repair later: UNSHIFT (her)")


def test_an_exercise_does_not_show_its_answer(page: Page) -> None:
    page.goto("/explore#lesson=figure-3&step=2")
    expect(page.locator(".best")).to_be_visible()
    page.click("#lesson-try")
    for part in ("#lesson-text", ".best", ".ways", ".player", ".why", ".table", ".action .cost"):
        expect(page.locator(part).locator("visible=true")).to_have_count(0)
    page.keyboard.press("ArrowRight")  # would take the first optimal action
    page.wait_for_timeout(300)
    assert page.locator(".chip.on").count() == 4
    page.click("#lesson-try")
    expect(page.locator("#lesson-text")).to_be_visible()
    expect(page.locator(".best")).to_be_visible()


def test_estimated_costs_are_marked_and_no_tree_is_called_best(page: Page) -> None:
    page.goto(at(sentence=CROSSING, system="arc-eager", path="SHIFT"))
    expect(action(page, "SHIFT").locator(".cost")).to_contain_text("≈")
    expect(page.locator(".best summary")).to_contain_text("A reachable tree, perhaps not the best")
    expect(page.locator(".tally .estimates")).to_contain_text("costs are estimates here")
    expect(page.locator(".tally .spent b")).to_contain_text("≈")
    action(page, "SHIFT").hover()
    expect(page.locator(".why .reason")).not_to_contain_text("smallest reachable loss")
    page.mouse.move(0, 0)  # a page that shows an action under the mouse shows what follows it
    page.goto(at(sentence=CROSSING, system="arc-standard", path="SHIFT"))  # counts them jointly
    expect(action(page, "SHIFT").locator(".cost")).to_have_text("0")
    expect(page.locator(".best summary")).to_contain_text("The best reachable tree")
    page.goto(at(sentence=CROSSING, system="swap"))
    expect(action(page, "SHIFT").locator(".cost")).to_have_text("0")
    expect(page.locator(".tally .estimates")).to_have_count(0)


def test_an_embedded_explorer_draws_the_top_of_the_stack(page: Page) -> None:
    page.goto("/explore?embed=1#lesson=swap&step=3")
    word = page.locator(".picture-card .word.top")
    expect(word).to_be_visible()
    expect(word.locator(".form")).to_have_text("listened")
    expect(page.locator("header.top")).to_be_hidden()


def test_a_lesson_stays_in_sight_on_a_phone(browser: Browser, address: str) -> None:
    for page in open_page(browser, address, **PHONE):
        page.goto("/explore#lesson=arc-standard&step=2")
        expect(action(page, "SHIFT")).to_be_visible()
        action(page, "SHIFT").scroll_into_view_if_needed()
        page.wait_for_timeout(200)
        expect(page.locator("#lesson-title")).to_be_in_viewport()
        expect(page.locator("#lesson-next")).to_be_in_viewport()
        expect(page.locator(".stack li.chief")).to_be_in_viewport()
        lesson, words = (
            page.locator(part).bounding_box() for part in ("#lesson", ".configuration")
        )
        assert lesson is not None and words is not None
        assert lesson["y"] + lesson["height"] <= words["y"] + 1
        assert words["y"] + words["height"] < 0.6 * 844  # room for actions
        keep(page, "lesson-phone")


def test_a_quiz_counts_first_attempts(page: Page) -> None:
    page.goto(at(sentence="Ask 0 root\nthe 3 det\noak 1 obj", system="arc-eager", root="first"))
    expect(action(page, "SHIFT")).to_be_visible()
    page.click("#quiz-start")
    expect(page.locator(".action .cost, .best:visible, .ways:visible")).to_have_count(0)
    action(page, "SHIFT").click()  # loses the arc of the root
    quiz = page.locator("#quiz")
    expect(quiz).to_contain_text("✗ SHIFT costs 1: it loses ROOT → Ask (root). Try again.")
    expect(action(page, "SHIFT")).to_be_disabled()
    assert page.locator(".chip.on").count() == 1  # it is not taken
    for number, right in enumerate(["RIGHT-ARC:root", "SHIFT", "LEFT-ARC:det", "RIGHT-ARC:obj"]):
        expect(page.locator(".chip.on")).to_have_count(number + 1)
        action(page, right).click()
    expect(quiz).to_contain_text("The end. 3 of 4 questions right at the first attempt.")
    expect(page.locator(".best")).to_be_visible()
    expect(page.locator("#quiz-start")).to_have_attribute("aria-pressed", "false")


def test_a_quiz_needs_a_gold_tree(page: Page) -> None:
    page.goto(at(sentence="Ask the oak"))
    expect(action(page, "SHIFT")).to_be_visible()
    page.click("#quiz-start")
    expect(page.locator(".panel .error")).to_have_text("A quiz needs a gold tree.")


def test_lessons_of_ones_own_are_shown_scored_kept_and_linked(
    page: Page, browser: Browser, address: str, tmp_path: Path
) -> None:
    page.goto("/explore")
    expect(action(page, "SHIFT")).to_be_visible()
    open_lessons(page, tmp_path, LESSON)
    expect(page.locator("#lesson-title")).to_have_text("The oak: A lecture")
    expect(page.locator("#lesson-text")).to_have_text("Nothing has happened yet.")
    page.click("#lesson-next")
    expect(page.locator("#lesson-text")).to_have_text("What comes next?")
    expect(page.locator(".action .cost")).to_have_count(0)
    action(page, "SHIFT").click()
    expect(page.locator("#lesson-count")).to_have_text("step 2 of 3, score 1 of 1")
    page.click("#lesson-next")
    expect(page.locator(".chip.on")).to_have_count(3)
    expect(page.locator(".action .cost")).to_have_count(0)
    action(page, "SHIFT").click()
    expect(page.locator("#lesson-count")).to_have_text("step 3 of 3, score 1 of 2")
    page.goto("/explore")
    page.reload()
    expect(page.locator("#lessons")).to_contain_text("The oak")  # kept in the browser
    page.click("#lessons >> text=The oak")
    expect(page.locator("#lesson-title")).to_have_text("The oak: A lecture")
    for other in open_page(browser, address):
        other.goto(page.url)  # the link holds the file
        expect(other.locator("#lesson-text")).to_have_text("Nothing has happened yet.")
    page.click("#lessons-forget")
    expect(page.locator("#lessons")).not_to_contain_text("The oak")
    expect(page.locator("#lesson")).to_be_hidden()


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("lesson: The oak", "lesson:", "oak.txt:2: a lesson needs a title"),
        ("source: A lecture", "sauce: A lecture", "oak.txt:3: expected one of lesson: sentence:"),
        ("arc-eager", "arc-keen", "oak.txt:2: "),
        ("the 3 det", "the det", "oak.txt:8: expected a word, its tag (optional)"),
        ("oak 1 obj", "oak 9 obj", "oak.txt:7: "),
        ("quiz: RIGHT-ARC:root\n", "quiz: REDUCE\n", "oak.txt:14: action 1: REDUCE is not valid"),
        ("And now?", "", "oak.txt:17: this step has no text"),
        ("lesson: The oak\n", "", "oak.txt:2: “source:” comes before the first “lesson:”"),
    ],
)
def test_errors_in_lessons_name_file_and_line(
    page: Page, tmp_path: Path, old: str, new: str, error: str
) -> None:
    assert old in LESSON
    page.goto("/explore")
    expect(action(page, "SHIFT")).to_be_visible()
    open_lessons(page, tmp_path, LESSON.replace(old, new, 1))
    expect(page.locator("#error")).to_contain_text(error)
    expect(page.locator("#lesson")).to_be_hidden()


def test_the_table_of_steps_is_shown_and_saved(page: Page) -> None:
    page.goto(at(path=f"{BEGUN} SHIFT"))
    expect(page.locator(".chip.on")).to_have_count(5)
    page.click(".table > summary")
    rows = page.locator(".table tbody tr")
    expect(rows).to_have_count(5)
    assert rows.nth(2).locator("td").all_inner_texts() == [
        *("2", "LEFT-ARC:SBJ", "0", "ROOT", "wrote her a letter .", "wrote → He (SBJ)")
    ]
    action(page, "SHIFT").click()
    expect(rows).to_have_count(6)
    keep(page, "table")
    with page.expect_download() as saved:
        page.click("[data-table=csv]")
    content = Path(saved.value.path()).read_text(encoding="utf-8")
    table = list(csv.DictReader(io.StringIO(content)))
    assert [row["cost"] for row in table] == ["", "0", "0", "0", "1", "0"]
    with page.expect_download() as saved:
        page.click("[data-table=latex]")
    latex = Path(saved.value.path()).read_text(encoding="utf-8")
    assert r"2 & LEFT-ARC:SBJ & 0 & [\textsc{root}] & [wrote, her, a, letter, .]" in latex


def test_a_handout_has_the_state_and_no_buttons(browser: Browser, address: str) -> None:
    for page in open_page(browser, address, color_scheme="dark"):
        page.goto("/explore#lesson=figure-3&step=3")
        expect(page.locator(".chip.on")).to_have_count(5)
        page.click(".table > summary")
        expect(page.locator(".table tbody tr")).to_have_count(5)
        page.emulate_media(media="print", color_scheme="dark")
        keep(page, "print-explore")
        for part in (".configuration", ".picture-card svg", "#lesson-text", ".table table"):
            expect(page.locator(part)).to_be_visible()
        shown = "[...document.querySelectorAll('button:not(.term), select, header, footer')]"
        assert page.evaluate(f"{shown}.filter((e) => e.getClientRects().length).length") == 0
