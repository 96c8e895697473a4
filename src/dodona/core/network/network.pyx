"""A network that encodes words in context, predicts tags, and scores the actions of states.

The first vector of a word depends on its form alone (embedding tables, a maxout layer) and is
computed once per word type. Layers of gated linear recurrences (Martin & Cundy 2018), half of the
units from the left and half from the right, add the context. The result predicts tags and, for each
slot of a state, the word's contribution to the hidden units: a state then only sums stored rows
(Chen & Manning 2014 stored them for frequent words), and every class is scored.

Tags and scores are bit-identical on every processor and in every batch: sums of int8 are exact, and
floats are computed by the same operations in the same order (`simd.h`, `kernels_plain.h`).
"""
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport INT32_MAX, int64_t
from libc.string cimport memcpy
from libcpp cimport bool

from dodona.core.base.signals cimport check_signals
from dodona.core.network.arrays cimport (
    MOST_OF_A_KIND, STEPS, copy_floats, copy_steps, copy_table, copy_wide_steps, number_of,
    numbers_of, pack_matrix,
)

cdef extern from "state_scores.h" namespace "dodona" nogil:
    int list_variants(Variant* found) noexcept
    void product(const Variant& variant, const Matrix& matrix, Rows& x, Rows& to) except +
    void add_product(const Variant& variant, const Matrix& matrix, Rows& x, Rows& to) except +
    void rounded_product(const Variant& variant, const Matrix& matrix, Rows& x, int first, int n,
                         int16_t* const* to) except +

cdef enum:
    GROUP = 64                # words per batch: activations between layers stay in the cache
    KEPT_WORDS = 256          # buffers for more words (8 kB each with a width of 256) are released
    N_PIECES = 3
    MOST_UNITS = 1024
    MOST_LAYERS = 32
    MOST_CHOICES = 1 << 20    # limit of tags of a classifier, values of an atom, classes

COMBINATIONS = "tag.combinations"
# Words of a sentence that are read as one context. A longer sentence is read in windows of about
# equal length, so that the memory for activations does not grow with it.
cdef enum:
    MOST_IN_WINDOW = 1024

WINDOW = MOST_IN_WINDOW


cdef int find_variant(Variant* chosen, name) except -1:
    """Find the kernels of this name; None selects the fastest on this machine."""
    cdef Variant found[MOST_VARIANTS]
    cdef int i, n = list_variants(found)
    chosen[0] = found[n - 1]
    for i in range(n):
        if found[i].name.decode() == name:
            chosen[0] = found[i]
            return 0
    if name is not None:
        raise ValueError(f"this machine has no kernels {name!r}; it has {', '.join(variants())}")
    return 0


def variants():
    """Return the names of the kernels that this machine can run, fastest last.

    >>> variants()[0]
    'plain'
    """
    cdef Variant found[MOST_VARIANTS]
    return [found[i].name.decode() for i in range(list_variants(found))]


cdef combinations_of(arrays):
    """Return the array of combinations of tags, after a check of its type."""
    view = memoryview(arrays[COMBINATIONS])
    if view.format != "I" or view.ndim != 1 or not view.c_contiguous:
        raise ValueError(f"{COMBINATIONS}: numbers of type {view.format!r}, not uint32 in a row")
    return view


cdef inline const int32_t* first_int(const int32_t[::1] numbers) noexcept nogil:
    return &numbers[0] if numbers.shape[0] else NULL


cdef as_bytes(const void* data, size_t n_bytes):
    """Copy memory into a memoryview."""
    return memoryview(PyBytes_FromStringAndSize(<const char*> data, n_bytes))


cdef class Network:
    """A read-only network, shared by threads; each thread has its own `NetworkSpace`.

    `about` holds the sizes: `width`, `layers`, `hidden`, `slots`, `classes`; `fields` (the width of
    each field's table), `tags` (the number of tags of each classifier), `back` (the classifiers
    whose tags are fed back into the word before parsing), `atoms` (the number of values of each).
    `arrays` holds the weights by name, which are checked and copied, and COMBINATIONS of tags, as
    `TagCombinations` describes them, if tags of several classifiers are chosen together.
    """

    def __init__(self, about not None, arrays not None, str variant=None):
        find_variant(&self.kernels, variant)
        self.loops = self.kernels.loops
        self.variant = self.kernels.name.decode()
        self.width = number_of(about, "width", 32, MOST_UNITS, 32)
        self.n_layers = number_of(about, "layers", 0, MOST_LAYERS)
        self.hidden = number_of(about, "hidden", 16, MOST_HIDDEN, 16)
        self.n_slots = number_of(about, "slots", 1, MOST_OF_A_KIND)
        self.n_classes = number_of(about, "classes", 1, MOST_CHOICES)
        self.n_scores = (self.n_classes + 7) // 8 * 8
        self._add_words(numbers_of(about, "fields", 4, MOST_UNITS, 4), arrays)
        self._add_layers(arrays)
        self._add_heads(numbers_of(about, "tags", 1, MOST_CHOICES),
                        numbers_of(about, "back", 0, MOST_OF_A_KIND - 1), arrays)
        self._add_states(numbers_of(about, "atoms", 1, MOST_CHOICES), arrays)

    def _add_words(self, list widths, arrays):
        cdef int i
        if not widths:
            raise ValueError("fields of the network is an empty list")
        self.n_fields, self.n_embedded = len(widths), sum(widths)
        self.tables.resize(self.n_fields)
        for i in range(self.n_fields):
            copy_table(&self.tables[i], arrays, f"word.{i}", widths[i])
        pack_matrix(&self.maxout, arrays, "word.maxout", N_PIECES * self.width, self.n_embedded)

    def _add_layers(self, arrays):
        cdef int i
        self.ins.resize(self.n_layers)
        self.outs.resize(self.n_layers)
        self.convs.resize(self.n_layers)
        for i in range(self.n_layers):
            copy_floats(&self.convs[i], arrays, f"layer.{i}.conv", 3, self.width)
            pack_matrix(&self.ins[i], arrays, f"layer.{i}.in", 3 * self.width, self.width)
            pack_matrix(&self.outs[i], arrays, f"layer.{i}.out", self.width, self.width)

    def _add_heads(self, list sizes, list back, arrays):
        cdef int i
        self.n_heads = len(sizes)
        self.heads.resize(self.n_heads)
        self.backs.resize(self.n_heads)
        for i in range(self.n_heads):
            pack_matrix(&self.heads[i], arrays, f"tag.{i}", sizes[i], self.width)
        for head in back:
            if head >= self.n_heads:
                raise ValueError(
                    f"back of the network names tag classifier {head} of {self.n_heads}")
            pack_matrix(&self.backs[head], arrays, f"tag.{head}.back", self.width, sizes[head],
                        False)
        if COMBINATIONS in arrays:          # not in old files
            self.combinations = TagCombinations(sizes, combinations_of(arrays))

    def _add_states(self, list sizes, arrays):
        cdef Matrix matrix
        cdef int i
        pack_matrix(&self.slot_products, arrays, "slot", self.n_slots * self.hidden, self.width,
                    False)
        self.slot_products.scale(STEPS)
        self.packed_size = Rows.packed_size(self.width, self.slot_products.is_int8)
        copy_steps(&self.missing, arrays, "slot.missing", self.n_slots, self.hidden)
        copy_steps(&self.root, arrays, "slot.root", self.n_slots, self.hidden)
        self.n_atoms = len(sizes)
        self.atoms.resize(self.n_atoms)
        for i in range(self.n_atoms):
            copy_steps(&self.atoms[i], arrays, f"atom.{i}", sizes[i], self.hidden)
            self.n_values.push_back(sizes[i])
        copy_wide_steps(&self.hidden_bias, arrays, "hidden.bias", self.hidden)
        pack_matrix(&matrix, arrays, "class", self.n_classes, self.hidden, True, True)
        self.classes.set(matrix)

    def table_sizes(self):
        """Return the number of rows of each field's table."""
        return [self.tables[i].n_rows for i in range(self.tables.size())]

    cdef int read_types(self, NetworkSpace space, const int32_t* rows, const int32_t* starts,
                        int n_types) except -1 nogil:
        """Append the vectors of word types to the space; see `add_types`."""
        cdef int done = 0, n, i
        if n_types > INT32_MAX - space.n_types:
            raise ValueError(f"{space.n_types} + {n_types} word types are too many")
        space.make_room(space.n_types + n_types)
        space.watch.start()
        while done < n_types:
            n = min(GROUP, n_types - done)
            space.embedded.reshape(n, self.n_embedded)
            for i in range(n):
                self.embed(rows, starts + <size_t> (done + i) * self.n_fields,
                           space.embedded.row(i))
            space.watch.lap(EMBEDDING)
            self.multiply(space, self.maxout, space.embedded, space.wide, False)
            for i in range(n):
                self.loops.largest_piece(space.wide.row(i), space.wide.row(i), self.width)
                self.loops.normalise(space.wide.row(i), space.vector_of(space.n_types + done + i),
                                     self.width)
            space.watch.lap(NORMS)
            done += n
        space.n_types += n_types
        return 0

    cdef int embed(self, const int32_t* rows, const int32_t* starts, float* to) except -1 nogil:
        """Concatenate the mean table rows of each field."""
        cdef const Table* table
        cdef int field, i
        for field in range(self.n_fields):
            table = &self.tables[field]
            for i in range(starts[field], starts[field + 1]):
                if not 0 <= rows[i] < table.n_rows:
                    raise ValueError(f"row {rows[i]} of field {field} does not exist: its table "
                                     f"has {table.n_rows} rows")
            table.mean(rows + starts[field], starts[field + 1] - starts[field], to)
            to += table.width
        return 0

    cdef int run(self, NetworkSpace space, const int32_t* types, const int32_t* lengths,
                 int n_sentences) except -1 nogil:
        """Encode sentences, given the types of all their words.

        The space then holds the tags of the words and their packed rows. A word's contribution to a
        slot is computed when a state has the word there: about half of all are never needed.
        """
        cdef int i, n, begin = 0, done = 0, largest = 0
        cdef int64_t n_words = 0
        for i in range(n_sentences):
            if lengths[i] < 0:
                raise ValueError(f"a sentence has {lengths[i]} words")
            n_words += lengths[i]
        if n_words > INT32_MAX:
            raise ValueError(f"{n_words} words are too many for one call")
        for i in range(<int> n_words):
            if not 0 <= types[i] < space.n_types:
                raise ValueError(f"word {i} is of type {types[i]} of {space.n_types}")
        space.n_words = 0
        space.tags.resize(<size_t> n_words * self.n_heads)
        space.packed.resize(<size_t> n_words * self.packed_size)
        while begin < n_sentences:
            i, n = begin + 1, lengths[begin]
            while i < n_sentences and n + lengths[i] <= GROUP:
                n += lengths[i]
                i += 1
            if n > MOST_IN_WINDOW:
                self.read_in_windows(space, types + done, done, n)
            elif n:
                self.read_group(space, types + done, lengths + begin, i - begin, done, n)
            largest = max(largest, n)
            begin = i
            done += n
        if largest > KEPT_WORDS:
            space.release()
        space.n_words = <int> n_words
        return 0

    cdef int read_in_windows(self, NetworkSpace space, const int32_t* types, int first_word,
                             int n_words) except -1 nogil:
        """Encode a long sentence, each window as if it were a sentence."""
        cdef int n_windows = (n_words - 1) // MOST_IN_WINDOW + 1, i, begin
        cdef int32_t length
        for i in range(n_windows):
            begin = <int> (<int64_t> n_words * i // n_windows)
            length = <int32_t> (<int64_t> n_words * (i + 1) // n_windows) - begin
            self.read_group(space, types + begin, &length, 1, first_word + begin, length)
            check_signals()
        return 0

    cdef int read_group(self, NetworkSpace space, const int32_t* types, const int32_t* lengths,
                        int n_sentences, int first_word, int n_words) except -1 nogil:
        """Encode a batch of sentences: all layers, tags, and packed rows."""
        cdef bool is_int8 = self.slot_products.is_int8
        cdef int i
        space.watch.start()
        space.x.reshape(n_words, self.width)
        for i in range(n_words):
            memcpy(space.x.row(i), space.vector_of(types[i]), self.width * sizeof(float))
        self.read_layers(space, lengths, n_sentences)
        space.normalise_x()
        self.read_tags(space, space.tags.data() + <size_t> first_word * self.n_heads)
        if is_int8:
            space.x.make_bytes(self.loops[0])
        for i in range(n_words):
            space.x.pack_row(i, is_int8, space.packed.data() + (first_word + i) * self.packed_size)
        space.watch.lap(ROUNDING)
        return 0

    cdef int multiply_slots(self, const char* packed, int n_words,
                            int16_t* products) except -1 nogil:
        """Multiply packed words by all slots: per word, slot and hidden unit."""
        cdef size_t n_products = <size_t> self.n_slots * self.hidden
        cdef Rows words
        cdef vector[const char*] sources
        cdef vector[int16_t*] targets
        cdef int i, n, done = 0
        for i in range(n_words):
            sources.push_back(packed + <size_t> i * self.packed_size)
            targets.push_back(products + i * n_products)
        while done < n_words:
            n = min(GROUP, n_words - done)
            self.unpack(words, n, sources.data() + done)
            rounded_product(self.kernels, self.slot_products, words, 0, <int> n_products,
                            targets.data() + done)
            done += n
        return 0

    cdef int multiply_slot(self, Rows& words, int slot, int16_t* const* products) except -1 nogil:
        """Multiply words by one slot; each product goes to its pointer."""
        rounded_product(self.kernels, self.slot_products, words, slot * self.hidden, self.hidden,
                        products)
        return 0

    cdef int multiply(self, NetworkSpace space, const Matrix& matrix, Rows& x, Rows& to,
                      bint is_added) except -1 nogil:
        """Multiply rows by a matrix, and store or add the product."""
        if matrix.is_int8:
            x.make_bytes(self.loops[0])
            space.watch.lap(ROUNDING)
        if is_added:
            add_product(self.kernels, matrix, x, to)
        else:
            product(self.kernels, matrix, x, to)
        space.watch.lap(PRODUCTS)
        return 0

    cdef int read_layers(self, NetworkSpace space, const int32_t* lengths,
                         int n_sentences) except -1 nogil:
        """Run all layers on `space.x`."""
        cdef int layer, i, first, half = self.width // 2
        for layer in range(self.n_layers):
            space.normalise_x()
            first = 0
            for i in range(n_sentences):
                self.loops.look_around(space.normal.row(first), space.normal.stride,
                                       self.convs[layer].data(), space.state.data(), self.width,
                                       lengths[i])
                first += lengths[i]
            space.watch.lap(NORMS)
            self.multiply(space, self.ins[layer], space.normal, space.wide, False)
            space.gated.reshape(space.x.n, self.width)
            first = 0
            for i in range(n_sentences):
                self.loops.recur(space.wide.row(first), space.wide.stride, space.gated.row(first),
                                 space.gated.stride, space.state.data(), self.width, 0, half,
                                 lengths[i], False)
                self.loops.recur(space.wide.row(first), space.wide.stride, space.gated.row(first),
                                 space.gated.stride, space.state.data(), self.width, half,
                                 self.width, lengths[i], True)
                first += lengths[i]
            space.watch.lap(RECURRENCE)
            self.multiply(space, self.outs[layer], space.gated, space.x, True)
            space.keep(layer, space.x)
        return 0

    cdef int read_tags(self, NetworkSpace space, int32_t* tags) except -1 nogil:
        """Predict tags; `space.x` becomes the normalised words plus the feedback of their tags."""
        cdef size_t at
        cdef int head, i, n = space.x.n
        memcpy(space.x.values.data(), space.normal.values.data(),
               n * space.x.stride * sizeof(float))
        space.x.is_quantised = False
        space.scores.resize(self.n_heads)
        space.largest.resize(<size_t> n * self.n_heads)
        for head in range(self.n_heads):
            self.multiply(space, self.heads[head], space.normal, space.scores[head], False)
            space.keep(self.n_layers + head, space.scores[head])
            for i in range(n):
                at = <size_t> i * self.n_heads + head
                tags[at] = self.loops.first_largest(space.scores[head].row(i),
                                                    self.heads[head].n_out)
                space.largest[at] = space.scores[head].row(i)[tags[at]]
            space.watch.lap(TAGS)
        if self.combinations is not None:
            for i in range(n):
                self.combinations.choose(space.scores, i, tags + <size_t> i * self.n_heads)
        for head in range(self.n_heads):
            if self.backs[head].n_out:
                for i in range(n):
                    self.loops.softmax(space.scores[head].row(i), self.heads[head].n_out,
                                       space.largest[<size_t> i * self.n_heads + head])
                space.watch.lap(TAGS)
                self.multiply(space, self.backs[head], space.scores[head], space.x, True)
        space.keep(self.n_layers + self.n_heads, space.x)
        return 0

    def read(self, NetworkSpace space not None, const int32_t[::1] types,
             const int32_t[::1] lengths):
        """Encode sentences, given the types of their words; the space holds the results."""
        if space.network is not self:
            raise ValueError("this space belongs to another network")
        if sum(lengths) != types.shape[0]:
            raise ValueError(f"{types.shape[0]} words, but the lengths sum to {sum(lengths)}")
        with nogil:
            self.run(space, first_int(types), first_int(lengths), <int> lengths.shape[0])

    def annotate(self, NetworkSpace space not None, types, lengths):
        """Return the tags of words, a list per classifier, and their slot products as int16."""
        cdef vector[int16_t] products
        self.read(space, types, lengths)
        products.resize(<size_t> space.n_words * self.n_slots * self.hidden)
        self.multiply_slots(space.packed.data(), space.n_words, products.data())
        n_heads = self.n_heads
        tags = [[space.tags[i * n_heads + head] for i in range(space.n_words)]
                for head in range(n_heads)]
        return tags, as_bytes(products.data(), products.size() * 2).cast("h")

    def stages(self, NetworkSpace space not None, types, lengths):
        """Return the activations after each layer, of each tag classifier, and before the slots."""
        names = [*(f"layer.{i}" for i in range(self.n_layers)),
                 *(f"tag.{i}" for i in range(self.n_heads)), "slot"]
        space.stages.clear()
        space.stages.resize(len(names))
        space.keeps_stages = True
        try:
            self.read(space, types, lengths)
        finally:
            space.keeps_stages = False
        return {name: as_bytes(space.stages[i].data(), space.stages[i].size() * 4).cast("f")
                for i, name in enumerate(names)}

    def state_scores(self, rows):
        """Return the score of every class, given the rows of int16 that a state sums."""
        cdef vector[const int16_t*] pointers
        cdef vector[int16_t] scores
        cdef const int16_t[::1] row
        kept = []
        for one in rows:
            row = one
            if row.shape[0] != self.hidden:
                raise ValueError(f"a row has {row.shape[0]} numbers, not {self.hidden}")
            kept.append(one)
            pointers.push_back(&row[0])
        if pointers.size() > 2 * MOST_OF_A_KIND:
            raise ValueError(f"{pointers.size()} rows, but at most {2 * MOST_OF_A_KIND} are summed")
        scores.resize(self.n_scores)
        self.score(pointers.data(), <int> pointers.size(), scores.data())
        return list(scores)[:self.n_classes]


cdef class NetworkSpace:
    """The buffers of one thread: vectors of word types, and the results of the last call."""

    def __init__(self, Network network not None):
        self.network = network
        self.state.resize(network.width)

    def add_types(self, const int32_t[::1] rows, const int32_t[::1] starts):
        """Add word types and return the index of the first.

        For each field, a type has a list of rows of the field's table. `rows` is the concatenation
        of these lists, `starts` the offset of each, and the end.
        """
        cdef int first = self.n_types, n_fields = self.network.n_fields
        cdef int n_types = <int> ((starts.shape[0] - 1) // n_fields)
        cdef Py_ssize_t i
        if starts.shape[0] == 0 or n_types * n_fields + 1 != starts.shape[0]:
            raise ValueError(f"{starts.shape[0]} offsets do not fit {n_fields} fields per word")
        for i in range(starts.shape[0]):
            if not (starts[i - 1] if i else 0) <= starts[i] <= rows.shape[0]:
                raise ValueError(f"list {i} of rows starts at {starts[i]} of {rows.shape[0]}")
        with nogil:
            self.add(first_int(rows), first_int(starts), n_types)
        return first

    def clear_types(self):
        """Remove all word types."""
        self.cut_types(0)

    cdef void release(self) noexcept nogil:
        """Release the memory of activations."""
        cdef size_t head
        self.embedded.release()
        self.x.release()
        self.normal.release()
        self.wide.release()
        self.gated.release()
        for head in range(self.scores.size()):
            self.scores[head].release()

    cdef int cut_types(self, int n_types) except -1 nogil:
        """Keep only the first word types, and release the memory of the others."""
        self.n_types = n_types
        while self.pages.size() > (<size_t> n_types + PAGE - 1) // PAGE:
            self.pages.pop_back()
        return 0

    cdef int make_room(self, int n_types) except -1 nogil:
        """Make room for so many word types."""
        cdef vector[float] page, empty
        while self.pages.size() * PAGE < <size_t> n_types:
            page.resize(<size_t> PAGE * self.network.width)  # first, since it may fail
            self.pages.push_back(empty)
            self.pages.back().swap(page)
        return 0

    cdef int add(self, const int32_t* rows, const int32_t* starts, int n_types) except -1 nogil:
        """Add word types without checking the offsets."""
        return self.network.read_types(self, rows, starts, n_types)

    cdef int normalise_x(self) except -1 nogil:
        cdef int i
        self.normal.reshape(self.x.n, self.x.width)
        for i in range(self.x.n):
            self.network.loops.normalise(self.x.row(i), self.normal.row(i), self.x.width)
        self.watch.lap(NORMS)
        return 0

    def seconds(self):
        """Return seconds per stage since the last call; the first call starts the clock."""
        cdef int i
        names = ("embedding", "norms", "rounding", "products", "recurrence", "tags")
        found = {name: self.watch.seconds[i] for i, name in enumerate(names)}
        for i in range(N_STAGES):
            self.watch.seconds[i] = 0
        self.watch.runs = True
        return found

    cdef int keep(self, size_t stage, Rows& rows) except -1 nogil:
        """Copy rows for `Network.stages`."""
        cdef int i
        if self.keeps_stages:
            for i in range(rows.n):
                self.stages[stage].insert(self.stages[stage].end(), rows.row(i),
                                          rows.row(i) + rows.width)
        return 0

    def type_vector(self, int i):
        """Return the vector of a word type."""
        if not 0 <= i < self.n_types:
            raise IndexError(f"no type {i}")
        return [self.vector_of(i)[k] for k in range(self.network.width)]
