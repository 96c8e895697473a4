"""Demonstration: parse plain English; generate a treebank, train, parse, score, draw.

python tools/demo.py [FOLDER]    (or `make demo`, which also builds and installs Dodona)

The English model ships with the package, and the treebank is in a synthetic language, so that the
demo needs no download. Every step prints the equivalent shell command.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

import dodona
from dodona.drawing.terminal import draw
from dodona.synthetic import generator
from dodona.training.loop import Progress as TrainingProgress

EPOCHS = 5
TEXT = """\
The priests of Dodona didn't ask the oak twice. They listened to its leaves, and to the doves (there
were three of them), before anyone who'd come from e.g. Athens got an answer.

Some answers cost 3.50 drachmas! Others weren't for sale.
"""
console = Console(highlight=False)


@contextmanager
def step(title: str, command: str) -> Iterator[None]:
    """Print a step with its shell command and its time."""
    console.print(f"\n[bold]{title}[/bold]")
    console.print(f"  [dim]$ {command}[/dim]", soft_wrap=True)
    start = time.perf_counter()
    yield
    console.print(f"  [green]done[/green] in {time.perf_counter() - start:.2f} s")


def parse_english(folder: Path) -> None:
    """Parse raw text with the default model, and draw a tree."""
    source, output = folder / "text.txt", folder / "text.conllu"
    folder.mkdir(parents=True, exist_ok=True)
    source.write_text(TEXT, encoding="utf-8")
    with step("Plain English, parsed", f"dodona parse en {source} -o {output}"):
        doc = dodona.load("en")(TEXT)
        output.write_text(doc.to_conllu(), encoding="utf-8")
        for sentence in doc:
            console.print(f"  {len(sentence):3} words  {sentence.text}", soft_wrap=True)
    picture = folder / "text.svg"
    picture.write_text(doc.to_svg(), encoding="utf-8")
    console.print(f"  [dim]pictures of all trees: {picture}[/dim]\n")
    print(doc[0].tree(colour=console.is_terminal and "NO_COLOR" not in os.environ))


def make_treebank(folder: Path) -> None:
    """Write train, dev and test files of the synthetic language."""
    with step("A treebank", f"python -m dodona.synthetic.generator {folder}"):
        generator.main([str(folder)])
        for part in ("train", "dev", "test"):
            sentences = list(dodona.read(folder / f"{part}.conllu"))
            n_words = sum(map(len, sentences))
            console.print(f"  {part:5} {len(sentences):5,} sentences {n_words:7,} words")


def train(folder: Path, model: Path) -> dodona.Parser:
    """Train with the dynamic oracle, and keep the best epoch on the dev set."""
    files = folder / "train.conllu", folder / "dev.conllu"
    command = f"dodona train --train {files[0]} --dev {files[1]} --epochs {EPOCHS} -o {model}"
    bar = Progress(
        TextColumn("  epoch {task.fields[epoch]}"),
        BarColumn(),
        TextColumn("{task.fields[speed]:,.0f} words/s"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    with step("A parser", command), bar:
        task = bar.add_task("", epoch=1, speed=0)

        def report(progress: TrainingProgress) -> None:
            bar.update(
                task,
                completed=progress.n_done,
                total=progress.n_sentences,
                epoch=progress.epoch_number,
                speed=progress.words_per_second,
            )
            if done := progress.epoch:
                console.print(f"  epoch {done.number}   dev LAS {done.las:5.2f}")

        parser = dodona.train(*files, epochs=EPOCHS, report=report)
        parser.save(model)
    return parser


def parse(parser: dodona.Parser, model: Path, gold: Path, output: Path) -> None:
    """Parse the test set from file to file, without its gold trees."""
    with (
        step("Trees for sentences it has not seen", f"dodona parse {model} {gold} -o {output}"),
        dodona.Writer(output) as writer,
    ):
        for sentence in parser.pipe(dodona.read(gold, trees="ignored"), threads=2):
            writer.write(sentence)


def score(gold: Path, output: Path) -> None:
    """Score the parses against the gold trees."""
    with step("How good they are", f"dodona evaluate {gold} {output}"):
        scores = dodona.evaluate(gold, output)
        console.print(
            f"  UAS {scores.uas:.2f}   LAS {scores.las:.2f}   "
            f"whole trees right {scores.lem:.1f}%   ({scores.n_words:,} words)"
        )


def show(output: Path) -> None:
    """Draw the first parse that is neither trivial nor wider than the screen."""
    sentence = next(s for s in dodona.read(output) if 9 <= len(s) <= 14)
    console.print(f"\n[bold]One of them[/bold]  {' '.join(sentence.forms)}\n")
    heads = [head or 0 for head in sentence.heads]
    colour = console.is_terminal and "NO_COLOR" not in os.environ
    print(draw(sentence.forms, heads, sentence.deprels, upos=sentence.upos, colour=colour))


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out/demo")
    model, output = folder / "demo.dodona", folder / "parsed.conllu"
    parse_english(folder)
    make_treebank(folder)
    parser = train(folder, model)
    parse(parser, model, folder / "test.conllu", output)
    score(folder / "test.conllu", output)
    show(output)
    console.print(f"\n[bold]What to type next[/bold], with the files in {folder} or your own\n")
    for command, about in (
        ('echo "Zeus saw the oak trees." | dodona parse en --output tree', "English, from text"),
        (f"dodona evaluate {folder}/test.conllu {output} --errors", "where it goes wrong"),
        (f"dodona draw {output} -o trees.html", "pictures"),
        (f"dodona grep 'upos=VERB >nsubj *' {output}", "look for something"),
        ("dodona train --train F --dev F -o MODEL", "your own treebank: docs/how-to/treebanks.md"),
    ):
        console.print(f"  [cyan]{command}[/cyan]  {about}", soft_wrap=True, highlight=False)


if __name__ == "__main__":
    main()
