"""What sentences are read from: files of them, of lines of tokens, or of plain text."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from dodona.cli.errors import say
from dodona.cli.meter import Meter, metered
from dodona.cli.opened import UTF8, Opened, check_encoding, total_size
from dodona.cli.places import PLAIN, STDIN, TREEBANK, find_files
from dodona.treebank.conllu.errors import BadSentence, TreebankError
from dodona.treebank.conllu.reader import FORMATS, read
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from dodona.segmentation.segmenter import Segmenter, Splitting

CONLLU, CONLLX = FORMATS
TEXT, TOKENS, LINES = "text", "tokens", "lines"
INPUTS = (*FORMATS, TEXT, LINES, TOKENS)
GUESSED = "by the name and the first lines of the file"  # how help says it

Item = Sentence | BadSentence
Trees = Literal["required", "optional", "ignored"]


class Source(NamedTuple):
    """A file to read, and what it is called in ids of documents and sentences."""

    path: str
    name: str = ""  # nothing where there is one file only
    place: str = ""  # from the folder on that was named


class Reading:
    """How files are read: in which format, by which segmenter, from which encoding.

    Without a format, that is found out for each file; a `meter` is told how far it has come.
    """

    def __init__(
        self,
        format: str | None = None,
        segmenter: "Segmenter | None" = None,
        skip_bad: bool = False,
        encoding: str = UTF8,
        trees: Trees = "ignored",
        meter: Meter | None = None,
    ) -> None:
        self.format, self.segmenter, self.skip_bad = format, segmenter, skip_bad
        self.encoding, self.trees, self.meter = encoding, trees, meter
        self.has_warned = False

    def read(self, sources: Iterable[Source]) -> Iterator[Item]:
        """The sentences of all files, one after the other."""
        for source in sources:
            with Opened(source.path, check_encoding(self.encoding)) as file:
                if self.meter is not None:
                    self.meter.watch(file)
                yield from self._read(file, source)

    def _read(self, file: Opened, source: Source) -> Iterator[Item]:
        if source.path == STDIN and sys.stdin.isatty():
            say("reading what is typed here; Ctrl-D (on Windows Ctrl-Z) ends it")
        format = self.format or self._guess(file)
        if format in FORMATS:
            yield from self._read_treebank(file, format)
        elif format == TOKENS:
            yield from _read_tokens(file)
        else:
            splitting: Splitting = "lines" if format == LINES else "learned"
            segmenter = self._require_segmenter(source.path)
            texts = self._looked_at(file.texts(), segmenter, source.path)
            blocks = segmenter.stream(texts, sentences=splitting, name=source.name)
            for block in blocks:
                yield from block

    def _looked_at(self, texts: Iterable[str], segmenter: "Segmenter", path: str) -> Iterator[str]:
        """The texts; once, a warning if the first is in a language that the model does not know."""
        for number, text in enumerate(texts):
            if number == 0 and not self.has_warned and segmenter.is_strange(text):
                self.has_warned = True
                say(
                    f"{path}: the model knows few of these words; is this another language? "
                    "`dodona models` lists the models that are here"
                )
            yield text

    def _guess(self, file: Opened) -> str:
        """Text, for a model that can read it, unless the file is a treebank."""
        name = file.path.removesuffix(".gz")
        if name.endswith(".conllx"):
            return CONLLX
        if name.endswith(TREEBANK) or file.is_treebank():
            return CONLLU
        return TEXT if self.segmenter is not None or name.endswith(PLAIN) else CONLLU

    def _read_treebank(self, file: Opened, format: Any) -> Iterator[Item]:
        bad: Any = "pass" if self.skip_bad else "raise"
        source: Any = file
        try:
            with read(source, format=format, trees=self.trees, bad=bad, name=file.name) as reader:
                yield from reader
        except TreebankError as error:
            is_sure = self.format is not None or file.path.removesuffix(".gz").endswith(TREEBANK)
            raise advise(error, is_sure) from None

    def _require_segmenter(self, path: str) -> "Segmenter":
        if self.segmenter is None:
            raise ValueError(
                f"{path}: this model has no segmenter, so it cannot read plain text; give it "
                "--input conllu or tokens, or train one with --pipeline text"
            )
        return self.segmenter


def find_sources(names: Iterable[str]) -> list[Source]:
    """The files that are named, and those in folders; where there are several, each has a name.

    >>> find_sources(["-"])
    [Source(path='-', name='', place='-')]
    >>> [source.name for source in find_sources(["a/oak.txt", "a/elm.txt.gz", "b/oak.txt"])]
    ['a/oak', 'elm', 'b/oak']
    """
    found: list[tuple[str, str]] = []
    is_folder = False
    for name in names:
        is_folder = is_folder or Path(name).is_dir()
        for path in find_files([name], (*TREEBANK, *PLAIN)):
            inside = Path(path).relative_to(name) if path != name else Path(Path(path).name)
            found.append((path, inside.as_posix()))
    if len(found) == 1 and not is_folder:
        return [Source(*found[0][:1], place=found[0][1])]
    stems = [_stem(Path(path).name) for path, _ in found]
    counts = Counter(stems)
    seen: Counter[str] = Counter()
    sources = []
    for (path, place), stem in zip(found, stems, strict=True):
        name = stem if counts[stem] == 1 else _stem(Path(path).as_posix())
        seen[name] += 1
        name = name if seen[name] == 1 else f"{name}.{seen[name]}"  # one file, named twice
        sources.append(Source(path, "" if path == STDIN else name, place))
    return sources


def read_treebanks(
    paths: Iterable[str],
    format: Any,
    trees: Trees,
    skip_bad: bool,
    *,
    doing: str = "reading",
    encoding: str = UTF8,
) -> Iterator[Item]:
    """The sentences of all files, and of those in folders; a terminal sees how far it is."""
    named = list(find_files(paths))
    with metered(doing, total_size(named)) as meter:
        reading = Reading(format, None, skip_bad, encoding, trees, meter)
        yield from meter.count(reading.read(Source(path) for path in named))


def size_of(sources: Iterable[Source]) -> int | None:
    """The bytes of all sources together, where that is known."""
    return total_size([source.path for source in sources])


def _stem(name: str) -> str:
    """The name without the endings that tell the format."""
    name = name.removesuffix(".gz")
    for suffix in (*TREEBANK, *PLAIN):
        name = name.removesuffix(suffix)
    return name


def advise(error: TreebankError, is_sure: bool, converts: bool = True) -> TreebankError:
    """The error, with what to do about it: another format, another encoding."""
    advice = ""
    if "tab-separated columns" in error.message and not is_sure:
        advice = "; if this is no CoNLL-U, say what it is: --input text, lines or tokens"
    elif error.message.endswith("tab-separated columns, found 1"):
        advice = "; of plain text, make trees first: dodona parse en --input text FILE"
    elif "invalid UTF-8" in error.message and converts:
        advice = "; --encoding converts others, such as latin-1"
    return TreebankError(error.source, error.line, error.message + advice)


def _read_tokens(file: Opened) -> Iterator[Sentence]:
    """A sentence a line, its tokens between white space; empty lines are passed over."""
    rest = ""
    for chunk in file.texts():
        *lines, rest = (rest + chunk).split("\n")
        yield from _split_lines(lines)
    yield from _split_lines([rest])


def _split_lines(lines: Iterable[str]) -> Iterator[Sentence]:
    for line in lines:
        if tokens := line.split():
            yield Sentence.from_columns(tokens, comments=[f"# text = {' '.join(tokens)}"])


class Skipped:
    """Counts what is passed on because it is no sentence."""

    def __init__(self) -> None:
        self.n_bad = 0
        self.first = ""

    def watch(self, items: Iterable[Item]) -> Iterator[Item]:
        """The same items, counted."""
        for item in items:
            if isinstance(item, BadSentence):
                self.n_bad += 1
                self.first = self.first or str(item.error)
            yield item

    def say(self, done: str = "passed on") -> None:
        """Tell how many there were, if any, and what is wrong with the first."""
        if self.n_bad:
            plural = "s" if self.n_bad > 1 else ""
            say(f"{self.n_bad:,} bad sentence{plural} {done}; the first: {self.first}")
