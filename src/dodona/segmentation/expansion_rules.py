"""Learning expansion rules for multiword tokens: for whole tokens, endings and beginnings.

A multiword token yields a rule for its ending (English "n't" after any word) and one for its
beginning. Such a rule applies to every token if training has seen it often enough with several
tokens, and the one seen with more tokens is used; otherwise the token gets a rule of its own, as
does French "du".
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from dodona.core.segmenting.expansion import RuleIndex, string_hash
from dodona.records import field, record
from dodona.segmentation.sentence_writer import check_rule, code_points

Rule = tuple[str, str, tuple[str, ...]]  # side, affix, words: in lower case

MIN_TYPES = 2  # distinct tokens that a rule for an affix must expand …
MIN_SHARE = 0.05  # … and their share among the tokens with that affix
RESTS = 0.05  # share of tokens that are multiword tokens from which on `reads_rests` is set
CERTAIN = 3  # occurrences, always expanded alike, that fix the rule of a token
MAX_AFFIX = 16
APOSTROPHES = "'\u2019"


@record
class ExpansionRules:
    """Rules, and the tokens whose rule is fixed: their hashes and rule numbers (0: none).

    With `reads_rests`, the model also knows whether a token without the affix is a word.
    """

    rules: list[Rule] = field(default_factory=list)
    hashes: array[int] | memoryview = field(default_factory=lambda: array("Q"))
    fixed_rules: array[int] | memoryview = field(default_factory=lambda: array("I"))
    reads_rests: bool = False

    def index(self, more: Sequence[Rule] = (), given: Mapping[str, int] | None = None) -> RuleIndex:
        """Return an index of the rules; those of `more` apply to every token that matches.

        `given` are tokens and the numbers of their rules (0: none), which replace learned ones.
        """
        affixes = [rule[:2] for rule in (*self.rules, *more)]
        hashes, numbers = self.hashes, self.fixed_rules
        if given:
            hashes = array("Q", [*hashes, *(string_hash(lower(token)) for token in given)])
            numbers = array("I", [*numbers, *given.values()])
        return RuleIndex(affixes, hashes, numbers, len(self.rules), reads_rests=self.reads_rests)

    def doubled(self) -> list[Rule]:
        """Return rules for two contractions in a row, which are too rare to be learned.

        >>> endings = [("suffix", "n't", ("", "n't")), ("suffix", "'ve", ("", "'ve"))]
        >>> ("suffix", "n't've", ("", "n't", "'ve")) in ExpansionRules(endings).doubled()
        True
        """
        endings = [
            affix
            for side, affix, words in self.rules
            if side == "suffix" and words == ("", affix) and {*affix} & {*APOSTROPHES}
        ]
        pairs = ((one, two) for one in endings for two in endings if one != two)
        return [
            ("suffix", one + two, ("", one, two))
            for one, two in pairs
            if len(one + two) <= MAX_AFFIX and two[0] in APOSTROPHES
        ]


@cache
def lower(form: str) -> str:
    """Normalise a form as the segmenter does: characters in lower case, digits as 0.

    >>> lower("Oak 12")
    'oak 00'
    """
    return code_points(form).lower()


def affix_rules(token: str, words: Sequence[str]) -> list[Rule]:
    """Return the rules for an ending and a beginning that expand a token into words.

    >>> affix_rules("don't", ["do", "n't"])
    [('suffix', "n't", ('', "n't")), ('prefix', 'do', ('do', ''))]
    >>> affix_rules("aux", ["à", "les"])
    []
    """
    first, last = words[0], words[-1]
    before = min(_common(token, first), len(token) - 1)
    after = min(_common(token[::-1], last[::-1]), len(token) - 1)
    rules: list[Rule] = []
    if before > 0:
        rules.append(("suffix", token[before:], (first[before:], *words[1:])))
    if after > 0:
        ending = last[: len(last) - after]
        rules.append(("prefix", token[: len(token) - after], (*words[:-1], ending)))
    return [rule for rule in rules if len(rule[1]) <= MAX_AFFIX]


def learn_rules(
    forms: Sequence[str], words: Sequence[tuple[str, ...]]
) -> tuple[ExpansionRules, list[int]]:
    """Learn rules from tokens and their words; also return each token's rule number (0: none)."""
    lows = [lower(form) for form in forms]
    found = {
        (low, expanded)
        for low, parts in zip(lows, words, strict=True)
        if len(parts) > 1 and _is_expressible(low, expanded := tuple(map(lower, parts)))
    }
    productive = _productive(found, set(lows))
    rule_of = {}
    for low, expanded in found:
        usable = [rule for rule in affix_rules(low, expanded) if rule in productive]
        whole: Rule = ("whole", low, expanded)
        rule_of[low, expanded] = max(usable, key=productive.__getitem__, default=whole)
    rules = sorted(set(rule_of.values()))
    number = {rule: i for i, rule in enumerate(rules, start=1)}
    gold = []
    for low, parts in zip(lows, words, strict=True):
        key = (low, tuple(map(lower, parts)))
        gold.append(number[rule_of[key]] if len(parts) > 1 and key in rule_of else 0)
    reads_rests = sum(map(bool, gold)) >= RESTS * len(gold) > 0
    return ExpansionRules(rules, *_fixed(rules, lows, gold), reads_rests), gold


def _is_expressible(token: str, words: tuple[str, ...]) -> bool:
    """Whether a rule can produce the words: it can only copy digits from the token."""
    if any(c == "0" for word in words for c in word) and "".join(words) != token:
        return False
    return all(words) and not any(c.isspace() for word in words for c in word)


def _productive(found: set[tuple[str, tuple[str, ...]]], forms: set[str]) -> dict[Rule, int]:
    """Return the rules that apply to every token with their affix, and their counts of types."""
    types: defaultdict[Rule, set[str]] = defaultdict(set)
    for token, words in found:
        for rule in affix_rules(token, words):
            types[rule].add(token)
    wanted = {rule[:2] for rule in types}
    having: Counter[tuple[str, str]] = Counter()
    for form in forms:
        having.update(affix for affix in _affixes(form) if affix in wanted)
    return {
        rule: len(seen)
        for rule, seen in types.items()
        if len(seen) >= MIN_TYPES and len(seen) >= MIN_SHARE * having[rule[:2]]
    }


def _affixes(form: str) -> list[tuple[str, str]]:
    lengths = range(1, min(len(form), MAX_AFFIX + 1))
    return [("suffix", form[-n:]) for n in lengths] + [("prefix", form[:n]) for n in lengths]


def _fixed(rules: list[Rule], lows: list[str], gold: list[int]) -> tuple[array[int], array[int]]:
    """Return the tokens that match a rule and were often and always expanded alike."""
    affixes = {rule[:2] for rule in rules}
    seen: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for low, rule in zip(lows, gold, strict=True):
        seen[low][rule] += 1
    sure = sorted(
        (string_hash(low), next(iter(counts)))
        for low, counts in seen.items()
        if len(counts) == 1
        and counts.total() >= CERTAIN
        and (("whole", low) in affixes or any(affix in affixes for affix in _affixes(low)))
    )
    return array("Q", [key for key, _ in sure]), array("I", [rule for _, rule in sure])


def _common(one: str, other: str) -> int:
    """Return the length of the common prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def whole_rules(expansions: Iterable[tuple[str, Sequence[str]]]) -> list[Rule]:
    """Return the rules for tokens and their words; words that are parts of a token are copied.

    >>> whole_rules([("Zum", ["zu", "dem"]), ("C'mon", ["C'm", "on"])])
    [('whole', 'zum', ('zu', 'dem')), ('whole', "c'mon", ("c'm", 'on'))]
    """
    found: list[Rule] = []
    for token, words in expansions:
        low = lower(token)
        parts = tuple(map(lower, words))
        found.append(("whole", low, parts if "".join(parts) == low else tuple(words)))
    return found


def restore_rules(rules: Sequence[object]) -> list[Rule]:
    """Restore rules from a model file; raise ValueError if one is damaged."""
    result: list[Rule] = []
    for rule in rules:
        match rule:
            case [str(side), str(affix), [*words]] if all(isinstance(w, str) for w in words):
                expanded = tuple(map(str, words))
                check_rule(side, affix, expanded)
                result.append((side, affix, expanded))
            case _:
                raise ValueError(f"expected a rule of side, affix and words, not {rule!r}")
    return result
