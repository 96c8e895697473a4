"""`dodona facts`: who did what, as a table or as JSON."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any

from dodona.cli.errors import UsageError
from dodona.cli.flags import Encoding, Flag, OutputFile, Threads
from dodona.cli.input_files import UTF8
from dodona.cli.inputs import GUESSED, INPUTS, SentenceReader, find_sources
from dodona.cli.overwriting import check_targets
from dodona.cli.tree_files import read_trees
from dodona.cli.verbs.parse import split_off_model
from dodona.models import locate
from dodona.parsing.parser import Parser
from dodona.treebank.conllu.files import open_output
from dodona.treebank.sentence import Sentence

TSV, JSON = "tsv", "json"
Row = dict[str, Any]


def _noun_phrases(sentence: Sentence) -> Iterator[Row]:
    for span in sentence.noun_phrases():
        root = span.root
        ids = [word.id for word in span]
        yield {"text": span.text, "head": root.form if root else None, "ids": ids}


KINDS: dict[str, Callable[[Sentence], Iterable[Row]]] = {
    "triples": lambda sentence: (triple.to_dict() for triple in sentence.triples()),
    "clauses": lambda sentence: (clause.to_dict() for clause in sentence.clauses()),
    "verb-phrases": lambda sentence: (phrase.to_dict() for phrase in sentence.verb_phrases()),
    "noun-phrases": _noun_phrases,
}


def facts(
    inputs: Annotated[
        list[str] | None,
        Flag(
            "a model file or name (default: the included English model), then files or folders "
            "('-': stdin, the default)",
            positional=True,
            metavar="[MODEL] [INPUT]...",
        ),
    ] = None,
    out: OutputFile = "-",
    what: Annotated[str, Flag("what to list", choices=tuple(KINDS))] = "triples",
    output: Annotated[
        str | None,
        Flag(
            "a table with a header, or a JSON object per line",
            choices=(TSV, JSON),
            default="by the suffix of -o, or tsv",
        ),
    ] = None,
    parsed: Annotated[
        bool, Flag("use the trees of CoNLL-U files or .parquet files; no MODEL is given")
    ] = False,
    input: Annotated[
        str | None, Flag("format of the input", choices=INPUTS, default=GUESSED)
    ] = None,
    encoding: Encoding = UTF8,
    threads: Threads = 1,
) -> None:
    """List who did what in a text: subject, verb and object of each clause.

    Passives, coordination, relative clauses, control and particles are resolved; negation and
    modal auxiliaries are columns of their own. --what lists clauses, verb phrases or noun phrases
    instead. The rules are patterns over Universal Dependencies; those for negation and modality
    know English best.

    echo "The oak was planted by Zeus." | dodona facts en
    """
    if parsed and (input not in (None, "conllu", "conllx") or encoding != UTF8):
        raise UsageError("--parsed reads CoNLL-U in UTF-8, or .parquet")
    model, paths = ("", inputs or ["-"]) if parsed else split_off_model(inputs or [])
    check_targets([out], paths)
    if parsed:
        sentences: Iterable[Sentence] = read_trees(paths, input or "conllu", task="reading")
    else:
        parser = Parser.load(locate(model))
        reader = SentenceReader(input, parser.segmenter, False, encoding)
        read = (item for item in reader.read(find_sources(paths)) if isinstance(item, Sentence))
        sentences = parser.pipe(read, threads=threads)  # invalid sentences raise an error
    format = output or (JSON if out.endswith((".json", ".jsonl")) else TSV)
    write = _json_lines if format == JSON else _table
    with open_output(out) as file:
        for line in write(
            (sentence, row) for sentence in sentences for row in KINDS[what](sentence)
        ):
            file.write(f"{line}\n".encode())


def _json_lines(found: Iterable[tuple[Sentence, Row]]) -> Iterator[str]:
    for sentence, row in found:
        place = {"file": sentence.source, "line": sentence.line, "sent_id": sentence.sent_id}
        yield json.dumps(place | row, ensure_ascii=False)


def _table(found: Iterable[tuple[Sentence, Row]]) -> Iterator[str]:
    """Yield the header and a row for each fact, with "-" for what is missing."""
    is_first = True
    for sentence, row in found:
        shown = {key: value for key, value in row.items() if not key.endswith(("_id", "ids"))}
        if is_first:
            yield "\t".join(["sentence", *shown])
            is_first = False
        where = sentence.sent_id or f"{sentence.source}:{sentence.line}"
        yield "\t".join([where, *map(_cell, shown.values())])


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "-"
    text = ", ".join(value) if isinstance(value, list) else str(value or "")
    return " ".join(text.split()) or "-"
