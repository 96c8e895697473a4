"""Make models of languages: `make languages`, or

python -m tools.languages [--languages cy,ga_idt] [--data FOLDER] [--out FOLDER] [--jobs N]
    [--together N] [--new-trunk] [--teacher] [--seconds N] [--show] [--test] [--peers FILE]
    [--until text|arrays|networks|student|tuned|package]

For each treebank of the data folder (see `sets`): segmenter and sentences of the text (`dodona
distil`), the network (`lanes`), the tuning of its model (`dodona train`; `recipe` says with which
settings), then calibration, scores, card and wheel (`package`). Finished steps are kept in OUT/SET,
and repeating the command goes on after them. A language that fails is reported, and the others are
made. On a GPU, the networks of twenty languages can be trained in one program (--together), or
those of all, beside a large network that learns from all languages of the data folder and votes,
too (--teacher).
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

from tools.languages.recipe import (
    DODONA,
    TRUNK,
    Step,
    after_networks,
    arrays_of,
    before_networks,
    networks_of,
    teacher_of,
    tuned_of,
)
from tools.languages.sets import LanguageSet, find_data, find_sets, prepared
from tools.treebanks import ROOT

STEPS = ("text", "arrays", "networks", "student", "tuned", "package")
NETWORKS = STEPS.index("networks")
UNFINISHED = "unfinished-"  # before the name of a file that is being made


def main(words: list[str] | None = None) -> None:
    """Make the models of the chosen languages."""
    options = _options()
    chosen = options.parse_args(words)
    if chosen.new_trunk and chosen.together < 2 and not chosen.teacher:
        options.error("--new-trunk: several languages make a trunk; give --together 2 or more")
    for name in ("data", "out"):
        setattr(chosen, name, getattr(chosen, name).absolute())
    names = [name for name in chosen.languages.split(",") if name]
    found = [one for one in find_sets(chosen.data, names) if names or one.is_packaged]
    sets = [prepared(one, chosen.out / one.name) for one in found]
    sets.sort(key=lambda one: -one.n_words)  # the longest first, so that jobs end together
    if chosen.show:
        _show(sets, chosen)
        return
    for one in sets:
        for problem in missing(one):
            print(f"{one.name}: {problem}")
    last = STEPS.index(chosen.until)
    ready = _of_each(sets, chosen.jobs, lambda one: make(one, chosen, STEPS[:NETWORKS]))
    if chosen.teacher and last >= NETWORKS:
        others = [one for one in _every_set(chosen) if one.name not in {two.name for two in sets}]
        _of_each(others, chosen.jobs, lambda one: make(one, chosen, STEPS[:NETWORKS]))
    if last >= NETWORKS:
        ready = train_networks(ready, chosen)
        ready = _of_each(ready, chosen.jobs, lambda one: make(one, chosen, STEPS[NETWORKS + 1 :]))
    if failed := [one.name for one in sets if one not in ready]:
        sys.exit(f"failed: {', '.join(failed)}; their logs are in {chosen.out}/*/log.txt")


def _of_each(
    sets: Sequence[LanguageSet], jobs: int, make: Callable[[LanguageSet], bool]
) -> list[LanguageSet]:
    """Make something of each set, several at the same time, and return those that succeeded."""
    with ThreadPoolExecutor(jobs) as pool:
        return [one for one, ok in zip(sets, pool.map(make, sets), strict=True) if ok]


def _show(sets: Sequence[LanguageSet], chosen: argparse.Namespace) -> None:
    """Print the commands."""
    for one in sets:
        for step in before_networks(one, chosen.out, chosen.data):
            print(_command(step.module, step.words))
    for some in _groups(sets, chosen):
        print(_command(*_training(some, chosen)))
    for one in sets:
        for step in after_networks(one, chosen.out, chosen.data):
            print(_command(step.module, step.words))


def _command(module: str, words: Sequence[str]) -> str:
    return shlex.join([module, *words] if module == DODONA else ["python", "-m", module, *words])


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m tools.languages", description=(__doc__ or "").split("\n")[0]
    )
    options.add_argument("--languages", default="", help="codes or treebanks, by commas [all]")
    options.add_argument("--data", type=Path, default=find_data(), help="data folder")
    options.add_argument("--out", type=Path, default=ROOT / "out" / "languages", help="folder")
    options.add_argument("--jobs", type=int, default=1, help="languages at the same time [1]")
    options.add_argument("--together", type=int, default=1, help="networks in a program [1]")
    options.add_argument(
        "--new-trunk", action="store_true", help=f"make a trunk instead of using {TRUNK.name}"
    )
    options.add_argument(
        "--teacher", action="store_true", help="train all networks together, and a large one"
    )
    options.add_argument(
        "--seconds", type=float, help="shorten the training of networks to so many"
    )
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


def make(one: LanguageSet, chosen: argparse.Namespace, names: Sequence[str]) -> bool:
    """Run those of the named steps that are wanted and not done; return whether all succeeded."""
    folder, last = chosen.out / one.name, STEPS.index(chosen.until)
    wanted = [name for name in names if STEPS.index(name) <= last]
    folder.mkdir(parents=True, exist_ok=True)
    every = before_networks if names[0] == STEPS[0] else after_networks
    steps = [step for step in every(one, chosen.out, chosen.data) if step.name in wanted]
    if STEPS[-1] in wanted:
        steps.append(_packaging(one, chosen))
    with (folder / "log.txt").open("ab") as log:
        to_do = (step for step in steps if step.made is None or not step.made.exists())
        return all(run(one.name, step, log) for step in to_do)


def _packaging(one: LanguageSet, chosen: argparse.Namespace) -> Step:
    words = [str(one.folder), "--model", str(tuned_of(one, chosen.out)), "--data", str(chosen.data)]
    words += ["--test"] if chosen.test else []
    if chosen.teacher and one.lends:  # else it has no opinions
        words += ["--teacher", str(teacher_of(chosen.out))]
    words += ["--peers", str(chosen.peers)] if chosen.peers else []
    return Step(STEPS[-1], None, "tools.languages.package", words)


def _every_set(chosen: argparse.Namespace) -> list[LanguageSet]:
    return [prepared(one, chosen.out / one.name) for one in find_sets(chosen.data)]


def train_networks(sets: Sequence[LanguageSet], chosen: argparse.Namespace) -> list[LanguageSet]:
    """Train the networks that are missing, and return the sets that have one."""

    def has_network(one: LanguageSet) -> bool:
        return (networks_of(chosen.out) / f"{one.name}.npz").exists()

    for some in _groups([one for one in sets if not has_network(one)], chosen):
        module, words = _training(some, chosen)
        named = ", ".join(one.name for one in some)
        with (chosen.out / some[0].name / "log.txt").open("ab") as log:
            run(named, Step(STEPS[NETWORKS], None, module, words), log)
    return [one for one in sets if has_network(one)]


def _groups(
    sets: Sequence[LanguageSet], chosen: argparse.Namespace
) -> Iterator[Sequence[LanguageSet]]:
    """Yield the sets whose networks are trained together: all, if they have one teacher."""
    size = max(len(sets), 1) if chosen.teacher else chosen.together
    for begin in range(0, len(sets), size):
        yield sets[begin : begin + size]


def _training(sets: Sequence[LanguageSet], chosen: argparse.Namespace) -> tuple[str, list[str]]:
    """Return the module, and its arguments, that trains the networks of some sets."""
    words = [str(arrays_of(one, chosen.out)) for one in sets]
    words += ["--out", str(networks_of(chosen.out))]
    words += [] if chosen.new_trunk else ["--trunk", str(TRUNK)]
    words += ["--seconds", str(chosen.seconds)] if chosen.seconds else []
    if chosen.teacher:
        others = [one for one in _every_set(chosen) if one.name not in {two.name for two in sets}]
        ready = [arrays_of(one, chosen.out) for one in others]
        words += ["--teacher", *(str(path) for path in ready if path.exists() or chosen.show)]
    return "tools.languages.lanes.training", words


def run(name: str, step: Step, log: IO[bytes]) -> bool:
    """Run a step and return whether it succeeded; only then the file that it makes is there.

    A training that is interrupted saves what it has, which must not pass for a finished step.
    """
    print(f"{name}: {step.name} …", flush=True)
    made, words = step.made, step.words
    begun = made.with_name(f"{UNFINISHED}{made.name}") if made else None
    if made:
        made.parent.mkdir(parents=True, exist_ok=True)
    words = [str(begun) if made and word == str(made) else word for word in words]
    command = [sys.executable, "-m", step.module, *words]
    done = subprocess.run(command, stdout=log, stderr=log, check=False, cwd=ROOT)
    print(f"{name}: {step.name} {'done' if done.returncode == 0 else 'failed'}", flush=True)
    if done.returncode == 0 and made and begun and begun.is_file():
        begun.replace(made)
    return done.returncode == 0


if __name__ == "__main__":
    main()
