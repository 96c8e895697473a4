"""Every transition system of trees, in every place of the artificial root that it has."""

from dodona.core.transitions.registry import SYSTEMS

TREE_SYSTEMS = [(name, root) for name, kind in SYSTEMS.items() for root in kind.roots]
