"""Treebanks: sentences and words, files of them, trees, graphs, and what the core sees of them."""

from types import ModuleType

# Before any module of the room: those in Python need what is compiled with what needs them.
from dodona._compiled.treebank import show_with


def _views() -> ModuleType:
    from dodona.treebank import views

    return views


show_with(_views)
