"""Train, score and package a model for every treebank: `make models`.

python -m tools.models [--data DIR] [--out FOLDER] [--treebanks a,b] [--scorer linear|neural]
                       [--epochs N] [--test] [--jobs N] [--version 1.0]

For each treebank the folder gets the model, its card and its wheel; DODONA_MODELS may name the
folder. Finished models, recorded in models.jsonl, are not trained again. If RAY_ADDRESS names a Ray
cluster, the models are trained there. Scores are those of the dev set; --test adds the test set.
"""

from __future__ import annotations

import argparse
import json
import sys
from hashlib import sha256
from pathlib import Path

from dodona.cli.tables import n_bytes, print_columns
from dodona.cli.verbs.info import measure_speed
from dodona.models import SUFFIX
from dodona.models.cards import NON_COMMERCIAL
from dodona.models.pages import make_card
from dodona.models.wheels import make_package
from dodona.parsing.parser import Parser
from dodona.settings import LINEAR, SCORERS, Settings
from dodona.storage import container
from dodona.storage.atomic import atomic_write
from dodona_papers.running.data import TreebankFolder, find_treebanks
from dodona_papers.running.grid import load_results, run_grid
from dodona_papers.running.pipelines import ModelJob, TrainedModel
from tools.licences import UNKNOWN, read_card
from tools.treebanks import ROOT, find_folder

RESULTS = "models.jsonl"
SYSTEM = "nonmonotonic"  # the best greedy system for linear models
SHOWN = {"upos": "UPOS", "las": "LAS", "text_las": "text LAS"}


def main(words: list[str] | None = None) -> None:
    """Train the missing models, and package all."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--data", type=Path, default=find_folder(), help="folder of treebanks")
    options.add_argument("--out", type=Path, default=ROOT / "dist" / "models", help="output folder")
    options.add_argument("--treebanks", help="names, separated by commas")
    options.add_argument("--scorer", choices=SCORERS, default=LINEAR)
    options.add_argument("--epochs", type=int, help="training epochs")
    options.add_argument("--test", action="store_true", help="also score the test set")
    options.add_argument("--jobs", type=int, default=1, help="treebanks in parallel")
    options.add_argument("--version", default="1.0", help="version of the packages")
    chosen = options.parse_args(words)
    names = chosen.treebanks.split(",") if chosen.treebanks else None
    try:
        treebanks = find_treebanks(chosen.data, names, needed=["train"])
        settings = choose_settings(chosen.scorer, chosen.epochs)
        jobs = [make_job(one, settings, chosen.version, chosen.test) for one in treebanks]
        chosen.out.mkdir(parents=True, exist_ok=True)
        trained = train(jobs, chosen.out, chosen.jobs)
    except (ValueError, OSError) as error:
        sys.exit(str(error))
    report([package(job, result, chosen.out) for job, result in zip(jobs, trained, strict=True)])


def choose_settings(scorer: str, epochs: int | None) -> Settings:
    """Return the jobs of all treebanks."""
    given = {} if epochs is None else {"epochs": epochs}
    return Settings(scorer=scorer, **({"system": SYSTEM} if scorer == LINEAR else {}), **given)


def make_job(treebank: TreebankFolder, settings: Settings, version: str, test: bool) -> ModelJob:
    """Return the job of one treebank; the model is named after it, in package spelling."""
    card = read_card(treebank.folder, version)
    return ModelJob(treebank, treebank.name.replace("_", "-"), settings, card, test)


def train(jobs: list[ModelJob], out: Path, n_processes: int) -> list[TrainedModel]:
    """Run the jobs, and return their results; the models are in the folder."""

    def store(result: TrainedModel) -> None:
        with atomic_write(model_file(result.name, out)) as file:
            file.write(result.file)
        (out / f"{result.name}.md").unlink(missing_ok=True)  # the card of a replaced model

    forget_lost(out)
    parse = TrainedModel.from_record
    return run_grid(jobs, parse, out / RESULTS, n_processes=n_processes, store=store)


def forget_lost(out: Path) -> None:
    """Drop results whose model is missing or has changed."""
    results = load_results(out / RESULTS, TrainedModel.from_record)
    kept = [result for result in results if digest(model_file(result.name, out)) == result.sha256]
    if len(kept) < len(results):
        with atomic_write(out / RESULTS) as file:
            file.write("".join(f"{json.dumps(result.to_record())}\n" for result in kept).encode())


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest() if path.exists() else ""


def model_file(name: str, out: Path) -> Path:
    return out / f"{name}{SUFFIX}"


def package(job: ModelJob, result: TrainedModel, out: Path) -> list[str]:
    """Write card and wheel of a model; return its row of the report."""
    path, page = model_file(job.name, out), out / f"{job.name}.md"
    if not page.exists():  # the speed in the card is measured once
        speed = measure_speed(Parser.load(path))
        about, size = container.about(path), path.stat().st_size
        text = make_card(job.name, job.card, about, size, words_per_second=speed, test=result.test)
        page.write_text(text, encoding="utf-8", newline="\n")
    wheel = make_package(path, job.name, job.card, readme=page.read_text(encoding="utf-8"))
    scores = [f"{result.dev[key]:.2f}" if key in result.dev else "-" for key in SHOWN]
    size = n_bytes(path.stat().st_size)
    return [job.name, job.card.language, *scores, size, job.card.licence, wheel.save(out).name]


def report(rows: list[list[str]]) -> None:
    """Print a table of all models, and warnings about licences."""
    words = ("language", "licence", "wheel")
    print_columns(("model", "language", *SHOWN.values(), "size", *words[1:]), rows, words=words)
    licences = {row[0]: row[-2] for row in rows}
    for name, licence in licences.items():
        if licence == UNKNOWN:
            print(f"{name}: the licence is {licence}: determine it before you distribute the model")
    if closed := [name for name, licence in licences.items() if NON_COMMERCIAL.search(licence)]:
        print(f"Non-commercial, by their licences: {', '.join(closed)}")


if __name__ == "__main__":
    main()
