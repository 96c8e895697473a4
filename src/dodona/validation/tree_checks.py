"""Level 2: the heads form a tree with one root. Level 3: the guidelines for trees, as warnings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from dodona.treebank.trees.ud_rules import N_TAGS, OBJECTS, errors, late_errors, tag_allows
from dodona.treebank.trees.word_kinds import TAGS, kind_of
from dodona.treebank.universal import universal_part
from dodona.validation.sentence_blocks import ConlluRow, Problem, SentenceBlock, finding

# relations of words that stand for an elided predicate
PROMOTED = "conj", "parataxis", "root", "csubj", "ccomp", "advcl", "acl", "reparandum"


def check_tree(block: SentenceBlock) -> Iterator[Problem]:
    """Check the heads of the words."""
    words = block.words
    ids = {int(row.id) for row in words}
    heads: dict[int, int] = {}
    for row in words:
        head = row.head
        if not (head.isascii() and head.isdecimal()):
            yield row.finding(2, "head", f"HEAD is {head!r}; expected the number of a word, or 0")
        elif int(head) not in ids | {0}:
            yield row.finding(2, "head", f"HEAD is {head}, but the sentence has {len(words)} words")
        else:
            heads[int(row.id)] = int(head)
            yield from _check_root_label(row)
    if len(heads) == len(words):
        yield from _check_roots(words, heads, block.line)
        yield from _check_cycles(words, heads)


def _check_root_label(row: ConlluRow) -> Iterator[Problem]:
    is_root = universal_part(row.deprel) == "root"
    if is_root and row.head != "0":
        yield row.finding(2, "root", f"DEPREL is root, but HEAD is {row.head}")
    elif row.head == "0" and not is_root:
        yield row.finding(2, "root", f"HEAD is 0, but DEPREL is {row.deprel}; expected root")


def _check_roots(words: list[ConlluRow], heads: dict[int, int], line: int) -> Iterator[Problem]:
    roots = [row for row in words if heads[int(row.id)] == 0]
    if not roots:
        yield finding(line, 2, "root", "no word has HEAD 0; expected one root")
    for row in roots[1:]:
        yield row.finding(2, "root", f"word {row.id} is another root, beside word {roots[0].id}")


def _check_cycles(words: list[ConlluRow], heads: dict[int, int]) -> Iterator[Problem]:
    """Report each cycle once, at its first word."""
    lines = {int(row.id): row.line for row in words}
    seen: dict[int, int] = {}  # the word whose path to the root first reached it
    for start in heads:
        word = start
        while word and word not in seen:
            seen[word] = start
            word = heads[word]
        if word and seen[word] == start:
            cycle = [word]
            while heads[cycle[-1]] != word:
                cycle.append(heads[cycle[-1]])
            first = min(cycle)
            named = ", ".join(map(str, sorted(cycle)))
            message = (
                f"word {first} is its own head" if len(cycle) == 1 else f"a cycle: words {named}"
            )
            yield finding(lines[first], 2, "cycle", message)


def check_guidelines(block: SentenceBlock) -> Iterator[Problem]:
    """Check a valid tree by the rules of UD for relations, tags, leaves and punctuation."""
    tree = _GuidelineTree(block.words)
    given = tree.heads, [row.deprel for row in tree.words], tree.kinds
    for word, rule in chain(errors(*given), late_errors(*given)):
        kind, message = tree.describe(word, rule)
        yield tree.words[word - 1].finding(3, kind, message)
    yield from tree.check_ellipsis()
    yield from tree.check_fixed()


class _GuidelineTree:
    """The words of a valid tree, with their universal relations."""

    def __init__(self, words: list[ConlluRow]) -> None:
        self.words = words
        self.heads = [int(row.head) for row in words]
        self.relations = [universal_part(row.deprel) for row in words]
        self.kinds = [kind_of(row.upos, row.feats, row.misc) for row in words]

    def describe(self, word: int, rule: str) -> tuple[str, str]:
        """Return the kind and the message of a problem."""
        row, head, relation = self.words[word - 1], self.heads[word - 1], self.relations[word - 1]
        if rule == "direction":
            return "direction", f"{relation} from right to left"
        if rule == "head":
            above = self.relations[head - 1]
            return "leaf", f"{relation} depends on word {head}, a leaf ({above})"
        if rule == "number":
            name = "object" if relation in OBJECTS else "subject"
            return f"{name}s", f"word {head} has another {name}, before this one"
        if rule == "span":
            return (
                relation,
                f"{relation} joins words up to word {head} that are no parts of one word",
            )
        if rule == "nominal":
            return relation, f"{relation} depends on word {head}, a nominal; expected nmod"
        if rule == "punct":
            return "punct-nonprojective", f"the arc from word {head} to punctuation crosses others"
        return self._describe_tag(row, relation)

    def _describe_tag(self, row: ConlluRow, relation: str) -> tuple[str, str]:
        tag = TAGS[self.kinds[int(row.id) - 1] % N_TAGS]
        if tag_allows(tag, relation):
            return "relation-upos", f"{relation} depends on word {row.head}, a proper noun"
        if tag == "PUNCT":
            return "punct", f"UPOS PUNCT, but relation {relation}"
        name = "UPOS" if tag == row.upos else "ExtPos"
        kind = "punct" if relation == "punct" else "relation-upos"
        return kind, f"relation {relation}, but {name} {tag}"

    def check_ellipsis(self) -> Iterator[Problem]:
        """Check that an orphan depends on what stands for a predicate."""
        for row, head, relation in zip(self.words, self.heads, self.relations, strict=True):
            if relation == "orphan" and (above := self.relations[head - 1]) not in PROMOTED:
                yield row.finding(3, "orphan", f"orphan depends on word {head} ({above})")

    def check_fixed(self) -> Iterator[Problem]:
        """Check that fixed expressions have no gaps."""
        for word, (head, relation) in enumerate(zip(self.heads, self.relations, strict=True), 1):
            if relation == "fixed":
                for gap in range(head + 1, word):
                    if (self.heads[gap - 1], self.relations[gap - 1]) != (head, "fixed") and (
                        self.relations[gap - 1] != "punct"
                    ):
                        message = f"word {gap} is inside a fixed expression, but no part of it"
                        yield self.words[word - 1].finding(3, "fixed", message)
                        break
