"""A report once, as a page of HTML that asks for nothing outside itself, and as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TypeAlias

from rich.console import Console

from dodona_papers.reporting.tables import Table

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #24292f; --faint: #57606a;
        --rule: #d0d7de; --band: #f6f8fa; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181d; --ink: #d5dae1; --faint: #9aa4b1; --rule: #343a43; --band: #1e2128; } }
body { background: var(--paper); color: var(--ink); max-width: 76rem; margin: 2rem auto;
       padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; }
p { max-width: 46rem; }
h1, h2 { line-height: 1.2; }
h2 { margin-top: 2.5rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { padding: .25rem .6rem; text-align: right; white-space: nowrap; }
th:first-child { text-align: left; font-weight: 400; }
thead th { border-bottom: 2px solid var(--rule); font-weight: 600; }
th[scope=rowgroup] { background: var(--band); font-weight: 600; }
tbody tr { border-bottom: 1px solid var(--rule); }
.note { color: var(--faint); font-size: .9rem; }
pre { overflow-x: auto; background: var(--band); padding: .5rem; }
figure { margin: 1rem 0; overflow-x: auto; }
figure svg { max-width: 100%; height: auto; }
summary { cursor: pointer; font-weight: 600; }
"""


@dataclass(frozen=True)
class Figure:
    """An SVG image, its name among the report's files, and what it shows."""

    name: str
    svg: str
    caption: str


@dataclass(frozen=True)
class Command:
    """A line for the shell."""

    line: str


Content: TypeAlias = str | Table | Figure | Command  # a string is a paragraph


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it."""

    title: str
    contents: Sequence[Content]


@dataclass(frozen=True)
class Report:
    """A title, sections, and what stands before the first of them.

    >>> leaves = Section("Leaves", ["They rustle."])
    >>> report = Report("Oaks", [leaves], [Command("listen --to oaks")])
    >>> print(report.to_markdown("oaks"))
    # Oaks
    <BLANKLINE>
        listen --to oaks
    <BLANKLINE>
    ## Leaves
    <BLANKLINE>
    They rustle.
    <BLANKLINE>
    """

    title: str
    sections: Sequence[Section]
    lead: Sequence[Content] = ()

    def to_html(self) -> str:
        """A page of its own: no script, no font, no request."""
        body = "".join(
            f"<h2>{escape(section.title)}</h2>\n{''.join(map(_html, section.contents))}"
            for section in self.sections
        )
        return (
            '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escape(self.title)}</title>\n<style>{STYLE}</style></head>\n"
            f"<body><main>\n<h1>{escape(self.title)}</h1>\n{''.join(map(_html, self.lead))}"
            f"{body}</main></body>\n</html>\n"
        )

    def to_markdown(self, stem: str) -> str:
        """The same in Markdown; a figure is the file `<stem>-<name>.svg`."""
        lines = [f"# {self.title}", "", *(_markdown(content, stem) for content in self.lead)]
        for section in self.sections:
            lines += [f"## {section.title}", ""]
            lines += [_markdown(content, stem) for content in section.contents]
        return "\n".join(lines)

    def write(self, path: Path) -> list[Path]:
        """Write the page at `path` and, beside it, the Markdown and the figures; their paths."""
        files = {path: self.to_html(), path.with_suffix(".md"): self.to_markdown(path.stem)}
        for section in self.sections:
            for content in section.contents:
                if isinstance(content, Figure):
                    files[path.with_name(_image(content, path.stem))] = content.svg
        for file, text in files.items():
            file.write_text(text, encoding="utf-8", newline="\n")
        return list(files)

    def print(self, console: Console) -> None:
        """The tables that are not folded, in a terminal."""
        for section in self.sections:
            for content in section.contents:
                if isinstance(content, Table) and not content.folded:
                    content.print(console)


def _html(content: Content) -> str:
    if isinstance(content, Table):
        return content.to_html()
    if isinstance(content, Figure):
        return (
            f"<figure>\n{content.svg}<figcaption>{escape(content.caption)}</figcaption></figure>\n"
        )
    if isinstance(content, Command):
        return f"<pre><code>{escape(content.line)}</code></pre>\n"
    return f"<p>{escape(content)}</p>\n"


def _markdown(content: Content, stem: str) -> str:
    if isinstance(content, Table):
        return content.to_markdown()
    if isinstance(content, Figure):
        return f"![{content.caption}]({_image(content, stem)})\n"
    if isinstance(content, Command):
        return f"    {content.line}\n"
    return f"{content}\n"


def _image(figure: Figure, stem: str) -> str:
    return f"{stem}-{figure.name}.svg"
