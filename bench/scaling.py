"""Measure time per word by sentence length: for a linear parser it is constant.

python bench/scaling.py [--model FILE] [--out FOLDER]

The sentences are one running text in the synthetic language, cut to length; without a model, a
small one is trained on that language first.
"""

from __future__ import annotations

import json
import math
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

import measure
import typer
from rich.console import Console
from rich.table import Table

import dodona
from dodona.synthetic.generator import synthetic_treebank

LENGTHS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
WORDS_PER_RUN = 50_000
SEED = 7
WIDTH, HEIGHT, MARGIN = 640, 320, 56


def cut(n_words: int, n_sentences: int) -> list[dodona.Sentence]:
    """Return sentences of a length, cut from the same running text for every length."""
    text = synthetic_treebank(n_words * n_sentences, SEED)  # a sentence has at least one word
    rows = chain.from_iterable(zip(s.forms, s.upos, s.xpos, s.feats, strict=True) for s in text)
    sentences = []
    for _ in range(n_sentences):
        forms, upos, xpos, feats = zip(*islice(rows, n_words), strict=True)
        sentences.append(dodona.Sentence.from_columns(forms, upos=upos, xpos=xpos, feats=feats))
    return sentences


def train_small(path: Path) -> None:
    """Train a model of the synthetic language; its accuracy does not matter here."""
    sentences = [
        dodona.Sentence.from_columns(
            s.forms, upos=s.upos, xpos=s.xpos, feats=s.feats, heads=s.heads, deprels=s.deprels
        )
        for s in synthetic_treebank(1000, SEED + 1)
    ]
    dodona.train(sentences, epochs=3, tags="gold").save(path)


def nanoseconds_per_word(model: Path, n_words: int, repeat: int) -> float:
    """Return the time in the parser, from encoded words to trees."""
    parser = dodona.load(model)
    n_sentences = WORDS_PER_RUN // n_words
    corpus = parser.encoder.encode(cut(n_words, n_sentences))
    parser.search.parse(corpus)
    seconds = measure.median_seconds(lambda: parser.search.parse(corpus), repeat)
    return 1e9 * seconds / (n_sentences * n_words)


def memory(model: Path, file: Path) -> int | None:
    """Return the peak memory of a process that loads the model and parses a file."""
    parser = dodona.load(model)
    for sentence in dodona.read(file, trees="ignored"):
        parser.parse(sentence)
    return measure.peak_memory()


def memories(model: Path, folder: Path) -> dict[int, int | None]:
    """Return the peak memory for one sentence of each length, without that of generating it."""
    file = folder / "one.conllu"
    peaks = {}
    for n_words in LENGTHS:
        file.write_bytes(bytes(cut(n_words, 1)[0]))
        peaks[n_words] = measure.apart(memory, model, file)
    file.unlink()
    return peaks


def plot(times: dict[int, float]) -> str:
    """Return a plot of time per word by length (logarithmic scale) as SVG."""
    top = 1.15 * max(times.values())
    first, last = math.log(LENGTHS[0]), math.log(LENGTHS[-1])

    def x(n_words: int) -> float:
        return MARGIN + (math.log(n_words) - first) / (last - first) * (WIDTH - 2 * MARGIN)

    def y(time: float) -> float:
        return HEIGHT - MARGIN - time / top * (HEIGHT - 2 * MARGIN)

    points = " ".join(f"{x(n):.1f},{y(t):.1f}" for n, t in times.items())
    marks = [f'<circle cx="{x(n):.1f}" cy="{y(t):.1f}" r="3"/>' for n, t in times.items()]
    below = [
        f'<text x="{x(n):.1f}" y="{HEIGHT - MARGIN + 18}" text-anchor="middle">{n:,}</text>'
        for n in times
    ]
    aside = [
        f'<text x="{MARGIN - 8}" y="{y(t) + 4:.1f}" text-anchor="end">{t / 1000:.1f}</text>'
        for t in (0, top / 2, top)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            'font-family="sans-serif" font-size="12" fill="#333">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
            f'<text x="{MARGIN}" y="24">µs per word, by words in the sentence</text>',
            f'<path d="M{MARGIN} {y(top):.1f}V{y(0):.1f}H{WIDTH - MARGIN}" fill="none" '
            'stroke="#999"/>',
            f'<polyline points="{points}" fill="none" stroke="#2a6f97" stroke-width="2"/>',
            *marks,
            *below,
            *aside,
            "</svg>\n",
        ]
    )


def main(
    model: Annotated[Path | None, typer.Option(help="A model; by default one is trained.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for scaling.svg and scaling.json.")] = Path(
        "out/bench"
    ),
    repeat: Annotated[int, typer.Option(help="Runs of each length; the median counts.")] = 5,
) -> None:
    """Parse sentences of 5 to 5,000 words and compare the time per word."""
    measure.use_one_core()
    out.mkdir(parents=True, exist_ok=True)
    if model is None:
        model = out / "invented.dodona"
        measure.apart(train_small, model)
    times = {n: nanoseconds_per_word(model, n, repeat) for n in LENGTHS}
    peaks = memories(model, out)
    table = Table("words", "µs per word", "words/s", "peak memory", title="one core")
    for column in table.columns:
        column.justify = "right"
    for n, time in times.items():
        peak = peaks[n]
        shown = "unknown" if peak is None else f"{peak / 2**20:,.1f} MiB"
        table.add_row(f"{n:,}", f"{time / 1000:.2f}", f"{1e9 / time:,.0f}", shown)
    Console().print(table)
    (out / "scaling.svg").write_text(plot(times), encoding="utf-8")
    report = {"machine": measure.machine(), "ns_per_word": times, "peak_memory": peaks}
    (out / "scaling.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
