"""Verb phrases, clauses and triples of a sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from dodona.facts import patterns as pat
from dodona.facts.phrases import phrase_of
from dodona.facts.roles import Roles

if TYPE_CHECKING:
    from dodona.treebank.sentence import Sentence
    from dodona.treebank.span import Span
    from dodona.treebank.word import Word

Value = str | bool | int | None | list[str] | list[int]


class VerbPhrase(NamedTuple):
    """A verb with its auxiliaries, particles and negation; or a copula, without its complement."""

    head: Word  # the predicate; with a copula, an adjective, noun or adverb
    words: list[Word]
    lemma: str  # with particles: give up
    negated: bool
    modality: str | None  # lemma of a modal auxiliary, if there is one
    passive: bool

    @property
    def text(self) -> str:
        """Return the words, separated by blanks; others may stand between them."""
        return " ".join(word.text for word in self.words)

    def to_dict(self) -> dict[str, Value]:
        """Return the phrase as plain data."""
        return {"text": self.text, "ids": [word.id for word in self.words], **_manner(self)}

    def __repr__(self) -> str:
        return f"<VerbPhrase {' | '.join([self.text, *_flags(self)])}>"


class Clause(NamedTuple):
    """A predicate with its subjects and objects; conjuncts are listed one by one."""

    kind: str  # main, relative, adnominal, adverbial, complement, subject, coordinate, parataxis, …
    verb: VerbPhrase
    subjects: list[Word]
    objects: list[Word]
    indirect: list[Word]  # objects
    words: list[Word]  # without those of clauses inside it

    @property
    def text(self) -> str:
        """Return the words, separated by blanks."""
        return " ".join(word.text for word in self.words)

    def to_dict(self) -> dict[str, Value]:
        """Return the clause as plain data."""
        found: dict[str, Value] = {"kind": self.kind, "text": self.text}
        found["ids"] = [word.id for word in self.words]
        for name in ("subjects", "objects", "indirect"):
            words: list[Word] = getattr(self, name)
            found[name] = [phrase_of(word).text for word in words]
        return found | _manner(self.verb)

    def __repr__(self) -> str:
        return f"<Clause {self.kind} {self.text!r}>"


class Triple(NamedTuple):
    """A subject, a verb and an object; either of the nouns may be missing.

    In a passive sentence the subject is the agent. After a copula the object is what the subject
    is. Where the object is a clause, it is the predicate of that clause.
    """

    subject: Word | None
    predicate: VerbPhrase
    object: Word | None
    indirect: list[Word]  # objects

    @property
    def verb(self) -> str:
        """Return the lemma of the verb, with its particles."""
        return self.predicate.lemma

    @property
    def negated(self) -> bool:
        """Return whether the fact is denied."""
        return self.predicate.negated

    @property
    def modality(self) -> str | None:
        """Return the lemma of the modal auxiliary, if there is one."""
        return self.predicate.modality

    @property
    def passive(self) -> bool:
        """Return whether the clause is in the passive."""
        return self.predicate.passive

    @property
    def subject_span(self) -> Span | None:
        """Return the phrase of the subject, without relative clauses and conjuncts."""
        return None if self.subject is None else phrase_of(self.subject)

    @property
    def object_span(self) -> Span | None:
        """Return the phrase of the object, without relative clauses and conjuncts."""
        return None if self.object is None else phrase_of(self.object)

    def to_dict(self) -> dict[str, Value]:
        """Return the triple as plain data."""
        subject, object = self.subject_span, self.object_span
        return {
            "subject": None if subject is None else subject.text,
            "verb": self.verb,
            "object": None if object is None else object.text,
            "indirect": [phrase_of(word).text for word in self.indirect],
            "negated": self.negated,
            "modality": self.modality,
            "passive": self.passive,
            "subject_id": None if self.subject is None else self.subject.id,
            "verb_id": self.predicate.words[-1].id if self.predicate.words else None,
            "object_id": None if self.object is None else self.object.id,
        }

    def to_json(self) -> str:
        """Return the triple as a JSON object in one line."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def __repr__(self) -> str:
        nouns = ["-" if word is None else word.text for word in (self.subject, self.object)]
        fields = [nouns[0], self.verb, nouns[1], *_flags(self.predicate)]
        return f"<Triple {' | '.join(fields)}>"


def verb_phrases(sentence: Sentence) -> list[VerbPhrase]:
    """Return the verb phrases, in the order of their predicates."""
    return [clause.verb for clause in clauses(sentence)]


def clauses(sentence: Sentence) -> list[Clause]:
    """Return the clauses, in the order of their predicates."""
    return list(_Extraction(sentence).clauses())


def triples(sentence: Sentence) -> list[Triple]:
    """Return the triples, in the order of their verbs; without subject and object there is none."""
    found = []
    for clause in clauses(sentence):
        for subject, object in product(_or_none(clause.subjects), _or_none(clause.objects)):
            is_copular = clause.verb.head not in clause.verb.words
            if subject is not None or (object is not None and not is_copular):
                found.append(Triple(subject, clause.verb, object, clause.indirect))
    return found


def _or_none(words: list[Word]) -> list[Word | None]:
    found: list[Word | None] = [*words]
    return found or [None]


class _Extraction:
    """The clauses of one sentence."""

    def __init__(self, sentence: Sentence) -> None:
        self.words = sentence.words
        self.roles = Roles(sentence)
        self.find = self.roles.relations.of
        self.owners = self._find_owners(sentence.heads)

    def clauses(self) -> Iterator[Clause]:
        for p in self.roles.predicates:
            copulas = self.find(p, pat.COPULA, "word")
            is_outer = bool(self.find(p, pat.OUTER_SUBJECT, "s"))
            if copulas:
                verb = self._copula(p, copulas, is_outer)
                subjects = self.roles.copular_subjects(p)
                yield self._clause(p, verb, subjects, self.roles.predicatives(p), [])
            if not copulas or is_outer:
                verb = self._verb(p, copulas)
                nouns = self.roles.subjects(p), self.roles.objects(p)
                yield self._clause(p, verb, *nouns, self.roles.indirect_objects(p))
            yield from self._gapped(p)

    def _clause(
        self, p: int, verb: VerbPhrase, subjects: list[int], objects: list[int], others: list[int]
    ) -> Clause:
        label = self.words[p - 1].deprel
        kind = pat.CLAUSES.get(label) or pat.CLAUSES.get(label.partition(":")[0]) or "other"
        inside = [word for word in self.words if self.owners[word.id] == p]
        while inside and inside[0].upos == "PUNCT":
            del inside[0]
        while inside and inside[-1].upos == "PUNCT":
            del inside[-1]
        name = self._named
        return Clause(kind, verb, name(subjects), name(objects), name(others), inside)

    def _gapped(self, p: int) -> Iterator[Clause]:
        """Yield clauses whose verb is to be supplied from another clause."""
        for s in self.find(p, pat.GAPPING, "s"):
            objects = self.find(s, pat.GAPPING, "o", "s")
            yield self._clause(s, self._verb(p, []), [s], objects, [])

    def _verb(self, p: int, copulas: list[int]) -> VerbPhrase:
        """Return the phrase of a verb; of a verb after a copula, that of the inner clause."""
        particles = self.find(p, pat.PARTICLE, "word")
        own = [self._own_words(p, row) for row in (pat.AUXILIARY, pat.NEGATING)]
        if copulas:  # she is not what he expected: the words up to the copula are not of the verb
            own = [[word for word in words if word > max(copulas)] for words in own]
        parts = [p, *particles, *own[0], *own[1]]
        lemma = " ".join(self.words[word - 1].lemma for word in [p, *particles])
        is_negated = bool(own[1]) or self._is_negated_by_nouns(p)
        passive = p in self.roles.passives
        modality = self._modality(p, own[0])
        return VerbPhrase(
            self.words[p - 1], self._named(parts), lemma, is_negated, modality, passive
        )

    def _copula(self, p: int, copulas: list[int], is_outer: bool) -> VerbPhrase:
        own = [self._own_words(p, row) for row in (pat.AUXILIARY, pat.NEGATING)]
        if is_outer:
            following = [p, *self.find(p, pat.SUBJECT, "s")]
            own = [[word for word in words if word < min(following)] for words in own]
        lemma = " ".join(self.words[word - 1].lemma for word in copulas)
        is_negated = bool(own[1]) or (not is_outer and self._is_negated_by_nouns(p))
        modality = self._modality(p, own[0])
        words = self._named([*copulas, *own[0], *own[1]])
        return VerbPhrase(self.words[p - 1], words, lemma, is_negated, modality, False)

    def _own_words(self, p: int, patterns: tuple[str, ...]) -> list[int]:
        """Return auxiliaries or negations of a verb, or those that it shares with another."""
        if found := self.find(p, patterns, "word"):
            return found
        shared = pat.SHARED_NEGATION if patterns is pat.NEGATING else pat.SHARED_AUXILIARIES
        return [word for q in self.find(p, shared, "q") for word in self.find(q, patterns, "word")]

    def _modality(self, p: int, auxiliaries: list[int]) -> str | None:
        heads = [p, *self.find(p, pat.SHARED_AUXILIARIES, "q")]
        modals = [word for head in heads for word in self.find(head, pat.MODAL, "word")]
        found = [word for word in modals if word in auxiliaries]
        return self.words[found[0] - 1].lemma if found else None

    def _is_negated_by_nouns(self, p: int) -> bool:
        return p in self.negated

    def _named(self, ids: list[int]) -> list[Word]:
        return [self.words[word - 1] for word in sorted(set(ids))]

    def _find_owners(self, heads: list[int | None]) -> list[int]:
        """Return, for each word, the predicate of its clause; 0 for words outside of all."""
        self.negated = frozenset(self.roles.relations.words(pat.NEGATED))
        predicates = frozenset(self.roles.predicates)
        owners = [0] * (len(heads) + 1)
        for word in range(1, len(heads) + 1):
            at, path = word, set[int]()
            while at not in predicates and at not in path and heads[at - 1]:
                path.add(at)
                at = heads[at - 1] or 0
            owners[word] = at if at in predicates else 0
        return owners


def _flags(verb: VerbPhrase) -> list[str]:
    return [
        *["passive"] * verb.passive,
        *["negated"] * verb.negated,
        *([verb.modality] if verb.modality else []),
    ]


def _manner(verb: VerbPhrase) -> dict[str, Value]:
    return {
        "verb": verb.lemma,
        "negated": verb.negated,
        "modality": verb.modality,
        "passive": verb.passive,
    }
