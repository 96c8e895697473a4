"""Checks that a speaker would make of a model: sentence ends, tokens, and words with relations.

`tests/languages/CODE.toml` has the checks of a language. A line of its `sentences` has the tokens
of a sentence, `|`, and checks of its tree: `nsubj=Hund` holds where a word "Hund" is a subject, of
whatever subtype. `pass` is the percentage of these checks that must hold, since models err. All
sentence ends and tokens must be found, or the percentage that `ends` and `tokens` give. The
sentences as they are written are in `examples/CODE.txt`, a line each.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from dodona.parsing.parser import Parser
from dodona.treebank.universal import universal_part

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parents[1] / "languages"
LIMITS = {"pass": 80.0, "ends": 100.0, "tokens": 100.0}  # percent, unless the file has others
NO_SPACES = ("ja", "zh")


@dataclass(frozen=True)
class SpeakerChecks:
    """The checks of a language."""

    code: str
    texts: list[str]  # of the sentences
    tokens: list[list[str]]
    relations: list[list[tuple[str, str]]]  # of some words of each sentence
    limits: dict[str, float]  # as in the file

    @classmethod
    def load(cls, code: str) -> SpeakerChecks:
        """Read the checks of a language."""
        table = tomllib.loads((FOLDER / f"{code}.toml").read_text(encoding="utf-8"))
        texts = (FOLDER / "examples" / f"{code}.txt").read_text(encoding="utf-8").splitlines()
        lines = [line.split("|") for line in table["sentences"]]
        relations = [[_pair(check) for check in checks.split()] for _, checks in lines]
        limits = {name: float(table.get(name, usual)) for name, usual in LIMITS.items()}
        return cls(code, texts, [tokens.split() for tokens, _ in lines], relations, limits)

    @property
    def text(self) -> str:
        """All sentences as one paragraph."""
        return ("" if self.code in NO_SPACES else " ").join(self.texts)


def _pair(check: str) -> tuple[str, str]:
    relation, _, form = check.partition("=")
    return relation, form


def codes() -> list[str]:
    """Return the languages that have checks."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def wrong_sentences(checks: SpeakerChecks, parser: Parser) -> tuple[list[str], float]:
    """Return sentences that are not found in the paragraph of all, and the percentage of others."""
    found = {"".join(s.text.split()) for s in parser(checks.text).sentences}
    missed = [text for text in checks.texts if "".join(text.split()) not in found]
    return missed, 100 * (1 - len(missed) / len(checks.texts))


def wrong_tokens(checks: SpeakerChecks, parser: Parser) -> tuple[list[str], float]:
    """Return tokens that a model does not find, and the percentage of those that it does."""
    missed, n = [], 0
    for text, tokens in zip(checks.texts, checks.tokens, strict=True):
        found = [token.form for s in parser(text).sentences for token in s.tokens]
        n += len(tokens)
        missed += [f"{token} in {text}" for token in tokens if token not in found]
    return missed, 100 * (1 - len(missed) / n)


def wrong_relations(checks: SpeakerChecks, parser: Parser) -> tuple[list[str], float]:
    """Return the checks of trees that fail, and the percentage of those that hold."""
    failed, n = [], 0
    for text, relations in zip(checks.texts, checks.relations, strict=True):
        words = [word for s in parser(text).sentences for word in s.words]
        found = {(universal_part(word.deprel), word.form) for word in words}
        n += len(relations)
        failed += [f"{r}={form} in {text}" for r, form in relations if (r, form) not in found]
    return failed, 100 * (1 - len(failed) / n)
