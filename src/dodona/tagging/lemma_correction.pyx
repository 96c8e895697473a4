"""Correction of lemma scripts of unknown words, by analogy and with a lexicon.

The model chooses a script by the ending of a word; it knows no words. An exception with the same
tags that differs only in case, or is listed, has its own script. If only another casing produces a
known lemma, that casing is used: of names a capital ("india"), of other words none ("Rough"). If
the model's script does not produce a known lemma, or changes nothing although most words with these
tags change, two corrections are tried: a word that consists of a known prefix and an exception with
the same tags gets its script ("rebuilt" like "built"); otherwise another frequent script for these
tags is used if it produces a known lemma and has been seen with the same ending ("richer" like
"higher", but not "hikers" like "boxes").
"""
from cython.operator cimport dereference
from libcpp.pair cimport pair

from dodona.core.base.hashing cimport hashed_on
from dodona.tagging.lemma_scripts cimport LOWER, TITLE, WHOLE
from dodona.treebank.characters cimport Py_UNICODE_TOTITLE, append, lowered, next_character
from dodona.treebank.encoding.vocabulary cimport hashed

from dodona.core.tagging.tag_task import ANY
from dodona.tagging.lemma_scripts import CASINGS

cdef uint32_t ANY_CLASSES = ANY
cdef enum:
    SHORTEST_START = 2        # characters of a prefix
    SHORTEST_END = 3          # characters of an exception
    MOST_CHARACTERS = 48      # of words that are corrected
    NO_SCRIPT = -2            # -1 is an error

ctypedef pair[uint64_t, int] ending_of
ctypedef pair[uint32_t, vector[int]] usual_of


def lemma_hash(str lemma):
    """Return the hash of a lemma or form."""
    cdef bytes text = lemma.encode()
    return hashed(text, len(text))


cdef class LemmaCorrection:
    """Lemma scripts, and the data that corrects the choice among them.

    `exceptions` are (hash of a form in lower case, id of its tags or ANY, script); `lemmas` and
    `prefixes` are hashes; `usual` are (id of tags, script), the most frequent first; `cuts` are
    (hash of an ending that a script has cut off, perhaps with the character before it, script);
    `names` are ids of tags whose lemmas have capitals. Without `cuts`, a script may cut one
    character more than the model's, if that changes something; without `names`, casing is the
    model's.
    """

    def __init__(
        self, scripts, exceptions=(), lemmas=(), prefixes=(), usual=(), cuts=(), names=()
    ):
        cdef vector[int] none
        cdef uint64_t hash
        cdef uint32_t tags
        cdef int script
        self.scripts = LemmaScripts(scripts)
        for hash, tags, script in exceptions:
            self._check(script)
            self.endings.insert(ending_of(hashed_on(hash, tags), script))
        for hash in lemmas:
            self.lemmas.insert(hash)
        for hash in prefixes:
            self.prefixes.insert(hash)
        for tags, script in usual:
            self._check(script)
            self.usual.insert(usual_of(tags, none))
            self.usual[tags].push_back(script)
        for hash, script in cuts:
            self._check(script)
            self.endings_cut.insert(hashed_on(hash, script))
        for tags in names:
            self.names.insert(tags)
        self._find_recased(scripts)

    def _find_recased(self, scripts):
        """Find the scripts that differ from each other in their casing alone."""
        number = {bytes(text): i for i, text in enumerate(scripts)}
        self.same = number.get(b"lower\t0\t\t0\t", NO_SCRIPT)
        for text in scripts:
            edits = bytes(text).partition(b"\t")[2]
            for casing in CASINGS[:WHOLE]:
                self.recased.push_back(number.get(casing.encode() + b"\t" + edits, NO_SCRIPT))

    def _check(self, int script):
        if not 0 <= script < len(self.scripts):
            raise ValueError(f"there is no lemma script {script} among {len(self.scripts)}")

    def script(self, int chosen, str form, uint32_t tags, bint is_first=False):
        """Return the script of an unknown word for which the model has chosen one."""
        cdef bytes text = form.encode()
        self._check(chosen)
        return self.corrected(chosen, Text(text, len(text)), tags, is_first)

    cdef int corrected(self, int chosen, Text form, uint32_t tags,
                       bint is_first) except -1 nogil:
        """Return the script of an unknown word, given the model's choice and the tags.

        `is_first` is set for the first word of a sentence, whose capital means nothing.
        """
        cdef vector[char] lemma
        cdef unordered_map[uint32_t, vector[int]].iterator others
        cdef size_t k
        cdef int script, most
        cdef bint is_kept
        if self.lemmas.empty():
            return chosen
        if form.size and c"0" <= form.text[0] <= c"9":
            return self.of_number(chosen, form)
        script = self.by_ending(form, tags, whole=True)
        if script >= 0:
            return script
        chosen = self.in_case(chosen, form, tags, is_first)
        is_kept = self.scripts.keeps(chosen)
        if not is_kept and self.gives_lemma(chosen, form, lemma):
            return chosen
        script = self.by_ending(form, tags, whole=False)
        if script >= 0:
            return script
        others = self.usual.find(tags)
        if others == self.usual.end() or is_kept and (
                self.endings_cut.empty() or self.scripts.keeps(dereference(others).second[0])):
            return chosen
        most = self.scripts.scripts[chosen].cut_end + 1
        for k in range(dereference(others).second.size()):
            script = dereference(others).second[k]
            if self.is_cut(script, form, most) and self.gives_lemma(script, form, lemma):
                return script
        return chosen

    cdef int of_number(self, int chosen, Text form) except -2 nogil:
        """Return the script of a number: not one that makes another number of it.

        "6,606" would become "8606" after "8,000", whose lemma is "8000".
        """
        cdef vector[char] lemma
        cdef Py_ssize_t i
        cdef size_t at = 0
        if self.same < 0 or self.endings_cut.empty():
            return chosen
        self.scripts.apply(chosen, form, lemma)
        for i in range(form.size):
            if c"0" <= form.text[i] <= c"9":
                while at < lemma.size() and not c"0" <= lemma[at] <= c"9":
                    at += 1
                if at == lemma.size() or lemma[at] != form.text[i]:
                    return self.same
                at += 1
        return chosen

    cdef int in_case(self, int chosen, Text form, uint32_t tags,
                     bint is_first) except -2 nogil:
        """Return the script that differs from the chosen one in casing, if it gives a known lemma.

        Names in small letters or in capitals throughout get one capital, other words none.
        """
        cdef vector[char] lemma
        cdef int casing = self.scripts.scripts[chosen].casing, other, n_capitals = 0, n_small = 0
        cdef int wanted = TITLE if self.names.count(tags) else LOWER
        cdef Py_ssize_t at = 0
        cdef uint32_t c
        if self.names.empty() or casing == WHOLE or casing == wanted:
            return chosen
        while at < form.size:
            c = next_character(form.text, form.size, &at)
            n_capitals += lowered(c) != c
            n_small += Py_UNICODE_TOTITLE(c) != c
        if wanted == LOWER and n_capitals == 0:
            return chosen
        if wanted == TITLE and n_capitals > 0 and (n_small > 0 or n_capitals == 1):
            return chosen
        other = self.recased[WHOLE * chosen + wanted]
        if other < 0:
            return chosen
        if n_capitals > 0 and not (is_first and wanted == LOWER and n_small > 0) and (
                self.gives_lemma(chosen, form, lemma)):     # n_small: not "I"
            return chosen
        return other if self.gives_lemma(other, form, lemma) else chosen

    cdef bint is_cut(self, int script, Text form, int most) except -1 nogil:
        """Whether the script has cut the same ending off a word, after the same character or many.

        Without such endings a script cuts at most `most` characters, one more than the model's, or
        "jurors" would become "jury".
        """
        cdef vector[char] low
        cdef vector[size_t] starts
        cdef Py_ssize_t at = 0
        cdef size_t begin, cut = self.scripts.scripts[script].cut_end
        if self.endings_cut.empty():
            return self.scripts.scripts[script].cut_end <= most
        if cut == 0:
            return True
        while at < form.size:
            starts.push_back(low.size())
            append(lowered(next_character(form.text, form.size, &at)), low)
        if starts.size() <= cut:
            return False
        for begin in range(starts.size() - cut - 1, starts.size() - cut + 1):
            at = starts[begin]
            if self.endings_cut.count(
                    hashed_on(hashed(low.data() + at, low.size() - at), script)) > 0:
                return True
        return False

    cdef bint gives_lemma(self, int script, Text form, vector[char]& lemma) except -1 nogil:
        """Whether a script turns the form into a known lemma."""
        lemma.clear()
        self.scripts.apply(script, form, lemma)
        return self.lemmas.count(hashed(lemma.data(), lemma.size())) > 0

    cdef int by_ending(self, Text form, uint32_t tags, bint whole) except -1 nogil:
        """Return the script of the longest exception that the form ends in (`whole`: that it is).

        NO_SCRIPT if there is none.
        """
        cdef vector[char] low
        cdef vector[size_t] starts
        cdef unordered_map[uint64_t, int].iterator found
        cdef Py_ssize_t at = 0
        cdef uint64_t ending
        cdef size_t i
        while at < form.size:
            starts.push_back(low.size())
            append(lowered(next_character(form.text, form.size, &at)), low)
            if starts.size() > MOST_CHARACTERS:
                return NO_SCRIPT
        for i in range(0 if whole else SHORTEST_START, 1 if whole else starts.size()):
            if starts.size() < i + SHORTEST_END:
                break
            if i > 0 and self.prefixes.count(hashed(low.data(), starts[i])) == 0:
                continue
            ending = hashed(low.data() + starts[i], low.size() - starts[i])
            found = self.endings.find(hashed_on(ending, tags))
            if found == self.endings.end():
                found = self.endings.find(hashed_on(ending, ANY_CLASSES))
            if found != self.endings.end():
                return dereference(found).second
        return NO_SCRIPT
