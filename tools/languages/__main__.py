"""Make models of languages: `make languages`, or

python -m tools.languages [--languages cy,ga_idt] [--data FOLDER] [--out FOLDER] [--encoder FILE]
    [--teachers N] [--jobs N] [--until lemmas|sentences|teachers|silver|student|tuned|package]
    [--show] [--test] [--peers FILE]

For each treebank of the data folder (see `sets`): segmenter, lemmas, teacher, silver, student
(`dodona distil`; `recipe` says with which settings), the student tuned on gold (`dodona train`),
then calibration, scores, card and wheel (`package`). Finished steps are kept in OUT/SET, and
repeating the command goes on after them. A language that fails is reported, and the others are
made. Teachers profit most from a GPU.
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

from tools.languages.recipe import command, student_of, tuning
from tools.languages.sets import LanguageSet, find_data, find_sets, prepared
from tools.treebanks import ROOT

ENCODER = ROOT / "models" / "multilingual.encoder"
STEPS = ("segmenter", "lemmas", "sentences", "teachers", "silver", "student", "tuned", "package")


def main(words: list[str] | None = None) -> None:
    """Make the models of the chosen languages."""
    chosen = _options().parse_args(words)
    for name in ("data", "out", "encoder"):
        setattr(chosen, name, getattr(chosen, name).absolute())
    names = [name for name in chosen.languages.split(",") if name]
    found = [one for one in find_sets(chosen.data, names) if names or one.is_packaged]
    sets = [prepared(one, chosen.out / one.name) for one in found]
    sets.sort(key=lambda one: -one.n_words)  # the longest first, so that jobs end together
    encoder = chosen.encoder if chosen.encoder.exists() else None
    if chosen.show:
        for one in sets:
            print("dodona", shlex.join(command(one, chosen.out, encoder, chosen.teachers)))
        return
    for one in sets:
        for problem in missing(one):
            print(f"{one.name}: {problem}")
    if encoder is None:
        print(f"{chosen.encoder}: no such encoder; teachers learn from their treebanks alone")
    with ThreadPoolExecutor(chosen.jobs) as pool:
        done = list(pool.map(lambda one: make(one, chosen, encoder), sets))
    failed = [one.name for one, ok in zip(sets, done, strict=True) if not ok]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}; their logs are in {chosen.out}/*/log.txt")


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m tools.languages", description=(__doc__ or "").split("\n")[0]
    )
    options.add_argument("--languages", default="", help="codes or treebanks, by commas [all]")
    options.add_argument("--data", type=Path, default=find_data(), help="data folder")
    options.add_argument("--out", type=Path, default=ROOT / "out" / "languages", help="folder")
    options.add_argument("--encoder", type=Path, default=ENCODER, help="encoder under teachers")
    options.add_argument("--teachers", type=int, default=1, help="teachers of a language [1]")
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


def make(one: LanguageSet, chosen: argparse.Namespace, encoder: Path | None) -> bool:
    """Run the steps of a language, each in a process of its own; return whether all succeeded."""
    folder = chosen.out / one.name
    folder.mkdir(parents=True, exist_ok=True)
    model = folder / f"{one.package}.dodona"
    with (folder / "log.txt").open("ab") as log:
        if not student_of(one, chosen.out).exists():
            words = command(one, chosen.out, encoder, chosen.teachers)
            if chosen.until not in STEPS[-3:]:
                if one.text is None:
                    return True  # its only step is the training of the network
                words += ["--until", chosen.until]
            if not _run(one, ["-m", "dodona", *words], log):
                return False
        if chosen.until not in STEPS[-2:]:
            return True
        if not model.exists() and not _run(one, ["-m", "dodona", *tuning(one, chosen.out)], log):
            return False
        if chosen.until != STEPS[-1]:
            return True
        words = ["-m", "tools.languages.package", str(one.folder), "--data", str(chosen.data)]
        words += ["--model", str(model), *(["--test"] if chosen.test else [])]
        words += ["--peers", str(chosen.peers)] if chosen.peers else []
        return _run(one, words, log)


def _run(one: LanguageSet, words: list[str], log: IO[bytes]) -> bool:
    print(f"{one.name}: {shlex.join(words[1:3])} …", flush=True)
    done = subprocess.run([sys.executable, *words], stdout=log, stderr=log, check=False, cwd=ROOT)
    print(f"{one.name}: {'done' if done.returncode == 0 else 'failed'}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    main()
