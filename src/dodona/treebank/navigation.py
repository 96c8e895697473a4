"""Ways through a tree: coordinated words, common ancestors, paths."""

from __future__ import annotations

from dodona.treebank.universal import universal_part
from dodona.treebank.word import Word


def conjuncts(word: Word) -> list[Word]:
    """Return the words coordinated with a word, without itself; all conjuncts hang on the first."""
    first = word
    for _ in word.sentence:  # a sentence that was read with trees="ignored" may have a cycle
        parent = first.parent
        if parent is None or universal_part(first.deprel) != "conj":
            break
        first = parent
    found, waiting = {first.id: first}, [first]
    while waiting:
        for child in waiting.pop().children:
            if universal_part(child.deprel) == "conj" and child.id not in found:
                found[child.id] = child
                waiting.append(child)
    return [found[number] for number in sorted(found) if number != word.id]


def common_ancestor(one: Word, other: Word) -> Word | None:
    """Return the lowest word that is, or is above, each of two words; None without any."""
    _require_same_sentence(one, other)
    above = {word.id for word in (other, *other.ancestors)}
    return next((word for word in (one, *one.ancestors) if word.id in above), None)


def path(one: Word, other: Word) -> list[Word]:
    """Return the words from one word up to the common ancestor and down to the other."""
    top = common_ancestor(one, other)
    if top is None:
        raise ValueError(f"no path from {one!r} to {other!r}: they are in different trees")
    up = [one, *one.ancestors]
    down = [other, *other.ancestors]
    return up[: up.index(top) + 1] + down[: down.index(top)][::-1]


def _require_same_sentence(one: Word, other: Word) -> None:
    if one.sentence != other.sentence:
        raise ValueError(f"{one!r} and {other!r} are words of different sentences")
