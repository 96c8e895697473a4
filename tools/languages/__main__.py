"""Make models of languages: `make languages`, or

python -m tools.languages [--languages cy,ga_idt] [--data FOLDER] [--out FOLDER] [--jobs N] [--show]
    [--until first|committee|silver|student|tuned|package]
    [--test] [--peers FILE]

For each treebank of the data folder (see `sets`): the first network, which learns from the treebank
and its relatives, and the linear models of the committee (`dodona train`; `recipe` says with which
settings), silver and student (`dodona distil`), the student tuned on gold (`dodona train`), then
calibration, scores, card and wheel (`package`). Finished steps are kept in OUT/SET, and repeating
the command goes on after them. A language that fails is reported, and the others are made. Networks
profit from a GPU, on which several languages fit (--jobs).
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

from tools.languages.recipe import (
    first,
    first_of,
    linear,
    model_of,
    student,
    student_of,
    tuning,
)
from tools.languages.sets import LanguageSet, find_data, find_sets, prepared
from tools.treebanks import ROOT

STEPS = ("first", "committee", "silver", "student", "tuned", "package")


def main(words: list[str] | None = None) -> None:
    """Make the models of the chosen languages."""
    chosen = _options().parse_args(words)
    for name in ("data", "out"):
        setattr(chosen, name, getattr(chosen, name).absolute())
    names = [name for name in chosen.languages.split(",") if name]
    found = [one for one in find_sets(chosen.data, names) if names or one.is_packaged]
    sets = [prepared(one, chosen.out / one.name) for one in found]
    sets.sort(key=lambda one: -one.n_words)  # the longest first, so that jobs end together
    if chosen.show:
        for one in sets:
            for _, _, words in _commands(one, chosen.out):
                print("dodona", shlex.join(words))
        return
    for one in sets:
        for problem in missing(one):
            print(f"{one.name}: {problem}")
    with ThreadPoolExecutor(chosen.jobs) as pool:
        done = list(pool.map(lambda one: make(one, chosen), sets))
    if failed := [one.name for one, ok in zip(sets, done, strict=True) if not ok]:
        sys.exit(f"failed: {', '.join(failed)}; their logs are in {chosen.out}/*/log.txt")


def _commands(one: LanguageSet, out: Path) -> Iterator[tuple[str, Path, list[str]]]:
    """Yield all steps before the package: name, file that is made, arguments of `dodona`."""
    for words in first(one, out):
        yield "first", Path(words[-1]), words
    begun = first_of(one, out)
    if one.text is not None:
        for path, words in linear(one, out).items():
            yield "committee", path, words
        begun = student_of(one, out)
        yield "silver", begun, [*student(one, out), "--until", "silver"]
        yield "student", begun, student(one, out)
    model = model_of(one, out)
    yield "tuned", model, tuning(one, begun, model)


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m tools.languages", description=(__doc__ or "").split("\n")[0]
    )
    options.add_argument("--languages", default="", help="codes or treebanks, by commas [all]")
    options.add_argument("--data", type=Path, default=find_data(), help="data folder")
    options.add_argument("--out", type=Path, default=ROOT / "out" / "languages", help="folder")
    options.add_argument("--jobs", type=int, default=1, help="languages at the same time [1]")
    options.add_argument("--until", choices=STEPS, default=STEPS[-1], help="stop after this step")
    options.add_argument("--peers", type=Path, help="scores of other parsers (bench/udpipe.py)")
    options.add_argument("--show", action="store_true", help="only print the commands")
    options.add_argument("--test", action="store_true", help="also score the test sets")
    return options


def missing(one: LanguageSet) -> Iterator[str]:
    """Yield what a set lacks, and what is done instead."""
    if one.is_cut:
        yield f"no dev set; the last tenth of the train set is cut off: {one.dev}"
    if one.text is None:
        yield f"no raw text in text/{one.code}.txt.gz; the network learns from the treebank alone"
    if one.file("test") is None:
        yield "no test set; only the dev set is scored"


def make(one: LanguageSet, chosen: argparse.Namespace) -> bool:
    """Run the steps of a language, each in a process of its own; return whether all succeeded."""
    folder = chosen.out / one.name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "log.txt").open("ab") as log:
        return all(run(one.name, words, log) for words in _steps(one, chosen))


def _steps(one: LanguageSet, chosen: argparse.Namespace) -> Iterator[list[str]]:
    """Yield the arguments of Python for what is still to be done."""
    last = STEPS.index(chosen.until)
    for step, path, words in _commands(one, chosen.out):
        if STEPS.index(step) <= last and not path.exists():
            yield ["-m", "dodona", *words]
    if chosen.until == "package":
        words = ["-m", "tools.languages.package", str(one.folder), "--data", str(chosen.data)]
        for model in _candidates(one, chosen.out):
            words += ["--model", str(model)]
        words += ["--test"] if chosen.test else []
        yield words + (["--peers", str(chosen.peers)] if chosen.peers else [])


def _candidates(one: LanguageSet, out: Path) -> list[Path]:
    """Return the networks of which the best becomes the package: tuned, before it, before silver.

    Raw text of another genre than the treebank may teach less than it costs.
    """
    before = [student_of(one, out)] if one.text is not None else []
    return [model_of(one, out), *before, first_of(one, out)]


def run(name: str, words: list[str], log: IO[bytes]) -> bool:
    """Run a step and return whether it succeeded; only then the file after `--out` is there.

    A training that is interrupted saves what it has, which must not pass for a finished step.
    """
    print(f"{name}: {shlex.join(words[1:3])} …", flush=True)
    made = Path(words[words.index("--out") + 1]) if "--out" in words else None
    begun = made.with_name(f"unfinished-{made.name}") if made else None
    words = [str(begun) if made and word == str(made) else word for word in words]
    done = subprocess.run([sys.executable, *words], stdout=log, stderr=log, check=False, cwd=ROOT)
    print(f"{name}: {'done' if done.returncode == 0 else 'failed'}", flush=True)
    if done.returncode == 0 and made and begun and begun.is_file():
        begun.replace(made)
    return done.returncode == 0


if __name__ == "__main__":
    main()
