"""What stands first in a report, and what a page hides until it is asked for."""

from __future__ import annotations

from pathlib import Path

from dodona.settings import Settings
from dodona_papers.reporting.report import Command, Report, Section
from dodona_papers.reporting.study import Study
from dodona_papers.reporting.tables import Table

OAKS = Report("Oaks", [Section("Leaves", ["They rustle."])])
NOTE = "The oaks of <Dodona>\nanswer.\n\n\nElms do not.\n"


def test_the_lead_comes_between_the_title_and_the_first_section() -> None:
    report = Report(OAKS.title, OAKS.sections, [Command("listen --to <oaks>"), "They answer."])
    for text, parts in (
        (
            report.to_markdown("x"),
            ("# Oaks", "    listen --to <oaks>\n", "They answer.", "## Leaves"),
        ),
        (
            report.to_html(),
            ("<h1>", "<pre><code>listen --to &lt;oaks&gt;", "<p>They answer.", "<h2>"),
        ),
    ):
        places = [text.index(part) for part in parts]
        assert places == sorted(places)


def test_a_report_begins_with_its_command_and_its_authors_words(tmp_path: Path) -> None:
    page = tmp_path / "oaks.html"
    study = Study("oaks", [], 1, Settings(), 1, page, "dodona experiment oaks", NOTE)
    study.publish(OAKS, {})
    lines = page.with_suffix(".md").read_text(encoding="utf-8").splitlines()
    assert lines == [
        *("# Oaks", "", "    dodona experiment oaks", ""),
        *("The oaks of <Dodona> answer.", "", "Elms do not.", ""),
        *("## Leaves", "", "They rustle."),
    ]
    assert "<p>The oaks of &lt;Dodona&gt; answer.</p>" in page.read_text(encoding="utf-8")


def test_folded_tables_are_hidden_in_both_kinds_of_pages() -> None:
    table = Table("Leaves & acorns", ["", "n"], [["oak", "7"]], "A note.", folded=True)
    for text in (table.to_markdown(), table.to_html()):
        assert text.startswith("<details")
        assert text.rstrip().endswith("</details>")
        assert "<summary>Leaves &amp; acorns</summary>" in text
    assert "\n\n| oak | 7 |" not in table.to_markdown()  # rows follow the header at once
    assert "| --- | ---: |\n| oak | 7 |\n\nA note.\n" in table.to_markdown()
    assert "<details" not in Table("Leaves", [""], [["oak"]]).to_markdown()
