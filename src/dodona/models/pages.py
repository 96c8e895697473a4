"""Pages of a model's package: its card in Markdown, and its licence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dodona.models.cards import Card
from dodona.records import flat_fields
from dodona.storage.json_fields import read_field

LICENCES = {
    **{
        f"CC {kind.upper()} {n}": f"https://creativecommons.org/licenses/{kind}/{n}/legalcode"
        for kind in ("by", "by-sa", "by-nc", "by-nc-sa")
        for n in ("2.5", "3.0", "4.0")
    },
    "LGPL-LR": "https://spdx.org/licenses/LGPLLR.html",
    "GPL 2": "https://www.gnu.org/licenses/old-licenses/gpl-2.0.html",
    "GPL 3": "https://www.gnu.org/licenses/gpl-3.0.html",
    "MIT": "https://opensource.org/license/mit",
}
WIDTH = 20  # of the bars of a diagram, in characters
NOT_COMMERCIAL = "The licence forbids commercial use."


def make_licence(name: str, card: Card) -> str:
    """Return a notice with the licence of a model and the address of its text.

    >>> print(make_licence("en", Card(treebank="UD English EWT", licence="CC BY-SA 4.0")), end="")
    The Dodona model en is licensed under: CC BY-SA 4.0
    <BLANKLINE>
    The text of the licence: https://creativecommons.org/licenses/by-sa/4.0/legalcode
    <BLANKLINE>
    It was trained on UD English EWT, and is under the licence of that treebank, whose authors are
    to be given credit.
    """
    paragraphs = [f"The Dodona model {name} is licensed under: {card.licence}"]
    if address := LICENCES.get(card.licence):
        paragraphs.append(f"The text of the licence: {address}")
    if card.treebank:
        paragraphs.append(
            f"It was trained on {card.treebank}, and is under the licence of that treebank, whose "
            "authors are\nto be given credit."
        )
    if not card.is_commercial:
        paragraphs.append(NOT_COMMERCIAL)
    return "\n\n".join(paragraphs) + "\n"


def make_card(
    name: str,
    card: Card,
    about: Mapping[str, Any],
    n_bytes: int,
    *,
    words_per_second: float | None = None,
    test: Mapping[str, float] | None = None,
) -> str:
    """Return the card in Markdown: data, licence, scores, size, and training.

    `about` is the JSON object of its file. Speed and scores on a test set are not in the file; they
    are shown if given.
    """
    record = read_field(about, "record", dict)
    blocks = [
        f"# `{name}`: a Dodona model" + (f" for {card.language}" if card.language else ""),
        f'`dodona.load("{name}")` in Python, `dodona parse {name}` in the shell.',
        markdown_table(("", ""), _facts(card, about, n_bytes, words_per_second)),
    ]
    if not card.is_commercial:
        blocks.append(f"**{NOT_COMMERCIAL}**")
    if scores := _scores(record, test):
        blocks += ["## Scores", *scores]
    blocks += _confidence(about)
    return "\n\n".join([*blocks, "## How it was made", *_making(about, record)]) + "\n"


def _facts(
    card: Card, about: Mapping[str, Any], n_bytes: int, words_per_second: float | None
) -> list[tuple[str, str]]:
    settings, record = (read_field(about, name, dict) for name in ("settings", "record"))
    parts = ("segmenter", "tagger", "network", "graphs", "enhancer")
    speed = "" if words_per_second is None else f"{words_per_second:,.0f} words/s, one thread"
    rows = {
        "version": card.version,
        "language": card.language,
        "data": ", ".join(filter(None, [card.treebank, _count(record)])),
        "silver": _count(record.get("silver") or {}),
        "licence": card.licence,
        "system": ", ".join(str(settings[k]) for k in ("system", "scorer") if k in settings),
        "parts": ", ".join(part for part in parts if part in about),
        "size": f"{n_bytes / 1e6:.1f} MB",
        "speed": speed,
    }
    return [(name, value) for name, value in rows.items() if value]


def _count(record: Mapping[str, Any]) -> str:
    if "n_sentences" not in record or "n_words" not in record:
        return ""
    return f"{record['n_sentences']:,} sentences, {record['n_words']:,} words"


def _scores(record: Mapping[str, Any], test: Mapping[str, float] | None) -> list[str]:
    given = {"UAS": record.get("dev_uas"), "LAS": record.get("dev_las")}
    given |= {name.upper(): value for name, value in (record.get("dev_tags") or {}).items()}
    rows = [(name, f"{value:.2f}") for name, value in given.items() if value is not None]
    blocks = []
    if rows:
        blocks += ["Dev set, words and sentences given:", markdown_table(("", "dev"), rows)]
    columns = {"dev": record.get("dev_text") or {}, "test": test or {}}
    columns = {part: scores for part, scores in columns.items() if scores}
    # the file sorts names; test scores come in the order of the shared task
    names = [*{**(test or {}), **columns.get("dev", {})}]
    if names:
        lines = [(name, *(_f1(scores.get(name)) for scores in columns.values())) for name in names]
        blocks += [
            "From raw text, F1 by the metrics of the CoNLL 2018 shared task:",
            markdown_table(("", *columns), lines),
        ]
    return blocks


def _confidence(about: Mapping[str, Any]) -> list[str]:
    """Return how reliable confidences are: errors by column, and the diagram of arcs."""
    calibration = about.get("calibration") or {}
    measured = calibration.get("measured") or {}
    if "head" not in measured:
        return []
    rows = [
        (column, f"{sum(n for n, *_ in one['bins']):,}", f"{one['ece']:.4f}", _share(one["auc"]))
        for column, one in measured.items()
    ]
    name = calibration["data"].get("file", "a dev set")
    return [
        "## Confidence",
        f"`parse --confidence`, calibrated on {name}: expected calibration error (ECE, 15 bins), "
        "and area under the curve for finding wrong predictions (AUC).",
        markdown_table(("", "words", "ECE", "AUC"), rows),
        "Reliability of arcs: of those with similar confidence, how many are right.",
        markdown_table(("confidence", "words", "right", ""), map(_bar, measured["head"]["bins"])),
    ]


def _bar(one: Sequence[float]) -> tuple[str, str, str, str]:
    """Return a row of the reliability diagram; its bar shows the share of right arcs.

    >>> _bar([120, 0.8123, 0.75])
    ('0.812', '120', '0.750', '`###############·····`')
    """
    n, confidence, accuracy = one
    full = round(WIDTH * accuracy)
    return f"{confidence:.3f}", f"{n:,}", f"{accuracy:.3f}", f"`{'#' * full}{'·' * (WIDTH - full)}`"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _f1(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _making(about: Mapping[str, Any], record: Mapping[str, Any]) -> list[str]:
    """Return the command with its non-default settings, and digests of the data."""
    from dodona.settings import Settings

    settings = read_field(about, "settings", dict)
    plain = {field.name: field.default for field in flat_fields(Settings)}
    chosen = [
        f"--{name.replace('_', '-')} {value}"
        for name, value in settings.items()
        if name in plain and value != plain[name]
    ]
    sources = record.get("learned_from") or []
    recipe = record.get("recipe")  # of several steps
    verb = "dodona distil …" if sources else "dodona train --train … --dev …"
    verb = "dodona train --from …" if recipe else verb
    reads_text = ["--pipeline text"] if "segmenter" in about and not sources else []
    command = f"`{' '.join([verb, *reads_text, *chosen])}`"
    blocks = [f"`{recipe}`, which ends with {command}" if recipe else command]
    if digests := record.get("checksums"):
        rows = [(k, f"`{v}`") for k, v in digests.items()]
        blocks.append(markdown_table(("data", "SHA-256"), rows))
    if sources:
        header = ("learned from", "words or dev LAS", "SHA-256")
        blocks.append(markdown_table(header, map(_source, sources)))
    return blocks


def _source(source: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return a table row of a source: a treebank, silver, a text, or a teacher."""
    las = (source.get("dev") or {}).get("LAS")
    size = f"{source['words']:,}" if "words" in source else "" if las is None else f"LAS {las:.2f}"
    return f"{source['kind']}: {name_source(source)}", size, f"`{source['sha256']}`"


def name_source(source: Mapping[str, Any]) -> str:
    """Return the file of a source; for a teacher, with the pretrained encoder under it.

    >>> name_source({"kind": "teacher", "file": "teacher 2", "encoder": "electra-small"})
    'teacher 2 on electra-small'
    """
    on = f" on {source['encoder']}" if "encoder" in source else ""
    return f"{source['file']}{on}"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown, numbers aligned to the right."""
    has_numbers = len(header) > 2 or header[1] == "dev"
    ruler = ["---", *["---:" if has_numbers else "---"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, ruler, *rows])
