"""The models of a server, found by name as in UDPipe's service."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import dodona
from dodona.models import DEFAULT
from dodona.models.cards import card_of
from dodona.parsing.parser import Parser
from dodona.server.errors import bad
from dodona.server.languages import full_name, language_of

# treebanks of our own models, by which UDPipe's users know them
TREEBANKS = dict.fromkeys(("en", "en-large", "en-linear", "en-small"), "en_ewt")

_DATE = re.compile(r"-\d{6}(?=-|$)")  # a version: -YYMMDD


@dataclass(frozen=True)
class Model:
    """A parser and its names."""

    name: str
    parser: Parser
    other_name: str | None = None

    @property
    def language(self) -> str | None:
        """The language code, if the model's name or card gives one."""
        return language_of(self.name) or language_of(card_of(self.parser.record).language)

    @property
    def parts(self) -> list[str]:
        """The components of the model, in UDPipe's terms."""
        found = {"tokenizer": self.parser.segmenter, "tagger": self.parser.tagger}
        return [*(name for name, part in found.items() if part is not None), "parser"]


class Models:
    """The models of a server by name; the first is the default."""

    def __init__(self, models: Iterable[Model]) -> None:
        self._models = list(models)
        if not self._models:
            raise ValueError("no model to serve; name at least one")
        self._by_name: dict[str, Model] = {}
        for model in self._models:
            if self._by_name.setdefault(model.name, model) is not model:
                raise ValueError(f"two models are called {model.name!r}; rename one with NAME=FILE")
        for model in self._models:
            names = model.name, full_name(model.name), model.other_name
            for name in filter(None, (*names, full_name(model.other_name or ""))):
                for short in (name, *short_names(name)):
                    self._by_name.setdefault(short, model)

    def __iter__(self) -> Iterator[Model]:
        return iter(self._models)

    @property
    def default(self) -> Model:
        """The model for requests that name none."""
        return self._models[0]

    def find(self, name: str | None) -> Model:
        """Return the model of that name or, if there is none, one whose name begins with it.

        Refuse the request if there is no such model.
        """
        if not name:
            return self.default
        if name not in self._by_name:
            names = ", ".join(model.name for model in self)
            raise bad(f"no model {name!r}; available: {names}")
        return self._by_name[name]


def short_names(name: str) -> Iterator[str]:
    """Yield short forms of a model's name: without its date, and its first parts.

    As in UDPipe's service, `english` and `english-ewt` find a model with a longer name.

    >>> list(short_names("czech-pdt-160523"))
    ['czech-pdt', 'czech-pdt', 'czech']
    """
    if _DATE.search(name):
        yield _DATE.sub("", name)
    words = name.split("-")
    for n_words in range(len(words) - 1, 0, -1):
        yield "-".join(words[:n_words])


def load_models(
    named: Iterable[str], constraints: str | None = None, rules: str | None = None
) -> Models:
    """Load models given as FILE or NAME=FILE; by default the one that is part of Dodona.

    `constraints` and the file `rules`, which are for all models, are as in `dodona.load`.

    >>> load_models(["oak.dodona"])
    Traceback (most recent call last):
    dodona.models.NoModelError: oak.dodona: no such file, and no model of that name...
    """
    return Models(_load(name, constraints, rules) for name in list(named) or [DEFAULT])


def _load(named: str, constraints: str | None, rules: str | None) -> Model:
    name, is_named, path = named.partition("=")
    if not is_named or not name or Path(named).exists():
        name, path = Path(named).name.removesuffix(".dodona"), named
    parser = dodona.load(path, constraints=constraints, rules=rules)
    return Model(name, parser, None if Path(path).exists() else TREEBANKS.get(path))
