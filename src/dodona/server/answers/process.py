"""What UDPipe's /process answers: all sentences as one string in JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.metadata import version

from dodona.server.answers.formats import AROUND, find_format
from dodona.server.answers.turns import Step
from dodona.server.memory import Allowance
from dodona.server.requests.process import ProcessRequest
from dodona.server.requests.sentences import size_of, slices
from dodona.treebank.conllu.quoting import quote_conllu
from dodona.treebank.sentence import Sentence


def write_process(asked: ProcessRequest, allowed: Allowance) -> Iterator[Step]:
    """The answer in steps."""
    write = _find_writer(asked)
    batches = _counted(slices(asked.sentences()), allowed)
    if not asked.is_raw:  # all is read first: a mistake is told, not streamed
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
    for batch in batches:
        done = annotate(asked, batch)
        yield write(done), sum(map(len, done))
    yield _around(after) + b'"\n}\n', 0


@cache
def _begin(model: str) -> bytes:
    """An answer up to its text, the same for all requests to a model."""
    about = {"model": model, "acknowledgements": [], "result": ""}
    return json.dumps(about, indent=1).removesuffix('"\n}').encode()


def _counted(batches: Iterator[list[Sentence]], allowed: Allowance) -> Iterator[list[Sentence]]:
    for batch in batches:
        allowed.count_words(sum(map(len, batch)))
        yield batch


def annotate(asked: ProcessRequest, sentences: list[Sentence]) -> list[Sentence]:
    """The sentences with new tags, new trees, or both."""
    parser = asked.model.parser
    if asked.parse:
        return list(parser.pipe(sentences, retag=asked.tag, keep_tags=not asked.tag))
    tagger = parser.tagger if asked.tag else None
    return sentences if tagger is None else tagger.tag_batch(sentences)


@cache
def generator() -> str:
    """Who made the annotation."""
    return f"Dodona {version('dodona')}"


def _find_writer(asked: ProcessRequest) -> Callable[[list[Sentence]], bytes]:
    """How to write sentences: CoNLL-U of raw text may have more than was asked for."""
    ranges, spaces = "ranges" in asked.options, "normalized_spaces" not in asked.options
    if asked.output == "conllu" and asked.is_raw:
        return partial(quote_conllu, ranges=ranges, spaces=spaces)
    write = find_format(asked.output, asked.how, ranges=ranges or not asked.is_raw)
    return lambda sentences: _inside("".join(map(write, sentences)))


@cache
def _around(text: str) -> bytes:
    """What stands before or after the sentences: one of a few texts."""
    return _inside(text)


def _inside(text: str) -> bytes:
    """The text as it stands between the quotes of a string in JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1].encode()
