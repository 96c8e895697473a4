"""`dodona parse`: sentences in, trees out."""

import sys
import time
from typing import Annotated

from dodona.cli.errors import say
from dodona.cli.flags import Flag
from dodona.cli.streams import Skipped, open_writer, read_all
from dodona.parser import Parser
from dodona.settings import ROOT_COUNTS
from dodona.treebank.reader import FORMATS
from dodona.treebank.sentence import Sentence


def parse(
    model: Annotated[str, Flag("model file", positional=True)],
    inputs: Annotated[
        list[str] | None,
        Flag("files to parse, one after the other ('-': stdin, the default)", positional=True),
    ] = None,
    out: Annotated[str, Flag("file to write ('-': stdout)", short="-o")] = "-",
    input: Annotated[str, Flag("format of the input", choices=FORMATS)] = "conllu",
    output: Annotated[str, Flag("format of the output", choices=(*FORMATS, "json"))] = "conllu",
    threads: Annotated[int, Flag("sentences are parsed in that many threads")] = 1,
    roots: Annotated[
        str | None,
        Flag("words under the root of a sentence", choices=ROOT_COUNTS, default="as trained"),
    ] = None,
    beam: Annotated[
        int | None, Flag("derivations kept side by side; 1 is greedy", default="as trained")
    ] = None,
    keep_tags: Annotated[
        bool, Flag("parse with the tags of the input, although the model has a tagger")
    ] = False,
    skip_bad: Annotated[bool, Flag("pass on what is no sentence instead of stopping")] = False,
) -> None:
    """Parse sentences with a trained model.

    Heads and labels of the input are ignored and replaced, and so are the tags if the model has a
    tagger; all else comes back as it was. Files whose name ends in .gz are read and written
    compressed.
    """
    parser = Parser.load(model)
    start = time.perf_counter()
    skipped, n_words = Skipped(), 0
    items = skipped.watch(read_all(inputs or ["-"], input, "ignored", skip_bad))
    with open_writer(out, output) as writer:
        for item in parser.pipe(
            items, threads=threads, roots=roots, beam=beam, keep_tags=keep_tags
        ):
            writer.write(item)
            n_words += len(item) if isinstance(item, Sentence) else 0
    skipped.say()
    if sys.stderr.isatty():
        seconds = time.perf_counter() - start
        say(f"{n_words:,} words in {seconds:.2f} s: {n_words / seconds:,.0f} words/s")
