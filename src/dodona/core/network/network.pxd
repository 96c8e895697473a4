"""A network that encodes words in context, predicts tags, and scores the actions of states."""
from libc.stdint cimport int8_t, int16_t, int32_t
from libcpp cimport bool
from libcpp.vector cimport vector

from dodona.core.network.arrays cimport Loops, Matrix, Rows, Table, Variant
from dodona.core.network.tag_combinations cimport TagCombinations

cdef extern from "state_scores.h" namespace "dodona" nogil:
    enum:
        MOST_HIDDEN
        MOST_VARIANTS

    cppclass Classes:
        Matrix matrix
        void set(const Matrix& matrix) except +

    void state_bytes(const Variant& variant, const int16_t* const* rows, int n_rows,
                     const int32_t* bias, int hidden, int8_t* halves, int32_t* sums) noexcept
    void class_scores(const Variant& variant, const int8_t* halves, const int32_t* row_sums,
                      int n_states, const Classes& classes, int16_t* scores) noexcept
    void state_scores(const Variant& variant, const int16_t* const* rows, int n_rows,
                      const int32_t* bias, const Classes& classes, int16_t* scores) noexcept

cdef extern from "stopwatch.h" namespace "dodona" nogil:
    cdef enum Stage:
        EMBEDDING
        NORMS
        ROUNDING
        PRODUCTS
        RECURRENCE
        TAGS
        N_STAGES

    cppclass Stopwatch:
        bool runs
        double seconds[6]
        void start()
        void lap(Stage stage)


cdef enum:
    PAGE = 64                 # word types whose vectors are allocated together


cdef class Network


cdef class NetworkSpace:
    """Buffers of one thread, with the results of the last call."""
    cdef readonly Network network
    cdef readonly int n_types
    cdef vector[vector[float]] pages  # the vectors of PAGE word types each
    cdef readonly int n_words         # of the sentences read last
    cdef vector[int32_t] tags         # per word and tag classifier
    cdef vector[char] packed          # per word: its row, packed for products with slots
    cdef Rows embedded                # concatenated embeddings of fields
    cdef Rows x                       # words between layers
    cdef Rows normal                  # normalised words
    cdef Rows wide                    # three numbers per unit
    cdef Rows gated
    cdef vector[Rows] scores          # of tags, per classifier
    cdef vector[float] largest        # per word and tag classifier: its best score
    cdef vector[float] state          # of the recurrence
    cdef Stopwatch watch
    cdef bint keeps_stages
    cdef vector[vector[float]] stages

    cdef int add(self, const int32_t* rows, const int32_t* starts, int n_types) except -1 nogil
    cdef int cut_types(self, int n_types) except -1 nogil
    cdef int make_room(self, int n_types) except -1 nogil
    cdef void release(self) noexcept nogil
    cdef int normalise_x(self) except -1 nogil
    cdef int keep(self, size_t stage, Rows& rows) except -1 nogil

    cdef inline float* vector_of(self, int word_type) noexcept nogil:
        return (self.pages[word_type // PAGE].data()
                + <size_t> (word_type % PAGE) * self.network.width)


cdef class Network:
    cdef readonly int width
    cdef readonly int n_layers
    cdef readonly int hidden
    cdef readonly int n_slots
    cdef readonly int n_classes
    cdef readonly int n_scores        # n_classes rounded up to a multiple of eight
    cdef readonly int n_fields
    cdef readonly int n_heads
    cdef readonly int n_atoms
    cdef readonly size_t packed_size  # bytes of a word's row, packed for its products with slots
    cdef readonly str variant
    cdef Variant kernels
    cdef const Loops* loops           # of the kernels
    cdef int n_embedded
    cdef vector[Table] tables     # per field
    cdef Matrix maxout
    cdef vector[Matrix] ins           # per layer
    cdef vector[Matrix] outs
    cdef vector[vector[float]] convs  # per layer: weights of previous, current and next word
    cdef vector[Matrix] heads         # per tag classifier
    cdef vector[Matrix] backs         # tag feedback; empty where a tag is not fed back
    cdef TagCombinations combinations     # of tags; None: each is chosen for itself
    cdef Matrix slot_products
    cdef vector[int16_t] missing      # per slot and hidden unit
    cdef vector[int16_t] root
    cdef vector[vector[int16_t]] atoms    # per atom: per value and hidden unit
    cdef vector[int32_t] n_values     # per atom
    cdef vector[int32_t] hidden_bias
    cdef Classes classes

    cdef int read_types(self, NetworkSpace space, const int32_t* rows, const int32_t* starts,
                        int n_types) except -1 nogil
    cdef int embed(self, const int32_t* rows, const int32_t* starts, float* to) except -1 nogil
    cdef int run(self, NetworkSpace space, const int32_t* types, const int32_t* lengths,
                 int n_sentences) except -1 nogil
    cdef int read_in_windows(self, NetworkSpace space, const int32_t* types, int first_word,
                             int n_words) except -1 nogil
    cdef int read_group(self, NetworkSpace space, const int32_t* types, const int32_t* lengths,
                        int n_sentences, int first_word, int n_words) except -1 nogil
    cdef int multiply(self, NetworkSpace space, const Matrix& matrix, Rows& x, Rows& to,
                      bint is_added) except -1 nogil
    cdef int read_layers(self, NetworkSpace space, const int32_t* lengths,
                         int n_sentences) except -1 nogil
    cdef int read_tags(self, NetworkSpace space, int32_t* tags) except -1 nogil
    cdef int multiply_slots(self, const char* packed, int n_words,
                            int16_t* products) except -1 nogil
    cdef int multiply_slot(self, Rows& words, int slot, int16_t* const* products) except -1 nogil

    cdef inline int unpack(self, Rows& words, int n, const char* const* packed) except -1 nogil:
        """Unpack the rows of some words."""
        cdef bool is_int8 = self.slot_products.is_int8
        cdef int i
        words.reshape_packed(n, self.width, is_int8)
        for i in range(n):
            words.unpack_row(i, is_int8, packed[i])
        return 0

    cdef inline void score(self, const int16_t* const* rows, int n_rows,
                           int16_t* scores) noexcept nogil:
        """Score each class, given the rows of a state's slots and atoms."""
        state_scores(self.kernels, rows, n_rows, self.hidden_bias.data(), self.classes, scores)

    cdef inline void prepare_state(self, const int16_t* const* rows, int n_rows, int8_t* halves,
                                   int32_t* sums) noexcept nogil:
        """Write the hidden units of a state as two rows of bytes, and their sums."""
        state_bytes(self.kernels, rows, n_rows, self.hidden_bias.data(), self.hidden, halves, sums)

    cdef inline void score_states(self, const int8_t* halves, const int32_t* sums, int n_states,
                                  int16_t* scores) noexcept nogil:
        """Score each class for several states."""
        class_scores(self.kernels, halves, sums, n_states, self.classes, scores)
