"""Answers of /api/parse, sentence by sentence, and of UDPipe's /process, one string in JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.metadata import version

from dodona.parsing.given import Given
from dodona.server.answers.graph_drawings import DRAW_GRAPHS, split_drawings
from dodona.server.answers.responses import Step, encode
from dodona.server.answers.udpipe_formats import AROUND, find_format
from dodona.server.limits import Limits
from dodona.server.memory_budget import RequestBudget
from dodona.server.requests.parse_request import ParseRequest
from dodona.server.requests.process_request import ProcessRequest
from dodona.server.requests.sentences import require_tagged, size_of, slices
from dodona.server.workers import Errand, Parsing
from dodona.treebank.conllu.quoting import quote_conllu
from dodona.treebank.sentence import Sentence


def write_parse(asked: ParseRequest, allowed: RequestBudget) -> Iterator[Step]:
    """Yield the answer in steps."""
    batches = []  # everything is read first, so that errors in the input refuse the request
    for batch in slices(require_tagged(asked.model, asked.sentences())):
        allowed.count_words(sum(map(len, batch)))
        allowed.hold(size_of(batch))
        batches.append(batch)
        yield b"", 0
    yield b'{"model":' + encode(asked.model.name), 0
    if asked.output != "conllu":
        yield b',"sentences":[', 0
    kept: list[str] = []
    comma, parser = b"", asked.model.parser
    kind = (id(parser), asked.constraints, asked.graph, asked.confidence, asked.given)
    for batch in batches:
        parsing = Parsing(kind, partial(_parse, asked), batch)
        yield parsing
        done = parsing.done
        if asked.output != "sentences":
            kept += map(Sentence.to_conllu, done)
        n_words = sum(map(len, done))
        if asked.output == "conllu":
            yield b"", n_words
            continue
        graphs = [b""] * len(done)
        if asked.graph and asked.draws:
            drawing = Errand(DRAW_GRAPHS, (list(map(bytes, done)), asked.width))
            yield drawing
            graphs = split_drawings(drawing.answer, len(done))
        for sentence, graph in zip(done, graphs, strict=True):
            yield comma + describe(sentence, asked, allowed.limits, graph), n_words
            comma, n_words = b",", 0
    if asked.output != "conllu":
        yield b"]", 0
    if asked.output != "sentences":
        yield b',"conllu":' + encode("".join(kept)), 0
    yield b"}\n", 0


def _parse(asked: ParseRequest, sentences: list[Sentence]) -> list[Sentence]:
    parser = asked.model.parser
    parsed = parser.pipe(
        sentences,
        constraints=asked.constraints,
        graph=asked.graph and parser.has_graphs,
        confidence=asked.confidence,
        given=Given.from_sentence if asked.given else None,
    )
    return list(parsed)


def describe(sentence: Sentence, asked: ParseRequest, limits: Limits, graph: bytes) -> bytes:
    """Return a sentence as JSON; drawings of sentences beyond the limits are null.

    `graph` is the drawing of its graph in JSON, if one is asked for.
    """
    found = sentence.to_dict()
    if asked.svg:
        is_short = len(sentence) <= limits.explore_words
        found["svg"] = sentence.to_svg(width=asked.width, standalone=False) if is_short else None
    data = encode(found)
    return data[:-1] + b',"graph_svg":' + graph + b"}" if graph else data


def write_process(asked: ProcessRequest, allowed: RequestBudget) -> Iterator[Step]:
    """Yield the answer in steps."""
    write = _find_writer(asked)
    sentences = asked.sentences()
    if asked.parse:
        sentences = require_tagged(asked.model, sentences)
    batches = _counted(slices(sentences), allowed)
    if not asked.is_raw:  # everything is read first, so that errors in the input refuse the request
        read = []
        for batch in batches:
            allowed.hold(size_of(batch))
            read.append(batch)
            yield b"", 0
        batches = iter(read)
    before, after = AROUND.get(asked.output, ("", ""))
    if asked.output == "conllu" and asked.data and not asked.data.isspace():
        before = f"# generator = {generator()}\n# udpipe_model = {asked.model.name}\n"
    yield _begin(asked.model.name) + _around(before), 0
    kind = (id(asked.model.parser), asked.parse, asked.tag)
    for batch in batches:
        parsing = Parsing(kind, partial(annotate, asked), batch)
        yield parsing
        yield write(parsing.done), sum(map(len, parsing.done))
    yield _around(after) + b'"\n}\n', 0


@cache
def _begin(model: str) -> bytes:
    """Return the beginning of an answer, the same for all requests to a model."""
    about = {"model": model, "acknowledgements": [], "result": ""}
    return json.dumps(about, indent=1).removesuffix('"\n}').encode()


def _counted(batches: Iterator[list[Sentence]], allowed: RequestBudget) -> Iterator[list[Sentence]]:
    for batch in batches:
        allowed.count_words(sum(map(len, batch)))
        yield batch


def annotate(asked: ProcessRequest, sentences: list[Sentence]) -> list[Sentence]:
    """Return the sentences with new tags, new trees, or both."""
    parser = asked.model.parser
    if asked.parse:
        return list(parser.pipe(sentences, retag=asked.tag, keep_tags=not asked.tag))
    tagger = parser.tagger if asked.tag else None
    return sentences if tagger is None else [*tagger.tag_batch(sentences)]


@cache
def generator() -> str:
    """Return the name of the program for the `generator` comment."""
    return f"Dodona {version('dodona')}"


def _find_writer(asked: ProcessRequest) -> Callable[[list[Sentence]], bytes]:
    """Return the function that writes sentences; raw text to CoNLL-U has one of its own."""
    ranges, spaces = "ranges" in asked.options, "normalized_spaces" not in asked.options
    if asked.output == "conllu" and asked.is_raw:
        return partial(quote_conllu, ranges=ranges, spaces=spaces)
    write = find_format(asked.output, asked.how, ranges=ranges or not asked.is_raw)
    return lambda sentences: _inside("".join(map(write, sentences)))


@cache
def _around(text: str) -> bytes:
    """Encode a text before or after the sentences; there are only a few."""
    return _inside(text)


def _inside(text: str) -> bytes:
    """Encode a text as the inside of a JSON string."""
    return json.dumps(text, ensure_ascii=False)[1:-1].encode()
