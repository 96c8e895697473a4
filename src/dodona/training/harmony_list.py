"""A user's list of decisions about words that treebanks annotate differently.

A line has a form, conditions, ">", and what such a word gets instead:

    United upos=VERB > upos=ADJ feats=Degree=Pos lemma=United
    [pud eslspok]
    * deprel=obl:tmod > deprel=obl:unmarked
    , > head=_                                # a comment
    [*]
    omit ctetex

Columns are lemma, upos, xpos, feats, deprel and head; a form in lower case stands for all its
casings, and * for any form. `head=_` leaves an arc out, `deprel=_` its label: neither is learned.
A line in brackets restricts what follows to sentences whose ids begin with one of these names and a
hyphen; [*] ends this. `omit` leaves out such sentences.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dodona.training.harmony import source_of
from dodona.treebank.conllu.errors import TreebankError
from dodona.treebank.conllu.files import read_lines
from dodona.treebank.sentence import Sentence
from dodona.treebank.universal import UNANNOTATED

ANY, BECOMES, OMIT, COMMENT = "*", ">", "omit", "#"
COLUMNS = {
    "lemma": "lemmas",
    "upos": "upos",
    "xpos": "xpos",
    "feats": "feats",
    "deprel": "deprels",
}
HEAD = "head"


@dataclass(frozen=True)
class Decision:
    """What words of a form get under conditions, in sentences of some sources or (none) of all."""

    form: str
    conditions: dict[str, str]
    values: dict[str, str]
    sources: frozenset[str] = frozenset()

    def may_concern(self, sentence: Sentence) -> bool:
        """Return whether each condition is met by some word."""
        conditions = self.conditions.items()
        return all(value in getattr(sentence, COLUMNS[name]) for name, value in conditions)


@dataclass
class HarmonyList:
    """All decisions of a list; none by default."""

    decisions: dict[str, list[Decision]] = field(default_factory=dict)  # by form
    omitted: set[str] = field(default_factory=set)  # sources

    def apply(self, sentences: Iterable[Sentence]) -> list[Sentence]:
        """Return the sentences with all decisions carried out, in the order of the list."""
        return [self._decided(s) for s in sentences if source_of(s) not in self.omitted]

    def _decided(self, sentence: Sentence) -> Sentence:
        source = source_of(sentence)
        of_any = [d for d in self._of(ANY, source) if d.may_concern(sentence)]
        concerned = [
            (i, decision)
            for i, form in enumerate(sentence.forms)
            for key in dict.fromkeys((form, form.lower()))
            for decision in (*of_any, *self._of(key, source))
        ]
        if not concerned:
            return sentence
        columns = {name: getattr(sentence, attribute) for name, attribute in COLUMNS.items()}
        heads = sentence.heads
        for i, decision in concerned:
            if all(columns[name][i] == value for name, value in decision.conditions.items()):
                for name in decision.values.keys() & columns.keys():
                    columns[name][i] = decision.values[name]
                if HEAD in decision.values:
                    heads[i] = None
        named = {COLUMNS[name]: values for name, values in columns.items()}
        return sentence.replace(heads=heads, **named)

    def _of(self, form: str, source: str) -> list[Decision]:
        """Return the decisions about a form in sentences of a source."""
        found = self.decisions.get(form, ())
        return [d for d in found if not d.sources or source in d.sources] if found else []


def read_harmony(path: str | Path) -> HarmonyList:
    """Read a list from a file."""
    return parse_harmony(read_lines(path), str(path))


def parse_harmony(lines: Iterable[str], name: str) -> HarmonyList:
    """Parse a list.

    >>> found = parse_harmony(["[pud]", "its deprel=det > deprel=nmod:poss"], "list.txt")
    >>> found.decisions["its"][0].values
    {'deprel': 'nmod:poss'}
    """
    decisions: defaultdict[str, list[Decision]] = defaultdict(list)
    omitted: set[str] = set()
    sources: frozenset[str] = frozenset()
    for number, line in enumerate(lines, start=1):
        words = "" if line.startswith(COMMENT) else f"{line} ".partition(f" {COMMENT} ")[0]
        fields = words.split()
        if not fields:
            continue
        if fields[0].startswith("[") and fields[-1].endswith("]") and BECOMES not in fields:
            sources = frozenset(" ".join(fields)[1:-1].split()) - {ANY}
        elif fields[0] == OMIT and BECOMES not in fields:
            omitted |= {*fields[1:]}
        else:
            decision = _decision(fields, sources, name, number)
            decisions[decision.form].append(decision)
    return HarmonyList(dict(decisions), omitted)


def _decision(fields: list[str], sources: frozenset[str], name: str, number: int) -> Decision:
    if fields[1:].count(BECOMES) != 1 or fields[-1] == BECOMES:
        expected = f"a form, conditions, {BECOMES!r}, and values such as upos=ADJ"
        raise TreebankError(name, number, f"expected {expected}, not {' '.join(fields)!r}")
    middle = fields.index(BECOMES, 1)
    try:
        conditions = _values(fields[1:middle], (*COLUMNS,))
        values = _values(fields[middle + 1 :], (*COLUMNS, HEAD))
    except ValueError as error:
        raise TreebankError(name, number, str(error)) from None
    return Decision(fields[0], conditions, values, sources)


def _values(fields: Iterable[str], columns: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in fields:
        column, _, value = text.partition("=")
        if column not in columns or not value:
            raise ValueError(f"{text!r} is not one of {', '.join(columns)} with a value")
        if column == HEAD and value != UNANNOTATED:
            raise ValueError(f"the only value of {HEAD} is {UNANNOTATED}, not {value!r}")
        found[column] = value
    return found | ({"deprel": UNANNOTATED} if HEAD in found else {})
