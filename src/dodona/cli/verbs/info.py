"""`dodona info`: show everything a model records."""

import json as json_
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dodona.cli.flags import Json, ModelName
from dodona.models import locate
from dodona.models.cards import Card, find_card
from dodona.models.pages import name_source
from dodona.parsing.parser import Parser
from dodona.rules.lookup import get_rules
from dodona.storage import container
from dodona.storage.serialisable import reporting_damage
from dodona.treebank.sentence import Sentence
from dodona.treebank.trees.pseudoprojective import lifted

SHOWN = ("words", "sentences", "upos", "uas", "las")  # scores from raw text
MOST_FORMS = 2000  # most frequent words of the vocabulary
N_SENTENCES, LENGTH = 100, 20  # of the measurement of speed


def info(
    model: ModelName,
    json: Json = False,
) -> None:
    """Show everything a model records.

    Prints the card, scores and speed of a model, then its contents, settings and training data.
    """
    path = locate(model)
    with reporting_damage(path, "record", "train it again"):
        found = about(path)
        if json:
            print(json_.dumps(found, ensure_ascii=False, indent=2))
        else:
            _print(found)


def about(path: Path) -> dict[str, Any]:
    """Return all information about a model."""
    parser = Parser.load(path)
    card = find_card(path, parser.record)
    vocabularies = zip(parser.encoder.columns, parser.encoder.vocabularies, strict=True)
    actions = [parser.system.moves[move] for move, *_ in parser.pairs]
    return {
        "model": str(path),
        **{name: value or None for name, value in card._asdict().items()},
        "words_per_second": measure_speed(parser),
        "bytes": path.stat().st_size,
        "format": container.version(path, Parser.FORMAT.kind),
        "system": parser.settings.system,
        "settings": parser.settings.flat(),
        "root_label": parser.root_label,
        "labels": sorted(parser.labels),
        "actions": dict(Counter(actions)),
        **parser.scorer.describe(),
        "vocabularies": {name: len(words) for name, words in vocabularies},
        **_parts(parser),
        "rules": None if (rules := get_rules(None, path)) is None else rules.to_dict(),
        "record": {name: value for name, value in parser.record.items() if name != "card"},
    }


def measure_speed(parser: Parser) -> float:
    """Measure how many words per second one thread parses, in sentences of known words."""
    column = parser.encoder.columns.index("form") if "form" in parser.encoder.columns else None
    forms = [] if column is None else parser.encoder.vocabularies[column].strings()
    known = [form.decode() for form in forms[:MOST_FORMS] if form.strip()] or ["word"]
    sentences = [
        Sentence.from_columns([known[(i * LENGTH + j) % len(known)] for j in range(LENGTH)])
        for i in range(N_SENTENCES)
    ]
    found = []
    for _ in range(3):
        start = time.perf_counter()
        for _ in parser.pipe(sentences):
            pass
        found.append(N_SENTENCES * LENGTH / (time.perf_counter() - start))
    return max(found)


def _parts(parser: Parser) -> dict[str, dict[str, Any] | None]:
    """Describe the optional parts of a model; None for those that it lacks."""
    found: dict[str, dict[str, Any] | None] = dict.fromkeys(PARTS)
    if (clusters := parser.encoder.clusters) is not None:
        size = {"n_words": len(clusters), "n_clusters": clusters.n_clusters}
        found["clusters"] = {"file": parser.settings.linear.clusters, **size}
    if (tagger := parser.tagger) is not None:
        sizes = dict(zip(tagger.columns, map(len, tagger.classes), strict=True))
        scores = {"dev_accuracy": parser.record["dev_tags"]}
        found["tagger"] = {"classes": sizes, **tagger.scorer.describe(), **scores}
    if (segmenter := parser.segmenter) is not None:
        n_rules = len(segmenter.rules.rules)
        found["segmenter"] = {"n_features": segmenter.weights.n_rows, "n_rules": n_rules}
    if (graphs := parser.graphs) is not None:
        scorer = graphs.scorer.describe()
        found["graphs"] = {
            "system": graphs.settings.system,
            "labels": sorted(graphs.labels),
            **{name: scorer[name] for name in ("n_templates", "n_features")},
            "dev_f1": graphs.record["dev_uas"],
            "dev_elas": graphs.record["dev_las"],
        }
    if (enhancer := parser.enhancer) is not None:
        found["enhancer"] = {
            "n_patterns": len(enhancer.inventory.patterns),
            "n_rules": enhancer.inventory.n_rules,
            "n_features": enhancer.weights.n_rows,
            **enhancer.record,
        }
    if (calibration := parser.calibration) is not None:
        found["confidence"] = calibration.serialise()
    return found


def _print(found: dict[str, Any]) -> None:
    from dodona.cli.tables import n_bytes, print_pairs

    record = found["record"]
    actions, words = found["actions"], found["vocabularies"]
    print_pairs(
        [
            *((name, found[name]) for name in Card._fields if found[name]),
            *_describe_scores(record),
            ("speed", f"{found['words_per_second']:,.0f} words/s on this machine, one thread"),
            ("size", n_bytes(found["bytes"])),
            ("system", f"{found['system']}, {found['settings']['scorer']}"),
            ("file", found["model"]),
        ]
    )
    print_pairs(
        [
            ("weights", n_bytes(found["weight_bytes"])),
            ("format", str(found["format"])),
            ("actions", f"{sum(actions.values())}: " + _list_counts(actions)),
            *_describe_scorer(found, words),
            *(
                (part, show(found[part]) if found[part] else ABSENT.get(part, "none"))
                for part, show in PARTS.items()
            ),
            *_describe_rules(found["rules"]),
            ("root label", found["root_label"]),
            ("labels", _describe_labels(found["labels"])),
        ],
        "Inside",
    )
    print_pairs([(k.replace("_", "-"), str(v)) for k, v in found["settings"].items()], "Settings")
    print_pairs(_data(record), "Data")
    _print_sources(record)
    if scores := record.get("dev_text"):
        pairs = [(name, f"{f1:.2f}") for name, f1 in scores.items()]
        print_pairs(pairs, "Dev set from raw text, F1")
    _print_history(record)


def _describe_scores(record: dict[str, Any]) -> list[tuple[str, str]]:
    """Describe the scores on the dev set, from gold segmentation and from raw text."""
    named = {"UAS": record.get("dev_uas"), "LAS": record.get("dev_las")}
    named |= {"UPOS": (record.get("dev_tags") or {}).get("upos")}
    scores = [f"{name} {score:.2f}" for name, score in named.items() if score is not None]
    rows = [("dev scores", ", ".join(scores))] if scores else []
    if text := record.get("dev_text"):
        shown = [f"{name} {text[name]:.2f}" for name in SHOWN if text.get(name) is not None]
        rows.append(("from raw text", ", ".join(shown) + " (F1)"))
    return rows


def _describe_labels(labels: list[str]) -> str:
    """List the labels; those of lifted arcs are only counted."""
    plain = [label for label in labels if not lifted(label)]
    n_lifted = len(labels) - len(plain)
    more = f", and {n_lifted} of lifted arcs" if n_lifted else ""
    return f"{len(plain)}: {' '.join(plain)}{more}"


def _describe_rules(rules: dict[str, Any] | None) -> list[tuple[str, str]]:
    """Count the rules in the file beside the model; most models have none."""
    counts = {name: len(entries) for name, entries in (rules or {}).items()}
    return [("own rules", _list_counts(counts) or "none")] if rules is not None else []


def _describe_scorer(found: dict[str, Any], words: dict[str, int]) -> list[tuple[str, str]]:
    if network := found["network"]:
        size = "{width} by {layers}, {hidden} units in {slots} slots".format(**network)
        return [("network", f"{size}, {found['n_numbers']:,} numbers")]
    return [
        ("templates", str(found["n_templates"])),
        ("features", f"{found['n_features']:,}"),
        ("vocabularies", _list_counts(words)),
    ]


def _data(record: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [
        ("sentences", f"{record['n_sentences']:,}"),
        ("words", f"{record['n_words']:,}"),
        ("non-projective", f"{record['n_nonprojective']:,} sentences"),
        ("lifted", f"{record['n_lifted']:,} arcs"),
    ]
    if silver := record.get("silver"):
        size = "{n_sentences:,} sentences, {n_words:,} words, {per_gold:g} for each gold one"
        also = ", ".join(name for name in ("soft", "votes") if silver[name])
        rows.append(("silver", size.format(**silver) + (f", with {also}" if also else "")))
    return rows + [(f"{part} SHA-256", digest) for part, digest in record["checksums"].items()]


def _print_sources(record: dict[str, Any]) -> None:
    """Print the sources of a distilled model: treebanks, texts, teachers."""
    from dodona.cli.tables import print_columns

    rows = [
        (
            source["kind"],
            name_source(source),
            f"{source['words']:,}" if "words" in source else "-",
            ", ".join(f"{name} {score:.2f}" for name, score in source.get("dev", {}).items()),
            source["sha256"][:16],
        )
        for source in record.get("learned_from", [])
    ]
    if rows:
        print_columns(("kind", "file", "words", "dev", "SHA-256"), rows, "Learned from")


def _describe_tagger(tagger: dict[str, Any]) -> str:
    accuracy = "".join(f", dev {k.upper()} {v:.2f}" for k, v in tagger["dev_accuracy"].items())
    clusters = f", clusters {tagger['clusters']}" if tagger["clusters"] else ""
    features = f", {tagger['n_features']:,} features" if tagger["n_features"] else ""
    size = f"{_list_counts(tagger['classes'])} classes{features}"
    return f"{size}{clusters}{accuracy}"


def _describe_graphs(graphs: dict[str, Any]) -> str:
    scores = "" if graphs["dev_elas"] is None else f", dev ELAS {graphs['dev_elas']:.2f}"
    size = f"{len(graphs['labels'])} labels, {graphs['n_features']:,} features"
    return f"{graphs['system']} after the tree: {size}{scores}"


def _describe_enhancer(enhancer: dict[str, Any]) -> str:
    elas = enhancer.get("dev_elas")
    scores = "" if elas is None else f", dev ELAS {elas:.2f}"
    size = "{n_patterns} paths, {n_rules} of them rules, {n_features:,} features"
    return f"graphs from trees: {size.format_map(enhancer)}{scores}"


def _describe_confidence(calibration: dict[str, Any]) -> str:
    errors = (f"{name} {one['ece']:.4f}" for name, one in calibration["measured"].items())
    data = calibration["data"]
    where = f"{data.get('file', 'sentences')}, {data.get('words', 0):,} words"
    return f"calibrated on {where}; ECE: {', '.join(errors)}"


# optional parts of a model, with their descriptions
PARTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "clusters": "{file}: {n_words:,} words in {n_clusters:,} clusters".format_map,
    "tagger": _describe_tagger,
    "segmenter": "{n_features:,} features, {n_rules:,} rules for multiword tokens".format_map,
    "graphs": _describe_graphs,
    "enhancer": _describe_enhancer,
    "confidence": _describe_confidence,
}


ABSENT = {"confidence": "not calibrated"}


def _print_history(record: dict[str, Any]) -> None:
    from dodona.cli.tables import print_columns

    rows = [
        (
            f"{epoch['number']}{' best' if epoch['number'] == record['best_epoch'] else ''}",
            f"{epoch['n_updates']:,}",
            *("-" if epoch[score] is None else f"{epoch[score]:.2f}" for score in ("uas", "las")),
        )
        for epoch in record["history"]
    ]
    print_columns(("epoch", "updates", "dev UAS", "dev LAS"), rows, "Training")


def _list_counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
