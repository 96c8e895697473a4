"""The subjects and objects of predicates."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TYPE_CHECKING

from dodona.facts import patterns as pat
from dodona.facts.relations import Relations

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence


class Roles:
    """Who does what in a sentence; words are numbers, from 1.

    In a passive clause the surface subject is the object, or the indirect object beside another
    object, and the agent is the subject. Coordinated words have the same role, and a relative
    pronoun stands for its antecedent.
    """

    def __init__(self, sentence: Sentence) -> None:
        self.relations = Relations(sentence)
        self.predicates = self.relations.words(pat.PREDICATE)
        self.passives = frozenset(self.relations.words(pat.PASSIVE))

    def subjects(self, p: int) -> list[int]:
        """Return the words that act, or that are something."""
        if p not in self.passives:
            return self._surface_subjects(p)
        own = self.relations.of(p, pat.AGENT, "s") or self.relations.of(p, pat.SHARED_AGENT, "s")
        return self._resolve(own)

    def objects(self, p: int) -> list[int]:
        """Return the words that are acted on, or the heads of clauses in their place."""
        find = self.relations.of
        if nouns := find(p, pat.OBJECT, "o"):
            return self._resolve(nouns)
        surface = self._surface_subjects(p) if p in self.passives else []
        others = surface or find(p, pat.SHARED_OBJECT, "o") or find(p, pat.GAP, "o")
        if others:
            return others if surface else self._resolve(others)
        clauses = find(p, pat.COMPLEMENT, "o")
        indirect = find(p, pat.INDIRECT, "o")
        if indirect and not any(self._is_finite(clause) for clause in clauses):
            return self._resolve(indirect)
        return [o for clause in clauses for o in self._with_conjuncts(clause)]

    def indirect_objects(self, p: int) -> list[int]:
        """Return the recipients."""
        found = self._resolve(self.relations.of(p, pat.INDIRECT, "o"))
        if p in self.passives and self.relations.of(p, pat.OBJECT, "o"):
            found += self._surface_subjects(p)
        return [word for word in found if word not in self.objects(p)]

    def copular_subjects(self, p: int) -> list[int]:
        """Return what the words of `predicatives` are said of."""
        outer = self.relations.of(p, pat.OUTER_SUBJECT, "s")
        return self._resolve(outer) if outer else self._surface_subjects(p)

    def predicatives(self, p: int) -> list[int]:
        """Return the predicate after a copula, and those that are coordinated with it."""
        return [p, *self.relations.of(p, pat.PREDICATIVE, "o")]

    def _surface_subjects(self, p: int, seen: frozenset[int] = frozenset()) -> list[int]:
        if p in seen:  # the arcs are no tree
            return []
        if own := self.relations.of(p, pat.SUBJECT, "s"):
            return self._resolve(own)
        if nearby := self.relations.of(p, pat.SUBJECT_NEARBY, "s"):
            return self._resolve(nearby[:1])
        heads = self.relations.of(p, pat.SUBJECT_OF_HEAD, "q")
        return self._surface_subjects(heads[0], seen | {p}) if heads else []

    def _resolve(self, words: Iterable[int]) -> list[int]:
        """Return the words with their conjuncts, and antecedents in place of pronouns."""
        found = chain.from_iterable(map(self._with_conjuncts, words))
        return list(dict.fromkeys(map(self._antecedent, found)))

    def _with_conjuncts(self, word: int) -> list[int]:
        others = self.relations.of(word, pat.COORDINATED, "other", "first")
        return [word, *(other for other in others if other not in self.predicates)]

    def _antecedent(self, word: int) -> int:
        found = self.relations.of(word, pat.ANTECEDENT, "antecedent", "pronoun")
        return found[0] if found else word

    def _is_finite(self, clause: int) -> bool:
        return self.relations.sentence.deprels[clause - 1].startswith("ccomp")
