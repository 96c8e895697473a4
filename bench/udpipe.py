"""Train UDPipe 1 on a folder of treebanks and score it from raw text and from gold words.

    python bench/udpipe.py predict --data DIR --out OUT --jobs 16     # needs ufal.udpipe alone
    python bench/udpipe.py score --data DIR --out OUT                 # needs dodona; JSON lines

DIR has a folder for each treebank with `train`, `dev`, `test` and perhaps `test2`, each `.conllu`
or `.conllu.gz`. `predict` uses nothing but the standard library and ufal.udpipe, so that it can run
on another machine. It leaves in OUT, for every treebank, the models `SET.tokenizer.udpipe` and
`SET.parser.udpipe` (tagger, lemmatiser and parser), and for every part the predictions
`SET.PART.text.conllu` (from raw text) and `SET.PART.words.conllu` (from gold sentences and words,
without tags). A file that is there is not made again; a run that was interrupted goes on.

All three components are trained with the default options of UDPipe 1 (PASSES has those that may
change; others: a tokeniser of 24 units, one tagger model for tags and lemmas, a projective parser
of 200 units with a dynamic oracle and a search-based one at every eighth transition), with dev as
held-out data, on which each component chooses its best pass. For 1,000 words this takes some 36 s
of a core for tagger and parser, and for any treebank 6.7 s for each of the 100 epochs of the
tokeniser (--epochs for fewer). A treebank of more than --many words gets fewer passes of tagger and
parser, so that they take as long as for one of that size: at least FEWEST. `SET.*.json` has the
options of each model and its seconds.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

PARTS = "dev", "test", "test2"
INPUTS = "text", "words"

PASSES = {"tokenizer": 100, "tagger": 20, "parser": 10}  # by default, over the training data
FEWEST = 3
KINDS = "parser", "tokenizer"  # models of a treebank, what takes longest first


def find(data: Path, name: str, part: str) -> Path | None:
    """Return the file of a part of a treebank, if there is one."""
    files = (data / name / f"{part}.conllu{suffix}" for suffix in ("", ".gz"))
    return next((file for file in files if file.exists()), None)


def read_blocks(path: Path) -> Iterator[list[str]]:
    """Yield the lines of each sentence of a CoNLL-U file."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as file:
        block: list[str] = []
        for line in file:
            if line := line.rstrip("\r\n"):
                block.append(line)
            elif block:
                yield block
                block = []
        if block:
            yield block


def raw_text(path: Path) -> str:
    """Return the text of a treebank as in CoNLL 2018, with blank lines between paragraphs."""
    pieces: list[str] = []
    gap = ""
    for block in read_blocks(path):
        if pieces and any(re.match(r"#\s*new(par|doc)\b", line) for line in block):
            gap = "\n\n"
        texts = (re.match(r"#\s*text\s*=\s*(.*)", line) for line in block)
        pieces += gap, next(found[1].strip() for found in texts if found)
        rows = [line.split("\t") for line in block if not line.startswith("#")]
        gap = "" if "SpaceAfter=No" in _last_token(rows)[9].split("|") else " "
    return "".join(pieces) + "\n"


def _last_token(rows: list[list[str]]) -> list[str]:
    """Return the row of the last token: of a multiword token, its range."""
    tokens, end = [], 0
    for row in rows:
        first, _, last = row[0].partition("-")
        if "." not in first and int(first) > end:
            end = int(last or first)
            tokens.append(row)
    return tokens[-1]


def words_alone(path: Path) -> str:
    """Return the sentences of a file with their words and spacing and nothing else."""
    lines = []
    for block in read_blocks(path):
        rows = (line.split("\t") for line in block if not line.startswith("#"))
        for row in rows:
            head = "_" if re.search(r"[-.]", row[0]) else "0"
            lines.append("\t".join([*row[:2], *"____", head, "_", "_", row[9]]))
        lines.append("")
    return "\n".join(lines) + "\n"


def train(
    data: Path, name: str, kind: str, many: int, epochs: int
) -> tuple[bytes, dict[str, object]]:
    """Train the tokeniser, or tagger and parser, of a treebank; return the model and its facts."""
    from ufal.udpipe import ProcessingError, Sentences, Trainer

    def load(part: str) -> Sentences:
        path = find(data, name, part)
        assert path, f"{data / name} has no {part}"
        sentences = Sentences()
        for block in read_blocks(path):
            sentences.append(_sentence("\n".join(block) + "\n\n"))
        return sentences

    sentences = load("train")
    n_words = sum(each.words.size() - 1 for each in sentences)  # without the root
    share = min(1.0, many / n_words)
    chosen = dict.fromkeys(PASSES, "none")
    if kind == "tokenizer":
        chosen[kind] = f"epochs={epochs}"
    else:
        for component in ("tagger", "parser"):
            chosen[component] = f"iterations={max(round(share * PASSES[component]), FEWEST)}"
    error, begin = ProcessingError(), time.process_time()
    model = Trainer.train("morphodita_parsito", sentences, load("dev"), *chosen.values(), error)
    if error.occurred():
        raise ValueError(f"{name}: UDPipe: {error.message}")
    seconds = round(time.process_time() - begin, 1)
    return model, {"set": name, "words": n_words, "seconds": seconds, "options": chosen}


def _sentence(conllu: str) -> object:
    from ufal.udpipe import InputFormat, ProcessingError, Sentence

    reader, error, sentence = InputFormat.newConlluInputFormat(), ProcessingError(), Sentence()
    reader.setText(conllu)
    if not reader.nextSentence(sentence, error):
        raise ValueError(f"UDPipe: {error.message}")
    return sentence


def make_model(data: Path, out: Path, name: str, kind: str, many: int, epochs: int) -> str:
    """Train a model unless it is there, with the messages of UDPipe in a log; return a report."""
    path = out / f"{name}.{kind}.udpipe"
    if path.exists():
        return f"{path.name}: there"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    log = os.open(out / f"{name}.{kind}.log", flags, 0o644)
    os.dup2(log, 2)  # the library writes its progress to the standard error stream
    model, facts = train(data, name, kind, many, epochs)
    path.with_suffix(".json").write_text(json.dumps(facts) + "\n", encoding="utf-8")
    _write(path, model)
    return f"{path.name}: {facts['words']} words, {facts['seconds']} s, {len(model)} bytes"


def predict(data: Path, out: Path, name: str) -> list[str]:
    """Write what is missing of the predictions of a treebank; return their names."""
    from ufal.udpipe import Model, Pipeline, ProcessingError

    made = []
    models = {kind: Model.load(str(out / f"{name}.{kind}.udpipe")) for kind in KINDS}
    for part in PARTS:
        if (path := find(data, name, part)) is None:
            continue
        for given in INPUTS:
            result = out / f"{name}.{part}.{given}.conllu"
            if result.exists():
                continue
            error, conllu = ProcessingError(), words_alone(path)
            if given == "text":
                tokeniser = Pipeline(models["tokenizer"], "tokenize", "none", "none", "conllu")
                conllu = tokeniser.process(raw_text(path), error)
            parser = Pipeline(models["parser"], "conllu", "", "", "conllu")
            conllu = parser.process(conllu, error)
            if error.occurred():
                raise ValueError(f"{name}: UDPipe: {error.message}")
            _write(result, conllu.encode())
            made.append(result.name)
    return made


def _write(path: Path, content: bytes) -> None:
    temporary = path.with_name(path.name + ".part")
    temporary.write_bytes(content)
    temporary.replace(path)


def predict_all(data: Path, out: Path, names: list[str], jobs: int, many: int, epochs: int) -> None:
    """Train and predict all treebanks, the largest first, since they take longest."""
    out.mkdir(parents=True, exist_ok=True)
    names.sort(key=lambda name: -(find(data, name, "train") or data).stat().st_size)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        training = {
            pool.submit(make_model, data, out, name, kind, many, epochs): name
            for name in names
            for kind in KINDS
        }
        predicting, waiting = [], {name: len(KINDS) for name in names}
        for done in as_completed(training):
            print(done.result(), flush=True)
            name = training[done]
            waiting[name] -= 1
            if not waiting[name]:
                predicting.append(pool.submit(predict, data, out, name))
        for prediction in as_completed(predicting):
            for made in prediction.result():
                print(made, flush=True)


def score(data: Path, out: Path, name: str, part: str) -> dict[str, object] | None:
    """Score the predictions of a part with the metrics of the CoNLL 2018 shared task."""
    import dodona

    path = find(data, name, part)
    result: dict[str, object] = {"set": name, "part": part}
    for given in INPUTS:
        predicted = out / f"{name}.{part}.{given}.conllu"
        if path is None or not predicted.exists():
            return None
        scores = dodona.evaluate_text(list(dodona.read(path)), list(dodona.read(predicted)))
        result[given] = {
            metric: round(found["f1"], 2) for metric, found in scores.to_dict().items() if found
        }
    return result


def main() -> None:
    """Read the command line and run the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("command", choices=["predict", "score"])
    parser.add_argument("--data", type=Path, required=True, help="folder of treebanks")
    parser.add_argument("--out", type=Path, required=True, help="folder of models and predictions")
    parser.add_argument("--sets", help="treebanks, separated by commas; all with train and dev")
    parser.add_argument("--parts", default=",".join(PARTS), help="parts to score")
    parser.add_argument("--jobs", type=int, default=1, help="processes that train")
    parser.add_argument("--many", type=int, default=10**9, help="words: more have fewer passes")
    parser.add_argument(
        "--epochs", type=int, default=PASSES["tokenizer"], help="most epochs of the tokeniser"
    )
    given = parser.parse_args()
    found = [f.name for f in sorted(given.data.iterdir()) if f.is_dir()]
    whole = [name for name in found if all(find(given.data, name, p) for p in ("train", "dev"))]
    names = given.sets.split(",") if given.sets else whole
    if given.command == "score":
        for name in names:
            for part in given.parts.split(","):
                if scored := score(given.data, given.out, name, part):
                    print(json.dumps(scored), flush=True)
        return
    try:
        import ufal.udpipe  # noqa: F401
    except ImportError:
        sys.exit("skipped: ufal.udpipe is not installed (pip install ufal.udpipe)")
    predict_all(given.data, given.out, names, given.jobs, given.many, given.epochs)


if __name__ == "__main__":
    main()
