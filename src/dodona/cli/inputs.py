"""Reading sentences from files: treebanks, lines of tokens, or plain text."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from dodona.cli.errors import UsageError, say
from dodona.cli.input_files import (
    PLAIN,
    STDIN,
    TREEBANK,
    UTF8,
    InputFile,
    check_encoding,
    find_files,
    total_size,
)
from dodona.cli.progress import Meter
from dodona.records import replace
from dodona.treebank.conllu.errors import BadSentence, TreebankError
from dodona.treebank.conllu.reader import FORMATS, read
from dodona.treebank.sentence import Sentence

if TYPE_CHECKING:
    from dodona.segmentation.pieces import Source
    from dodona.segmentation.segmenter import Segmenter, Splitting

CONLLU, CONLLX = FORMATS
TEXT, TOKENS, LINES = "text", "tokens", "lines"
INPUTS = (*FORMATS, TEXT, LINES, TOKENS)
GUESSED = "guessed from the file's name and first lines"  # the default in help texts

SentenceOrBad = Sentence | BadSentence
Trees = Literal["required", "optional", "ignored"]


class InputSource(NamedTuple):
    """A file to read, and its name in the ids of documents and sentences."""

    path: str
    name: str = ""  # empty for a single file
    inside: str = ""  # the path relative to the folder that was given


class SentenceReader:
    """A reader of files in one format, with a segmenter for text, from one encoding.

    Without a format, the format of each file is guessed. A `meter` shows the progress.
    `for_treebanks` are the flags given that only annotated input can obey. `language` is that of
    the model.
    """

    def __init__(
        self,
        format: str | None = None,
        segmenter: "Segmenter | None" = None,
        skip_bad: bool = False,
        encoding: str = UTF8,
        trees: Trees = "ignored",
        meter: Meter | None = None,
        for_treebanks: tuple[str, ...] = (),
        language: str | None = None,
    ) -> None:
        self.for_treebanks, self.language = for_treebanks, language
        self.format, self.segmenter, self.skip_bad = format, segmenter, skip_bad
        self.encoding, self.trees, self.meter = encoding, trees, meter
        self.has_warned = False

    def expect(self, sources: Iterable[InputSource]) -> None:
        """Allow flags for treebanks if there is one among the files, by its name."""
        names = (source.path.removesuffix(".gz") for source in sources)
        if self.format is None and any(name.endswith(TREEBANK) for name in names):
            self.for_treebanks = ()

    def read(self, sources: Iterable[InputSource]) -> Iterator[SentenceOrBad]:
        """Yield the sentences of files; those of texts are found in this thread."""
        for source in self.open(sources):
            if source.chunks is None or self.segmenter is None:
                yield from source.sentences
                continue
            splitting: Splitting = "lines" if source.by_lines else "learned"
            for block in self.segmenter.stream(
                source.chunks, sentences=splitting, name=source.name
            ):
                yield from block

    def open(self, sources: Iterable[InputSource], context: object = None) -> "Iterator[Source]":
        """Yield files as texts or treebanks; each is open until the next one is asked for."""
        for source in sources:
            with InputFile(source.path, check_encoding(self.encoding)) as file:
                if self.meter is not None:
                    self.meter.watch(file)
                yield replace(self._open(file, source), context=context)

    def _open(self, file: InputFile, source: InputSource) -> "Source":
        from dodona.segmentation.pieces import Source  # other verbs should not wait for it

        if source.path == STDIN and sys.stdin.isatty():
            say("reading from the terminal; end with Ctrl-D (on Windows Ctrl-Z)")
        format = self.format or self._guess(file)
        if self.for_treebanks and format not in FORMATS:
            flag = self.for_treebanks[0]
            raise UsageError(f"{flag} does not apply to {file.name}, which is read as {format}")
        if format in FORMATS:
            return Source(None, self._read_treebank(file, format))
        if format == TOKENS:
            return Source(None, _read_tokens(file))
        if self.segmenter is None:
            raise ValueError(
                f"{source.path}: this model has no segmenter, so it cannot read plain text; "
                "use --input conllu or tokens, or train a model with --pipeline text"
            )
        texts = self._check_language(file.texts(), self.segmenter, source.path)
        return Source(texts, name=source.name, by_lines=format == LINES)

    def _check_language(
        self, texts: Iterable[str], segmenter: "Segmenter", path: str
    ) -> Iterator[str]:
        """Yield the texts; warn once if the first is in another language than that of the model."""
        from dodona.segmentation.foreign import find_foreign

        for number, text in enumerate(texts):
            if number == 0 and not self.has_warned:
                found = find_foreign(text, self.language, segmenter)
                if found is not None:
                    self.has_warned = True
                    say(f"{path}: {found}")
            yield text

    def _guess(self, file: InputFile) -> str:
        """Guess the format: text for a model that reads text, unless the file is a treebank."""
        name = file.path.removesuffix(".gz")
        if name.endswith(".conllx"):
            return CONLLX
        if name.endswith(TREEBANK) or file.is_treebank():
            return CONLLU
        return TEXT if self.segmenter is not None or name.endswith(PLAIN) else CONLLU

    def _read_treebank(self, file: InputFile, format: Any) -> Iterator[SentenceOrBad]:
        bad: Any = "pass" if self.skip_bad else "raise"
        source: Any = file
        try:
            with read(source, format=format, trees=self.trees, bad=bad, name=file.name) as reader:
                yield from reader
        except TreebankError as error:
            is_sure = self.format is not None or file.path.removesuffix(".gz").endswith(TREEBANK)
            raise advise(error, is_sure) from None


def find_sources(names: Iterable[str]) -> list[InputSource]:
    """Return the named files and those in named folders; several files get distinct names.

    >>> find_sources(["-"])
    [InputSource(path='-', name='', inside='-')]
    >>> [source.name for source in find_sources(["a/oak.txt", "a/elm.txt.gz", "b/oak.txt"])]
    ['a/oak', 'elm', 'b/oak']
    """
    found: list[tuple[str, str]] = []
    is_folder = False
    for name in names:
        is_folder = is_folder or Path(name).is_dir()
        for path in find_files([name], (*TREEBANK, *PLAIN)):
            relative = Path(path).relative_to(name) if path != name else Path(Path(path).name)
            found.append((path, relative.as_posix()))
    if len(found) == 1 and not is_folder:
        return [InputSource(found[0][0], inside=found[0][1])]
    stems = [_stem(Path(path).name) for path, _ in found]
    counts = Counter(stems)
    seen: Counter[str] = Counter()
    sources = []
    for (path, inside), stem in zip(found, stems, strict=True):
        name = stem if counts[stem] == 1 else _stem(Path(path).as_posix())
        seen[name] += 1
        name = name if seen[name] == 1 else f"{name}.{seen[name]}"  # a file given twice
        sources.append(InputSource(path, "" if path == STDIN else name, inside))
    return sources


def read_treebanks(
    paths: Iterable[str],
    format: Any,
    trees: Trees,
    skip_bad: bool,
    *,
    task: str = "reading",
    encoding: str = UTF8,
) -> Iterator[SentenceOrBad]:
    """Yield the sentences of all files and folders, with a progress bar on a terminal."""
    files = list(find_files(paths))
    with Meter(task, total_size(files)) as meter:
        reader = SentenceReader(format, None, skip_bad, encoding, trees, meter)
        yield from meter.count(reader.read(InputSource(path) for path in files))


def _stem(name: str) -> str:
    """Return the name without the suffixes of its format."""
    name = name.removesuffix(".gz")
    for suffix in (*TREEBANK, *PLAIN):
        name = name.removesuffix(suffix)
    return name


def advise(error: TreebankError, is_sure: bool, converts: bool = True) -> TreebankError:
    """Add advice to an error: to use another format or another encoding."""
    advice = ""
    if "tab-separated columns" in error.message and not is_sure:
        advice = "; if this is not CoNLL-U, give its format: --input text, lines or tokens"
    elif error.message.endswith("tab-separated columns, found 1"):
        advice = "; to parse plain text: dodona parse en --input text FILE"
    elif "invalid UTF-8" in error.message and converts:
        advice = "; --encoding converts other encodings, such as latin-1"
    return TreebankError(error.source, error.line, error.message + advice)


def _read_tokens(file: InputFile) -> Iterator[Sentence]:
    """Yield a sentence for each line of tokens, separated by white space."""
    rest = ""
    for chunk in file.texts():
        *lines, rest = (rest + chunk).split("\n")
        yield from _split_lines(lines)
    yield from _split_lines([rest])


def _split_lines(lines: Iterable[str]) -> Iterator[Sentence]:
    for line in lines:
        if tokens := line.split():
            yield Sentence.from_columns(tokens, comments=[f"# text = {' '.join(tokens)}"])


class BadSentences:
    """The number of invalid sentences, and the error of the first."""

    def __init__(self) -> None:
        self.n_bad = 0
        self.first = ""

    def watch(self, items: Iterable[SentenceOrBad]) -> Iterator[SentenceOrBad]:
        for item in items:
            if isinstance(item, BadSentence):
                self.n_bad += 1
                self.first = self.first or str(item.error)
            yield item

    def report(self, what: str = "passed through unchanged") -> None:
        """Report the number of invalid sentences, if any, and what became of them."""
        if self.n_bad:
            plural = "s" if self.n_bad > 1 else ""
            say(f"{self.n_bad:,} invalid sentence{plural} {what}; the first: {self.first}")
