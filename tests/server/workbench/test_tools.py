"""The workbench's page: what next, all alike, learning, other annotators, other pages, access."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason='needs pip install "dodona[server]"')
pytest.importorskip("playwright.sync_api", reason="needs Playwright for Python")
pytest.importorskip("axe_playwright_python", reason="needs axe-core in a package")

from playwright.sync_api import expect

from dodona.annotate.changes import SetArc
from support.access import LOOKS, fits, violations
from support.annotate_lab import HOSTILE, PRIEST, bare, invented
from support.browser_lab import held, keep
from support.workbench_page import Open, do, drag, label, word

pytestmark = pytest.mark.thorough  # needs a browser

pytest_plugins = ["support.browser_lab", "support.workbench_page"]


def test_the_next_sentence_comes_in_the_order_that_was_chosen(
    start: Open, tagging_model: Path
) -> None:
    page, workbench = start(invented(12, is_bare=True), model=str(tagging_model))
    page.select_option("#order", "pattern")
    page.fill("#next-pattern", "form=/.*it/")
    expected = workbench.next("pattern", after=0, pattern="form=/.*it/")
    assert expected is not None
    page.click("#do-next")
    expect(page.locator("#number")).to_have_value(str(expected + 1))
    page.select_option("#order", "uncertain")
    expect(page.locator("#order-pattern")).to_be_hidden()
    page.click("#do-next")
    expect(page.locator("#number")).not_to_have_value(str(expected + 1))
    page.click("#do-back")
    expect(page.locator("#number")).to_have_value(str(expected + 1))
    page.select_option("#order", "disagreement")
    page.click("#do-next")
    expect(page.locator("#error")).to_contain_text("needs a second model")


def test_confirming_goes_on_to_the_next_sentence(start: Open, tagging_model: Path) -> None:
    page, workbench = start(invented(3, is_bare=True), model=str(tagging_model))
    page.keyboard.press("Enter")  # the first word alone
    expect(word(page, 1)).to_contain_text("✓")
    expect(word(page, 2)).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#number")).to_have_value("2")
    expect(page.locator("#progress")).to_contain_text("1 of 3 sentences done")
    assert workbench.sentence(0).state == "done"


def test_one_decision_is_previewed_and_applied_to_all_alike(start: Open) -> None:
    page, workbench = start(PRIEST + PRIEST + PRIEST)
    do(page, "2 < 3 nmod")
    page.click("#alike summary")
    page.click("text=As my last decision")
    places = page.locator("#alike .matches input")
    expect(places).to_have_count(2)
    expect(page.locator("#alike .matches")).to_contain_text("amod → nmod")
    places.first.uncheck()
    page.click("text=Apply to those ticked")
    expect(page.locator("#alike")).to_contain_text("1 change applied")
    assert [workbench.sentence(i).words[1].deprel for i in range(3)] == ["nmod", "amod", "nmod"]
    page.fill("#alike-pattern", "deprel=nmod")
    page.press("#alike-pattern", "Enter")
    matches = page.locator("#alike .matches button")
    expect(matches).to_have_count(2)
    keep(page, "annotate-alike")
    matches.nth(1).click()
    expect(page.locator("#number")).to_have_value("3")
    expect(word(page, 2)).to_be_focused()


def test_learning_shows_its_curve_and_the_model_is_kept(start: Open, tmp_path: Path) -> None:
    dev = tmp_path / "dev.conllu"
    dev.write_text(invented(10, seed=9), encoding="utf-8")
    page, workbench = start(invented(30) + bare(5), dev=dev)
    do(page, "go 31")
    expect(page.locator(".word.open")).to_have_count(5)
    page.click("#learning summary")
    page.click("text=Learn now")
    page.wait_for_selector(".curve circle")
    expect(page.locator("#learning")).to_contain_text("learned from 30 sentences")
    expect(page.locator("#learning-state")).to_contain_text("LAS")
    expect(page.locator(".word.guessed")).to_have_count(5)  # an untouched sentence is filled in
    keep(page, "annotate-learning")
    page.fill("#learning input", "oak.dodona")
    page.click("text=Keep this model")
    expect(page.locator("#notice")).to_contain_text("oak.dodona")
    assert (workbench.path.parent / "oak.dodona").stat().st_size > 0


def test_two_annotators_are_compared_and_settled(start: Open) -> None:
    theirs = PRIEST.replace("2\told\told\tADJ\t_\t_\t3\tamod", "2\told\told\tNOUN\t_\t_\t4\tobl")
    page, workbench = start(
        PRIEST, other=theirs.replace("1\tThe\tthe\tDET\t_\t_\t3", "1\tThe\tthe\tDET\t_\t_\t4")
    )
    page.click("#agreement summary")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#agreement")).to_contain_text("2 words to settle")
    expect(page.locator("#agreement")).to_contain_text("UAS 60.0, LAS 60.0")
    keep(page, "annotate-agreement")
    page.get_by_role("button", name="Take theirs: 4 obl NOUN").click()
    expect(label(page, 2)).to_have_text("obl")
    page.get_by_role("button", name="Keep mine: 3 det DET").click()
    expect(page.locator("#agreement .matches li")).to_have_count(0)
    found = workbench.sentence(0).words
    assert [(w.head, w.deprel, w.upos) for w in found[:2]] == [
        (3, "det", "DET"),
        (4, "obl", "NOUN"),
    ]
    assert found[0].arc == "set"


def test_of_two_pages_the_later_one_sees_the_newer_state_and_keeps_what_it_typed(
    start: Open,
) -> None:
    page, workbench = start(PRIEST)
    with held(page, "**/api/overview?*"):  # the page does not learn of it by itself
        page.keyboard.press("r")
        page.keyboard.type("omen")  # which is in no list
        view = workbench.sentence(0)
        workbench.change(0, view.revision, SetArc(3, 4, "obl"))  # another page
        page.keyboard.press("Enter")
        expect(page.locator("#error")).to_contain_text("changed in another page")
        expect(label(page, 3)).to_have_text("obl")  # the newer state
        expect(page.locator("#field-deprel")).to_have_value("omen")
        expect(page.locator("#field-deprel")).to_be_focused()
        page.keyboard.press("Enter")
        expect(label(page, 1)).to_have_text("omen")
        page.fill("#command", "2 < 3 acl")
        view = workbench.sentence(0)
        workbench.change(0, view.revision, SetArc(3, 4, "obj"))
        page.press("#command", "Enter")
        expect(page.locator("#error")).to_contain_text("changed in another page")
        expect(page.locator("#command")).to_have_value("2 < 3 acl")
        page.press("#command", "Enter")
        expect(label(page, 2)).to_have_text("acl")
        assert [w.deprel for w in workbench.sentence(0).words[:3]] == ["omen", "acl", "obj"]


def test_work_of_another_page_appears_by_itself(start: Open) -> None:
    page, workbench = start(PRIEST)
    expect(page.locator("#progress")).to_contain_text("1 of 1")
    workbench.change(0, workbench.sentence(0).revision, SetArc(3, 4, "obl"))
    expect(label(page, 3)).to_have_text("obl")
    expect(page.locator("#notice")).to_contain_text("another page")


def test_hostile_content_is_text(start: Open) -> None:
    page, _ = start(HOSTILE + HOSTILE)
    expect(word(page, 1)).to_contain_text("<b>oak</b>")
    expect(label(page, 1)).to_have_text('nsubj:"><u>')
    expect(page.locator("#field-lemma")).to_have_value("<script>alert(1)</script>")
    page.click("#structure summary")
    expect(page.locator("#comments")).to_have_value(re.compile("<img src=x"))
    for field in ("deprel", "lemma", "xpos"):
        page.focus(f"#field-{field}")
        expect(page.locator(f"#field-{field}-list")).to_be_visible()
    do(page, "find form=/.*/")
    expect(page.locator("#alike .matches")).to_contain_text("<b>oak</b>")
    do(page, "1 < 2 <img/src=x>")
    expect(label(page, 1)).to_have_text("<img/src=x>")
    page.click("text=As my last decision")
    expect(page.locator("#alike .matches input")).to_have_count(1)
    keep(page, "annotate-hostile")
    made = "#board :is(b, u, i, s, script, img), main :is(script, img), .values u"
    assert page.locator(made).count() == 0


def test_the_page_says_when_the_workbench_has_ended(start: Open) -> None:
    page, _ = start(PRIEST)
    page.context.clear_cookies()
    page.keyboard.press("Delete")
    expect(page.locator("#error")).to_contain_text("Open the address")


def test_the_lesson_leads_from_raw_text_to_a_tree(start: Open) -> None:
    page, _ = start(bare(2), lesson=True)
    expect(page.locator("#lesson h2")).to_contain_text("step 1 of 8")
    drag(page, 0, 2)
    expect(page.locator("#lesson h2")).to_contain_text("✓")
    page.click("text=Next step")
    do(page, "1 < 2 nsubj")
    expect(page.locator("#lesson h2")).to_contain_text("step 2 of 8 ✓")
    keep(page, "annotate-lesson")


@pytest.mark.parametrize("look", LOOKS)
def test_the_workbench_by_the_rules_of_wcag(start: Open, tagging_model: Path, look: str) -> None:
    theirs = PRIEST.replace("3\tdet", "4\tdet")
    conllu = PRIEST + invented(3, is_bare=True)
    lines = conllu.splitlines(keepends=True)
    lines.insert(3, "2-3\toldpriests" + "\t_" * 8 + "\n")
    page, _ = start("".join(lines), theirs, True, LOOKS[look], model=str(tagging_model))
    expect(page.locator("#lesson")).to_be_visible()
    assert violations(page) == []
    do(page, "1 < 3 root")  # which breaks a rule
    page.press("#command", "Escape")
    page.keyboard.press("r")
    expect(page.locator("#field-deprel-list")).to_be_visible()
    page.keyboard.press("ArrowDown")
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    assert violations(page) == []
    page.keyboard.press("Escape")
    for panel in ("structure", "alike", "learning", "agreement"):
        page.click(f"#{panel} summary")
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#agreement li")).to_have_count(1)
    page.fill("#alike-pattern", "deprel=amod")
    page.fill("#alike-value", "nmod")
    page.press("#alike-value", "Enter")
    expect(page.locator("#alike li").first).to_be_visible()
    assert violations(page) == []
    do(page, "go 2")
    expect(page.locator(".word.guessed").first).to_be_visible()
    page.fill("#command", "what?")
    page.press("#command", "Enter")
    expect(page.locator("#command-trouble")).not_to_be_empty()
    assert violations(page) == []
    keep(page, f"annotate-access-{look}")
    assert fits(page)
