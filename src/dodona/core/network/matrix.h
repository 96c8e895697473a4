/* Matrices packed for the kernels, and the rows they are multiplied by. */
#ifndef DODONA_MATRIX_H
#define DODONA_MATRIX_H

#include <vector>

#include "large_pages.h"
#include "elementwise.h"
#include "kernels.h"

namespace dodona {

/* n rounded up to a multiple of unit */
static inline size_t whole(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

/* Rows of floats, quantised to int8 on demand. Memory grows until released. The padding to a multiple of 16 is 0: it
 * is initialised so, and products write 0 there; rows whose width changes are written by products only. */
struct Rows {
    int n = 0, width = 0;
    size_t stride = 0;
    std::vector<float> values;
    dodona_large<int8_t> bytes;
    std::vector<float> units;      /* scale of the bytes of a row */
    std::vector<int32_t> sums;     /* of the bytes of a row */
    bool is_quantised = false;

    void reshape(int n_rows, int new_width) {
        n = n_rows, width = new_width, stride = whole((size_t) new_width, N_OUTPUTS), is_quantised = false;
        if (values.size() < (size_t) n * stride) values.resize((size_t) n * stride);
    }
    void release() { *this = Rows(); }
    float* row(int i) { return values.data() + (size_t) i * stride; }
    void make_room_for_bytes() {
        if (bytes.size() < (size_t) n * stride) bytes.resize((size_t) n * stride);
        if (units.size() < (size_t) n) units.resize((size_t) n);
        if (sums.size() < (size_t) n) sums.resize((size_t) n);
    }
    void make_bytes(const Loops& loops) {
        if (is_quantised) return;
        make_room_for_bytes();
        /* in two passes, so that no row waits for its own maximum: 1.1x */
        for (int i = 0; i < n; i++) units[i] = loops.largest_size(row(i), (int) stride);
        for (int i = 0; i < n; i++) sums[i] = loops.quantise(row(i), bytes.data() + i * stride, (int) stride, units[i]);
        for (int i = 0; i < n; i++) units[i] = unit_of(units[i]);
        is_quantised = true;
    }

    /* A row serialised for a later product with a matrix of int8 or of floats. */
    static size_t packed_size(int width, bool as_int8) {
        const size_t stride = whole((size_t) width, N_OUTPUTS);
        return as_int8 ? stride + sizeof(float) + sizeof(int32_t) : stride * sizeof(float);
    }
    void pack_row(int i, bool as_int8, char* to) {
        if (!as_int8) {
            memcpy(to, row(i), stride * sizeof(float));
            return;
        }
        memcpy(to, bytes.data() + (size_t) i * stride, stride);
        memcpy(to + stride, &units[i], sizeof(float));
        memcpy(to + stride + sizeof(float), &sums[i], sizeof(int32_t));
    }
    /* Allocate packed rows, to be filled by unpack_row. */
    void reshape_packed(int n_rows, int new_width, bool as_int8) {
        reshape(n_rows, new_width);
        if (as_int8) make_room_for_bytes();
        is_quantised = as_int8;
    }
    void unpack_row(int i, bool as_int8, const char* from) {
        if (!as_int8) {
            memcpy(row(i), from, stride * sizeof(float));
            return;
        }
        memcpy(bytes.data() + (size_t) i * stride, from, stride);
        memcpy(&units[i], from + stride, sizeof(float));
        memcpy(&sums[i], from + stride + sizeof(float), sizeof(int32_t));
    }
};

/* An embedding table of one field of a word: rows of floats, or of int8 with a scale per row. */
struct Table {
    int n_rows = 0, width = 0;
    std::vector<float> floats;
    std::vector<int8_t> bytes;
    std::vector<float> units;

    /* to = the mean of some rows, summed in the given order; 0 without rows */
    void mean(const int32_t* rows, int n, float* to) const {
        for (int k = 0; k < width; k++) to[k] = 0.0f;
        for (int i = 0; i < n; i++) {
            const size_t first = (size_t) rows[i] * width;
            if (bytes.empty())
                for (int k = 0; k < width; k += 4) store(to + k, add(load(to + k), load(floats.data() + first + k)));
            else
                for (int k = 0; k < width; k++) to[k] += (float) bytes[first + k] * units[rows[i]];
        }
        const float share = n ? 1.0f / (float) n : 0.0f;
        for (int k = 0; k < width; k++) to[k] *= share;
    }
};

/* y = weights · x + bias, with weights of float or int8 */
struct Matrix {
    int n_out = 0, n_in = 0, n_blocks = 0, n_padded_in = 0;
    bool is_int8 = false;
    dodona_large<int8_t> bytes;
    std::vector<float> floats;
    std::vector<float> units;      /* scale of the bytes of an output; padded with 0, as is the bias */
    std::vector<float> bias;

    void shape(int new_n_out, int new_n_in, const float* new_bias) {
        n_out = new_n_out, n_in = new_n_in;
        n_blocks = (int) (whole((size_t) n_out, N_OUTPUTS) / N_OUTPUTS), n_padded_in = (int) whole((size_t) n_in, 16);
        units.assign((size_t) n_blocks * N_OUTPUTS, 0.0f);
        bias.assign((size_t) n_blocks * N_OUTPUTS, 0.0f);
        if (new_bias)
            for (int j = 0; j < n_out; j++) bias[j] = new_bias[j];
    }
    void pack(const int8_t* weights, const float* scales) {
        is_int8 = true;
        bytes.assign((size_t) n_blocks * N_OUTPUTS * n_padded_in, 0);
        for (int j = 0; j < n_out; j++) {
            int8_t* block = bytes.data() + (size_t) (j / N_OUTPUTS) * N_OUTPUTS * n_padded_in;
            units[j] = scales[j];
            for (int k = 0; k < n_in; k++)
                block[((size_t) (k / N_GROUPED) * N_OUTPUTS + j % N_OUTPUTS) * N_GROUPED + k % N_GROUPED] =
                    weights[(size_t) j * n_in + k];
        }
    }
    void pack(const float* weights) {
        is_int8 = false;
        floats.assign((size_t) n_blocks * N_OUTPUTS * n_in, 0.0f);
        for (int j = 0; j < n_out; j++)
            for (int k = 0; k < n_in; k++)
                floats[((size_t) (j / N_OUTPUTS) * n_in + k) * N_OUTPUTS + j % N_OUTPUTS] =
                    weights[(size_t) j * n_in + k];
    }
    /* Multiply all weights by a power of two, which is exact. */
    void scale(float power) {
        for (auto& unit : units) unit *= power;
        for (auto& weight : floats) weight *= power;
    }
    /* quantise each output in units of its largest weight / 127 */
    void pack_as_bytes(const float* weights) {
        std::vector<float> row((size_t) n_padded_in), scales((size_t) n_out);
        std::vector<int8_t> packed((size_t) n_out * n_in), packed_row((size_t) n_padded_in);
        for (int j = 0; j < n_out; j++) {
            memcpy(row.data(), weights + (size_t) j * n_in, sizeof(float) * n_in);
            const float largest = four_lanes::largest_size(row.data(), n_padded_in);
            scales[j] = unit_of(largest);
            four_lanes::quantise(row.data(), packed_row.data(), n_padded_in, largest);
            memcpy(packed.data() + (size_t) j * n_in, packed_row.data(), (size_t) n_in);
        }
        pack(packed.data(), scales.data());
    }
};

/* Call finish(first row, number of rows, first output, number of outputs, sums) for all rows and all outputs from
 * `first` to `end`, some at a time; both are multiples of 16. */
template <typename Finish>
static inline void multiply_ints(const Variant& variant, const Matrix& matrix, Rows& x, int first, int end,
                                 Finish finish) {
    int32_t sums[MOST_ROWS * MOST_BLOCKS * N_OUTPUTS];
    const int most = MOST_BLOCKS * N_OUTPUTS, n_in = matrix.n_padded_in;
    x.make_bytes(*variant.loops);
    for (int at = first; at < end; at += most) {
        const int width = end - at < most ? end - at : most;
        for (int i = 0; i < x.n; i += MOST_ROWS) {
            const int n = x.n - i < MOST_ROWS ? x.n - i : MOST_ROWS;
            variant.ints(&x.bytes[i * x.stride], x.stride, &x.sums[i], n, &matrix.bytes[(size_t) at * n_in],
                         width / N_OUTPUTS, n_in, sums);
            finish(i, n, at, width, sums);
        }
    }
}

/* Call finish(row, first output, four results) for every row and every four outputs from `first` to `end`. */
template <typename Finish>
static inline void multiply_floats(const Variant& variant, const Matrix& matrix, Rows& x, int first, int end,
                                   Finish finish) {
    float results[MOST_ROWS * N_OUTPUTS];
    for (int at = first; at < end; at += N_OUTPUTS)
        for (int i = 0; i < x.n; i += MOST_ROWS) {
            const int n = x.n - i < MOST_ROWS ? x.n - i : MOST_ROWS;
            variant.floats(x.row(i), x.stride, n, &matrix.floats[(size_t) at * matrix.n_in], matrix.n_in, results);
            for (int r = 0; r < n; r++)
                for (int k = 0; k < N_OUTPUTS; k += 4) finish(i + r, at + k, load(results + r * N_OUTPUTS + k));
        }
}

/* Combine matrix · x + bias with `to`: `results` does that with the sums of int8, `combine` with four floats. */
template <typename Combine>
static inline void multiply_into(const Variant& variant, const Matrix& matrix, Rows& x, Rows& to,
                                 decltype(Loops::store_results) results, Combine combine) {
    const float *bias = matrix.bias.data(), *units = matrix.units.data();
    const int end = matrix.n_blocks * N_OUTPUTS;
    if (matrix.is_int8)
        multiply_ints(variant, matrix, x, 0, end, [&](int i, int n_rows, int at, int n, const int32_t* sums) {
            results(sums, &x.units[i], n_rows, units + at, bias + at, n, to.row(i) + at, to.stride);
        });
    else
        multiply_floats(variant, matrix, x, 0, end, [&](int i, int at, Four result) {
            combine(to.row(i) + at, add(result, load(bias + at)));
        });
}

/* to = matrix · x + bias */
static inline void product(const Variant& variant, const Matrix& matrix, Rows& x, Rows& to) {
    to.reshape(x.n, matrix.n_out);
    multiply_into(variant, matrix, x, to, variant.loops->store_results,
                  [](float* at, Four result) { store(at, result); });
}

/* to = to + (matrix · x + bias); the number of outputs is a multiple of 16 */
static inline void add_product(const Variant& variant, const Matrix& matrix, Rows& x, Rows& to) {
    to.is_quantised = false;
    multiply_into(variant, matrix, x, to, variant.loops->add_results,
                  [](float* at, Four result) { store(at, add(load(at), result)); });
}

/* to[i] = some outputs of matrix · x, rounded, for each row i; `first` and `n` are multiples of 16 */
static inline void rounded_product(const Variant& variant, const Matrix& matrix, Rows& x, int first, int n,
                                   int16_t* const* to) {
    if (matrix.is_int8)
        multiply_ints(variant, matrix, x, first, first + n, [&](int i, int n_rows, int at, int n_sums, const int32_t* sums) {
            variant.loops->round_results(sums, &x.units[i], n_rows, &matrix.units[at], n_sums, to + i, at - first);
        });
    else
        multiply_floats(variant, matrix, x, first, first + n, [&](int i, int at, Four result) {
            store_int16(to[i] + (at - first), result);
        });
}

}  // namespace dodona

#endif
