"""What a student should know of each system, in words: whose it is, and what its moves do.

When a move is valid the system says itself (`when`). One that is not listed here, such as one
written in Python by somebody else, shows its moves without these words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dodona.core.transitions.system import System

PAPERS = {
    "arc-eager": "Nivre (2003); costs by Goldberg & Nivre (2012)",
    "arc-eager-tree": "Nivre & Fernández-González (2014)",
    "nonmonotonic-2013": "Honnibal, Goldberg & Johnson (2013)",
    "nonmonotonic": "Honnibal & Johnson (2015)",
    "arc-standard": "Nivre (2004); costs by Goldberg, Sartorio & Satta (2014)",
    "arc-hybrid": "Kuhlmann, Gómez-Rodríguez & Satta (2011); costs by Goldberg & Nivre (2013)",
    "swap": "Nivre (2009)",
    "graph-standard": "Sagae & Tsujii (2008); Tokgöz & Eryiğit (2015)",
    "graph-eager": "Sagae & Tsujii (2008); costs by Tokgöz & Eryiğit (2015)",
}

_SHIFT = "puts the front of the buffer on top of the stack"
_LEFT_FRONT = "makes the front of the buffer the head of the top of the stack, which is popped"
_RIGHT_FRONT = "makes the top of the stack the head of the front of the buffer, which is pushed"
_LEFT_BELOW = "makes the top of the stack the head of the word below it, which is taken out"
_RIGHT_BELOW = "makes the second word of the stack the head of the top, which is popped"
_REDUCE = "pops the top of the stack"
_UNSHIFT = "takes a SHIFT back: the top of the stack returns to the front of the buffer"
_OVERWRITE = (
    "makes the front of the buffer the head of the top of the stack, in place of any head that "
    "it had, and pops it"
)

_EAGER = {"SHIFT": _SHIFT, "LEFT-ARC": _LEFT_FRONT, "RIGHT-ARC": _RIGHT_FRONT, "REDUCE": _REDUCE}
_STANDARD = {"SHIFT": _SHIFT, "LEFT-ARC": _LEFT_BELOW, "RIGHT-ARC": _RIGHT_BELOW}

DOES = {
    "arc-eager": _EAGER,
    "arc-eager-tree": _EAGER | {"UNSHIFT": _UNSHIFT},
    "nonmonotonic-2013": _EAGER
    | {
        "LEFT-ARC": _OVERWRITE,
        "REDUCE": "pops the top of the stack; if that has no head, the word below becomes its head",
    },
    "nonmonotonic": _EAGER | {"LEFT-ARC": _OVERWRITE, "UNSHIFT": _UNSHIFT},
    "arc-standard": _STANDARD,
    "arc-hybrid": {"SHIFT": _SHIFT, "LEFT-ARC": _LEFT_FRONT, "RIGHT-ARC": _RIGHT_BELOW},
    "swap": _STANDARD
    | {
        "SWAP": "moves the second word of the stack back to the front of the buffer, so that "
        "words meet that did not stand side by side"
    },
    "graph-standard": {
        "SHIFT": _SHIFT,
        "LEFT-REDUCE": "makes the top of the stack a head of the word below it, which is taken out",
        "RIGHT-REDUCE": "makes the second word of the stack a head of the top, which is popped",
        "LEFT-ATTACH": "makes the top of the stack a head of the word below it, which stays for "
        "another head",
        "RIGHT-ATTACH": "makes the second word of the stack a head of the top, which returns to "
        "the buffer for another head",
    },
    "graph-eager": {
        "SHIFT": _SHIFT,
        "LEFT-ARC": "makes the front of the buffer a head of the top of the stack; both stay",
        "RIGHT-ARC": "makes the top of the stack a head of the front of the buffer; both stay",
        "REDUCE": _REDUCE,
    },
}


def describe_moves(system: System) -> list[dict[str, str | None]]:
    """Every move: its name, what it does, and what it needs.

    >>> import dodona
    >>> describe_moves(dodona.system("arc-eager", labels=["dep"]))[3]["does"]
    'pops the top of the stack'
    """
    known = DOES.get(system.name, {})
    others = system.other_names or {}  # a system may inherit one that it never uses
    return [
        {"name": name, "does": known.get(name), "needs": needs}
        for move, (first, needs) in enumerate(zip(system.moves, system.when, strict=True))
        for name in filter(None, [first, others.get(move)])
        if name == first or not known or name in known
    ]
