"""Inputs of any size n: ordinary ones, and those that make careless code slow.

Each pattern is a function of n, registered by its name: CoNLL-U with about n words (or characters,
comments, nodes), or raw text of about n characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import TypeAlias

Pattern: TypeAlias = Callable[[int], str]

CONLLU: dict[str, Pattern] = {}
TEXTS: dict[str, Pattern] = {}
FORMS = ("The", "oak", "near", "Dodona", "whispered", "to", "priests", "at", "dawn", ".")


def conllu(make: Pattern) -> Pattern:
    CONLLU[_name(make)] = make
    return make


def text(make: Pattern) -> Pattern:
    TEXTS[_name(make)] = make
    return make


def pick(patterns: dict[str, Pattern], *words: str) -> dict[str, Pattern]:
    """Return the patterns whose name contains one of the words."""
    return {name: make for name, make in patterns.items() if any(word in name for word in words)}


def _name(make: Pattern) -> str:
    return make.__name__.replace("_", " ")


def sentence(
    heads: Sequence[int],
    forms: Sequence[str] = FORMS,
    *,
    labels: Sequence[str] = ("obj", "nsubj", "obl"),
    deps: Sequence[str] | None = None,
    first: Iterable[str] = (),
    feats: str = "_",
    misc: str = "_",
) -> str:
    """Return a tree over repeated forms; DEPS repeats the tree unless it is given."""
    lines = list(first)
    for i, head in enumerate(heads, start=1):
        form, label = forms[(i - 1) % len(forms)], labels[i % len(labels)] if head else "root"
        graph = f"{head}:{label}" if deps is None else deps[i - 1]
        lines.append(
            f"{i}\t{form}\t{form.lower()}\tX\t_\t{feats}\t{head}\t{label}\t{graph}\t{misc}"
        )
    return "\n".join([*lines, "", ""])


def chain(n: int) -> list[int]:
    """Attach every word to the one before it."""
    return list(range(n))


def projective(n: int) -> list[int]:
    """Return a projective tree that branches to both sides of its middle, recursively."""
    root = n // 2 + 1
    left = [root - (k & (k - 1)) for k in range(root - 1, 0, -1)]
    return [*left, 0, *(root + (k & (k - 1)) for k in range(1, n - root + 1))]


# --- sentences


@conllu
def ordinary_sentences(n: int) -> str:
    return sentence(projective(10)) * (n // 10)


@conllu
def sentences_of_one_word(n: int) -> str:
    return sentence([0]) * n


@conllu
def one_long_sentence(n: int) -> str:
    return sentence(projective(n))


@conllu
def chain_to_the_right(n: int) -> str:
    return sentence(chain(n))


@conllu
def chain_to_the_left(n: int) -> str:
    return sentence([*range(2, n + 1), 0])


@conllu
def star_at_the_start(n: int) -> str:
    return sentence([0] + [1] * (n - 1))


@conllu
def star_at_the_end(n: int) -> str:
    return sentence([n] * (n - 1) + [0])


@conllu
def two_chains_that_cross(n: int) -> str:
    """Attach odd words to odd words, and even words to even words."""
    return sentence([0, 1, *range(1, n - 1)])


@conllu
def stars_that_cross(n: int) -> str:
    """Attach the words of each half to a word of the other half."""
    half = n // 2
    return sentence([0, *[half + 1] * (half - 1), 1, *[half] * (n - half - 1)])


@conllu
def labels_without_end(n: int) -> str:
    """Give each word a label of its own."""
    return sentence(projective(n), labels=[f"l{i}" for i in range(n)])


@conllu
def brackets_only(n: int) -> str:
    return sentence(projective(n), ["(", ")"])


@conllu
def full_stops_only(n: int) -> str:
    return sentence(projective(n), ["."])


@conllu
def a_form_without_end(n: int) -> str:
    return sentence([0, 1], ["x" * (50 * n), "oak"])


@conllu
def marks_without_end(n: int) -> str:
    """Alternate combining marks above and below, which is not the canonical order."""
    return sentence([0, 1], ["e" + "\u0301\u0323" * (25 * n), "oak"])


@conllu
def features_without_end(n: int) -> str:
    return sentence([0], feats="|".join(f"F{i:07}=x" for i in range(n)))


@conllu
def notes_without_end(n: int) -> str:
    return sentence([0], misc="|".join(f"Note{i}=x" for i in range(n)))


@conllu
def a_word_below_all_others(n: int) -> str:
    deps = ["0:root", *(f"{i}:obj" for i in range(1, n - 1))]
    return sentence(chain(n), deps=[*deps, "|".join(f"{i}:obl" for i in range(1, n))])


@conllu
def arcs_from_everywhere(n: int) -> str:
    """Give every word ten heads, near and far, so that arcs cross and form cycles."""
    random, size = Random(n), max(n // 10, 11)
    deps = []
    for word in range(1, size + 1):
        others = [other for other in range(size + 1) if other != word]
        heads = sorted(random.sample(others, 10))
        deps.append(
            "|".join(f"{head}:{random.choice(('obj', 'obl:of', 'conj'))}" for head in heads)
        )
    return sentence(chain(size), deps=deps)


@conllu
def conjuncts_of_one_word(n: int) -> str:
    """Make all words conjuncts of the first, one of which has a conjunction."""
    deps = ["0:root", f"{n}:cc", *["1:conj:and"] * (n - 2)]
    return sentence([0] + [1] * (n - 1), deps=deps)


@conllu
def one_token_for_all(n: int) -> str:
    """Make one multiword token of all words."""
    return sentence(projective(n), first=[f"1-{n}\tall" + "\t_" * 8])


@conllu
def comments_without_end(n: int) -> str:
    return sentence([0], first=[f"# note {i} = nothing" for i in range(n)])


@conllu
def ranges_without_end(n: int) -> str:
    """Make a multiword token of every two words."""
    lines = []
    for i, line in enumerate(sentence(projective(n // 2 * 2)).split("\n")[:-2]):
        if i % 2 == 0:
            lines.append(f"{i + 1}-{i + 2}\tdunno" + "\t_" * 8)
        lines.append(line)
    return "\n".join([*lines, "", ""])


@conllu
def empty_nodes_above_each_other(n: int) -> str:
    nodes = [f"1.{i}" + "\t_" * 7 + f"\t1.{i + 1}:conj\t_" for i in range(1, n)]
    last = f"1.{n}" + "\t_" * 7 + "\t0:top\t_"
    return sentence([0], deps=["1.1:obj"]).rstrip("\n") + "\n" + "\n".join([*nodes, last, "", ""])


@conllu
def empty_nodes_beside_each_other(n: int) -> str:
    """Put an empty node after each word, as its head."""
    words = sentence(chain(n), deps=[f"{i}.1:obj" for i in range(1, n + 1)]).split("\n")[:-2]
    lines = []
    for i, word in enumerate(words, start=1):
        lines += [word, f"{i}.1" + "\t_" * 7 + f"\t{i - 1}:conj\t_"]
    return "\n".join([*lines, "", ""])


# --- texts


@text
def prose(n: int) -> str:
    return "The oak near Dodona whispered to priests at dawn. " * (n // 50)


@text
def letters_without_a_space(n: int) -> str:
    return "x" * n


@text
def nothing_but_spaces(n: int) -> str:
    return " " * n


@text
def nothing_but_lines(n: int) -> str:
    return "\n" * n


@text
def nothing_but_full_stops(n: int) -> str:
    return "." * n


@text
def full_stops_and_spaces(n: int) -> str:
    return ". " * (n // 2)


@text
def opening_brackets(n: int) -> str:
    return "(" * n


@text
def brackets_within_brackets(n: int) -> str:
    return "(" * (n // 2) + ")" * (n // 2)


@text
def quotes(n: int) -> str:
    return '"' * n


@text
def apostrophes(n: int) -> str:
    return "don't'" * (n // 6)


@text
def digits(n: int) -> str:
    return "1,000.50" * (n // 8)


@text
def abbreviations(n: int) -> str:
    return "e.g. Mr. J. R. " * (n // 15)


@text
def an_address_without_end(n: int) -> str:
    return "https://example.org/" + "a/b?c=d&" * (n // 8)


@text
def words_of_one_letter(n: int) -> str:
    return "a " * (n // 2)


@text
def marks(n: int) -> str:
    return "e" + "\u0301\u0323" * (n // 2)


@text
def signs_without_spaces(n: int) -> str:
    return "神託の樫は囁く。" * (n // 8)


@text
def mixed_scripts(n: int) -> str:
    return "aש1神" * (n // 4)
