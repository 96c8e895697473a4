"""The language of a text, identified by its character n-grams.

A linear model of hashed n-grams with a class for each language and one for none of them, in
integers, so that every platform gives the same answer. Close languages, such as Danish and Bokmål,
have a second model of more n-grams, which decides between them. Only the first words of a text are
read. `tools/identifier` trains both.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from dodona.core.base.values import to_str
from dodona.core.identifying.ngrams import NgramScorer
from dodona.storage import container
from dodona.storage.json_fields import read_field
from dodona.storage.serialisable import reporting_damage

FILE = Path(__file__).parent / "identifier.dodona"
KIND, VERSION = "identifier", 2
MIN_LETTERS = 20  # of a text whose language can be told
DOUBT = 200  # lead of no language that rejects a text; docs/how-to/models.md has the error rates


class Guess(NamedTuple):
    """The most likely language of a text, and how far it is ahead of another one."""

    language: str | None  # None: none of those known
    lead: int  # difference of scores of languages; 0 without another one


class Identifier:
    """A model of languages, made by `tools/identifier`.

    `close` has groups of close languages with their models, which are built when a text needs them.
    """

    def __init__(
        self,
        languages: list[str],
        scorer: NgramScorer,
        close: Sequence[tuple[list[str], Callable[[], NgramScorer]]],
    ) -> None:
        if len(languages) + 1 != scorer.n_classes:
            raise ValueError(f"{len(languages)} languages, but {scorer.n_classes} classes")
        self.languages = tuple(languages)  # some in two scripts occur twice
        self._scorer = scorer
        self._close: dict[int, tuple[list[int], Callable[[], NgramScorer]]] = {}
        for names, build in close:
            members = [languages.index(name) for name in names]
            self._close |= dict.fromkeys(members, (members, cache(build)))

    @classmethod
    def load(cls, path: Path = FILE) -> "Identifier":
        """Load a file of `tools/identifier`."""
        about, arrays = container.read(path, KIND, VERSION)
        with reporting_damage(path, KIND, "get a fresh copy"):
            languages = read_field(about, "languages", list[str])
            scorer = NgramScorer(arrays["keys"], arrays["weights"], len(languages) + 1)
            close = []
            by_words = read_field(about, "by_words", list[bool])
            for number, names in enumerate(read_field(about, "close", list[list[str]])):
                table = arrays[f"{number}.keys"], arrays[f"{number}.weights"]
                close.append((names, partial(NgramScorer, *table, len(names), by_words[number])))
            return cls(languages, scorer, close)

    def guess(self, text: str, other: str | None = None) -> Guess | None:
        """Return the most likely language, and its lead on `other`; None if there is too little.

        The lead says how sure it is that the text is not in the other language.
        """
        scores, n_letters = self._scorer.scores(text)
        if n_letters < MIN_LETTERS:
            return None
        none = scores.pop()
        best = max(scores)
        if (group := self._close.get(scores.index(best))) is not None:
            members, scorer = group
            fine = scorer().scores(text)[0]
            for member, score in zip(members, fine, strict=True):
                scores[member] = best - max(fine) + score
        language = self.languages[scores.index(best)] if none - best <= DOUBT else None
        if other is None:
            return Guess(language, 0)
        own = max(n for name, n in zip(self.languages, scores, strict=True) if name == other)
        return Guess(language, best - own)


@cache
def shipped_identifier() -> Identifier:
    """Return the identifier that ships, loaded once."""
    return Identifier.load()


def identify(text: str) -> str | None:
    """Return the code of the language of a text; None if it is none of those known.

    Some forty letters are needed for a sure answer, and twenty for any. Only the beginning of the
    text is read.

    >>> identify("Unter der alten Eiche sprach ein Orakel, das niemand verstand.")
    'de'
    >>> identify("https://example.org/ 1234") is None
    True
    """
    found = shipped_identifier().guess(to_str(text, "a text"))
    return None if found is None else found.language
