"""The plot of accuracy against speed in README.md, from figures that say where they come from.

    python bench/speed_plot.py point MODEL --data DIR --treebank en_ewt [--gold-tags] [--beam 4]
    python bench/speed_plot.py draw docs/images/speed.json -o docs/images/speed.svg

`point` measures one of ours: LAS on the test set with gold words, and words/s of one core,
from words to trees with all tags and lemmas that the model makes, in CPU time: others on the
machine do little to it.
"""

from __future__ import annotations

import json
import math
import time
from html import escape
from pathlib import Path
from typing import Annotated, Any

import measure
import typer

import dodona
from dodona_papers.reporting.plot import STYLE

app = typer.Typer(add_completion=False, help=__doc__)

WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 52, 24, 52, 44  # from the edge to the axes
SLOWEST, FASTEST = 500, 400_000  # words/s
LOWEST, HIGHEST = 80, 90  # LAS
RADIUS = 6
# what was given beside words: how a point looks
KINDS = {
    "no tags": "nothing but words given",
    "gold tags": "gold tags given",
    "published": "published, from raw text, on another machine",
}


def x(speed: float) -> float:
    share = math.log(speed / SLOWEST) / math.log(FASTEST / SLOWEST)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def y(las: float) -> float:
    share = (las - LOWEST) / (HIGHEST - LOWEST)
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def axes() -> list[str]:
    parts = []
    for las in range(LOWEST, HIGHEST + 1, 2):
        parts.append(f'<path class="grid" d="M{LEFT} {y(las):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(las) + 4:.1f}" text-anchor="end">{las}</text>')
    for speed in (1000, 3000, 10_000, 30_000, 100_000, 300_000):
        parts.append(f'<path class="grid" d="M{x(speed):.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        place = f'x="{x(speed):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle"'
        parts.append(f"<text {place}>{speed:,}</text>")
    middle = (LEFT + WIDTH - RIGHT) / 2
    place = f'x="{middle:.0f}" y="{HEIGHT - 8}" text-anchor="middle"'
    return [*parts, f"<text {place}>words a second of one core</text>"]


def mark(kind: str, colour: str, across: float, down: float) -> str:
    place = f'cx="{across:.1f}" cy="{down:.1f}" r="{RADIUS}"'
    looks = {
        "no tags": f'fill="{colour}"',
        "gold tags": f'fill="var(--paper)" stroke="{colour}" stroke-width="2"',
        "published": f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="3 2"',
    }
    return f"<circle {place} {looks[kind]}/>"


def legend() -> list[str]:
    parts, across = [], LEFT + RADIUS
    for kind, said in KINDS.items():
        parts.append(mark(kind, "var(--ink)", across, TOP - 18))
        parts.append(f'<text x="{across + 12}" y="{TOP - 14}">{said}</text>')
        across += 40 + 7 * len(said)
    return parts


def place_of(found: dict[str, Any]) -> list[str]:
    colour = "var(--line0)" if found["name"].startswith("Dodona") else "var(--line1)"
    across, down = x(found["words_per_second"]), y(found["las"])
    is_left = found.get("label") == "left"
    anchor, shift = ("end", -RADIUS - 5) if is_left else ("start", RADIUS + 5)
    said = f"{found['name']}: LAS {found['las']:.2f}, {found['words_per_second']:,} words/s"
    place = f'x="{across + shift:.1f}" y="{down + 4:.1f}" text-anchor="{anchor}"'
    return [
        f"<g><title>{escape(said)}</title>",
        mark(found["given"], colour, across, down),
        f"<text {place}>{escape(found['name'])}</text></g>",
    ]


def draw(figures: dict[str, Any]) -> str:
    """The SVG image of all points."""
    title = escape(figures["title"])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" role="img" '
        f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" aria-label="{title}">',
        f"<title>{title}</title><style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text class="title" x="{LEFT}" y="20">{title}</text>',
        *legend(),
        *axes(),
    ]
    for found in figures["points"]:
        parts += place_of(found)
    return "\n".join([*parts, "</svg>\n"])


@app.command()
def point(
    model: Annotated[Path, typer.Argument(help="A model that was trained on the treebank.")],
    data: measure.Data,
    treebank: Annotated[str, typer.Option(help="Its folder there.")] = "en_ewt",
    gold_tags: Annotated[bool, typer.Option(help="Leave the treebank's tags as they are.")] = False,
    beam: Annotated[int | None, typer.Option(help="Derivations side by side.")] = None,
    repeat: Annotated[int, typer.Option(help="Runs, of which the fastest counts.")] = 3,
) -> None:
    """Measure one of our own models."""
    parser = dodona.load(model)
    gold = list(dodona.read(data / treebank / "test.conllu"))
    given = gold if gold_tags else [without_tags(sentence) for sentence in gold]
    times, found = [], []
    for _ in range(repeat):
        begin = time.process_time()
        found = list(parser.pipe(given, beam=beam, keep_tags=gold_tags))
        times.append(time.process_time() - begin)
    n_words = sum(map(len, gold))
    las = round(dodona.evaluate(gold, found).las, 2)
    print(json.dumps({"las": las, "words_per_second": int(round(n_words / min(times), -2))}))


def without_tags(sentence: dodona.Sentence) -> dodona.Sentence:
    empty = ["_"] * len(sentence)
    return sentence.replace(upos=empty, xpos=empty, feats=empty, lemmas=empty)


@app.command("draw")
def write(
    figures: Annotated[Path, typer.Argument(help="JSON of the points.")],
    out: Annotated[Path, typer.Option("-o", help="SVG to write.")],
) -> None:
    """Draw the points."""
    out.write_text(draw(json.loads(figures.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    app()
