"""Training text made from a treebank's sentences, for phenomena that treebanks rarely contain.

Listed abbreviations and tokens replace words of the treebank; sentences end in an abbreviation or
in a letter ("plan B."); short lines form lists; some text is in lower case or in capitals, and some
has no punctuation.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from random import Random

from dodona.segmentation.lexicon import Abbreviation
from dodona.segmentation.lexicon_learning import LISTED, AbbreviationList
from dodona.treebank.raw_text import PARAGRAPH, GoldText

EACH = 4  # sentences for each listed abbreviation or unit, and as many that end in it …
OFTEN = 6  # … for each other token, whose own features must be learned
LETTERS = 4  # sentences that end in each letter
LISTS = 0.1  # lists for each short line of the treebank
MOST_LISTS = 300
ITEMS = 3, 6  # lines of a list
SHORT = 4  # most tokens of a line of a list
QUOTED = 30  # pairs of sentences in quotes
GLUED = 30  # pairs of sentences without a space between them
RECASED = 0.02  # share of sentences in each of lower case, capitals and title case …
BARE = 0.02  # … and without punctuation, one in each line
TOGETHER = 3  # consecutive sentences of such a copy
FULL = 0.8  # share of the longest line from which on a line may be one of wrapped prose
QUOTES = (("“", "”"), ('"', '"'), ("«", "»"), ("„", "“"), ("「", "」"))
STOPS = (".", "!", "?")
RARE, MARKED = 10, 40  # sentences that end in a mark; with fewer, so many are made
FULL_STOPS = "\u3002\uff01\uff1f"  # full-width period, exclamation and question mark


@dataclass(frozen=True)
class SpacedToken:
    """A token with the preceding white space."""

    gap: str
    form: str
    words: tuple[str, ...]


Line = list[SpacedToken]  # a sentence
Paragraph = list[Line]
Pairs = Sequence[tuple[Line, Line]]  # consecutive sentences


def augmented(
    gold: GoldText, listed: AbbreviationList, known: Mapping[str, Abbreviation], seed: int
) -> GoldText:
    """Make additional training text; `known` are the listed and the learned abbreviations."""
    rng = Random(seed)
    sentences = _sentences(gold)
    pairs = [(a, b) for a, b in pairwise(sentences) if b[0].gap == " "]
    ended = [(a, b) for a, b in pairs if _ends_in_word(a)]
    made = chain(
        _abbreviated(sentences, known, rng),
        _with_wholes(sentences, listed.wholes, rng),
        _with_units(sentences, listed.units, rng),
        _ending_in_abbreviations(ended, listed, rng),
        _ending_in_letters(ended, rng),
        _lists(sentences, rng),
        _quoted(ended, gold.text, rng),
        _glued(pairs, rng),
        _recased(sentences, rng),
        _bare(sentences, rng),
    )
    return _assembled(made)


def unspaced(gold: GoldText) -> GoldText:
    """Make a copy of sentences that end in a full-width mark, without spaces between them.

    Texts of scripts without spaces have none between sentences. Their treebanks do, by the rules of
    CoNLL 2018: without the copy, no sentence end of a Japanese paragraph is found. Every eighth
    sentence ends in another mark, which treebanks of news hardly have.
    """
    ended = [line for line in _sentences(gold) if line[-1].form in FULL_STOPS]
    glued: list[Line] = []
    for n, line in enumerate(ended):
        mark = FULL_STOPS[n // 8 % len(FULL_STOPS)] if n % 8 == 0 else line[-1].form
        changed = _with(line, -1, replace(line[-1], form=mark, words=(mark,)))
        glued.append(_with(changed, 0, replace(changed[0], gap="")))
    return _assembled(glued[i : i + TOGETHER] for i in range(0, len(glued), TOGETHER))


def with_rare_marks(gold: GoldText, seed: int) -> GoldText:
    """Let the first of two sentences end in "!" or "?", if hardly any of the treebank does.

    Small treebanks of news have neither exclamations nor many questions, and their segmenters would
    not know that a sentence ends there.
    """
    rng, sentences = Random(seed), _sentences(gold)
    pairs = [(a, b) for a, b in pairwise(sentences) if b[0].gap == " " and _ends_in_word(a)]
    n_ends = Counter(line[-1].form for line in sentences)
    made: list[Paragraph] = []
    for mark in ("!", "?"):
        for one, two in rng.choices(pairs, k=MARKED) if pairs and n_ends[mark] < RARE else ():
            made.append([_with(one, -1, replace(one[-1], form=mark, words=(mark,))), two])
    return _assembled(made)


def _abbreviated(
    sentences: Sequence[Line], known: Mapping[str, Abbreviation], rng: Random
) -> Iterator[Paragraph]:
    """Replace abbreviations by listed ones that have the same kind of follower."""
    hosts: defaultdict[str, list[tuple[Line, int]]] = defaultdict(list)
    for line in sentences:
        for i, token in enumerate(line[:-1]):
            found = known.get(token.form.removesuffix(".").lower())
            if found is not None and token.form.endswith(".") and len(token.words) == 1:
                hosts[found.follower].append((line, i))
    for word, found in sorted(known.items()):
        if found.level == LISTED and hosts[found.follower]:
            for _ in range(EACH):
                line, i = rng.choice(hosts[found.follower])
                yield [_with(line, i, _as(line[i], word))]


def _with_wholes(
    sentences: Sequence[Line], wholes: Iterable[str], rng: Random
) -> Iterator[Paragraph]:
    """Replace words by listed tokens with the same kind of first character.

    Half of the replaced words follow a period inside the sentence, if there are any: "Ms. O'Brien".
    """
    hosts: defaultdict[str, list[tuple[Line, int]]] = defaultdict(list)
    for line in sentences:
        for i, token in enumerate(line[1:-1], start=1):
            if token.gap == " " and len(token.words) == 1 and token.form.isalnum():
                kind = _first_kind(token.form)
                hosts[kind].append((line, i))
                if line[i - 1].form.endswith("."):
                    hosts[f"{kind} after period"].append((line, i))
    for form in wholes:
        kind = _first_kind(form)
        for k in range(OFTEN if hosts[kind] else 0):
            line, i = rng.choice((k % 2 and hosts[f"{kind} after period"]) or hosts[kind])
            yield [_with(line, i, SpacedToken(" ", form, (form,)))]


def _with_units(
    sentences: Sequence[Line], units: Iterable[str], rng: Random
) -> Iterator[Paragraph]:
    """Replace the word after a number by a unit without a space between."""
    hosts = [
        (line, i)
        for line in sentences
        for i in range(1, len(line))
        if line[i - 1].form.isdecimal() and line[i].gap == " " and line[i].form.isalpha()
    ]
    for form in units if hosts else ():
        for _ in range(EACH):
            line, i = rng.choice(hosts)
            yield [_with(line, i, SpacedToken("", form, (form,)))]


def _ending_in_abbreviations(
    pairs: Pairs, listed: AbbreviationList, rng: Random
) -> Iterator[Paragraph]:
    """Let the first of two sentences end in an abbreviation, whose period ends the sentence."""
    for word, found in sorted(listed.abbreviations.items()):
        for _ in range(EACH if found.follower == "any" and pairs else 0):
            one, two = rng.choice(pairs)
            yield [[*one[:-2], _as(one[-2], word)], two]


def _ending_in_letters(pairs: Pairs, rng: Random) -> Iterator[Paragraph]:
    """Let the first of two sentences end in a single letter that is not an initial."""
    hosts = [
        (a, b)
        for a, b in pairs
        if a[-2].form.islower() and a[-3].form.islower() and b[0].form[0].isupper()
    ]
    letters = sorted({b[0].form[0] for _, b in hosts})
    for letter in letters * LETTERS:
        one, two = rng.choice(hosts)
        yield [_with(one, -2, SpacedToken(" ", letter, (letter,))), two]


def _lists(sentences: Sequence[Line], rng: Random) -> Iterator[Paragraph]:
    """Make lists of short lines without final punctuation."""
    lines = [line for line in sentences if len(line) <= SHORT and line[-1].form.isalnum()]
    for _ in range(min(round(LISTS * len(lines)), MOST_LISTS)):
        items = rng.choices(lines, k=rng.randint(*ITEMS))
        yield [_with(line, 0, replace(line[0], gap="\n")) for line in items]


def _quoted(pairs: Pairs, text: str, rng: Random) -> Iterator[Paragraph]:
    """Put two consecutive sentences in quotes, with quotation marks that the treebank uses."""
    quotes = [pair for pair in QUOTES if all(text.count(mark) > OFTEN for mark in pair)]
    for opening, closing in quotes if pairs else ():
        first, last = SpacedToken(" ", opening, (opening,)), SpacedToken("", closing, (closing,))
        for _ in range(QUOTED):
            yield [[first, replace(line[0], gap=""), *line[1:], last] for line in rng.choice(pairs)]


def _glued(pairs: Pairs, rng: Random) -> Iterator[Paragraph]:
    """Remove the space between two sentences."""
    hosts = [
        (a, b)
        for a, b in pairs
        if a[-1].form in STOPS
        and len(a) > 1
        and a[-2].form.islower()
        and a[-2].form.isalpha()
        and b[0].form[0].isupper()
        and (len(b[0].form) == 1 or b[0].form[1:].islower())
    ]
    for _ in range(GLUED if hosts else 0):
        one, two = rng.choice(hosts)
        yield [one, _with(two, 0, replace(two[0], gap=""))]


def _recased(sentences: Sequence[Line], rng: Random) -> Iterator[Paragraph]:
    """Write consecutive sentences in lower case, in capitals and in title case."""
    for convert in (str.lower, str.upper, str.title):
        for paragraph in _consecutive(sentences, RECASED, rng):
            yield [[_converted(token, convert) for token in line] for line in paragraph]


def _bare(sentences: Sequence[Line], rng: Random) -> Iterator[Paragraph]:
    """Remove the punctuation of sentences, which become lines; some in lower case.

    The longest line is the last: a line that no other exceeds looks like one of wrapped prose.
    """
    for paragraph in _consecutive(sentences, BARE, rng):
        lines = [[token for token in line if token.form[0].isalnum()] for line in paragraph]
        lines = [_with(line, 0, replace(line[0], gap="\n")) for line in lines if line]
        if rng.random() < 0.5:
            lines = [[_converted(token, str.lower) for token in line] for line in lines]
        lines.sort(key=_length)
        if lines and all(_length(line) < FULL * _length(lines[-1]) for line in lines[:-1]):
            yield lines


def _length(line: Line) -> int:
    """Return the number of characters of a line, with the preceding white space."""
    return sum(len(token.gap) + len(token.form) for token in line)


def _consecutive(sentences: Sequence[Line], share: float, rng: Random) -> Iterator[Paragraph]:
    """Choose some groups of consecutive sentences, separated by white space."""
    for _ in range(round(share * len(sentences) / TOGETHER)):
        first = rng.randrange(len(sentences))
        lines = sentences[first : first + TOGETHER]
        yield [_with(line, 0, replace(line[0], gap=line[0].gap and " ")) for line in lines]


def _converted(token: SpacedToken, convert: Callable[[str], str]) -> SpacedToken:
    return SpacedToken(token.gap, convert(token.form), tuple(map(convert, token.words)))


def _ends_in_word(line: Line) -> bool:
    """Whether a sentence ends in a word and a period."""
    return (
        len(line) > 2
        and line[-1].form == "."
        and line[-1].gap == ""
        and (line[-2].form.isalpha() and line[-2].gap == " " and len(line[-2].words) == 1)
    )


def _first_kind(form: str) -> str:
    """Return the kind of the first character; other characters count as lower case."""
    return "upper" if form[0].isupper() else "digit" if form[0].isdecimal() else "lower"


def _as(token: SpacedToken, word: str) -> SpacedToken:
    """Replace a token by an abbreviation, with the same case."""
    form = (word.capitalize() if token.form[:1].isupper() and "." not in word else word) + "."
    return SpacedToken(token.gap, form, (form,))


def _with(line: Line, i: int, token: SpacedToken) -> Line:
    """Return a copy of a line with another token at index i."""
    changed = [*line]
    changed[i] = token
    return changed


def _sentences(gold: GoldText) -> list[Line]:
    """Split a text into sentences of tokens with the preceding white space."""
    lines: list[Line] = []
    last = 0
    for (start, end, begins), words in zip(gold.spans, gold.words, strict=True):
        if begins:
            lines.append([])
        lines[-1].append(SpacedToken(gold.text[last:start], gold.text[start:end], words))
        last = end
    return lines


def _assembled(paragraphs: Iterable[Paragraph]) -> GoldText:
    """Join paragraphs into a text."""
    gold, strings, at = GoldText(), list[str](), 0
    for paragraph in paragraphs:
        for n, line in enumerate(paragraph):
            for i, token in enumerate(line):
                gap = token.gap if n or i else PARAGRAPH if strings else ""
                at += len(gap)
                if n == i == 0:
                    gold.paragraphs.append(at)
                gold.spans.append((at, at + len(token.form), i == 0))
                gold.words.append(token.words)
                at += len(token.form)
                strings += [gap, token.form]
    gold.text = "".join(strings)
    return gold
