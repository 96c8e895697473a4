"""Run the checks of tests/english on a model, and tabulate them by phenomenon.

python -m tools.english [MODEL] [--failed] [--floors] [--out TABLE.md]

A file of tests/english is a phenomenon. A line is a text; the indented lines after it are its
checks:

    The dog's bowl is empty.
      words: The dog 's bowl is empty .         all words, sentences separated by |
      sentences: 1                              number of sentences
      word: empty                               these words exist
      upos: bowl=NOUN empty=ADJ                 tags
      lemma: is=be                              lemmas
      root(empty) nmod:poss(bowl, dog)          arcs: label(head, dependent)

A word that occurs twice is named bowl#1, bowl#2. A label without a subtype matches all subtypes;
acl|advcl(…) matches either, arc(…) any label. Each of these is one check. They require what
every annotator of Universal Dependencies would agree to, by the conventions of English EWT.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import dodona
from dodona.cli.errors import message
from dodona.parsing.parser import Parser

FOLDER = Path(__file__).parents[1] / "tests" / "english"
FLOORS = FOLDER / "floors.tsv"
PAIRS = {"upos": "upos", "lemma": "lemmas"}
ANY = "arc"
_ARC = re.compile(r"(?P<label>[a-z:|]+)\((?P<head>\S+?)(?:, (?P<dependent>\S+?))?\)(?=\s|$)")
_NUMBERED = re.compile(r"(.+)#(\d+)")
# texts that split into words by simple rules
_PLAIN = re.compile(r"[A-Za-z0-9 ,;:\"()“”]*[.!?]?[)\"”]*\.?")
_PIECES = re.compile(r"[A-Za-z0-9]+|[^A-Za-z0-9\s]")


class BedError(ValueError):
    """An error in the check files."""


@dataclass(frozen=True)
class Check:
    """One check: `kind` is words, sentences, word, upos, lemma or a label."""

    kind: str
    what: tuple[str, ...]
    line: int

    def __str__(self) -> str:
        if self.kind in PAIRS:
            return f"{self.kind}: {'='.join(self.what)}"
        if self.is_arc:
            return f"{self.kind}({', '.join(self.what)})"
        return f"{self.kind}: {' '.join(self.what)}"

    @property
    def is_arc(self) -> bool:
        """Whether the check concerns an arc."""
        return self.kind not in {"words", "sentences", "word", *PAIRS}

    @property
    def named(self) -> tuple[str, ...]:
        """The words that the check names."""
        if self.kind in PAIRS:
            return self.what[:1]
        return self.what if self.is_arc or self.kind == "word" else ()


@dataclass
class Item:
    """A text and its checks."""

    path: Path
    line: int
    text: str
    checks: list[Check] = field(default_factory=list)

    @cached_property
    def sentences(self) -> list[list[str]]:
        """The words of each sentence: from a check or, for a plain text, by simple rules."""
        for check in self.checks:
            if check.kind == "words":
                parts = " ".join(check.what).split(" | ")
                return [part.split() for part in parts]
        if any(check.kind == "word" for check in self.checks):
            return [_split_at_blanks(self.text)]
        if not _PLAIN.fullmatch(self.text):
            raise BedError(f"{self.path.name}:{self.line}: add a `words:` check for {self.text!r}")
        return [_PIECES.findall(self.text)]


def read_bed(folder: Path = FOLDER) -> dict[str, list[Item]]:
    """Return the texts of every phenomenon, by name."""
    return {path.stem: list(read_items(path)) for path in sorted(folder.glob("*.txt"))}


def read_items(path: Path) -> Iterator[Item]:
    """Yield the texts of a file."""
    item = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        if not line.startswith(" "):
            if item is not None:
                yield item
            item = Item(path, number, line)
            continue
        if item is None:
            raise BedError(f"{path.name}:{number}: a check without a text above it")
        item.checks += _read_checks(path, number, line.strip())
    if item is not None:
        yield item


def _read_checks(path: Path, number: int, line: str) -> Iterator[Check]:
    kind, is_named, rest = line.partition(": ")
    if is_named and kind in ("words", "sentences"):
        yield Check(kind, tuple(rest.split()), number)
    elif is_named and kind == "word":
        yield from (Check(kind, (word,), number) for word in rest.split())
    elif is_named and kind in PAIRS:
        for pair in rest.split():
            word, _, value = pair.rpartition("=")
            yield Check(kind, (word, value), number)
    else:
        found = list(_ARC.finditer(line))
        if not found or _ARC.sub("", line).strip():
            raise BedError(f"{path.name}:{number}: unknown check: {line}")
        for match in found:
            words = [match["head"], *filter(None, [match["dependent"]])]
            yield Check(match["label"], tuple(words), number)


def _split_at_blanks(text: str) -> list[str]:
    """Split a text with unusual tokens at spaces, and separate final punctuation."""
    return [piece for word in text.split() for piece in _split_word(word)]


def _split_word(word: str) -> list[str]:
    is_plain = re.fullmatch(r"[\w-]+[.!:]", word)
    return [word[:-1], word[-1]] if is_plain else [word]


class Answer:
    """The words, heads and labels that a model predicts for a text."""

    def __init__(self, sentences: Sequence[dodona.Sentence]) -> None:
        self.sentences = sentences
        self.forms = [form for sentence in sentences for form in sentence.forms]
        self.heads: list[int | None] = []  # indices into forms; None is the root
        self.labels = [label for sentence in sentences for label in sentence.deprels]
        for sentence in sentences:
            start = len(self.heads)
            self.heads += [start + head - 1 if head else None for head in sentence.heads]

    def find(self, name: str) -> int | None:
        """Return the index of a word, named by its form and, of several, its number."""
        numbered = _NUMBERED.fullmatch(name)
        form, number = (numbered[1], int(numbered[2])) if numbered else (name, 1)
        places = [i for i, found in enumerate(self.forms) if found == form]
        return places[number - 1] if 0 < number <= len(places) else None

    def holds(self, check: Check) -> bool:
        """Say whether a check passes."""
        if check.kind == "words":
            return self.forms == [word for word in check.what if word != "|"]
        if check.kind == "sentences":
            return len(self.sentences) == int(check.what[0])
        places = [self.find(name) for name in check.named]
        if None in places:
            return False
        if check.kind in PAIRS:
            column = PAIRS[check.kind]
            values = [v for sentence in self.sentences for v in getattr(sentence, column)]
            return bool(values[places[0] or 0] == check.what[1])
        return not check.is_arc or self._has_arc(check.kind, places)

    def _has_arc(self, label: str, places: list[int | None]) -> bool:
        if label == "root":
            return self.heads[places[0] or 0] is None
        head, dependent = places
        found = self.labels[dependent or 0]
        fits = label == ANY or any(_fits(found, one) for one in label.split("|"))
        return self.heads[dependent or 0] == head and fits


def _fits(label: str, wanted: str) -> bool:
    return label == wanted or (":" not in wanted and label.partition(":")[0] == wanted)


@dataclass
class Tally:
    """Results of a phenomenon: the number of checks, and the failed ones."""

    n_checks: int = 0
    failed: list[tuple[Item, Check]] = field(default_factory=list)

    @property
    def n_held(self) -> int:
        return self.n_checks - len(self.failed)


def run(parser: Parser, bed: dict[str, list[Item]]) -> dict[str, Tally]:
    """Run all checks on a model; one without a segmenter is given the words."""
    return {name: _tally(parser, items) for name, items in bed.items()}


def _tally(parser: Parser, items: list[Item]) -> Tally:
    tally = Tally()
    for item in items:
        answer = Answer(_parse(parser, item))
        for check in item.checks:
            if parser.segmenter is None and check.kind in ("words", "sentences", "word"):
                continue
            tally.n_checks += 1
            if not answer.holds(check):
                tally.failed.append((item, check))
    return tally


def _parse(parser: Parser, item: Item) -> list[dodona.Sentence]:
    if parser.segmenter is not None:
        return list(parser(item.text).sentences)
    given = [dodona.Sentence.from_columns(words) for words in item.sentences]
    return list(parser.pipe(given))


def make_table(tallies: dict[str, Tally]) -> str:
    """Return a Markdown table of passed checks by phenomenon."""
    rows = [(name.replace("_", " "), t.n_held, t.n_checks) for name, t in tallies.items()]
    rows.append(("all", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    lines = [f"| {name} | {held} | {n} | {100 * held / (n or 1):.0f}% |" for name, held, n in rows]
    return "\n".join(["| | held | checks | |", "|---|---:|---:|---:|", *lines]) + "\n"


def read_floors(path: Path = FLOORS) -> dict[str, int]:
    """Return the number of checks of each phenomenon that the default model must pass."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return {name: int(floor) for name, floor in (line.split("\t") for line in lines)}


def main(words: list[str] | None = None) -> None:
    """Print the table for a model."""
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("model", nargs="?", default="en", help="model file, or its name")
    options.add_argument("--failed", action="store_true", help="list failed checks")
    options.add_argument(
        "--floors", action="store_true", help="write the passed checks as the new floors"
    )
    options.add_argument("--out", type=Path, help="file to write the table to")
    chosen = options.parse_args(words)
    try:
        tallies = run(dodona.load(chosen.model), read_bed())
    except (ValueError, OSError) as error:
        sys.exit(message(error))
    for item, check in [pair for tally in tallies.values() for pair in tally.failed]:
        if chosen.failed:
            print(f"{item.path.name}:{check.line}: {item.text}  {check}", file=sys.stderr)
    table = make_table(tallies)
    print(table, end="")
    if chosen.out:
        chosen.out.write_text(table, encoding="utf-8", newline="\n")
    if chosen.floors:
        lines = [f"{name}\t{tally.n_held}\n" for name, tally in tallies.items()]
        FLOORS.write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
