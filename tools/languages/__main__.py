"""Make models of languages: `make languages`, or

python -m tools.languages [--languages cy,ga_idt] [--data FOLDER] [--out FOLDER] [--encoder FILE]
    [--encoder-seconds N,N] [--teachers N] [--jobs N] [--show] [--test] [--peers FILE]
    [--until segmenter|lemmas|sentences|teachers|silver|student|tuned|package]

For each treebank of the data folder (see `sets`): segmenter, lemmas, teacher, silver, student
(`dodona distil`; `recipe` says with which settings), the student tuned on gold (`dodona train`),
then calibration, scores, card and wheel (`package`). Finished steps are kept in OUT/SET, and
repeating the command goes on after them. A language that fails is reported, and the others are
made. Teachers profit most from a GPU; on one, --encoder-seconds makes the encoder of all languages
first (`encoder`).
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

from tools.languages.recipe import command, encoder_of, student_of, tuning, two_limits
from tools.languages.sets import LanguageSet, find_data, find_sets, prepared
from tools.treebanks import ROOT

ENCODER = ROOT / "models" / encoder_of(ROOT).name
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
    if chosen.show:
        for one in sets:
            print("dodona", shlex.join(command(one, chosen.out, _encoder(chosen), chosen.teachers)))
        return
    for one in sets:
        for problem in missing(one):
            print(f"{one.name}: {problem}")
    if chosen.encoder_seconds and _encoder(chosen) is None:
        _make_all(sets, chosen, "sentences")  # a language that fails will do so again
        make_encoder(chosen)
    if _encoder(chosen) is None:
        print(f"{chosen.encoder}: no such encoder; teachers learn from their treebanks alone")
    if failed := _make_all(sets, chosen, chosen.until):
        sys.exit(f"failed: {', '.join(failed)}; their logs are in {chosen.out}/*/log.txt")


def _encoder(chosen: argparse.Namespace) -> Path | None:
    """Return the encoder under the teachers, if there is one."""
    paths = chosen.encoder, encoder_of(chosen.out)
    return next((path for path in paths if path.exists()), None)


def _make_all(sets: list[LanguageSet], chosen: argparse.Namespace, until: str) -> list[str]:
    """Make all languages up to a step; return those that failed."""
    encoder = _encoder(chosen)
    with ThreadPoolExecutor(chosen.jobs) as pool:
        done = list(pool.map(lambda one: make(one, chosen, encoder, until), sets))
    return [one.name for one, ok in zip(sets, done, strict=True) if not ok]


def make_encoder(chosen: argparse.Namespace) -> None:
    """Make the encoder of all languages, in a process whose memory is free afterwards."""
    words = ["-m", "tools.languages.encoder", "--data", str(chosen.data), "--out", str(chosen.out)]
    seconds = ",".join(map(str, chosen.encoder_seconds))
    words += ["--seconds", seconds, "--jobs", str(chosen.jobs)]
    path = chosen.out / "encoder" / "log.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as log:
        if not _run("encoder", words, log):
            sys.exit(f"failed: the encoder; see {path}")


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m tools.languages", description=(__doc__ or "").split("\n")[0]
    )
    options.add_argument("--languages", default="", help="codes or treebanks, by commas [all]")
    options.add_argument("--data", type=Path, default=find_data(), help="data folder")
    options.add_argument("--out", type=Path, default=ROOT / "out" / "languages", help="folder")
    options.add_argument("--encoder", type=Path, default=ENCODER, help="encoder under teachers")
    limits = {"type": two_limits, "metavar": "N,N"}
    options.add_argument("--encoder-seconds", **limits, help="make it, in so many seconds")
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


def make(one: LanguageSet, chosen: argparse.Namespace, encoder: Path | None, until: str) -> bool:
    """Run the steps of a language, each in a process of its own; return whether all succeeded."""
    folder = chosen.out / one.name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "log.txt").open("ab") as log:
        return all(_run(one.name, words, log) for words in _steps(one, chosen, encoder, until))


def _steps(
    one: LanguageSet, chosen: argparse.Namespace, encoder: Path | None, until: str
) -> Iterator[list[str]]:
    """Yield the arguments of Python for what is still to be done."""
    model = chosen.out / one.name / f"{one.package}.dodona"
    last = STEPS.index(until)
    if not student_of(one, chosen.out).exists():
        words = command(one, chosen.out, encoder, chosen.teachers)
        if last >= STEPS.index("student"):
            yield ["-m", "dodona", *words]
        elif one.text is not None:  # without text, the only step is the training of the network
            yield ["-m", "dodona", *words, "--until", until]
    if last >= STEPS.index("tuned") and not model.exists():
        yield ["-m", "dodona", *tuning(one, chosen.out)]
    if until == "package":
        words = ["-m", "tools.languages.package", str(one.folder), "--data", str(chosen.data)]
        words += ["--model", str(model), *(["--test"] if chosen.test else [])]
        yield words + (["--peers", str(chosen.peers)] if chosen.peers else [])


def _run(name: str, words: list[str], log: IO[bytes]) -> bool:
    print(f"{name}: {shlex.join(words[1:3])} …", flush=True)
    done = subprocess.run([sys.executable, *words], stdout=log, stderr=log, check=False, cwd=ROOT)
    print(f"{name}: {'done' if done.returncode == 0 else 'failed'}", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    main()
