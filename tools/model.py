"""Build a model that ships, its card beside it: `make model`.

python -m tools.model [--data DIR] [--out FOLDER] [--check]

The same treebank gives the same bytes. --check builds elsewhere and compares with what ships.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import dodona
from dodona.cli.tables import n_bytes
from dodona.evaluation.text_scores import TextScores
from dodona.parsing.parser import Parser
from dodona.pipeline.training import TextTrainer
from dodona.settings import Settings
from dodona.treebank.raw_text import raw_text
from tools.treebanks import find_folder

NAME, TREEBANK = "en", "en_ewt"
# to stay below 12 MB; dev LAS is 0.3 lower than with prune=5
SETTINGS = Settings(system="nonmonotonic", prune=14, tagger_prune=12)
SHIPPED = Path(__file__).parent.parent / "src" / "dodona" / "models"
CARD = """\
# The English model, `{name}`

Raw text to sentences, words, tags, features, lemmas and Universal Dependencies:
`dodona.load("{name}")`. {size}; {system}, greedy, without vectors or other outside data.

Trained by `make model` on the training part of UD English EWT (web text: blogs, newsgroups, e-mail,
reviews, answers; {n_sentences:,} sentences, {n_words:,} words), best epoch by the development part.
It has seen no other English: expect less on text of another kind.

**Licence.** The model is derived from UD English EWT (Silveira et al. 2014 and the UD English EWT
contributors), which is licensed under Creative Commons Attribution-ShareAlike 4.0 International; so
is the model: see [`LICENSE-{name}.txt`](LICENSE-{name}.txt). The code around it is under the MIT
licence.

## Scores

F1 by the metrics of the CoNLL 2018 shared task, from raw text:

| | dev | test |
|---|---:|---:|
{rows}
"""


def main() -> None:
    """Train, save, score, and write the card; or compare."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--data", type=Path, default=find_folder(), help="folder of treebanks")
    options.add_argument("--out", type=Path, default=SHIPPED, help="where the model goes")
    options.add_argument("--check", action="store_true", help="compare with what ships")
    chosen = options.parse_args()
    folder = chosen.data / TREEBANK
    if not (folder / "train.conllu").exists():
        sys.exit(f"{folder}/train.conllu is not there; docs/treebanks.md says how to get some")
    if not chosen.check:
        build(folder, chosen.out)
        return
    with tempfile.TemporaryDirectory() as temporary:
        build(folder, Path(temporary))
        same = model_file(Path(temporary)).read_bytes() == model_file(SHIPPED).read_bytes()
    sys.exit(0 if same else f"{model_file(SHIPPED)} differs from what this treebank gives")


def model_file(folder: Path) -> Path:
    return folder / f"{NAME}.dodona"


def build(treebank: Path, out: Path) -> None:
    """The model and its card, in a folder."""
    trainer = TextTrainer(treebank / "train.conllu", treebank / "dev.conllu", SETTINGS)
    for epoch in trainer.epochs():
        found = ", ".join(f"{name} {value:.2f}" for name, value in epoch.scores.items())
        print(f"{epoch.part}, epoch {epoch.number}: dev {found}", file=sys.stderr)
    parser = trainer.parser()
    parser.save(model_file(out))
    scores = {part: score(parser, treebank / f"{part}.conllu") for part in ("dev", "test")}
    (out / f"{NAME}.md").write_text(card(parser, scores, model_file(out)), encoding="utf-8")


def score(parser: Parser, path: Path) -> TextScores:
    """The parser's scores on the raw text of a file."""
    gold = list(dodona.read(path))
    return dodona.evaluate_text(gold, list(parser("".join(raw_text(gold)))))


def card(parser: Parser, scores: dict[str, TextScores], model: Path) -> str:
    """What the model is, whose text it learned from, and how good it is."""
    plain = [found.to_dict() for found in scores.values()]
    rows = [
        f"| {name} | " + " | ".join(f"{found[name]['f1']:.2f}" for found in plain) + " |"
        for name in plain[0]
    ]
    return CARD.format(
        name=NAME,
        size=n_bytes(model.stat().st_size),
        system=parser.settings.system,
        n_sentences=parser.record["n_sentences"],
        n_words=parser.record["n_words"],
        rows="\n".join(rows),
    )


if __name__ == "__main__":
    main()
