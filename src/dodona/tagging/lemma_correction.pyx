"""Lemmas of words that are not known: by analogy with a known ending, and checked with a lexicon.

A model that has chosen a script knows how words end, but no words. An exception of the same tags
that is only spelled with other capitals, or was never read but is in a list, has its own script.
Where the model changes a word into no lemma that is known, two things correct it. A word that ends
in an exception with the same tags, after what often stands before words, goes like that: "rebuilt"
like "built". Else another script that is usual with these tags may give a known lemma.
"""
from cython.operator cimport dereference
from libcpp.pair cimport pair

from dodona.core.base.hashing cimport hashed_on
from dodona.treebank.characters cimport append, lowered, next_character
from dodona.treebank.encoding.vocabulary cimport hashed

from dodona.core.tagging.tag_task import ANY

cdef uint32_t ANY_CLASSES = ANY
cdef enum:
    SHORTEST_START = 2        # characters before a known ending …
    SHORTEST_END = 3          # … and of it
    MOST_CHARACTERS = 48      # of words that are looked at
    NO_SCRIPT = -2            # -1 is an error

ctypedef pair[uint64_t, int] ending_of
ctypedef pair[uint32_t, vector[int]] usual_of


def lemma_hash(str lemma):
    """The hash by which a lemma or a form is known."""
    cdef bytes text = lemma.encode()
    return hashed(text, len(text))


cdef class LemmaCorrection:
    """The scripts of lemmas, and what is known of unknown words.

    `exceptions` are (hash of a form in lower case, number of its tags or ANY, script); `lemmas` and
    `prefixes` hashes; `usual` (number of tags, script), the most frequent first.
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
            raise ValueError(f"script {script} of {len(self.scripts)} for lemmas")

    def script(self, int chosen, str form, uint32_t tags):
        """The number of the script that an unknown word has, where a model has chosen one."""
        cdef bytes text = form.encode()
        self._check(chosen)
        return self.better(chosen, Text(text, len(text)), tags)

    cdef int better(self, int chosen, Text form, uint32_t tags) except -1 nogil:
        cdef vector[char] lemma
        cdef unordered_map[uint32_t, vector[int]].iterator others
        cdef size_t k
        # what is cut off is not much more, or "jurors" would be of a "jury"
        cdef int script, most = self.scripts.scripts[chosen].cut_end + 1
        if form.size and c"0" <= form.text[0] <= c"9":
            return chosen
        if self.lemmas.empty():
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
        """Whether a script makes a known lemma of the form."""
        lemma.clear()
        self.scripts.apply(script, form, lemma)
        return self.lemmas.count(hashed(lemma.data(), lemma.size())) > 0

    cdef int by_ending(self, Text form, uint32_t tags, bint whole) except -1 nogil:
        """The script of the longest exception that the form ends in, or, if `whole`, that it is;
        NO_SCRIPT if there is none."""
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
