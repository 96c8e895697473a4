"""Checked conversion of the arrays of a network."""
from libc.stdint cimport int8_t, int16_t, int32_t
from libcpp cimport bool
from libcpp.vector cimport vector

cdef extern from "state_scores.h" namespace "dodona" nogil:
    cppclass Loops:
        void normalise(const float* x, float* to, int n) noexcept
        void largest_piece(const float* pieces, float* to, int n) noexcept
        void look_around(float* words, size_t stride, const float* conv, float* before, int d,
                         int n_words) noexcept
        void recur(const float* u, size_t u_stride, float* to, size_t to_stride, float* h, int d,
                   int begin, int end, int n_words, bool from_right) noexcept
        int first_largest(float* x, int n) noexcept
        void softmax(float* x, int n, float largest) noexcept

    cppclass Variant:
        const char* name
        const Loops* loops

    cppclass Rows:
        int n
        int width
        size_t stride
        vector[float] values
        bool is_quantised
        void reshape(int n_rows, int width) except +
        void release() noexcept
        float* row(int i)
        void make_bytes(const Loops& loops) except +

        @staticmethod
        size_t packed_size(int width, bool as_int8)
        void pack_row(int i, bool as_int8, char* to)
        void reshape_packed(int n_rows, int width, bool as_int8) except +
        void unpack_row(int i, bool as_int8, const char* source)

    cppclass Matrix:
        int n_out
        int n_in
        bool is_int8
        vector[float] units
        vector[float] bias
        void shape(int n_out, int n_in, const float* bias) except +
        void pack(const int8_t* weights, const float* scales) except +
        void pack(const float* weights) except +
        void pack_as_bytes(const float* weights) except +
        void scale(float power)

    cppclass Table:
        int n_rows
        int width
        vector[float] floats
        vector[int8_t] bytes
        vector[float] units
        void mean(const int32_t* rows, int n, float* to) const


cdef enum:
    MOST_OF_A_KIND = 64       # limit of fields, tag classifiers, slots, atoms
    STEPS = 1024              # rows that states sum are fixed-point numbers in steps of 1/1024


cdef int number_of(about, str name, int least, int most, int unit=*) except -1
cdef list numbers_of(about, str name, int least, int most, int unit=*)
cdef int pack_matrix(Matrix* matrix, arrays, str name, int n_out, int n_in,
                     bint has_bias=*, bint as_bytes=*) except -1
cdef int copy_table(Table* table, arrays, str name, int width) except -1
cdef int copy_floats(vector[float]* to, arrays, str name, int n_rows, int width) except -1
cdef int copy_steps(vector[int16_t]* to, arrays, str name, int n_rows, int width) except -1
cdef int copy_wide_steps(vector[int32_t]* to, arrays, str name, int n) except -1
