"""`dodona grep`: search treebanks for words and arcs, and for sequences of words."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import Annotated, TypeVar

from dodona.batches import AHEAD, BATCH, check_threads, map_in_order
from dodona.cli.concordance import Marks, describe, in_context, show_in_context, to_json
from dodona.cli.errors import FAILED, Stop, UsageError, say
from dodona.cli.flags import Flag, OutputFile, Threads
from dodona.cli.output_names import choose_format
from dodona.cli.outputs import OUTPUTS, open_writer
from dodona.cli.overwriting import check_targets
from dodona.cli.streams import has_colours
from dodona.cli.tree_files import read_trees
from dodona.query.language import COLUMNS
from dodona.query.match import Match
from dodona.query.pattern import MOST_STEPS, Pattern
from dodona.treebank.conllu.files import open_output
from dodona.treebank.conllu.reader import FORMATS
from dodona.treebank.sentence import Sentence
from dodona.treebank.word import Word

TEXT, JSON = "text", "json"
BOLD, PLAIN = "\x1b[1;31m", "\x1b[0m"
WIDEST = 1_000  # columns on each side of a key word: every line is padded to them
ALL = "all"  # --count without a field
FIELD = rf"(?:[A-Za-z_]\w*\.)?(?:{'|'.join(COLUMNS)})|[A-Za-z_]\w*\.[A-Z][\w\[\]]*"

T = TypeVar("T")
Batch = list[Sentence]


def grep(
    pattern: Annotated[
        str,
        Flag(
            "the pattern, such as 'upos=VERB as v >nsubj lemma=oak' or '[upos=ADJ]* [upos=NOUN]'",
            positional=True,
        ),
    ],
    files: Annotated[
        list[str] | None,
        Flag(
            "CoNLL-U files, .parquet files of `dodona parse`, or folders ('-': stdin, the default)",
            positional=True,
        ),
    ] = None,
    out: OutputFile = "-",
    output: Annotated[
        str | None,
        Flag(
            "a line per match (text), a JSON object per match, or the matching sentences",
            choices=(TEXT, *OUTPUTS),
            default="by the suffix of -o, or text",
        ),
    ] = None,
    count: Annotated[
        str | None,
        Flag(
            "print only the number of matches, or numbers by a column (lemma, v.lemma)",
            short="-c",
            metavar="FIELD",
            alone=ALL,
            fits=FIELD,
        ),
    ] = None,
    by: Annotated[
        str | None,
        Flag(
            "count matches by a column (v.lemma) or feature (v.Number) of a word", metavar="FIELD"
        ),
    ] = None,
    kwic: Annotated[
        int | None,
        Flag(
            "print key words in context, with N columns on each side",
            metavar="N",
            alone="40",
            fits=r"\d+",
        ),
    ] = None,
    invert: Annotated[bool, Flag("print the sentences without a match", short="-v")] = False,
    most: Annotated[int | None, Flag("stop after N matches", short="-m", default="all")] = None,
    steps: Annotated[
        int, Flag("words that a search may try in one sentence, before it is an error", metavar="N")
    ] = MOST_STEPS,
    input: Annotated[str, Flag("format of the files", choices=FORMATS)] = "conllu",
    threads: Threads = 1,
) -> None:
    """Search treebanks for words and arcs, or for sequences of words.

    A pattern is a word with its relations to other words. A word is a condition such as
    upos=VERB&Tense=Past, or * for any word; `as v` names it. The relations are >nsubj (governs),
    <nsubj (is governed by), >> and << (transitively), . and .. (immediately precedes, precedes) and
    $ (has the same head); ! negates a relation. Labels and values may be alternatives, NOUN|PROPN,
    regular expressions, /oak.*/, or have any subtype, nsubj:*. A sequence is a regular expression
    of words in brackets: [upos=DET]? ([upos=ADJ] | [Degree=Sup])* [upos=NOUN]+ as nouns. As with
    grep, the exit code is 1 if nothing is found.
    """
    by = count if count not in (None, ALL) else by
    if sum([count is not None, by is not None and count is None, invert]) > 1:
        raise UsageError("--count, --by and --invert exclude each other")
    if kwic is not None and (invert or count is not None or by is not None):
        raise UsageError("--kwic shows matches: it excludes --count, --by and --invert")
    if kwic is not None and not 1 <= kwic <= WIDEST:
        raise UsageError(f"--kwic must be from 1 to {WIDEST:,}, not {kwic}")
    for name, value in {"--most": most, "--steps": steps}.items():
        if value is not None and value < 1:
            raise UsageError(f"{name} must be at least 1, not {value}")
    check_threads(threads)
    wanted = Pattern(pattern, steps=steps)
    format = TEXT  # not of counts
    if count is None and by is None:
        format = choose_format(out, output, (TEXT, *OUTPUTS), TEXT, plain=TEXT)
    if kwic is not None and format not in (TEXT, JSON):
        raise UsageError(f"--kwic prints lines of text or json, not {format}")
    paths = files or ["-"]
    check_targets([out], paths)
    batches = _batches(read_trees(paths, input, task="searching"))

    def search(work: Callable[[Batch], T]) -> Iterator[T]:
        return map_in_order(work, batches, threads, AHEAD)

    if by is not None:
        n_found = _write_counts(search(_counter(wanted, by)), out)
    elif count:
        n_found = sum(search(wanted.count_in))
        with open_output(out) as file:
            file.write(b"%d\n" % n_found)
    elif invert or format not in (TEXT, JSON):
        format = "conllu" if format == TEXT else format
        found = chain.from_iterable(search(partial(_sentences, wanted, invert=invert)))
        n_found = 0
        with open_writer(out, format) as writer:
            for sentence in islice(found, most):
                writer.write(sentence)
                n_found += 1
    else:
        show = _shown(wanted, format, kwic, out)
        found_lines = chain.from_iterable(search(lambda batch: _lines(wanted, batch, show)))
        n_found = 0
        with open_output(out) as file:
            for line in islice(found_lines, most):
                file.write(line)
                n_found += 1
    if not n_found:
        say("no matches")
        raise Stop(FAILED)


def _batches(sentences: Iterator[Sentence]) -> Iterator[Batch]:
    """Yield batches, small ones first: the first match is not kept waiting."""
    size = 1
    while batch := list(islice(sentences, size)):
        yield batch
        size = min(2 * size, BATCH)


def _sentences(pattern: Pattern, batch: Batch, *, invert: bool) -> Batch:
    found = pattern.matches_in(batch, most=1)
    pairs = zip(batch, found, strict=True)
    return [sentence for sentence, matches in pairs if bool(matches) != invert]


def _lines(pattern: Pattern, batch: Batch, show: Callable[[Match], str]) -> list[bytes]:
    matches = chain.from_iterable(pattern.matches_in(batch))
    return [f"{show(match)}\n".encode() for match in matches]


def _shown(pattern: Pattern, format: str, width: int | None, out: str) -> Callable[[Match], str]:
    """Return the function that makes a line of a match."""
    is_sequence = pattern.is_sequence
    if format == JSON:
        if width is None:
            return to_json
        return lambda match: to_json(match, in_context(match, is_sequence))
    is_coloured = out == "-" and has_colours()
    marks: Marks = (BOLD, PLAIN) if is_coloured else ("[", "]")
    if width is None:
        return partial(describe, marks=marks)
    marks = marks if is_coloured else ("", "")
    return partial(show_in_context, is_sequence=is_sequence, width=width, marks=marks)


def _counter(pattern: Pattern, by: str) -> Callable[[Batch], Counter[str]]:
    """Return the function that counts the matches in a batch by a column or feature."""
    name, dot, column = by.rpartition(".")
    is_known = column in COLUMNS or (bool(dot) and column[:1].isupper())
    if (name and name not in pattern.names) or not is_known:
        names = ", ".join(pattern.names) or "none (name a word by `as v`)"
        raise UsageError(
            f"--by must be a column, or a name of the pattern, a dot, and a column or feature, as "
            f"in lemma or v.lemma, not {by!r}; names in the pattern: {names}"
        )

    def value(match: Match) -> str:
        words = match.words_of(name) if name else match.words
        return " ".join(_value(word, column) for word in words) or "_"

    def count(batch: Batch) -> Counter[str]:
        return Counter(map(value, chain.from_iterable(pattern.matches_in(batch))))

    return count


def _value(word: Word, column: str) -> str:
    return str(getattr(word, column) if column in COLUMNS else word.features.get(column, "_"))


def _write_counts(found: Iterable[Counter[str]], out: str) -> int:
    """Write the sums of counts, the largest first, and return the number of matches."""
    counts: Counter[str] = Counter()
    for some in found:
        counts.update(some)
    with open_output(out) as file:
        for value, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
            file.write(f"{n}\t{value}\n".encode())
    return counts.total()
