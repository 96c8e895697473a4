"""A small invented language with a realistic grammar, for tests of parsers without licences.

Nouns have a stem, a declension and four cases; determiners, adjectives and relative pronouns agree
with them, verbs with their subjects. The order is subject, verb, object, but objects and adjuncts
may come first, and one declension has the same form for subjects and objects. Verbs and nouns have
preferred prepositions, the only clue to the attachment of a phrase: as in natural languages, no
parser can always be right.

Only random() and choices() of the random generator are used: they are the same in every Python.
"""

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from random import Random
from typing import TypeVar

from dodona.treebank.trees.projectivity import is_projective

T = TypeVar("T")

# endings by declension and case, singular and plural
ENDINGS = {
    "a": {"Nom": ("a", "ar"), "Acc": ("an", "ar"), "Gen": ("as", "arun"), "Dat": ("ai", "arim")},
    "o": {"Nom": ("o", "os"), "Acc": ("o", "on"), "Gen": ("us", "osun"), "Dat": ("oi", "osim")},
    "e": {"Nom": ("e", "er"), "Acc": ("en", "ern"), "Gen": ("es", "erun"), "Dat": ("ei", "erim")},
}
VERB_ENDINGS = {"Pres": ("it", "int"), "Past": ("av", "avun")}
NUMBERS = ("Sing", "Plur")
FRAMES = ("transitive",) * 8 + ("intransitive",) * 5 + ("ditransitive", "clausal", "control") * 2


@dataclass(eq=False)
class InventedWord:
    """A word of a generated sentence; its head is another word, or None for the root."""

    form: str
    lemma: str
    upos: str
    feats: dict[str, str] = field(default_factory=dict)
    head: "InventedWord | None" = None
    deprel: str = "root"


@dataclass
class Phrase:
    """A phrase: words in order, and its head."""

    head: InventedWord
    words: list[InventedWord]

    def before(self, other: "Phrase", deprel: str) -> "Phrase":
        """Prepend a dependent phrase."""
        other.head.head, other.head.deprel = self.head, deprel
        self.words = other.words + self.words
        return self

    def after(self, other: "Phrase", deprel: str) -> "Phrase":
        """Append a dependent phrase."""
        other.head.head, other.head.deprel = self.head, deprel
        self.words = self.words + other.words
        return self


Part = tuple[Phrase, str]  # a dependent phrase and its relation
Parts = list[Part]


def alone(word: InventedWord) -> Phrase:
    return Phrase(word, [word])


@dataclass(frozen=True)
class LexicalEntry:
    """A word of the lexicon: stem, declension or frame, and preferred prepositions."""

    stem: str
    kind: str
    prefers: tuple[str, ...]


def new_stem(rng: Random, n_syllables: int) -> str:
    """Make up a stem: syllables of onset and vowel, and a final consonant."""
    onsets = [*"bdfghklmnprstvz", "br", "dr", "gl", "kr", "st", "tr"]
    syllables = [rng.choices(onsets)[0] + rng.choices("aeiou")[0] for _ in range(n_syllables)]
    return "".join(syllables) + rng.choices("lmnrstvk")[0]


@cache
def zipf_weights(n_words: int) -> list[float]:
    """Return cumulative sums of 1 / (rank + 1); the most frequent word has rank 1."""
    return list(accumulate(1 / (rank + 1) for rank in range(1, n_words + 1)))


class InventedLexicon:
    """The words of the language, frequent ones first; the same for every seed."""

    def __init__(self) -> None:
        rng = Random("the leaves of the oak")
        self.prepositions = ("an", "ob", "sur", "vel", "tro", "min", "ekt", "dol")
        self.conjunctions = ("vel", "kad", "ses", "ilo")  # vel, like English since, is both
        self.adverbs = self._stems(rng, 30, 1)
        self.adjectives = self._stems(rng, 70, 2)
        self.nouns = self._entries(rng, self._stems(rng, 260, 2), "ao")
        # every sixth verb has the stem of a noun
        stems = self._stems(rng, 120, 1)
        stems[5::6] = [noun.stem for noun in self.nouns[: len(stems[5::6])]]
        self.verbs = self._entries(rng, stems, FRAMES)

    def _stems(self, rng: Random, n_stems: int, n_syllables: int) -> list[str]:
        return list(dict.fromkeys(new_stem(rng, n_syllables) for _ in range(n_stems)))

    def _entries(
        self, rng: Random, stems: Sequence[str], kinds: Sequence[str]
    ) -> list[LexicalEntry]:
        return [
            LexicalEntry(stem, rng.choices(kinds)[0], tuple(rng.choices(self.prepositions, k=2)))
            for stem in stems
        ]


LEXICON = InventedLexicon()


class Speaker:
    """A generator of sentences, determined by its random generator."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def zipf(self, words: Sequence[T]) -> T:
        weights = zipf_weights(len(words))
        return words[bisect(weights, self.rng.random() * weights[-1], hi=len(words) - 1)]

    def number(self) -> str:
        return "Plur" if self.chance(0.35) else "Sing"

    # Words

    def nominal(
        self, stem: str, declension: str, upos: str, case: str, number: str
    ) -> InventedWord:
        endings = ENDINGS[declension]
        form = stem + endings[case][NUMBERS.index(number)]
        return InventedWord(form, stem + endings["Nom"][0], upos, {"Case": case, "Number": number})

    def verb(self, stem: str, upos: str, number: str) -> InventedWord:
        tense = "Past" if self.chance(0.4) else "Pres"
        form = stem + VERB_ENDINGS[tense][NUMBERS.index(number)]
        feats = {"Number": number, "Tense": tense, "VerbForm": "Fin"}
        return InventedWord(form, stem + "ut", upos, feats)

    def particle(self, form: str, upos: str) -> Phrase:
        return alone(InventedWord(form, form, upos))

    def adverb(self) -> Phrase:
        return self.particle(self.zipf(LEXICON.adverbs) + "im", "ADV")

    # Noun phrases

    def noun_phrase(self, case: str, depth: int) -> Phrase:
        kind = self.rng.random()
        if kind < 0.18 and case != "Gen":
            number = self.number()
            word = self.nominal(self.rng.choices("mts")[0], "e", "PRON", case, number)
            word.feats["PronType"] = "Prs"
            return alone(word)
        phrase = self.name(case) if kind < 0.28 else self.common_noun(case, depth)
        if depth > 0 and self.chance(0.09):
            other = self.noun_phrase(case, depth - 1)
            phrase.after(other.before(self.particle("da", "CCONJ"), "cc"), "conj")
        return phrase

    def name(self, case: str) -> Phrase:
        """Make up a name that is not in the lexicon."""
        stem = new_stem(self.rng, 2).capitalize()
        phrase = alone(self.nominal(stem, "o", "PROPN", case, "Sing"))
        if self.chance(0.3):
            surname = new_stem(self.rng, 1).capitalize()
            phrase.after(self.particle(surname, "PROPN"), "flat")
        return phrase

    def common_noun(self, case: str, depth: int) -> Phrase:
        entry, number = self.zipf(LEXICON.nouns), self.number()
        phrase = alone(self.nominal(entry.stem, entry.kind, "NOUN", case, number))
        while self.chance(0.25):
            stem = self.zipf(LEXICON.adjectives)
            modifier = alone(self.nominal(stem, "e", "ADJ", case, number))
            if self.chance(0.12):
                modifier.before(self.adverb(), "advmod")
            phrase.before(modifier, "amod")
        if number == "Plur" and self.chance(0.15):
            numeral = str(2 + int(self.rng.random() ** 3 * 998))
            phrase.before(self.particle(numeral, "NUM"), "nummod")
        if self.chance(0.5):
            determiner = self.nominal("l" if self.chance(0.7) else "kv", "e", "DET", case, number)
            phrase.before(alone(determiner), "det")
        return self.postmodified(phrase, entry, depth)

    def postmodified(self, phrase: Phrase, entry: LexicalEntry, depth: int) -> Phrase:
        if depth <= 0:
            return phrase
        if self.chance(0.1):
            phrase.after(self.noun_phrase("Gen", depth - 1), "nmod")
        if self.chance(0.17):
            phrase.after(self.prepositional(entry, depth - 1), "nmod")
        if self.chance(0.1):
            phrase.after(self.relative_clause(phrase.head.feats["Number"], depth - 1), "acl:relcl")
        return phrase

    def prepositional(self, governor: LexicalEntry, depth: int) -> Phrase:
        if self.chance(0.85):
            form = self.rng.choices(governor.prefers)[0]
        else:
            form = self.zipf(LEXICON.prepositions)
        return self.noun_phrase("Dat", depth).before(self.particle(form, "ADP"), "case")

    # Clauses

    def relative_clause(self, number: str, depth: int) -> Phrase:
        as_subject = self.chance(0.6)
        pronoun = self.nominal("ko", "e", "PRON", "Nom" if as_subject else "Acc", number)
        pronoun.feats["PronType"] = "Rel"
        return self.clause(depth, **{"subject" if as_subject else "object_": alone(pronoun)})

    def clause(
        self, depth: int, subject: Phrase | None = None, object_: Phrase | None = None
    ) -> Phrase:
        """Make a finite clause; a given subject or object is a relative pronoun and comes first."""
        relative = subject or object_
        subject = subject or self.noun_phrase("Nom", depth)
        number = subject.head.feats["Number"]
        if any(w.head is subject.head and w.deprel == "conj" for w in subject.words):
            number = "Plur"
        if object_ is None and self.chance(0.12):
            return self.copular(subject, number, depth)
        entry = self.zipf(LEXICON.verbs)
        while object_ is not None and entry.kind != "transitive":
            entry = self.zipf(LEXICON.verbs)
        verb = self.verb(entry.stem, "VERB", number)
        objects = [(object_, "obj")] if object_ else self.complements(entry, depth)
        adjuncts = self.adjuncts(entry, depth)
        return self.order(alone(verb), (subject, "nsubj"), objects, adjuncts, relative)

    def copular(self, subject: Phrase, number: str, depth: int) -> Phrase:
        if self.chance(0.6):
            stem = self.zipf(LEXICON.adjectives)
            predicate = alone(self.nominal(stem, "e", "ADJ", "Nom", number))
        else:
            predicate = self.noun_phrase("Nom", depth - 1)
        predicate.before(alone(self.verb("esh", "AUX", number)), "cop")
        return predicate.before(subject, "nsubj")

    def complements(self, entry: LexicalEntry, depth: int) -> Parts:
        if entry.kind == "transitive":
            return [(self.noun_phrase("Acc", depth), "obj")]
        if entry.kind == "ditransitive":
            receiver = self.noun_phrase("Dat", depth - 1)
            return [(receiver, "iobj"), (self.noun_phrase("Acc", depth), "obj")]
        if entry.kind == "clausal" and depth > 0:
            return [(self.clause(depth - 1).before(self.particle("ke", "SCONJ"), "mark"), "ccomp")]
        if entry.kind == "control" and depth > 0:
            return [(self.infinitive(depth - 1), "xcomp")]
        return []

    def infinitive(self, depth: int) -> Phrase:
        entry = self.zipf(LEXICON.verbs)
        form = entry.stem + "ut"
        phrase = alone(InventedWord(form, form, "VERB", {"VerbForm": "Inf"}))
        for complement, deprel in self.complements(entry, depth) + self.adjuncts(entry, depth):
            phrase.after(complement, deprel)
        return phrase

    def adjuncts(self, entry: LexicalEntry, depth: int) -> Parts:
        found = []
        if self.chance(0.2):
            found.append((self.adverb(), "advmod"))
        while self.chance(0.27):
            found.append((self.prepositional(entry, depth - 1), "obl"))
        if depth > 0 and self.chance(0.07):
            mark = self.particle(self.zipf(LEXICON.conjunctions), "SCONJ")
            found.append((self.clause(depth - 1).before(mark, "mark"), "advcl"))
        return found

    def order(
        self, verb: Phrase, subject: Part, objects: Parts, adjuncts: Parts, relative: Phrase | None
    ) -> Phrase:
        """Order subject, verb, objects and adjuncts; the verb is second after any first part."""
        front, rest = [subject], objects + adjuncts
        choice = self.rng.random()
        if relative is not None:
            front = [part for part in [subject, *objects] if part[0] is relative]
            rest = [part for part in [subject, *rest] if part[0] is not relative]
        elif choice < 0.1 and objects and objects[-1][1] == "obj":
            front, rest = [objects[-1]], [subject, *objects[:-1], *adjuncts]
        elif choice < 0.25 and adjuncts:
            front, rest = [adjuncts[0]], [subject, *objects, *adjuncts[1:]]
        if self.chance(0.08):
            verb.before(self.particle("ne", "PART"), "advmod")
        for phrase, deprel in front:
            if deprel == "advcl":
                phrase.after(self.particle(",", "PUNCT"), "punct")
            verb.before(phrase, deprel)
        for phrase, deprel in rest:
            verb.after(phrase, deprel)
        return verb

    # Sentences

    def sentence(self, crossing: bool) -> list[InventedWord]:
        """Make a sentence; if `crossing`, one phrase is moved so that arcs cross."""
        words = self.sentence_in_order()
        while crossing:
            crossed = [m for m in self.movements(words) if not is_projective(head_numbers(m))]
            if crossed:
                words = self.rng.choices(crossed)[0]
                break
            words = self.sentence_in_order()
        words[0].form = words[0].form[0].upper() + words[0].form[1:]
        return words

    def sentence_in_order(self) -> list[InventedWord]:
        phrase = self.clause(2)
        if self.chance(0.1):
            other = self.clause(1).before(self.particle("da", "CCONJ"), "cc")
            phrase.after(other.before(self.particle(",", "PUNCT"), "punct"), "conj")
        end = self.particle("?" if self.chance(0.08) else ".", "PUNCT")
        return phrase.after(end, "punct").words

    def movements(self, words: list[InventedWord]) -> list[list[InventedWord]]:
        """Return the sentence with a relative clause moved last, or a noun modifier moved first."""
        found = []
        for word in words:
            if word.deprel not in ("acl:relcl", "nmod"):
                continue
            part = [w for w in words if descends(w, word)]
            rest = [w for w in words if not descends(w, word)]
            is_first = word.deprel == "nmod"
            found.append(part + rest if is_first else rest[:-1] + part + rest[-1:])
        return found


def descends(word: InventedWord | None, ancestor: InventedWord) -> bool:
    while word is not None and word is not ancestor:
        word = word.head
    return word is ancestor


def head_numbers(words: list[InventedWord]) -> list[int]:
    """Return the heads of a sentence as word numbers, 0 for the root."""
    position = {id(word): i for i, word in enumerate(words, start=1)}
    return [0 if word.head is None else position[id(word.head)] for word in words]
