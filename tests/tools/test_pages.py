"""The generated parts of the pages, their figures and their links."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from tools import figures, pages

ROOT = Path(__file__).parents[2]
EXPERIMENTS = ROOT / "docs" / "experiments"  # reports, which name the commits that made them
PROSE = [page for page in pages.pages() if EXPERIMENTS not in page.parents]
CARDS = sorted(
    card for folder in ("src/dodona/models", "models") for card in ROOT.glob(f"{folder}/en*.md")
)
FENCE = re.compile(r"^(?:```.*?^```|(?: {4}\S[^\n]*\n)+)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()(?![a-z]+:)([^)\s]+)")
NUMBER = r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?"
UNIT = (
    r"(?:words/s|words a second|MB|MiB|[mµn]?s\b|kB/s|MB/s|times\b|(?:[A-Z]?[LU]AS|UPOS|XPOS|F1)\b)"
)
# a number with a unit of measurement, or behind the name of a score
STATED = re.compile(
    rf"({NUMBER})(?:\s+(?:to|and|or)\s+({NUMBER}))?\s+{UNIT}"
    rf"|\b(?:[A-Z]?[LU]AS|UPOS|XPOS|F1|BLEX)(?:\s+of|\s+is|:)?\s+({NUMBER}\b)"
)


def without_generated_parts(text: str) -> str:
    """Return the text that people wrote: no generated part, no log, no code."""
    return FENCE.sub("", pages.BLOCK.sub("", text))


def stated(text: str) -> list[str]:
    """Return the measured figures that a text states."""
    return [found for match in STATED.finditer(text) for found in match.groups() if found]


def test_a_number_with_a_unit_is_a_figure_and_others_are_not() -> None:
    text = "It gains 1.1 LAS, has LAS of 82.6 at 104,000 words/s, needs 14 MB and 0.3 s."
    text += " Requests have up to 250 words and 16 megabytes."
    assert stated(text) == ["1.1", "82.6", "104,000", "14", "0.3"]


@pytest.mark.parametrize("page", PROSE, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_measured_figure_of_a_page_is_in_the_data_file(page: Path) -> None:
    known = figures.numbers(figures.results(figures.load()))
    text = without_generated_parts(page.read_text(encoding="utf-8"))
    unknown = [figure for figure in stated(text) if not figures.is_stated(figure, known)]
    assert not unknown, f"{page.name}: not in docs/figures.toml: {', '.join(unknown)}"


@pytest.mark.parametrize("page", PROSE, ids=lambda page: str(page.relative_to(ROOT)))
def test_tables_of_measured_figures_are_generated(page: Path) -> None:
    text = without_generated_parts(page.read_text(encoding="utf-8"))
    headers = re.findall(r"^\|(.*)\|\n\|[-:| ]+\|$", text, re.MULTILINE)
    measured = [
        header for header in headers if re.search(r"LAS|UAS|UPOS|F1|words/s|\bMB\b", header)
    ]
    assert not measured, f"{page.name}: {measured}"


@pytest.mark.parametrize("page", CARDS, ids=lambda page: page.stem)
def test_model_cards_agree_with_the_data_file(page: Path) -> None:
    name, card = page.stem, page.read_text(encoding="utf-8")
    (las,) = re.findall(r"^\| las \| [\d.]+ \| ([\d.]+) \|$", card, re.MULTILINE)
    assert float(las) == figures.value(figures.load(), f"shipped-models/{name}/LAS, from text")
    size = figures.value(figures.load(), f"shipped-models/{name}/model, MB")
    assert f"{size} MB" in card and "words/s" not in card


def test_every_entry_of_the_data_file_names_its_origin() -> None:
    assert not figures.check_provenance(figures.load())


def test_every_entry_of_the_data_file_is_on_a_page() -> None:
    shown = {name for page in PROSE for name, _ in pages.BLOCK.findall(page.read_text("utf-8"))}
    entries = {f"figures:{name}" for name in figures.load()}
    assert entries - shown == set()


def test_generated_parts_are_up_to_date() -> None:
    """If this fails: `python -m tools.pages --write`, and commit what it changes."""
    assert [str(path.relative_to(ROOT)) for path in pages.outdated()] == []


def test_every_name_between_marks_is_known() -> None:
    known = {"exactness", "nonprojective", "log"}  # written by tools/oracles.py, and by hand
    for page in pages.pages():
        for name, _ in pages.BLOCK.findall(page.read_text(encoding="utf-8")):
            assert pages.generated(name) is not None or name.partition(":")[0] in known, name


def test_pages_are_readable_without_a_build() -> None:
    for page in pages.pages():
        text = FENCE.sub("", page.read_text(encoding="utf-8"))
        assert not re.search(r"--8<--|\{\{", text), page


@pytest.mark.parametrize(
    "page",
    [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), *ROOT.glob("models/*.md")],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_links_lead_to_files_of_the_repository(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    links = [link.partition("#")[0] for link in LINK.findall(text)]
    assert [link for link in links if link and not (page.parent / link).exists()] == []


def test_the_navigation_has_every_page() -> None:
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r": ([\w/.-]+\.md)$", config, re.MULTILINE))
    found = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert {page for page in found if "/notes/" not in page} <= listed


def test_the_examples_of_the_tool_hold() -> None:
    assert doctest.testmod(figures).failed == 0


def test_an_entry_is_replaced_and_others_stay() -> None:
    text = '[a]\ndata = "x"\nrows = [\n  ["m", 1.5],\n]\n\n[b]\ndata = "y"\n'
    changed = figures.replace_entry(text, "a", {"date": "2026-11-17", "rows": [["m", 30_000]]})
    assert '  ["m", 30_000],' in changed
    assert 'data = "x"\nrows' in changed
    assert changed.endswith('[b]\ndata = "y"\n')
