"""The averaged perceptron's weights in training; `packed` has the read-only ones.

A 64-bit feature key leads to a row: the weights of the classes (actions) for that feature. Rows
are sparse in blocks of eight classes, so that a block is one or two vector additions and a row of
a rare feature stays small. Lookups take three passes over all features of a state (prefetch the
table slots, find the rows, add them), so that their cache misses overlap.

Averaging is lazy: with updates δ at times t, the average of a weight over T steps is
w − (Σ δ·t) / T, so it takes only one more sum per weight (Daumé 2006, figure 2.3).
"""
from libc.string cimport memcpy, memset
from libcpp.algorithm cimport sort

cdef extern from "blocks.h":
    void dodona_prefetch(const void* address) noexcept nogil
    void dodona_add_floats(float* sums, const float* others, int n_blocks) noexcept nogil

cdef enum:
    FIRST_TABLE = 1 << 12
    FIRST_CAPACITY = 2

cdef struct LearnedRow:             # a row that was looked up
    size_t start
    int n_blocks

cdef size_t MAX_BLOCKS = <size_t> 1 << 32     # a row has 32 bits for its first block


cdef inline size_t slot_of(uint64_t key, size_t n_slots) noexcept nogil:
    """Return the table slot of a key: its high half, which is well mixed."""
    return <size_t> (key >> 32) & (n_slots - 1)


cdef int check_keys(keys, vector[uint64_t]& checked) except -1:
    """Refuse keys from Python that are too many, or even (0 marks a free slot)."""
    cdef uint64_t key
    if len(keys) > MAX_KEYS:
        raise ValueError(f"{len(keys)} keys; at most {MAX_KEYS} are possible")
    for key in keys:
        if not key & 1:
            raise ValueError(f"the key {key} is even: features have odd ones")
        checked.push_back(key)
    return 0


cdef int check_classes(int n_classes) except -1:
    """Refuse a number of classes that the tables cannot hold."""
    if n_classes < 1:
        raise ValueError("a classifier needs at least one class")
    if n_classes > MAX_CLASSES:
        raise ValueError(
            f"{n_classes} classes (moves with their labels), but at most {MAX_CLASSES} are "
            "possible: merge rare labels, or projectivise with fewer new ones")
    return 0


cdef Py_ssize_t _sum(const uint16_t[::1] counts) except -1 nogil:
    cdef Py_ssize_t i, total = 0
    for i in range(counts.shape[0]):
        total += counts[i]
    return total


cdef inline int find_learned(Weights weights, const uint64_t* keys, int n_keys,
                             LearnedRow* found) noexcept nogil:
    """Look keys up, and prefetch the weights of those that have a row; return how many have."""
    cdef const WeightRow* table = &weights.table[0]
    cdef const float* weight
    cdef size_t at, n_slots = weights.table.size()
    cdef int i, j, n = 0
    if weights.weight.size() == 0:
        return 0
    for i in range(n_keys):
        at = slot_of(keys[i], n_slots)
        while table[at].key != 0 and table[at].key != keys[i]:
            at = (at + 1) & (n_slots - 1)
        if table[at].key != 0:
            found[n].start, found[n].n_blocks = table[at].start, table[at].n_blocks
            dodona_prefetch(&weights.block_id[found[n].start])
            weight = &weights.weight[found[n].start * BLOCK]
            for j in range(0, found[n].n_blocks, 2):    # two blocks fill a cache line
                dodona_prefetch(weight + j * BLOCK)
            n += 1
    return n


cdef inline void add_learned(Weights weights, const LearnedRow* row, int n_rows,
                             float* scores) noexcept nogil:
    """Add the rows to the scores."""
    cdef const uint16_t* block_id
    cdef const float* weight
    cdef int i, j
    for i in range(n_rows):
        block_id, weight = &weights.block_id[row[i].start], &weights.weight[row[i].start * BLOCK]
        for j in range(row[i].n_blocks):
            dodona_add_floats(scores + block_id[j] * BLOCK, weight + j * BLOCK, 1)


cdef inline int move_weight(Weights weights, WeightRow* row, int klass, double amount,
                            double time) except -1 nogil:
    cdef double* total
    cdef float* weight = weights.cell(row, klass, &total)
    weight[0] += <float> amount
    total[0] += amount * time
    return 0


cdef class Weights:
    """Weights in training. Only features that were updated have rows.

    If memory runs out in an update, only some of its keys have been updated, but every row is
    consistent.
    """

    def __init__(self, int n_classes):
        check_classes(n_classes)
        self.n_classes = n_classes
        self.table.resize(FIRST_TABLE)
        self.free.resize(16)

    cdef void score(self, const uint64_t* keys, int n_keys, float* scores) noexcept nogil:
        """Add the weights of the keys to the scores, an array padded to whole blocks."""
        self.prefetch(keys, n_keys)
        self.score_prefetched(keys, n_keys, scores)

    cdef void prefetch(self, const uint64_t* keys, int n_keys) noexcept nogil:
        """Prefetch the table slots of the keys."""
        cdef const WeightRow* table = &self.table[0]
        cdef size_t n_slots = self.table.size()
        cdef int i
        for i in range(n_keys):
            dodona_prefetch(&table[slot_of(keys[i], n_slots)])

    cdef void score_prefetched(self, const uint64_t* keys, int n_keys,
                               float* scores) noexcept nogil:
        """Add the weights of keys that have been prefetched."""
        cdef LearnedRow found[MAX_KEYS]
        add_learned(self, found, find_learned(self, keys, n_keys, found), scores)

    cdef void score_cached(self, const uint64_t* keys, int n_keys, const int* ends,
                           ScoreCache cache, float* scores) noexcept nogil:
        """Add the weights of keys in sections, of which the cache keeps the first sums.

        The keys must have been prefetched, and the cache cleared since the last update.
        """
        cdef LearnedRow found[MAX_KEYS]
        cdef float* sums
        cdef int i, start = 0, n_blocks = padded(self.n_classes) // BLOCK
        cdef bint is_known
        for i in range(cache.n_sections):
            sums = <float*> cache.entry_for(i, keys + start, ends[i] - start, &is_known)
            if not is_known:
                memset(sums, 0, cache.n_bytes)
                add_learned(self, found, find_learned(self, keys + start, ends[i] - start, found),
                            sums)
            dodona_add_floats(scores, sums, n_blocks)
            start = ends[i]
        add_learned(self, found, find_learned(self, keys + start, n_keys - start, found), scores)

    cdef int update(self, const uint64_t* keys, int n_keys, int good, int bad, double amount,
                    double time) except -1 nogil:
        """Move every key's weight for `good` up, and for `bad` down, by the amount."""
        cdef WeightRow* rows[MAX_KEYS]
        cdef WeightRow* row
        cdef int i
        self.find_all(keys, n_keys, good, bad, rows)
        for i in range(n_keys):
            row = rows[i] if rows[i].key == keys[i] else self.find_or_add(keys[i])
            move_weight(self, row, good, amount, time)
            move_weight(self, row, bad, -amount, time)
        return 0

    cdef int add(self, const uint64_t* keys, int n_keys, int klass, double amount,
                 double time) except -1 nogil:
        """Move every key's weight for one class by the amount."""
        cdef WeightRow* rows[MAX_KEYS]
        cdef WeightRow* row
        cdef int i
        self.find_all(keys, n_keys, klass, klass, rows)
        for i in range(n_keys):
            row = rows[i] if rows[i].key == keys[i] else self.find_or_add(keys[i])
            move_weight(self, row, klass, amount, time)
        return 0

    cdef int find_all(self, const uint64_t* keys, int n_keys, int good, int bad,
                      WeightRow** rows) except -1 nogil:
        """Find the rows of keys, or the free slots for them, and prefetch the blocks to be updated.

        Makes room for all keys first, so that no row moves until all are updated.
        """
        cdef int i
        self.reserve(n_keys)
        for i in range(n_keys):
            rows[i] = self.find(keys[i])
            if rows[i].n_blocks:
                dodona_prefetch(&self.block_id[rows[i].start])
        for i in range(n_keys):
            if rows[i].n_blocks:
                self.prefetch_cells(rows[i], good // BLOCK, bad // BLOCK)
        return 0

    cdef void prefetch_cells(self, const WeightRow* row, int good, int bad) noexcept nogil:
        """Prefetch the weights and totals of two blocks of a row."""
        cdef const uint16_t* block_id = &self.block_id[row.start]
        cdef size_t at
        cdef int j
        for j in range(row.n_blocks):
            if block_id[j] == good or block_id[j] == bad:
                at = (<size_t> row.start + j) * BLOCK
                dodona_prefetch(&self.weight[at])
                dodona_prefetch(&self.total[at])

    cdef WeightRow* find(self, uint64_t key) noexcept nogil:
        """Return the row of a key, or the free slot where it belongs."""
        cdef size_t n_slots = self.table.size(), at = slot_of(key, n_slots)
        while self.table[at].key != 0 and self.table[at].key != key:
            at = (at + 1) & (n_slots - 1)
        return &self.table[at]

    cdef WeightRow* find_or_add(self, uint64_t key) except NULL nogil:
        cdef WeightRow* row
        self.reserve(1)
        row = self.find(key)
        if row.key == 0:
            row.key = key
            self.n_rows += 1
        return row

    cdef int reserve(self, size_t n) except -1 nogil:
        """Make room for n more rows."""
        while (self.n_rows + n) * 2 > self.table.size():
            self.grow()
        return 0

    cdef int grow(self) except -1 nogil:
        """Double the table; blocks stay where they are."""
        cdef Large[WeightRow] larger
        cdef size_t i, at, n_slots = self.table.size() * 2
        larger.resize(n_slots)
        for i in range(self.table.size()):
            if self.table[i].key != 0:
                at = slot_of(self.table[i].key, n_slots)
                while larger[at].key != 0:
                    at = (at + 1) & (n_slots - 1)
                larger[at] = self.table[i]
        self.table.swap(larger)
        return 0

    cdef float* cell(self, WeightRow* row, int klass, double** total) except NULL nogil:
        """Return the weight of a class in a row, and its total; add its block if there is none."""
        cdef int j, block = klass // BLOCK
        cdef size_t at
        for j in range(row.n_blocks):
            if self.block_id[row.start + j] == block:
                break
        else:
            j = row.n_blocks
            if row.n_blocks == row.capacity:
                self.enlarge(row)
            self.block_id[row.start + j] = <uint16_t> block
            row.n_blocks += 1
        at = (<size_t> row.start + j) * BLOCK + klass % BLOCK
        total[0] = &self.total[at]
        return &self.weight[at]

    cdef int enlarge(self, WeightRow* row) except -1 nogil:
        """Move a row to twice as many blocks, and release its old ones."""
        cdef int size_class = 1, capacity = row.capacity * 2 if row.capacity else FIRST_CAPACITY
        cdef size_t start
        cdef bint is_new
        while 1 << size_class < capacity:
            size_class += 1
        is_new = self.free[size_class].empty()
        # everything that may fail comes first
        if is_new:
            start = self.weight.size() // BLOCK
            if start + capacity > MAX_BLOCKS:
                raise MemoryError("there are too many weights")
            self.block_id.resize(start + capacity)
            self.total.resize((start + capacity) * BLOCK)
            self.weight.resize((start + capacity) * BLOCK)
        else:
            start = self.free[size_class].back()
        if row.capacity:
            self.free[size_class - 1].push_back(row.start)
            self.move_blocks(row.start, start, row.n_blocks)
        if not is_new:
            self.free[size_class].pop_back()
        row.start, row.capacity = <uint32_t> start, <uint16_t> capacity
        return 0

    cdef void move_blocks(self, size_t source, size_t target, size_t n) noexcept nogil:
        memcpy(&self.block_id[target], &self.block_id[source], n * sizeof(uint16_t))
        cdef size_t to = target * BLOCK, here = source * BLOCK
        memcpy(&self.weight[to], &self.weight[here], n * BLOCK * sizeof(float))
        memcpy(&self.total[to], &self.total[here], n * BLOCK * sizeof(double))
        memset(&self.weight[here], 0, n * BLOCK * sizeof(float))
        memset(&self.total[here], 0, n * BLOCK * sizeof(double))

    cdef bint is_empty(self, size_t block) noexcept nogil:
        cdef size_t at
        for at in range(block * BLOCK, (block + 1) * BLOCK):
            if self.weight[at] != 0 or self.total[at] != 0:
                return False
        return True

    cdef int sort_keys(self, vector[uint64_t]& keys) except -1:
        """Write all keys in ascending order, which does not depend on the table's history."""
        cdef size_t i
        keys.reserve(self.n_rows)
        for i in range(self.table.size()):
            if self.table[i].key != 0:
                keys.push_back(self.table[i].key)
        sort(keys.begin(), keys.end())
        return 0

    def scores(self, keys):
        """Return the score of every class, given the keys of the features."""
        cdef vector[uint64_t] features
        cdef vector[float] scores
        check_keys(keys, features)
        scores.resize(padded(self.n_classes))
        self.score(features.data(), <int> features.size(), scores.data())
        return list(scores)[:self.n_classes]

    def learn(self, keys, int good, int bad, double amount, double time):
        """Make one update: move every key's weight for `good` up, and for `bad` down."""
        cdef vector[uint64_t] features
        check_keys(keys, features)
        if not (0 <= good < self.n_classes and 0 <= bad < self.n_classes):
            raise IndexError(f"classes {good} and {bad}, but there are {self.n_classes}")
        self.update(features.data(), <int> features.size(), good, bad, amount, time)

    def n_blocks(self):
        """Return the number of blocks in use."""
        cdef size_t i, n = 0
        for i in range(self.table.size()):
            n += self.table[i].n_blocks
        return n

    def save(self):
        """Return the exact contents as bytes: keys, cells per key, classes, weights, totals."""
        cdef vector[uint64_t] keys
        cdef vector[uint16_t] n_cells, classes
        cdef vector[float] weights
        cdef vector[double] totals
        cdef size_t i, before, at
        cdef int j, k
        cdef bint empty
        cdef WeightRow* row
        self.sort_keys(keys)
        for i in range(keys.size()):
            row = self.find(keys[i])
            before = classes.size()
            for j in range(row.n_blocks):
                # a block that went back to zero keeps its position in the row, by its first cell
                empty = self.is_empty(<size_t> row.start + j)
                for k in range(BLOCK):
                    at = (<size_t> row.start + j) * BLOCK + k
                    if self.weight[at] != 0 or self.total[at] != 0 or (empty and k == 0):
                        classes.push_back(<uint16_t> (self.block_id[row.start + j] * BLOCK + k))
                        weights.push_back(self.weight[at])
                        totals.push_back(self.total[at])
            n_cells.push_back(<uint16_t> (classes.size() - before))
        return ((<char*> keys.data())[:keys.size() * sizeof(uint64_t)],
                (<char*> n_cells.data())[:n_cells.size() * sizeof(uint16_t)],
                (<char*> classes.data())[:classes.size() * sizeof(uint16_t)],
                (<char*> weights.data())[:weights.size() * sizeof(float)],
                (<char*> totals.data())[:totals.size() * sizeof(double)])

    @staticmethod
    def restore(int n_classes, const uint64_t[::1] keys, const uint16_t[::1] n_cells,
                const uint16_t[::1] classes, const float[::1] weights, const double[::1] totals):
        """Return the weights that `save` wrote; training resumes as if never interrupted."""
        cdef Weights self = Weights(n_classes)
        cdef Py_ssize_t i, at = 0
        cdef WeightRow* row
        cdef float* weight
        cdef double* total
        if not (keys.shape[0] == n_cells.shape[0] and _sum(n_cells) == classes.shape[0]
                == weights.shape[0] == totals.shape[0]):
            raise ValueError("the arrays of weights differ in length")
        for i in range(keys.shape[0]):
            if not keys[i] & 1:
                raise ValueError(f"the key {keys[i]} is even: features have odd ones")
            row = self.find_or_add(keys[i])
            for _ in range(n_cells[i]):
                if classes[at] >= n_classes:
                    raise ValueError("a weight is for a class that does not exist")
                weight = self.cell(row, classes[at], &total)
                weight[0], total[0] = weights[at], totals[at]
                at += 1
        return self
