"""Kill a process that annotates, many times; measure how long a change takes.

python bench/workbench.py kill [--times N]
python bench/workbench.py speed TREEBANK [--model NAME] [--learning]
python bench/workbench.py page TREEBANK [--model NAME] [--learning]

`kill` ends a process by SIGKILL at random moments while it changes, undoes and saves, starts a
workbench on what it left, and stops with an error if a change that was acknowledged is not there
or the file is not valid. `speed` sets arcs and tags as in the treebank in its sentences of 55 to 65
words, and prints how long a change takes until its new tree is there: with `--learning`, while a
linear model learns from 1,500 sentences of the treebank in the background. `page` does the same
with `dodona annotate` and a browser: from a typed command until the new tree is painted.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Annotated

import typer

from dodona.annotate import Workbench
from dodona.annotate.changes import SetArc, SetField
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

sys.path += [str(Path(__file__).parent.parent / "tests"), str(Path(__file__).parent.parent)]
from support.annotate_killing import kill_once
from support.annotating import write
from tools.browser import start_browser

if TYPE_CHECKING:
    from playwright.sync_api import Playwright

# a command is typed and, a moment later, submitted; the next frame after the arcs shows them
CHANGE = """async (text) => {
    const input = document.getElementById("command");
    const drawn = new Promise((done) => {
        const watcher = new MutationObserver(() => { watcher.disconnect(); done(); });
        watcher.observe(document.querySelector(".arcs"), { childList: true });
    });
    input.value = text;
    input.dispatchEvent(new Event("input"));
    await new Promise((done) => setTimeout(done, 200));
    const start = performance.now();
    input.form.requestSubmit();
    await drawn;
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const seconds = (performance.now() - start) / 1000;
    for (let i = 0; input.value && i < 1000; i += 1) {
        await new Promise((done) => setTimeout(done, 10));
    }
    if (input.value) throw new Error(document.getElementById("error").textContent);
    return seconds;
}"""
LEARN = """fetch("api/learn", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ kind: "linear" }),
})"""
LENGTHS = range(55, 66)
N_SENTENCES, N_LEARNED = 40, 1500
app = typer.Typer(pretty_exceptions_enable=False)


@app.command()
def kill(
    times: Annotated[int, typer.Option(help="how often a process is killed")] = 200,
    seed: Annotated[int, typer.Option(help="of the random moments")] = 1,
) -> None:
    """Kill a process that annotates, and check what it leaves."""
    rng, n_changes = Random(seed), 0
    with TemporaryDirectory() as folder:
        path = write(Path(folder))
        for number in range(times):
            n_changes += kill_once(path, seed * times + number, rng.random() * 0.5)
    print(f"{times} times killed: {n_changes:,} acknowledged changes, none lost, file always valid")


@app.command()
def speed(
    treebank: Annotated[Path, typer.Argument(help="CoNLL-U with trees")],
    model: Annotated[str, typer.Option(help="name or path")] = "en",
    learning: Annotated[bool, typer.Option(help="while a model learns")] = False,
) -> None:
    """Measure how long a change takes."""
    long, data = _corpus(treebank, learning)
    with TemporaryDirectory() as folder, Workbench(write(Path(folder), data), model=model) as bench:
        if learning:
            bench.learn()
        wall, busy = (_measure(bench, long, clock) for clock in (perf_counter, process_time))
        state = bench.learning.state
    _show("elapsed", wall, state)
    _show("CPU of this process", busy, state)


@app.command()
def page(
    treebank: Annotated[Path, typer.Argument(help="CoNLL-U with trees")],
    model: Annotated[str, typer.Option(help="name or path")] = "en",
    learning: Annotated[bool, typer.Option(help="while a model learns")] = False,
) -> None:
    """Measure how long a change takes in a browser."""
    from playwright.sync_api import sync_playwright

    long, data = _corpus(treebank, learning)
    with TemporaryDirectory() as folder:
        asked = "annotate", str(write(Path(folder), data)), "--model", model
        command = [sys.executable, "-m", "dodona", *asked]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            address = next(word for word in process.stderr.readline().split() if "token=" in word)
            try:
                with sync_playwright() as playwright:
                    found, state = _use_page(playwright, address, long, learning)
            finally:
                process.terminate()
    _show("in the browser", found, state)


def _use_page(
    playwright: Playwright, address: str, gold: list[Sentence], learning: bool
) -> tuple[list[float], str]:
    from playwright.sync_api import expect

    browser = start_browser(playwright)
    assert browser is not None
    opened = browser.new_page()
    opened.goto(address)
    rng, found = Random(1), []
    for number, sentence in enumerate(gold, 1):
        opened.locator("#number").fill(str(number))
        opened.locator("#number").press("Enter")
        expect(opened).to_have_url(re.compile(f"#sentence={number}&"))
        if learning:
            opened.evaluate(LEARN)
        for word in rng.sample([*sentence], 5):
            found.append(opened.evaluate(CHANGE, f"{word.id} < {word.head} {word.deprel}"))
    state = opened.evaluate("fetch('api/overview').then((found) => found.json())")
    return found, state["learning"]["state"]


def _corpus(treebank: Path, learning: bool) -> tuple[list[Sentence], bytes]:
    """Return long sentences, and a file of them without trees; with trees to learn from, if any."""
    gold = [*read(treebank)]
    long = [sentence for sentence in gold if len(sentence) in LENGTHS][:N_SENTENCES]
    return long, b"".join(map(_bare, long)) + b"".join(map(bytes, gold[: N_LEARNED * learning]))


def _show(name: str, seconds: list[float], state: str) -> None:
    ranked = sorted(1000 * each for each in seconds)
    n, last = len(ranked), ranked[-1]
    print(f"{name}: {n} changes, median {ranked[n // 2]:.1f} ms, ", end="")
    print(f"p95 {ranked[n * 95 // 100]:.1f} ms, longest {last:.1f} ms (learning: {state})")


def _bare(sentence: Sentence) -> bytes:
    return bytes(Sentence.from_columns(sentence.forms))


def _measure(bench: Workbench, gold: list[Sentence], clock: Callable[[], float]) -> list[float]:
    rng, found = Random(1), []
    for index, sentence in enumerate(gold):
        view = bench.sentence(index)
        for number in range(5):
            word = sentence[rng.randrange(len(sentence))]
            assert word.head is not None
            change = SetField(word.id, "upos", word.upos) if number == 4 else None
            start = clock()
            arc = SetArc(word.id, word.head, word.deprel)
            view = bench.change(index, view.revision, change or arc)
            found.append(clock() - start)
    return found


if __name__ == "__main__":
    app()
