"""`dodona parse`: parse text or sentences."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import dodona
from dodona.cli.corpora import (
    LEVELS,
    PARQUET,
    CorpusFlags,
    check_corpus,
    is_corpus,
    parse_corpus,
)
from dodona.cli.errors import UsageError, say
from dodona.cli.flags import Constraints, Encoding, Flag, Mapped, RulesFile, SkipBad, Threads
from dodona.cli.input_files import UTF8, check_encoding
from dodona.cli.input_notes import InputNotes
from dodona.cli.inputs import GUESSED, INPUTS, SentenceReader, Trees
from dodona.cli.output_names import choose_format
from dodona.cli.outputs import OUTPUTS, annotate
from dodona.cli.runs import Pipe, PipeRun, Run, TextRun
from dodona.models import (
    AUTO,
    DEFAULT,
    SUFFIX,
    NoModelError,
    explain_missing,
    find,
    find_shipped,
    locate,
)
from dodona.parsing.pipe_options import PipeOptions
from dodona.segmentation.foreign import model_language
from dodona.settings import ROOT_COUNTS
from dodona.storage.container import is_container

if TYPE_CHECKING:
    from dodona.parsing.given import GivenOf

WITH_CONFIDENCE = ("conllu", "json")  # outputs, beside tables


def parse(
    inputs: Annotated[
        list[str] | None,
        Flag(
            "a model file or name (default: the included English model; auto: the model of each "
            "text's language), then files or folders to parse ('-': stdin, the default)",
            positional=True,
            metavar="[MODEL] [INPUT]...",
        ),
    ] = None,
    out: Annotated[
        str, Flag("file to write ('-': stdout), or a folder with a file per input", short="-o")
    ] = "-",
    input: Annotated[
        str | None,
        Flag(
            "format of the input: CoNLL-U, CoNLL-X, plain text, text with a sentence per line, or "
            "tokens separated by blanks",
            choices=INPUTS,
            default=GUESSED,
        ),
    ] = None,
    encoding: Encoding = UTF8,
    output: Annotated[
        str | None,
        Flag(
            "format of the output",
            choices=(*OUTPUTS, PARQUET),
            default="by the suffix of -o, or conllu; for a corpus, parquet",
        ),
    ] = None,
    threads: Threads = 1,
    roots: Annotated[
        str | None,
        Flag("number of words below the root", choices=ROOT_COUNTS, default="as trained"),
    ] = None,
    beam: Annotated[
        int | None, Flag("width of the beam; 1: greedy search", default="as trained")
    ] = None,
    keep_tags: Annotated[
        bool, Flag("keep the tags of the input, even incomplete, and do not tag")
    ] = False,
    retag: Annotated[
        bool, Flag("replace the tags of the input by those of the model's tagger")
    ] = False,
    constraints: Constraints = None,
    rules: RulesFile = None,
    graph: Annotated[
        bool, Flag("also make enhanced graphs (column DEPS), if the model can make them")
    ] = False,
    confidence: Annotated[
        bool, Flag("also write how sure the model is of every arc, label and tag")
    ] = False,
    given: Annotated[
        bool,
        Flag(
            "keep the heads, labels and tags of the input ('_': free) or, where MISC has Given=…, "
            "those marked there"
        ),
    ] = False,
    k_best: Annotated[
        int | None,
        Flag("write the N best trees of each sentence, with rank and score", default="one, plain"),
    ] = None,
    skip_bad: SkipBad = False,
    mapped: Mapped = False,
    else_: Annotated[
        str | None,
        Flag(
            "auto: language to parse texts as whose own has no model",
            metavar="LANG",
            default="such texts are errors",
        ),
    ] = None,
    text: Annotated[
        str | None, Flag("corpus: the column with the texts", metavar="COLUMN", default="text")
    ] = None,
    keep: Annotated[
        str | None,
        Flag(
            "corpus: columns to keep, separated by commas; id=doc_id renames a column",
            metavar="COLUMNS",
        ),
    ] = None,
    level: Annotated[
        str | None,
        Flag("corpus: what a row of the output stands for", choices=LEVELS, default="word"),
    ] = None,
    resume: Annotated[bool, Flag("corpus: continue an interrupted run")] = False,
    workers: Annotated[
        int | None, Flag("corpus: number of processes, each with --threads", default="1")
    ] = None,
    shard: Annotated[
        str | None,
        Flag("corpus: parse only the part I (from 0) of N", metavar="I/N", default="all parts"),
    ] = None,
    max_errors: Annotated[
        int | None, Flag("corpus: leave out up to N files that cannot be read", default="0")
    ] = None,
    plan: Annotated[
        bool, Flag("corpus: fix the schema of the output and list its files, and parse nothing")
    ] = False,
    quiet: Annotated[bool, Flag("print no progress and no speed")] = False,
) -> None:
    """Parse text or sentences with a trained model.

    A model for raw text segments its input into sentences and words, unless a file is CoNLL-U by
    its name or its first lines. Heads and labels of the input are replaced; a model with a tagger
    adds the tags and lemmas that a sentence lacks; everything else is kept. Files with the suffix
    .gz are read and written compressed.

    A corpus consists of files in .parquet, .arrow, .jsonl or .csv (.gz, .zst), of folders of such
    files or, with --output parquet, of folders of texts; URLs are allowed. Each file becomes a file
    in the folder of -o, which `dodona check` compares with what the run has recorded.

    echo "Oaks speak." | dodona parse en
    """
    if keep_tags and retag:
        raise UsageError("--keep-tags and --retag exclude each other")
    model, paths = split_off_model(inputs or [])
    if else_ is not None and model != AUTO:
        raise UsageError(f"--else is for {AUTO}: dodona parse {AUTO} --else {else_}")
    corpus_flags: dict[str, Any] = {"--text": text, "--keep": keep, "--level": level}
    corpus_flags |= {"--resume": resume, "--workers": workers, "--shard": shard}
    corpus_flags |= {"--max-errors": max_errors, "--plan": plan}
    if is_corpus(paths, output, *corpus_flags.values()):
        unfit = {"keep-tags": keep_tags, "retag": retag, "skip-bad": skip_bad}
        unfit |= {"given": given, "k-best": k_best is not None}
        unfit["encoding"] = check_encoding(encoding) != UTF8
        check_corpus(paths, out, input, output, corpus_flags, unfit)
        chosen = CorpusFlags(
            input, output, text, keep, level, resume, workers, shard, max_errors, plan
        )
        options = {"threads": threads, "roots": roots, "beam": beam, "mapped": mapped}
        options |= {"constraints": constraints, "graph": graph, "confidence": confidence}
        options |= {"rules": rules, "default": else_}
        parse_corpus(model, paths, out, chosen, options, quiet=quiet)
        return
    format = choose_format(out, output, OUTPUTS, OUTPUTS[0])
    if confidence and format not in WITH_CONFIDENCE:
        raise UsageError(f"--output {format} has no room for confidences: use conllu or json")
    if k_best is not None and (graph or confidence):
        raise UsageError("--k-best writes trees only: leave out --graph and --confidence")
    if given and confidence:
        raise UsageError("--given and --confidence exclude each other: what is given is certain")
    how: dict[str, Any] = {"threads": threads, "roots": roots, "beam": beam}
    how |= {"constraints": constraints, "graph": graph, "confidence": confidence}
    for_treebanks = {"--skip-bad": skip_bad, "--retag": retag, "--given": given}
    for_treebanks |= {"--keep-tags": keep_tags}
    flags = tuple(flag for flag, is_given in for_treebanks.items() if is_given)
    if model == AUTO:
        if flags:
            raise UsageError(f"{flags[0]} does not apply to {AUTO}, which reads raw text")
        if rules is not None:
            raise UsageError(f"--rules is for the model of one language, not for {AUTO}")
        if k_best is not None:
            raise UsageError(f"--k-best is for the model of one language, not for {AUTO}")
        from dodona.cli.auto_inputs import AutoReader
        from dodona.pipeline.auto import AutoParser

        auto = AutoReader(AutoParser(default=else_, mapped=mapped), input, encoding, how)
        annotate(paths, auto, PipeRun(iter), out, format, AUTO, quiet=quiet)
        return
    file = locate(model)
    parser = dodona.load(file, mapped=mapped, rules=rules)
    if confidence and parser.calibration is None:
        say(f"{model}: confidences are not calibrated; see dodona calibrate --help")
    known: GivenOf | None = None
    if given:
        from dodona.parsing.given import Given  # other runs should not wait for it

        known = Given.from_sentence
    notes = InputNotes(parser, model)
    watch: Pipe = iter if quiet or keep_tags or retag or given else notes.watch
    piped = PipeOptions(roots, beam, keep_tags, retag, constraints, graph, confidence, known)
    run: Run = TextRun(partial(parser.annotate, options=piped, threads=threads), watch)
    if k_best is not None:
        from dodona.cli.candidates import pipe_candidates

        find_best = partial(
            parser.k_best,
            k=k_best,
            roots=roots,
            beam=beam,
            keep_tags=keep_tags,
            retag=retag,
            constraints=constraints,
        )
        run = PipeRun(lambda items: pipe_candidates(find_best, known, threads, watch(items)))
    trees: Trees = "optional" if given else "ignored"
    reader = SentenceReader(
        input,
        parser.segmenter,
        skip_bad,
        encoding,
        trees,
        for_treebanks=tuple(flag for flag in flags if flag != "--keep-tags"),
        language=model_language(parser.record),
    )
    annotate(paths, reader, run, out, format, file, quiet=quiet)


def split_off_model(words: list[str]) -> tuple[str, list[str]]:
    """Return the model, by default the included one, and the files, by default stdin.

    >>> split_off_model(["my.dodona", "notes.txt"]), split_off_model([])
    (('my.dodona', ['notes.txt']), ('en', ['-']))
    """
    if not words or words[0] == "-":
        return DEFAULT, words or ["-"]
    first = Path(words[0])
    if words[0] == AUTO and not first.exists():
        return AUTO, words[1:] or ["-"]
    if words[0] in find_shipped() or first.suffix == SUFFIX or is_container(first):
        return words[0], words[1:] or ["-"]
    if not first.exists() and "://" not in words[0]:
        if find(words[0]) is not None:
            return words[0], words[1:] or ["-"]
        raise NoModelError(explain_missing(words[0]))
    return DEFAULT, words
