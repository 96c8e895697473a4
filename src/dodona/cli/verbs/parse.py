"""`dodona parse`: text or sentences in, trees out."""

from functools import partial
from pathlib import Path
from typing import Annotated

from dodona.cli.annotation import annotate
from dodona.cli.corpora import LEVELS, PARQUET, is_corpus, parse_corpus
from dodona.cli.errors import UsageError
from dodona.cli.flags import Flag
from dodona.cli.inputs import GUESSED, INPUTS, SentenceReader
from dodona.cli.input_files import UTF8
from dodona.cli.outputs import OUTPUTS
from dodona.models import DEFAULT, SUFFIX, NoModelError, explain_missing, find, find_shipped, locate
from dodona.parsing.parser import Parser
from dodona.settings import CONSTRAINTS, NO_CONSTRAINTS, ROOT_COUNTS
from dodona.storage.container import is_container


def parse(
    inputs: Annotated[
        list[str] | None,
        Flag(
            "a model (file or name; without one, the English one that ships), then files or "
            "folders to parse, one after the other ('-': stdin, the default)",
            positional=True,
            metavar="[MODEL] [INPUT]...",
        ),
    ] = None,
    out: Annotated[
        str, Flag("file to write ('-': stdout), or a folder: each input becomes one", short="-o")
    ] = "-",
    input: Annotated[
        str | None,
        Flag(
            "format of the input: CoNLL-U, CoNLL-X, plain text, a sentence a line, tokens with "
            "spaces between them",
            choices=INPUTS,
            default=GUESSED,
        ),
    ] = None,
    encoding: Annotated[
        str, Flag("encoding of the input: latin-1, utf-16, …", metavar="NAME")
    ] = UTF8,
    output: Annotated[
        str | None,
        Flag(
            "format of the output",
            choices=(*OUTPUTS, PARQUET),
            default="conllu, of a corpus parquet",
        ),
    ] = None,
    threads: Annotated[int, Flag("sentences are parsed in that many threads")] = 1,
    roots: Annotated[
        str | None,
        Flag("words under the root of a sentence", choices=ROOT_COUNTS, default="as trained"),
    ] = None,
    beam: Annotated[
        int | None, Flag("derivations kept side by side; 1 is greedy", default="as trained")
    ] = None,
    keep_tags: Annotated[
        bool, Flag("parse with the tags of the input as they are, although the model has a tagger")
    ] = False,
    retag: Annotated[bool, Flag("replace the tags of the input by those of the tagger")] = False,
    constraints: Annotated[
        str,
        Flag(
            "ud: no tree breaks the rules of Universal Dependencies for relations and tags",
            choices=CONSTRAINTS,
        ),
    ] = NO_CONSTRAINTS,
    skip_bad: Annotated[bool, Flag("pass on what is no sentence instead of stopping")] = False,
    mapped: Annotated[
        bool,
        Flag(
            "map the model's file instead of copying it: processes share it, but crash or compute "
            "nonsense if it changes meanwhile"
        ),
    ] = False,
    text: Annotated[
        str | None, Flag("of a corpus: the column of texts", metavar="COLUMN", default="text")
    ] = None,
    keep: Annotated[
        str | None,
        Flag(
            "of a corpus: columns that stay, with commas between them; id=doc_id renames one",
            metavar="COLUMNS",
        ),
    ] = None,
    level: Annotated[
        str | None, Flag("of a corpus: what a row becomes", choices=LEVELS, default="word")
    ] = None,
    resume: Annotated[bool, Flag("of a corpus: go on where a run has stopped")] = False,
) -> None:
    """Parse text or sentences with a trained model.

    A model for raw text reads text, unless a file is CoNLL-U by its name or its first lines: it
    finds sentences and words first. Heads and labels of the input are ignored and replaced; a model
    with a tagger fills in the tags and lemmas that a sentence lacks; all else comes back as it was.
    Files whose name ends in .gz are read and written compressed.

    A corpus is files of .parquet, .jsonl or .csv (.gz, .zst), folders of them or, with --output
    parquet, of texts; by URL, they may be elsewhere. Each becomes a file in the folder of -o.

    echo "Oaks speak." | dodona parse en
    """
    if keep_tags and retag:
        raise UsageError("either --keep-tags or --retag: tags cannot be both kept and replaced")
    model, paths = split_off_model(inputs or [])
    if is_corpus(paths, output, text, keep, level, resume):
        unfit = {"keep-tags": keep_tags, "retag": retag, "skip-bad": skip_bad}
        unfit["encoding"] = encoding != UTF8
        options = {"threads": threads, "roots": roots, "beam": beam, "mapped": mapped}
        parse_corpus(model, paths, out, input, output, text, keep, level, resume, unfit, options)
        return
    parser = Parser.load(locate(model), mapped=mapped)
    pipe = partial(
        parser.pipe,
        threads=threads,
        roots=roots,
        beam=beam,
        keep_tags=keep_tags,
        retag=retag,
        constraints=constraints,
    )
    reader = SentenceReader(input, parser.segmenter, skip_bad, encoding)
    annotate(paths, reader, pipe, out, output or "conllu")


def split_off_model(words: list[str]) -> tuple[str, list[str]]:
    """The first word if it is a model, else the one that ships; the rest are files, or stdin.

    >>> split_off_model(["my.dodona", "notes.txt"]), split_off_model([])
    (('my.dodona', ['notes.txt']), ('en', ['-']))
    """
    if not words or words[0] == "-":
        return DEFAULT, words or ["-"]
    first = Path(words[0])
    if words[0] in find_shipped() or first.suffix == SUFFIX or is_container(first):
        return words[0], words[1:] or ["-"]
    if not first.exists() and "://" not in words[0]:
        if find(words[0]) is not None:
            return words[0], words[1:] or ["-"]
        raise NoModelError(explain_missing(words[0]))
    return DEFAULT, words
