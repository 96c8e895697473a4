"""Explanations of tags, features and relations of Universal Dependencies, and of English XPOS."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from dodona.errors import DodonaError

_FOLDER = Path(__file__).parent / "explanations"
# a name may be in several files: of these, all are shown
KINDS = {
    "relations": "relation",
    "upos": "UPOS",
    "features": "feature",
    "xpos-en": "XPOS, English",
}


class UnexplainedError(DodonaError, ValueError):
    """A name that no explanation is known for."""


def explain(name: str) -> str:
    """Return what a relation, a UPOS, a feature or an English XPOS means.

    >>> explain("nsubj")
    'relation: nominal subject: the noun phrase that ...'
    >>> explain("Number=Sing")
    'feature: Number=Sing: grammatical number; singular: ...'
    >>> explain("nsubj:pas")
    Traceback (most recent call last):
    dodona.glossary.explain.UnexplainedError: no explanation for 'nsubj:pas'; did you mean ...
    """
    if "|" in name:
        return "\n".join(map(explain, name.split("|")))
    found = [f"{kind}: {text}" for kind, text in _find(name)]
    if found:
        return "\n".join(found)
    raise UnexplainedError(f"no explanation for {name!r}{_advise(name)}")


def _find(name: str) -> list[tuple[str, str]]:
    """Return the explanations of a name, with their kinds; a feature may have several values."""
    feature, is_pair, values = name.partition("=")
    features = _texts("features")
    if not is_pair:
        return [(kind, _texts(file)[name]) for file, kind in KINDS.items() if name in _texts(file)]
    pairs = [f"{feature}={value}" for value in values.split(",")]
    if feature not in features or not all(pair in features for pair in pairs):
        return []
    meanings = ", or ".join(features[pair] for pair in pairs)
    return [(KINDS["features"], f"{name}: {features[feature]}; {meanings}")]


@cache
def _texts(file: str) -> dict[str, str]:
    """Return the entries of a file: a name, white space, and a text that fills the line."""
    lines = (_FOLDER / f"{file}.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(maxsplit=1) for line in lines)


def _advise(name: str) -> str:
    from difflib import get_close_matches

    names = {known.lower(): known for file in KINDS for known in _texts(file)}
    relation, is_subtype, _ = name.partition(":")
    near = get_close_matches(name.lower(), names, n=3, cutoff=0.7)
    if near:
        return f"; did you mean {' or '.join(names[one] for one in near)}?"
    if is_subtype and relation in _texts("relations"):
        return f", a subtype of {relation}: {_texts('relations')[relation]}"
    return "; names are as in CoNLL-U: nsubj, NOUN, Number=Sing, NNS"
