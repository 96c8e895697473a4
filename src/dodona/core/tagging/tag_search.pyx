"""Search for tags with packed weights: greedily from left to right, or with a beam.

Greedy search caches the scores of a word's own features, and prefetches the weights of the next
word while it tags one: text to CoNLL-U is 1.02x as fast.
"""
from cpython.object cimport PyObject
from libc.stdint cimport int16_t, int32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

from dodona.core.base.nodes cimport NONE
from dodona.core.features.corpus cimport Corpus
from dodona.core.features.words cimport N_RESERVED, WordsC
from dodona.core.tagging.tag_beam cimport TagBeam
from dodona.core.tagging.tag_beam import PackedTagScorer
from dodona.core.tagging.tag_task cimport TagTask
from dodona.core.weights.linear cimport BLOCK
from dodona.core.weights.score_cache cimport ScoreCache
from dodona.core.weights.packed cimport PackedWeights

cdef extern from "blocks.h":
    int dodona_best(const int16_t* scores, int n_blocks) noexcept nogil


LOG_WORDS = 8   # log2 of the words whose own scores are cached
MANY = 16       # sentences; with fewer, making the cache takes as long as it saves


cdef class TagWorkspace:
    """Buffers of a search on one corpus, and the sentences that keep their tags."""
    cdef vector[uint64_t] keys
    cdef vector[int16_t] scores
    cdef TagBeam beam
    cdef ScoreCache cache                          # None for few sentences
    cdef const unsigned char[::1] kept      # or None

    def __init__(self, TagSearch search not None, Corpus corpus not None,
                 const unsigned char[::1] kept):
        cdef TagTask task = search.task
        if corpus.n_columns != task.n_columns:
            raise ValueError(f"{corpus.n_columns} columns, but the task needs {task.n_columns}")
        if kept is not None and kept.shape[0] != len(corpus):
            raise ValueError(f"{kept.shape[0]} flags for {len(corpus)} sentences")
        self.kept = kept
        self.beam = TagBeam(task, PackedTagScorer(search.weights), search.width)
        if len(corpus) >= MANY:
            self.cache = ScoreCache(task.sketch.n_lanes * sizeof(int16_t), (LOG_WORDS,))
        self.keys.resize(2 * task.features.n_templates)
        self.scores.resize(task.n_padded)


cdef class TagSearch:
    """Search that fills in the column of a task; thread-safe. A width of 1 is greedy."""
    cdef readonly TagTask task
    cdef readonly PackedWeights weights
    cdef readonly int width

    def __init__(self, TagTask task, PackedWeights weights, int width=1):
        if weights.n_classes != task.n_classes:
            raise ValueError(
                f"weights for {weights.n_classes} classes, but there are {task.n_classes}")
        TagBeam(task, PackedTagScorer(weights), width)      # raises ValueError for a wrong width
        self.task, self.weights, self.width = task, weights, width

    def tag(self, Corpus corpus, const unsigned char[::1] kept=None):
        """Tag all sentences of the corpus, except those whose byte in `kept` is not 0."""
        tag_all([self], corpus, [kept])

    cdef int tag_corpus(self, Corpus corpus, TagWorkspace space) except -1 nogil:
        cdef WordsC words
        cdef int32_t* own
        cdef int i
        for i in range(<int> corpus.n_words.size()):
            if space.kept is not None and space.kept[i]:
                continue
            words, own = corpus.words(i), self.task.own(corpus, i)
            if self.width == 1:
                self.tag_greedily(&words, own, space.keys.data(), space.scores.data(), space.cache)
            else:
                self.tag_with_beam(&words, own, space.beam)

    cdef int tag_greedily(self, const WordsC* words, int32_t* own, uint64_t* keys,
                          int16_t* scores, ScoreCache cache) except -1 nogil:
        """Tag a sentence; the static weights of the next word are prefetched meanwhile."""
        cdef int following, word = self.tag_fixed(words, own, 1)
        cdef uint64_t* ahead = keys + self.task.features.n_templates
        self.prefetch(words, word, keys)
        while word <= words.n_words:
            following = self.tag_fixed(words, own, word + 1)
            self.prefetch(words, following, ahead)
            own[word] = self.best_class(words, word, keys, scores, cache) + N_RESERVED
            word, keys, ahead = following, ahead, keys

    cdef int tag_fixed(self, const WordsC* words, int32_t* own, int word) noexcept nogil:
        """Tag a run of words with fixed classes; return the first word without one."""
        cdef int klass
        while word <= words.n_words:
            klass = self.task.fixed_class(words, word)
            if klass == NONE:
                break
            own[word] = klass + N_RESERVED
            word += 1
        return word

    cdef void prefetch(self, const WordsC* words, int word, uint64_t* keys) noexcept nogil:
        """Write the static keys of a word, if it exists, and prefetch their weights."""
        if word <= words.n_words:
            self.task.features.fill_static(words, word, keys)
            self.weights.prefetch(keys + self.task.features.n_alone,
                                  self.task.features.n_static - self.task.features.n_alone)

    cdef int best_class(self, const WordsC* words, int word, uint64_t* keys,
                        int16_t* scores, ScoreCache cache) except -1 nogil:
        """Return the best class of a word, given its static keys."""
        cdef int best, first, last, n_lanes = self.task.sketch.n_lanes
        cdef const int16_t* exact = scores + self.task.sketch.exact_lane
        self.task.features.fill_history(words, word, keys + self.task.features.n_static)
        memcpy(scores, self.task.blank.data(), n_lanes * sizeof(int16_t))
        self.weights.score_lanes(keys, self.task.features.n_templates,
                                 &self.task.features.n_alone, cache, scores, n_lanes)
        best = dodona_best(exact, self.task.sketch.n_exact // BLOCK)
        if self.task.sketch.find_inconclusive(scores, exact[best], &first, &last):
            memcpy(scores, self.task.blank.data() + n_lanes, self.task.n_padded * sizeof(int16_t))
            self.weights.score(keys, self.task.features.n_templates, scores)
            best = dodona_best(scores, self.task.n_padded // BLOCK)
        # with weights out of bounds, all scores may be below the padding's
        return best if best < self.task.n_classes else 0

    cdef int tag_with_beam(self, const WordsC* words, int32_t* own,
                           TagBeam beam) except -1 nogil:
        cdef int i
        beam.start(words.n_words, own)
        for i in range(1, words.n_words + 1):
            beam.extend(words, i, NONE)
        beam.write_best(words.n_words, own, N_RESERVED)


def tag_all(searches, Corpus corpus not None, kept):
    """Run one task after the other; `kept` has for each the flags of `TagSearch.tag`, or None.

    The interpreter lock is released once for all tasks, so that threads wait less for each other.
    """
    cdef tuple tasks = tuple(searches)
    cdef list spaces = [
        TagWorkspace(search, corpus, marks) for search, marks in zip(tasks, kept, strict=True)]
    cdef vector[PyObject*] c_tasks, c_spaces
    cdef TagSearch search
    cdef TagWorkspace space
    cdef size_t i
    for search, space in zip(tasks, spaces, strict=True):
        c_tasks.push_back(<PyObject*> search)
        c_spaces.push_back(<PyObject*> space)
    with nogil:
        for i in range(c_tasks.size()):
            (<TagSearch> c_tasks[i]).tag_corpus(corpus, <TagWorkspace> c_spaces[i])
