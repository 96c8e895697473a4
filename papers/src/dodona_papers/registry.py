"""The papers whose experiments can be run: whatever in `papers` has a `PAPER`."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from dodona_papers import experiments
from dodona_papers.paper import Paper


def find_papers() -> dict[str, Paper]:
    """Every paper by its name, in alphabetical order.

    >>> list(find_papers())[:2]
    ['aufrant-2017', 'dynamic-oracles-neural']
    """
    names = sorted(module.name for module in iter_modules(experiments.__path__))
    found: list[Paper] = [import_module(f"{experiments.__name__}.{name}").PAPER for name in names]
    return {paper.name: paper for paper in found}


PAPERS = find_papers()
