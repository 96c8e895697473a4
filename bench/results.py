"""Measure the figures of docs/figures.toml that take less than an hour: `make results`.

python bench/results.py --data DIR [--only shipped-models,linear-models] [--out docs/figures.toml]

Every speed is CPU time of one core, the least of several runs, so that other programs on the
machine change it little. The entries of the data file are replaced, with today's date, the commit
and the machine; then `python -m tools.pages --write` brings them into the pages.
"""

from __future__ import annotations

import datetime
import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import measure
import typer
from versions import least_seconds

import dodona
from dodona.models import locate
from dodona.treebank.raw_text import raw_text

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tools.figures import DATA, replace_entry  # noqa: E402

TREEBANK = "en_ewt"
NONE = "\N{EN DASH}"  # for a figure that does not exist
ENGLISH = ("en", "en-small", "en-large", "en-linear")
Row = list[str | float]


def without_tags(sentence: dodona.Sentence) -> dodona.Sentence:
    """Return the sentence with empty tag and lemma columns."""
    empty = ["_"] * len(sentence)
    return sentence.replace(upos=empty, xpos=empty, feats=empty, lemmas=empty)


def search_speed(parser: dodona.Parser, gold: list[dodona.Sentence]) -> int:
    """Return words/s from encoded words to trees: a linear model without reading and writing."""
    corpus = parser.encoder.encode(gold)
    seconds = least_seconds(lambda: parser.search.parse(corpus))
    return _rounded(sum(map(len, gold)) / seconds)


def file_speed(parser: dodona.Parser, test: Path, *, keep_tags: bool) -> int:
    """Return words/s from CoNLL-U to CoNLL-U."""
    content = test.read_bytes()

    def parse() -> int:
        read = dodona.read(io.BytesIO(content), trees="ignored")
        parsed = parser.pipe(read, keep_tags=keep_tags, retag=not keep_tags)
        return sum(len(bytes(sentence)) for sentence in parsed)

    return _rounded(sum(map(len, dodona.read(test))) / least_seconds(parse))


def shipped(folder: Path) -> list[Row]:
    """Measure the English models: accuracy, speed, memory and loading time."""
    return [measure.apart(shipped_model, name, folder) for name in ENGLISH]


def shipped_model(name: str, folder: Path) -> Row:
    """Measure one English model, in a process of its own."""
    measure.use_one_core()
    begin = time.process_time()
    parser = dodona.load(name)
    loading, test = time.process_time() - begin, folder / "test.conllu"
    gold = list(dodona.read(test))
    text, n_words = "".join(raw_text(gold)), sum(map(len, gold))

    def parse() -> bytes:
        chunks = (text[i : i + 65_536] for i in range(0, len(text), 65_536))
        return b"".join(map(bytes, parser.pipe_text(chunks)))

    from_text = dodona.evaluate_text(gold, list(dodona.read(io.BytesIO(parse())))).las
    words_s, memory = n_words / least_seconds(parse), measure.peak_memory() or 0
    given = dodona.evaluate(gold, list(parser.pipe(map(without_tags, gold)))).las
    size = locate(name).stat().st_size
    return [
        f"`{name}`",
        round(given, 2),
        round(from_text.f1 if from_text else 0, 2),
        _rounded(words_s),
        search_speed(parser, gold) if name == "en-linear" else NONE,
        file_speed(parser, test, keep_tags=False),
        round(size / 1e6, 1),
        round(memory / 1e6),
        round(loading, 2),
    ]


def linear(folder: Path) -> list[Row]:
    """Train linear models with default settings and measure them."""
    rows = []
    for shown, settings in {
        "gold tags": {"tags": "gold"},
        "gold tags, beam of 8": {"beam": 8, "tags": "gold"},
        "predicted tags": {"tags": "predicted"},
    }.items():
        rows.append(measure.apart(linear_model, shown, settings, folder))
    return rows


def linear_model(shown: str, settings: dict[str, Any], folder: Path) -> Row:
    """Train one linear model and measure it, in a process of its own."""
    measure.use_one_core()
    begin = time.process_time()
    trained = dodona.train(folder / "train.conllu", folder / "dev.conllu", **settings)
    training, test = time.process_time() - begin, folder / "test.conllu"
    with tempfile.TemporaryDirectory() as temporary:
        model = Path(temporary, "model.dodona")
        trained.save(model)
        parser, size = dodona.load(model), model.stat().st_size
    keep_tags, gold = "tags" not in settings, list(dodona.read(test))
    parsed = list(parser.pipe(gold, keep_tags=keep_tags, retag=not keep_tags))
    scores = dodona.evaluate(gold, parsed)
    return [
        shown,
        round(scores.uas, 2),
        round(scores.las, 2),
        search_speed(parser, gold) if keep_tags else NONE,
        file_speed(parser, test, keep_tags=keep_tags),
        round(size / 1e6, 1),
        round(training),
    ]


def _rounded(speed: float) -> int:
    return int(round(speed, -3))


# entry of the data file: what measures its rows
ENTRIES: dict[str, Callable[[Path], list[Row]]] = {
    "shipped-models": shipped,
    "linear-models": linear,
}


def provenance() -> dict[str, str]:
    """Return the commit, the date and the machine of this run."""
    command = ["git", "-C", str(ROOT), "rev-parse", "--short=7", "HEAD"]
    commit = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    found = measure.machine()
    machine = f"{found['processor']}, {found['cores']} cores, CPU time of one"
    return {"commit": commit, "date": datetime.date.today().isoformat(), "machine": machine}


def main(
    data: measure.Data,
    only: Annotated[str, typer.Option(help="Entries, separated by commas.")] = ",".join(ENTRIES),
    out: Annotated[Path, typer.Option(help="The data file.")] = DATA,
) -> None:
    """Measure the entries and replace them in the data file."""
    for name in only.split(","):
        rows: Sequence[Row] = ENTRIES[name](data / TREEBANK)
        for row in rows:
            print(name, *row, sep="\t", flush=True)
        text = out.read_text(encoding="utf-8")
        out.write_text(replace_entry(text, name, {**provenance(), "rows": rows}), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
