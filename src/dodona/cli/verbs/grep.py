"""`dodona grep`: search treebanks for words and arcs."""

import json as json_
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any

from dodona.cli.errors import FAILED, Stop, UsageError, say
from dodona.cli.flags import Flag, OutputFile, Treebanks
from dodona.cli.inputs import read_treebanks
from dodona.cli.output_names import choose_format
from dodona.cli.outputs import OUTPUTS, open_writer
from dodona.cli.streams import has_colours
from dodona.query.language import COLUMNS
from dodona.query.pattern import MOST_STEPS, Match, Pattern
from dodona.treebank.conllu.files import open_output
from dodona.treebank.conllu.reader import FORMATS
from dodona.treebank.sentence import Sentence

TEXT = "text"
BOLD, PLAIN = "\x1b[1;31m", "\x1b[0m"


def grep(
    pattern: Annotated[
        str, Flag("the pattern, such as 'upos=VERB as v >nsubj lemma=oak'", positional=True)
    ],
    files: Treebanks = None,
    out: OutputFile = "-",
    output: Annotated[
        str | None,
        Flag(
            "a line per match (text), a JSON object per match, or the matching sentences",
            choices=(TEXT, *OUTPUTS),
            default="by the suffix of -o, or text",
        ),
    ] = None,
    count: Annotated[bool, Flag("print only the number of matches", short="-c")] = False,
    by: Annotated[
        str | None,
        Flag(
            "count matches by a column (v.lemma) or feature (v.Number) of a word", metavar="FIELD"
        ),
    ] = None,
    invert: Annotated[bool, Flag("print the sentences without a match", short="-v")] = False,
    most: Annotated[int | None, Flag("stop after N matches", short="-m", default="all")] = None,
    steps: Annotated[
        int, Flag("words that a search may try in one sentence, before it is an error", metavar="N")
    ] = MOST_STEPS,
    input: Annotated[str, Flag("format of the files", choices=FORMATS)] = "conllu",
) -> None:
    """Search treebanks for words and arcs.

    A pattern is a word with its relations to other words. A word is a condition such as
    upos=VERB&Tense=Past, or * for any word; `as v` names it. The relations are >nsubj (governs),
    <nsubj (is governed by), >> and << (transitively), . and .. (immediately precedes, precedes) and
    $ (has the same head); ! negates a relation. Labels and values may be alternatives, NOUN|PROPN,
    regular expressions, /oak.*/, or have any subtype, nsubj:*. As with grep, the exit code is 1 if
    nothing is found.
    """
    if sum([count, by is not None, invert]) > 1:
        raise UsageError("--count, --by and --invert exclude each other")
    if most is not None and most < 1:
        raise UsageError(f"--most must be at least 1, not {most}")
    if steps < 1:
        raise UsageError(f"--steps must be at least 1, not {steps}")
    wanted = Pattern(pattern, steps=steps)
    format = TEXT  # not of counts
    if not count and by is None:
        format = choose_format(out, output, (TEXT, *OUTPUTS), TEXT, plain=TEXT)
    read = read_treebanks(files or ["-"], input, "ignored", False, task="searching")
    sentences = (item for item in read if isinstance(item, Sentence))  # all: invalid ones raise
    if count:
        n_found = sum(map(wanted.count, sentences))
        with open_output(out) as file:
            file.write(b"%d\n" % n_found)
    elif by:
        n_found = _count_by(wanted, sentences, by, out)
    elif invert or format not in (TEXT, "json"):
        format = "conllu" if format == TEXT else format
        n_found = _write_sentences(wanted, sentences, out, format, invert, most)
    else:
        n_found = _write_matches(wanted, sentences, out, format, most)
    if not n_found:
        say("no matches")
        raise Stop(FAILED)


def _count_by(pattern: Pattern, sentences: Iterator[Sentence], by: str, out: str) -> int:
    name, dot, column = by.partition(".")
    if name not in pattern.names or not dot or not (column in COLUMNS or column[:1].isupper()):
        names = ", ".join(pattern.names) or "none (name a word by `as v`)"
        raise UsageError(
            f"--by must be a name of the pattern, a dot, and a column or feature, as in v.lemma, "
            f"not {by!r}; names in the pattern: {names}"
        )

    def value(word: Any) -> str:
        return str(getattr(word, column) if column in COLUMNS else word.features.get(column, "_"))

    counts = Counter(value(match[name]) for match in pattern.find(sentences))
    with open_output(out) as file:
        for found, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
            file.write(f"{n}\t{found}\n".encode())
    return counts.total()


def _write_sentences(
    pattern: Pattern,
    sentences: Iterator[Sentence],
    out: str,
    format: str,
    invert: bool,
    most: int | None,
) -> int:
    n_found = 0
    wanted = (sentence for sentence in sentences if pattern.is_in(sentence) != invert)
    with open_writer(out, format) as writer:
        for sentence in islice(wanted, most):
            writer.write(sentence)
            n_found += 1
    return n_found


def _write_matches(
    pattern: Pattern, sentences: Iterator[Sentence], out: str, format: str, most: int | None
) -> int:
    show = describe if format == TEXT else _to_json
    marks = (BOLD, PLAIN) if out == "-" and has_colours() else ("[", "]")
    n_found = 0
    with open_output(out) as file:
        for match in islice(pattern.find(sentences), most):
            file.write(f"{show(match, marks)}\n".encode())
            n_found += 1
    return n_found


def describe(match: Match, marks: tuple[str, str] = ("[", "]")) -> str:
    """Return the location of a match, and its sentence with the words marked.

    >>> oaks = Sentence.from_columns(["Oaks", "speak", "!"], misc=["_", "SpaceAfter=No", "_"])
    >>> describe(Pattern("form=speak").matches(oaks)[0])
    '<memory>:1: Oaks [speak]!'
    """
    sentence, ids = match.sentence, set(match.ids)
    pieces = []
    for token in sentence.tokens:
        is_found = not ids.isdisjoint(range(token.first, token.last + 1))
        pieces += [marks[0], token.form, marks[1]] if is_found else [token.form]
        pieces.append(" " * token.space_after)
    text = "".join(pieces).rstrip().replace("\n", " ")
    return f"{sentence.source}:{sentence.line}: {text}"


def _to_json(match: Match, marks: object) -> str:
    names = {place: name for name, place in match.pattern.name_places.items()}
    sentence = match.sentence
    found = {
        "file": sentence.source,
        "line": sentence.line,
        "sent_id": sentence.sent_id,
        "text": sentence.text,
        "words": [
            {"name": names.get(i), **{key: getattr(word, key) for key in COLUMNS}}
            for i, word in enumerate(match)
        ],
    }
    return json_.dumps(found, ensure_ascii=False)
