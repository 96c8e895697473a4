"""`dodona enhance`: add a part to a model that makes enhanced graphs from its trees."""

import json as json_
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dodona.cli.errors import UsageError
from dodona.cli.flags import Flag, Json, ModelFile, ModelName
from dodona.cli.progress import ProgressBar
from dodona.models import locate
from dodona.parsing.parser import Parser
from dodona.treebank.conllu.reader import read

if TYPE_CHECKING:
    from dodona.enhancing.enhancer import Enhancer

SCORES = {
    "dev_elas": "dev ELAS",
    "dev_eulas": "dev EULAS",
    "dev_elas_gold_trees": "dev ELAS, gold trees",
}


def enhance(
    model: ModelName,
    train: Annotated[
        str | None,
        Flag("CoNLL-U files with trees and graphs, separated by commas", default="required"),
    ] = None,
    dev: Annotated[str | None, Flag("CoNLL-U file on which graphs are scored")] = None,
    out: ModelFile = None,
    epochs: Annotated[int, Flag("passes over the training data")] = 5,
    seed: Annotated[int, Flag("seed of the random order of sentences")] = 1,
    json: Json = False,
    quiet: Annotated[bool, Flag("print no progress and no result")] = False,
) -> None:
    """Teach a model to make enhanced graphs (column DEPS) from its trees.

    The model is kept as it is, with a small part added: `dodona parse --graph` then gives every
    sentence its graph. The training data are trees and graphs of a treebank with the relations that
    the model was trained on.

    dodona enhance my.dodona --train train.conllu --dev dev.conllu -o enhanced.dodona
    """
    if train is None or out is None:
        raise UsageError(f"--{'out' if train else 'train'} is missing")
    from dodona.enhancing.training import train_enhancer

    parser = Parser.load(locate(model))
    with ProgressBar("training", epochs, quiet=quiet or json) as bar:
        files = [name for name in train.split(",") if name]
        sentences = chain.from_iterable(read(name, trees="required") for name in files)
        enhancer = train_enhancer(sentences, epochs=epochs, seed=seed, progress=bar.update)
    made = parser.with_enhancer(enhancer)
    if dev:
        enhancer.record.update(_score(made, enhancer, dev))
    made.save(out)
    result = _describe(enhancer, Path(out))
    if json:
        print(json_.dumps(result, ensure_ascii=False, indent=2))
    elif not quiet:
        _print(result)


def _score(parser: Parser, enhancer: "Enhancer", dev: str) -> dict[str, float]:
    """Score graphs made from the parser's trees, with its own tags if it has any, and from gold."""
    from dodona.evaluation import evaluate_graphs

    gold = list(read(dev, trees="required"))
    found = parser.pipe(gold, retag=parser.tagger is not None, graph=True)
    scores = evaluate_graphs(gold, found)
    from_gold = evaluate_graphs(gold, enhancer.pipe(gold))
    return {
        "dev_elas": scores.elas,
        "dev_eulas": scores.eulas,
        "dev_elas_gold_trees": from_gold.elas,
    }


def _describe(enhancer: "Enhancer", path: Path) -> dict[str, Any]:
    return {
        "model": str(path),
        "bytes": path.stat().st_size,
        "part_bytes": len(enhancer.to_bytes()),
        "n_patterns": len(enhancer.inventory.patterns),
        "n_rules": enhancer.inventory.n_rules,
        "n_features": enhancer.weights.n_rows,
        **enhancer.record,
    }


def _print(result: dict[str, Any]) -> None:
    from dodona.cli.tables import n_bytes, print_pairs

    print_pairs(
        [
            ("model", result["model"]),
            ("size", f"{n_bytes(result['bytes'])}, {n_bytes(result['part_bytes'])} of it new"),
            ("paths", f"{result['n_patterns']}, of which {result['n_rules']} are rules"),
            ("features", f"{result['n_features']:,}"),
            *((text, f"{result[name]:.2f}") for name, text in SCORES.items() if name in result),
        ]
    )
