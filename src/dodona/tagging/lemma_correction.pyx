"""Correction of lemma scripts of unknown words, by analogy and with a lexicon.

The model chooses a script by the ending of a word; it knows no words. An exception with the same
tags that differs only in case, or is listed, has its own script. If the model's script does not
produce a known lemma, two corrections are tried: a word that consists of a known prefix and an
exception with the same tags gets its script ("rebuilt" like "built"); otherwise another frequent
script for these tags is used if it produces a known lemma.
"""
from cython.operator cimport dereference
from libcpp.pair cimport pair

from dodona.core.base.hashing cimport hashed_on
from dodona.treebank.characters cimport append, lowered, next_character
from dodona.treebank.encoding.vocabulary cimport hashed

from dodona.core.tagging.tag_task import ANY

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
    `prefixes` are hashes; `usual` are (id of tags, script), the most frequent first.
    """

    def __init__(self, scripts, exceptions=(), lemmas=(), prefixes=(), usual=()):
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

    def _check(self, int script):
        if not 0 <= script < len(self.scripts):
            raise ValueError(f"there is no lemma script {script} among {len(self.scripts)}")

    def script(self, int chosen, str form, uint32_t tags):
        """Return the script of an unknown word for which the model has chosen one."""
        cdef bytes text = form.encode()
        self._check(chosen)
        return self.corrected(chosen, Text(text, len(text)), tags)

    cdef int corrected(self, int chosen, Text form, uint32_t tags) except -1 nogil:
        """Return the script of an unknown word, given the model's choice and the tags."""
        cdef vector[char] lemma
        cdef unordered_map[uint32_t, vector[int]].iterator others
        cdef size_t k
        # another script cuts at most one character more, or "jurors" would become "jury"
        cdef int script, most = self.scripts.scripts[chosen].cut_end + 1
        if form.size and c"0" <= form.text[0] <= c"9" or self.lemmas.empty():
            return chosen
        script = self.by_ending(form, tags, whole=True)
        if script >= 0:
            return script
        if not self.scripts.keeps(chosen) and self.gives_lemma(chosen, form, lemma):
            return chosen
        script = self.by_ending(form, tags, whole=False)
        if script >= 0 or self.scripts.keeps(chosen):
            return script if script >= 0 else chosen
        others = self.usual.find(tags)
        if others != self.usual.end():
            for k in range(dereference(others).second.size()):
                script = dereference(others).second[k]
                if self.scripts.scripts[script].cut_end <= most and (
                        self.gives_lemma(script, form, lemma)):
                    return script
        return chosen

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
