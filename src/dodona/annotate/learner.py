"""The process that learns: it trains a parser on what was decided, and rates the other sentences.

`learning` runs `work` in another process, which lowers its priority and ends with the workbench.
The folder has `job.json` and the sentences; the process writes `model.dodona` and, last,
`result.json`.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Literal

from dodona.annotate.errors import AnnotateError
from dodona.annotate.guessing import expected_errors, fill, load_parser
from dodona.annotate.marks import has_own_arc, has_own_label
from dodona.annotate.rows import BLANK, DEPREL, TAGS, UPOS, Rows, sentence_of
from dodona.annotate.viewing import state_of
from dodona.annotate.views import LearnerKind
from dodona.errors import DodonaError
from dodona.evaluation.tally import count_attachment
from dodona.parsing.calibration import calibrate
from dodona.parsing.confidence import Calibration
from dodona.parsing.parser import Parser
from dodona.pipeline.trainers import train
from dodona.records import replace
from dodona.settings import LINEAR, NEURAL
from dodona.storage.atomic import atomic_write
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence

HELD_OUT = 10  # every tenth finished sentence tests a parser that learned from the others
LEAST_HELD_OUT = 5
NICENESS = 10
STDIN = 0
WIDTH, LAYERS = 96, 2  # of a network that begins with hundreds of sentences


@dataclass(frozen=True)
class Job:
    """What a process is to do; without `kind`, it only rates sentences with the model."""

    kind: LearnerKind | None
    model: str  # path of the model to continue from or to rate with; "": none
    dev: str
    other_model: str  # to compare with


@dataclass
class Result:
    """What a process found."""

    n_sentences: int = 0  # learned from
    seconds: float = 0.0
    las: float | None = None
    uas: float | None = None
    source: Literal["dev", "held-out"] = "dev"
    doubts: list[float] = field(default_factory=list)  # by candidate: mean chance of an error
    disputes: list[float] = field(default_factory=list)  # share of words with two opinions
    message: str = ""


def work(name: str) -> None:
    """Do the job in a folder, unless the workbench ends: then nobody will take the result."""
    folder = Path(name)
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()
    with suppress(AttributeError, OSError):  # Windows; a system that allows no change
        os.nice(NICENESS)
    do_job(folder)


def _end_with_parent(folder: Path) -> None:
    """Wait until the workbench ends, also if it is killed: it holds the other end of stdin."""
    while os.read(STDIN, 1):  # not sys.stdin, whose lock this thread would hold at the end
        pass
    shutil.rmtree(folder.parent, ignore_errors=True)
    os._exit(1)


def do_job(folder: Path) -> None:
    """Do the job in a folder."""
    start, result = perf_counter(), Result()
    try:
        job = Job(**json.loads((folder / "job.json").read_text()))
        parser = learn(folder, job, result) if job.kind else load_parser(job.model)
        rate(folder, job, parser, result)
    except (DodonaError, OSError, ValueError) as error:
        result.message = f"{type(error).__name__}: {error}"
    result.seconds = perf_counter() - start
    with atomic_write(folder / "result.json") as file:
        file.write(json.dumps(asdict(result)).encode())


def learn(folder: Path, job: Job, result: Result) -> Parser:
    """Train a parser, score it and save it."""
    blocks = [bytes(sentence) for sentence in read(folder / "train.conllu", trees="optional")]
    sentences = [*training_sentences(map(Rows.of, blocks))]
    if not sentences:
        raise AnnotateError("no arc is annotated yet: there is nothing to learn from")
    result.n_sentences = len(sentences)
    calibration = None
    if not job.dev and job.kind == LINEAR:
        calibration = _score_held_out(blocks, job, result)
    parser = _train(sentences, job)
    if job.dev:
        dev = [*read(job.dev)]
        _score(parser, dev, "dev", result)
        parser = calibrate(parser, dev)
    elif calibration is not None:
        parser = replace(parser, calibration=calibration)
    parser.save(folder / "model.dodona")
    return parser


def _train(sentences: list[Sentence], job: Job) -> Parser:
    is_linear = job.kind == LINEAR
    if job.model and (load_parser(job.model).settings.scorer == LINEAR) == is_linear:
        return train(sentences, from_=job.model)
    if is_linear:
        return train(sentences)
    return train(sentences, scorer=NEURAL, width=WIDTH, layers=LAYERS)


def _score_held_out(blocks: list[bytes], job: Job, result: Result) -> Calibration | None:
    """Score and calibrate a parser that learned from nine tenths of the finished sentences."""
    done = [i for i, data in enumerate(blocks) if state_of(Rows.of(data)) == "done"]
    held = {*done[HELD_OUT - 1 :: HELD_OUT]}
    if len(held) < LEAST_HELD_OUT:
        return None
    rest = [Rows.of(data) for i, data in enumerate(blocks) if i not in held]
    test = [sentence_of(blocks[i]) for i in sorted(held)]
    parser = _train([*training_sentences(rest)], job)
    _score(parser, test, "held-out", result)
    return calibrate(parser, test).calibration


def _score(
    parser: Parser, gold: list[Sentence], source: Literal["dev", "held-out"], result: Result
) -> None:
    found = count_attachment(gold, [*parser.pipe(gold, retag=True)])
    result.las, result.uas, result.source = found.las, found.uas, source


def training_sentences(sentences: Iterable[Rows]) -> Iterable[Sentence]:
    """Yield what was decided of sentences, with "_" for arcs that were only guessed.

    Guessed tags are kept: a tagger learns from whole sentences. If most sentences lack tags, none
    has any, else those without are left out, since a tagger would learn to give none.
    """
    chosen = [rows for rows in sentences if any(map(has_own_arc, rows.words))]
    tagged = [all(row.fields[UPOS] != BLANK for row in rows.words) for rows in chosen]
    with_tags = 2 * sum(tagged) >= len(tagged)
    for rows, has_tags in zip(chosen, tagged, strict=True):
        for row in rows.words:
            if not has_own_label(row):
                row.attach(row.head if has_own_arc(row) else None, BLANK)
            if not with_tags:
                for column in TAGS.values():
                    row.fields[column] = BLANK
        if has_tags or not with_tags:
            yield rows.sentence()


def rate(folder: Path, job: Job, parser: Parser, result: Result) -> None:
    """Rate the candidates: how much the parser doubts, and how far another one disagrees."""
    other = load_parser(job.other_model) if job.other_model else None
    for sentence in read(folder / "candidates.conllu", trees="optional"):
        rows = Rows.of(bytes(sentence))
        result.doubts.append(expected_errors(fill(rows, parser)))
        if other is not None:
            theirs = Rows.of(bytes(sentence))
            fill(theirs, other)
            pairs = zip(rows.words, theirs.words, strict=True)
            differs = sum(
                (a.head, a.fields[DEPREL]) != (b.head, b.fields[DEPREL]) for a, b in pairs
            )
            result.disputes.append(differs / len(rows.words))
