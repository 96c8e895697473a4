"""Treebanks: sentences and words, files, trees, graphs, and their encoding for the core."""

from types import ModuleType

# imported first: the Python modules of the package depend on the compiled ones
from dodona._compiled.treebank import set_views


def _views() -> ModuleType:
    from dodona.treebank import views

    return views


set_views(_views)
