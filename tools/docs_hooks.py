"""MkDocs hooks: files of the repository outside docs/ that pages link to become part of the site.

Pages link as the repository lies: `../../SECURITY.md` from docs/how-to. In the site the root of the
repository and docs/ are one folder.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")
ROOT_PAGES = ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")


def outside(source: Path, link: str) -> str | None:
    """Return the path of a link's target in the repository if it lies outside docs/."""
    target = (source.parent / link).resolve()
    if not target.is_file() or target.is_relative_to(ROOT / "docs"):
        return None
    return target.relative_to(ROOT).as_posix()


def on_files(files: Files, config: MkDocsConfig, **_: Any) -> Files:
    """Add the root pages, and every other file outside docs/ that a page links to."""
    sources = [Path(str(page.abs_src_path)) for page in files.documentation_pages()]
    sources += [ROOT / name for name in ROOT_PAGES]
    linked = {
        path
        for source in sources
        for link in LINK.findall(source.read_text(encoding="utf-8"))
        if (path := outside(source, link)) and path != "README.md"
    }
    for path in sorted(linked.union(ROOT_PAGES)):
        files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Rewrite links between docs/ and the rest of the repository."""
    source = Path(str(page.file.abs_src_path))
    is_root_page = source.parent == ROOT

    def rewrite(match: re.Match[str]) -> str:
        link = match[1]
        if is_root_page:
            return link.removeprefix("docs/")
        return link.removeprefix("../") if outside(source, link) else link

    return LINK.sub(rewrite, markdown)
