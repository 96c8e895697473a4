"""Train the networks of many languages in one program.

python -m tools.languages.lanes.training ARRAYS... --out FOLDER [--trunk FILE]
    [--teacher ARRAYS...] [--seconds N]

On each language, voters learn from gold and from guesses of hidden words; by vote they annotate the
text of their language; a student learns from gold, its states, and the text, with the probabilities
that the voters give to heads, labels and tags (`fleet`). With --teacher, a large network of all
languages, also of those whose arrays follow it, votes beside them (`teaching`). It learns twice:
from gold, and once more from gold and the text that voters and teacher together have annotated.

FOLDER gets the network of each student (`models` makes a model of it), votes of all networks on the
text, from which that model learns further, a new trunk if none was given, teacher.json, the sets
that the teacher learned from, and report.json, with scores on the dev set whose heads are chosen
one by one.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from dodona.storage.atomic import atomic_write
from dodona.training.neural.export import quantise
from dodona.training.neural.network import Arrays, Parameters
from tools.languages.lanes.decks import voted_sentences
from tools.languages.lanes.fleet import STUDENTS, TOGETHER, VOTERS, Fleet, Phase
from tools.languages.lanes.lane import DEV, TEXT, Lane, dev_scores, first_of, report
from tools.languages.lanes.network import ONLY_IN_TRAINING, new_lane
from tools.languages.lanes.teaching import FIRST, SECOND, Round, Teacher
from tools.languages.recipe import TEACHER

ALL = "together"  # the name of the scores of all networks


class Course:
    """The training of a fleet, with its scores by language."""

    def __init__(self, fleet: Fleet, voters: Phase, students: Phase, seconds: float) -> None:
        self.fleet, self.seconds = fleet, seconds
        if fleet.trunk is not None:  # it took the others of the steps
            voters = replace(voters, steps=round((1 - TOGETHER) * voters.steps))
        if not any(lane.n_words(TEXT) for lane in fleet.lanes):
            voters, students = (replace(phase, text=0) for phase in (voters, students))
        self.voters, self.students, self.taught_by = voters, students, ""
        self.scores: dict[str, dict[str, Any]] = {lane.name: {} for lane in fleet.lanes}

    def run(self, teacher: Teacher | None, rounds: Sequence[Round]) -> tuple[Parameters, Any]:
        """Return the networks of students, and the votes of all networks on the text."""
        with ThreadPoolExecutor(2 + len(rounds)) as pool:
            of_teacher = [pool.submit(teacher.compiled, x) for x in rounds[:1]] if teacher else []
            wait(of_teacher)  # what is needed first has the machine for itself
            steps = [pool.submit(self.fleet.compiled, x) for x in (self.voters, self.students)]
            of_teacher += [pool.submit(teacher.compiled, x) for x in rounds[1:]] if teacher else []
            if teacher:
                self._teach(teacher, rounds[0], of_teacher[0])
            p = self._train(self.voters, self.fleet.new(self.voters), steps[0])
            self._score("voters", p)
            self._vote(p)
            for again, compiled in zip(rounds[1:], of_teacher[1:], strict=True):
                assert teacher is not None  # without it there are no rounds
                teacher.learn_text()
                self._teach(teacher, again, compiled)
                self._vote(p)
            self.fleet.learn_text()
            begun = {name: jnp.array(x[:, :1]) for name, x in p.items()}  # a voter goes on
            student = self._train(self.students, begun, steps[1])
        self._score("student", student)
        every = {name: jnp.concatenate([x, student[name]], axis=1) for name, x in p.items()}
        self._score(ALL, every, taught=True)
        return student, self.fleet.votes(every, TEXT)

    def _train(self, phase: Phase, begun: Parameters, compiled: Future[Any]) -> Parameters:
        seconds = self.seconds * phase.share
        return self.fleet.train(phase, begun, compiled.result(), seconds)

    def _teach(self, teacher: Teacher, one: Round, compiled: Future[Any]) -> None:
        """Let the teacher learn, and give its opinions to all lanes."""
        self.taught_by = one.name
        teacher.train(one, compiled.result(), self.seconds * one.share)
        teacher.annotate_lanes(one.name)
        self.fleet.learn_opinions()
        for lane in self.fleet.lanes:
            if lane.has_teacher:
                self.scores[lane.name][one.name] = dev_scores(lane, lane.teacher_votes(DEV))

    def _vote(self, p: Parameters) -> None:
        """Let networks, and the teacher if there is one, annotate the text."""
        if self.taught_by:
            self._score(f"voters and {self.taught_by}", p, taught=True)
        for lane, found in zip(self.fleet.lanes, self.fleet.votes(p, TEXT), strict=True):
            lane.learn_votes(found)
            self.scores[lane.name]["trees"] = len(voted_sentences(lane)[0])

    def _score(self, name: str, p: Parameters, *, taught: bool = False) -> None:
        fleet = self.fleet
        fleet.weights = fleet.best_weights(p) if taught else np.zeros_like(fleet.weights)
        votes = fleet.votes(p, DEV)
        for i, lane in enumerate(fleet.lanes):
            weight = {"weight": float(fleet.weights[i])} if taught else {}
            self.scores[lane.name][name] = dev_scores(lane, first_of(votes[i])) | weight
        mean = np.mean([one[name]["las"] for one in self.scores.values()])
        report(f"{name}: {mean:.2f}, mean of {len(fleet.lanes)}")


def run(
    fleet: Fleet,
    voters: Phase,
    students: Phase,
    out: Path,
    seconds: float,
    teacher: Teacher | None = None,
    rounds: Sequence[Round] = (),
) -> None:
    """Train all networks in so many seconds, and write what FOLDER gets."""
    out.mkdir(parents=True, exist_ok=True)
    has_trunk = fleet.trunk is not None
    whole = voters.share + students.share + sum(one.share for one in rounds)
    course = Course(fleet, voters, students, seconds / whole)
    student, votes = course.run(teacher, rounds)
    save_votes(fleet, votes, course.scores, out)
    save_networks(fleet, student, out)
    if fleet.trunk is not None and not has_trunk:
        save_trunk(out / "trunk.npz", fleet.trunk, fleet.lanes)
    if teacher:
        save_json(out / TEACHER, teacher.scores)
    save_json(out / "report.json", course.scores)
    for name, about in course.scores.items():
        report(f"{name}: {about}")


def save_json(path: Path, found: Any) -> None:
    """Write scores."""
    with atomic_write(path) as file:
        file.write(json.dumps(found, indent=1).encode())


def save_trunk(path: Path, trunk: Parameters, lanes: Sequence[Lane]) -> None:
    """Write a trunk, with the names of the sets that it learned from."""
    sets = np.array([lane.name for lane in lanes if lane.sizes["lends"]])
    halves = {name: value.astype(np.float16) for name, value in trunk.items()}
    with atomic_write(path) as file:
        np.savez_compressed(file, sets=sets, **halves)


def load_trunk(path: Path) -> Parameters:
    """Read a trunk."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name].astype(np.float32) for name in file.files if name != "sets"}


def save_votes(
    fleet: Fleet, votes: Sequence[Arrays], scores: dict[str, dict[str, Any]], folder: Path
) -> None:
    """Write the votes of each lane on its text, if it has any, with their LAS on the dev set."""
    for lane, found in zip(fleet.lanes, votes, strict=True):
        if lane.n_words(TEXT):
            with atomic_write(folder / f"{lane.name}.votes.npz") as file:
                las = scores[lane.name][ALL]["las"]
                np.savez_compressed(file, **first_of(found), las=las)


def save_networks(fleet: Fleet, p: Parameters, folder: Path) -> None:
    """Write the first network of each lane, with the sizes of its language, mostly as int8."""
    wanted = {name: x[:, 0] for name, x in p.items() if not name.startswith(ONLY_IN_TRAINING)}
    host = jax.device_get(wanted)
    for i, lane in enumerate(fleet.lanes):
        sizes = {name: x.shape for name, x in new_lane(lane.shape, 1, 0).items()}
        found: Arrays = {}
        for name, values in host.items():
            own = values[i][tuple(map(slice, sizes[name]))]
            if own.ndim == 2 and name.startswith("word."):
                found[name], found[f"{name}.scale"] = quantise(own)
            else:
                found[name] = own.astype(np.float16)
        with atomic_write(folder / f"{lane.name}.npz") as file:
            np.savez(file, **found)


def main(words: list[str] | None = None) -> None:
    """Train the networks of some languages."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("arrays", type=Path, nargs="+", help="files of arrays")
    options.add_argument("--out", type=Path, required=True, help="folder of the networks")
    options.add_argument("--trunk", type=Path, help="file of a trunk to begin from")
    options.add_argument(
        "--teacher", type=Path, nargs="*", help="train a teacher, also on these files of arrays"
    )
    options.add_argument("--seconds", type=float, default=1e9, help="shorten training to so many")
    chosen = options.parse_args(words)
    trunk = load_trunk(chosen.trunk) if chosen.trunk else None
    lanes = [Lane.load(path) for path in chosen.arrays]
    teacher, rounds = None, ()
    if chosen.teacher is not None:
        teacher, rounds = Teacher([*lanes, *map(Lane.load, chosen.teacher)]), (FIRST, SECOND)
    fleet = Fleet(lanes, trunk)
    report(f"{len(fleet.lanes)} languages on {jax.default_backend()}")
    run(fleet, VOTERS, STUDENTS, chosen.out, chosen.seconds, teacher, rounds)


if __name__ == "__main__":
    main()
