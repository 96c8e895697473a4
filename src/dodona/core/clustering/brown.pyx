"""Brown clusters (Brown et al. 1992), added one word at a time (Liang 2005, section 4.2).

The C most frequent words start as clusters. Every further word becomes cluster C + 1, and the two
clusters are merged whose merger loses the least mutual information between adjacent clusters. In
the end the C clusters are merged into one; the path from the root of the mergers to a cluster is
its bit string.

Loss of a merger. Let n(a, b) count the bigrams from cluster a to cluster b, l(a) and r(b) those
that begin in a and those that end in b, with any other word of the text, and N all bigrams. The
sentence boundary is one more cluster, which is never merged: otherwise a word that only begins
sentences and one that only ends them could be merged without loss. N times the mutual information
of the current clusters is, with f(n) = n log n,

    sum over a, b of  f(n(a, b)) + n(a, b) (log N - log l(a) - log r(b)).

Merging i and j changes the part with l and r by sums of rows and columns only, and the other by
f(p + q) - f(p) - f(q) for any two cells p = n(i, x), q = n(j, x), or n(x, i), n(x, j), that are
added. These terms are summed in `shared[i, j]`; when one cell changes, `change` updates them in
O(C). A rare word has few neighbours, so the losses of few clusters change, and the best partner of
each is kept from step to step: O(C) per word and neighbour, where all pairs take O(C^2).

Logarithms are exactly additive integers (see `integer_logs`). Updated tables thus equal recomputed
ones, and equal losses are equal on every machine: ties are broken in favour of the clusters with
the more frequent words.
"""
from libc.stdint cimport INT32_MAX, INT64_MAX, int32_t, int64_t, uint64_t
from libcpp.algorithm cimport sort
from libcpp.pair cimport pair
from libcpp.vector cimport vector

from dodona.core.base.integer_logs cimport Logs, fill_logs, log_of, n_log_n

cdef enum:
    EDGE = -1                 # in a text: a sentence boundary
    FREE = -1                 # no cluster in a slot
    NOBODY = -1               # no slot

cdef struct Neighbours:       # of word w: word[start[w]] … word[start[w + 1] - 1], with counts
    vector[size_t] start
    vector[int32_t] word
    vector[int32_t] count

cdef struct Together:         # log l and log r of the union of two clusters
    int64_t left
    int64_t right

cdef struct Partner:          # the best merger of a cluster: its loss, the other cluster …
    int64_t loss
    int32_t slot              # … (NOBODY: unknown, and the loss is a lower bound) …
    int32_t lowest            # … and its lowest word, which breaks ties


cdef inline bint is_better(int64_t loss, int32_t lowest, const Partner* known) noexcept nogil:
    return loss < known.loss or (loss == known.loss and lowest < known.lowest)


cdef inline uint64_t bigram(int32_t first, int32_t second) noexcept nogil:
    """Encode two words as one number; EDGE is 0."""
    return <uint64_t> (first - EDGE) << 32 | <uint64_t> (second - EDGE)


cdef class Brown:
    """A clustering in progress: call `advance` until `n_done` is `n_steps`, then `paths`.

    The text is a sequence of word numbers, the most frequent word being 0. -1 is a sentence
    boundary; lower numbers are excluded words. A cluster is identified by its lowest word.

    >>> from array import array
    >>> text = array("i", [-1, 0, 2, -1, 1, 2, -1, 0, 3, -1, 1, 3, -1])
    >>> brown = Brown(text, n_words=4, n_clusters=4)
    >>> brown.advance(brown.n_steps)
    >>> brown.merges, brown.paths()
    ([(0, 1), (2, 3), (0, 2)], ['00', '01', '10', '11'])
    """
    cdef readonly int n_words, n_clusters, n_done
    cdef int n_active
    cdef size_t width                   # slots: one more than clusters, and the last for …
    cdef int32_t edge                   # … the sentence boundary
    cdef Logs logs
    cdef Neighbours after, before
    cdef vector[int32_t] joined         # per word: a lower word of its cluster, or itself
    cdef vector[int32_t] slot           # per word: slot of its cluster, if it is the lowest word
    cdef vector[pair[int32_t, int32_t]] merged
    # per slot
    cdef vector[int32_t] lowest         # word of the cluster, or FREE
    cdef vector[int64_t] left, right    # l and r
    cdef vector[int64_t] row, column    # sums of n
    cdef vector[int32_t] diagonal       # of n
    cdef vector[int64_t] alone          # the terms of l and r for the cluster
    cdef vector[Partner] best
    cdef vector[int32_t] dirty          # slots whose losses have changed …
    cdef vector[char] is_dirty          # … and whether a slot is one of them
    cdef vector[int32_t] amount         # sums over the words of a cluster
    # per pair of slots
    cdef vector[int32_t] n, transposed
    cdef vector[int64_t] shared
    cdef vector[Together] together

    def __init__(self, const int32_t[::1] text not None, int n_words, int n_clusters):
        if n_clusters < 1 or n_words < 1:
            raise ValueError(f"{n_clusters} clusters of {n_words} words: at least one is needed")
        if text.shape[0] > INT32_MAX:
            raise ValueError(f"a text of at most {INT32_MAX:,} words can be clustered")
        self.n_words = n_words
        self.n_clusters = min(n_clusters, n_words)
        self._count(text)
        self._make_slots(self.n_clusters + 2)
        for word in range(n_words):
            self.joined.push_back(word)
        self.slot.resize(n_words, FREE)
        self.merged.reserve(n_words)

    @property
    def n_steps(self):
        """Total number of steps: words to add, and clusters to merge in the end."""
        return self.n_words + self.n_clusters - 1

    @property
    def merges(self):
        """Merged pairs of clusters, in order, the lower cluster first."""
        return [(one.first, one.second) for one in self.merged]

    def _count(self, const int32_t[::1] text):
        """Count the neighbours of every word."""
        cdef vector[uint64_t] bigrams
        cdef Py_ssize_t i
        cdef size_t k
        for i in range(text.shape[0]):
            if text[i] >= self.n_words:
                raise ValueError(f"word {text[i]}, but there are {self.n_words}")
            if i and min(text[i - 1], text[i]) >= EDGE and max(text[i - 1], text[i]) >= 0:
                bigrams.push_back(bigram(text[i - 1], text[i]))
        fill_logs(&self.logs, bigrams.size())
        collect(bigrams, self.n_words, &self.after)
        for k in range(bigrams.size()):
            bigrams[k] = bigrams[k] << 32 | bigrams[k] >> 32
        collect(bigrams, self.n_words, &self.before)

    def _make_slots(self, size_t width):
        self.width = width
        self.edge = width - 1
        self.lowest.resize(width, FREE)
        self.left.resize(width)
        self.right.resize(width)
        self.row.resize(width)
        self.column.resize(width)
        self.diagonal.resize(width)
        self.alone.resize(width)
        self.best.resize(width, Partner(INT64_MAX, NOBODY, NOBODY))
        self.dirty.reserve(width)
        self.is_dirty.resize(width)
        self.amount.resize(width)
        self.n.resize(width * width)
        self.transposed.resize(width * width)
        self.shared.resize(width * width)
        self.together.resize(width * width)

    def advance(self, int n_steps):
        """Take at most `n_steps` of the remaining steps."""
        cdef int end = min(self.n_done + n_steps, <int> self.n_steps)
        with nogil:
            while self.n_done < end:
                if self.n_done < self.n_words:
                    self.add(self.n_done)
                if self.n_active > self.n_clusters or self.n_done >= self.n_words:
                    self.merge_best()
                self.n_done += 1

    def paths(self):
        """Return the bit string of every word; the lower cluster of a pair gets 0."""
        if self.n_done < self.n_steps:
            raise ValueError(f"only {self.n_done} of {self.n_steps} steps have been taken")
        paths = {0: ""}
        for low, high in reversed(self.merges[self.n_words - self.n_clusters:]):
            paths[high] = paths[low] + "1"
            paths[low] += "0"
        clusters = list(range(self.n_words))
        for low, high in self.merges[:self.n_words - self.n_clusters]:
            clusters[high] = low
        for word in range(self.n_words):      # lower words are resolved first
            clusters[word] = clusters[clusters[word]]
        return [paths[cluster] for cluster in clusters]

    cdef void add(self, int32_t word) noexcept nogil:
        """Add the next word as a cluster in a free slot."""
        cdef int32_t k = 0
        cdef size_t i
        while self.lowest[k] != FREE:
            k += 1
        self.lowest[k] = word
        self.joined[word] = word
        self.slot[word] = k
        self.left[k] = self.right[k] = 0
        self.n_active += 1
        self.touch(k)
        self.sum_neighbours(&self.after, word, &self.left[k])
        for i in range(self.width):
            self.change(k, i, self.amount[i])
            self.amount[i] = 0
        self.sum_neighbours(&self.before, word, &self.right[k])
        self.amount[k] = 0                  # the bigram of the word with itself is counted above
        for i in range(self.width):
            self.change(i, k, self.amount[i])
            self.amount[i] = 0
        self.set_together(k)

    cdef void sum_neighbours(self, const Neighbours* found, int32_t word,
                             int64_t* total) noexcept nogil:
        """Add the counts of a word's neighbours to the amounts of their clusters and the total."""
        cdef size_t i
        for i in range(found.start[word], found.start[word + 1]):
            total[0] += found.count[i]
            if found.word[i] == EDGE:
                self.amount[self.edge] += found.count[i]
            elif found.word[i] <= word:     # later words are in no cluster yet
                self.amount[self.slot[self.cluster(found.word[i])]] += found.count[i]

    cdef void set_together(self, size_t a) noexcept nogil:
        """Update the logarithms of unions after l and r of a cluster have changed."""
        cdef Together logs
        cdef size_t i
        for i in range(self.width):
            logs = Together(log_of(&self.logs, self.left[a] + self.left[i]),
                            log_of(&self.logs, self.right[a] + self.right[i]))
            self.together[a * self.width + i] = self.together[i * self.width + a] = logs

    cdef int32_t cluster(self, int32_t word) noexcept nogil:
        """Return the lowest word of a word's cluster."""
        while self.joined[word] != word:
            self.joined[word] = self.joined[self.joined[word]]
            word = self.joined[word]
        return word

    cdef inline void touch(self, int32_t i) noexcept nogil:
        if not self.is_dirty[i]:
            self.is_dirty[i] = True
            self.dirty.push_back(i)

    cdef void change(self, size_t a, size_t b, int32_t amount) noexcept nogil:
        """Add to n(a, b) and update what depends on it."""
        cdef int32_t old = self.n[a * self.width + b]
        if amount == 0:
            return
        self.n[a * self.width + b] += amount
        self.transposed[b * self.width + a] += amount
        if a == b:
            self.diagonal[a] += amount
        self.row[a] += amount
        self.column[b] += amount
        self.touch(a)
        self.touch(b)
        self.share(a, old, amount, &self.transposed[b * self.width])
        self.share(b, old, amount, &self.n[a * self.width])

    cdef void share(self, size_t a, int64_t old, int64_t amount,
                    const int32_t* others) noexcept nogil:
        """Update `shared` of cluster a with every other one after one of its cells has grown."""
        cdef const Logs* logs = &self.logs
        cdef int64_t rise = n_log_n(logs, old + amount) - n_log_n(logs, old), more
        cdef size_t i
        for i in range(self.width):
            if others[i] and i != a:
                more = n_log_n(logs, old + amount + others[i]) - n_log_n(logs, old + others[i])
                self.shared[a * self.width + i] += more - rise
                self.shared[i * self.width + a] += more - rise

    cdef int64_t loss(self, size_t i, size_t j) noexcept nogil:
        """Return N times the mutual information that merging i and j loses."""
        cdef const Logs* logs = &self.logs
        # everything is read along row i, which is contiguous in memory
        cdef int64_t ij = self.n[i * self.width + j], ji = self.transposed[i * self.width + j]
        cdef int64_t ii = self.diagonal[i], jj = self.diagonal[j]
        cdef int64_t gain = self.shared[i * self.width + j]
        cdef const Together* log_of_sums = &self.together[i * self.width + j]
        cdef int64_t taken = ((self.row[i] + self.row[j]) * log_of_sums.left
                              + (self.column[i] + self.column[j]) * log_of_sums.right
                              - self.alone[i] - self.alone[j])
        if ij or ji or (ii and jj):
            # these four cells become one, but `shared` has them in pairs only
            gain += (n_log_n(logs, ii + ij + ji + jj)
                     - n_log_n(logs, ii + ji) - n_log_n(logs, ij + jj)
                     - n_log_n(logs, ii + ij) - n_log_n(logs, ji + jj)
                     + n_log_n(logs, ii) + n_log_n(logs, ij)
                     + n_log_n(logs, ji) + n_log_n(logs, jj))
        return taken - gain

    cdef void find_partners(self) noexcept nogil:
        """Update the best partners of the clusters whose losses have changed."""
        cdef const Logs* logs = &self.logs
        cdef size_t d
        cdef int32_t i
        for d in range(self.dirty.size()):
            i = self.dirty[d]
            self.alone[i] = (self.row[i] * log_of(logs, self.left[i])
                             + self.column[i] * log_of(logs, self.right[i]))
        for d in range(self.dirty.size()):
            self.find_partner(self.dirty[d])
        for d in range(self.dirty.size()):
            self.is_dirty[self.dirty[d]] = False
        self.dirty.clear()

    cdef void find_partner(self, int32_t i) noexcept nogil:
        """Find the best partner of i and, if its losses have changed, update the others'."""
        cdef Partner* other
        cdef int32_t j
        cdef int64_t loss
        self.best[i] = Partner(INT64_MAX, NOBODY, NOBODY)
        for j in range(<int32_t> self.width):
            if j == i or self.lowest[j] == FREE:
                continue
            other = &self.best[j]
            if self.lowest[i] == FREE:
                if other.slot == i:
                    other.slot = NOBODY
                continue
            loss = self.loss(i, j)
            if is_better(loss, self.lowest[j], &self.best[i]):
                self.best[i] = Partner(loss, j, self.lowest[j])
            if self.is_dirty[j] or not self.is_dirty[i]:
                continue                    # j is updated itself, or i has not changed
            if loss < other.loss or (other.slot != NOBODY
                                     and is_better(loss, self.lowest[i], other)):
                other[0] = Partner(loss, i, self.lowest[i])
            elif other.slot == i and (loss != other.loss or self.lowest[i] != other.lowest):
                other.slot = NOBODY         # i was the best partner but has become worse

    cdef void merge_best(self) noexcept nogil:
        """Merge the two clusters whose merger loses least.

        Often one cluster of rare words is the best partner of most others, and becomes worse with
        every word: searching for the next best only when it matters is 8 times faster.
        """
        cdef Partner best
        cdef size_t i
        self.find_partners()
        while True:
            best = Partner(INT64_MAX, NOBODY, NOBODY)
            for i in range(self.width):
                if self.lowest[i] != FREE and is_better(self.best[i].loss, self.lowest[i], &best):
                    best = Partner(self.best[i].loss, <int32_t> i, self.lowest[i])
            if self.best[best.slot].slot != NOBODY:
                break
            self.find_partner(best.slot)
        self.merge(best.slot, self.best[best.slot].slot)

    cdef void merge(self, int32_t a, int32_t b) noexcept nogil:
        """Move one of two clusters into the slot of the other."""
        cdef int32_t low = min(self.lowest[a], self.lowest[b])
        cdef int32_t high = max(self.lowest[a], self.lowest[b]), i
        if self.row[a] + self.column[a] > self.row[b] + self.column[b]:
            a, b = b, a                     # move the smaller one
        for i in range(<int32_t> self.width):
            self.move_cell(a, i, b, b if i == a else i)
        for i in range(<int32_t> self.width):
            self.move_cell(i, a, i, b)
        self.left[b] += self.left[a]
        self.right[b] += self.right[a]
        self.set_together(b)
        self.touch(a)
        self.touch(b)
        self.lowest[a] = FREE
        self.lowest[b] = low
        self.slot[low] = b
        self.joined[high] = low
        self.merged.push_back(pair[int32_t, int32_t](low, high))
        self.n_active -= 1

    cdef void move_cell(self, size_t a, size_t b, size_t to_a, size_t to_b) noexcept nogil:
        cdef int32_t amount = self.n[a * self.width + b]
        self.change(a, b, -amount)
        self.change(to_a, to_b, amount)


cdef void collect(vector[uint64_t]& bigrams, int n_words, Neighbours* found):
    """Sort the bigrams and count the neighbours of the first word of each."""
    cdef size_t i = 0, first
    cdef int word
    sort(bigrams.begin(), bigrams.end())
    while i < bigrams.size() and bigrams[i] < bigram(0, EDGE):
        i += 1                              # bigrams that begin with the boundary
    for word in range(n_words):
        found.start.push_back(found.word.size())
        while i < bigrams.size() and bigrams[i] < bigram(word + 1, EDGE):
            first = i
            while i < bigrams.size() and bigrams[i] == bigrams[first]:
                i += 1
            found.word.push_back(<int32_t> (bigrams[first] & 0xffffffff) + EDGE)
            found.count.push_back(<int32_t> (i - first))
    found.start.push_back(found.word.size())
