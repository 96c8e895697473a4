"""The rules of WCAG, as axe-core checks them, and the ways in which people see a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import axe_playwright_python as axe
from playwright.sync_api import Page

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": PHONE,
    "forced": {"forced_colors": "active"},
}


def violations(page: Page) -> list[str]:
    """What axe-core finds, one line for each rule that is broken."""
    page.evaluate(Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run(document)")["violations"]
    return [f"{rule['id']}: {rule['nodes'][0]['html'][:200]}" for rule in found]


def fits(page: Page) -> bool:
    """Whether nothing sticks out: a phone would make its window wider, and all else smaller."""
    size = page.viewport_size
    assert size is not None
    return bool(page.evaluate("document.documentElement.scrollWidth") <= size["width"])
