/* Kernels: products of rows and blocks of weights, where a network spends most of its time.
 *
 * A block holds the weights of 16 outputs. An int8 block has, for every four inputs, 16 groups of four bytes
 * (the weights of one output for these inputs); a float block has 16 numbers for every input. A kernel
 * multiplies up to 32 rows by one block and writes 16 sums per row.
 *
 * All kernels give identical bits: sums of int8 are exact in any order (weights are within ±127, rows within
 * -128 … 127); sums of floats run over the inputs in ascending order, and every product and sum is rounded
 * separately. The kernel is chosen at start by the features of the processor.
 */
#ifndef DODONA_KERNELS_PLAIN_H
#define DODONA_KERNELS_PLAIN_H

#include <stddef.h>

#include "simd.h"

namespace dodona {

enum { N_OUTPUTS = 16, MOST_ROWS = 32, N_GROUPED = 4, MOST_VARIANTS = 8 };

/* n_inputs of int8 is a multiple of 16. Row r begins at rows + r * stride; row_sums holds the sum of each
 * row. */
typedef void (*IntKernel)(const int8_t* rows, size_t stride, const int32_t* row_sums, int n_rows,
                          const int8_t* block, int n_inputs, int32_t* sums);
typedef void (*FloatKernel)(const float* rows, size_t stride, int n_rows, const float* block, int n_inputs,
                            float* sums);

struct Variant {
    const char* name;
    IntKernel ints;
    FloatKernel floats;
};

/* ---- any processor ---- */

static void plain_ints(const int8_t* rows, size_t stride, const int32_t*, int n_rows, const int8_t* block,
                       int n_inputs, int32_t* sums) {
    for (int r = 0; r < n_rows; r++) {
        int32_t* sum = sums + r * N_OUTPUTS;
        for (int j = 0; j < N_OUTPUTS; j++) sum[j] = 0;
        for (int k = 0; k < n_inputs; k++) {
            const int8_t* weights = block + (k / N_GROUPED) * (N_OUTPUTS * N_GROUPED) + k % N_GROUPED;
            for (int j = 0; j < N_OUTPUTS; j++) sum[j] += rows[r * stride + k] * weights[j * N_GROUPED];
        }
    }
}

static void plain_floats(const float* rows, size_t stride, int n_rows, const float* block, int n_inputs,
                         float* sums) {
    for (int r = 0; r < n_rows; r++) {
        float* sum = sums + r * N_OUTPUTS;
        for (int j = 0; j < N_OUTPUTS; j++) sum[j] = 0.0f;
        for (int k = 0; k < n_inputs; k++)
            for (int j = 0; j < N_OUTPUTS; j++) sum[j] += rows[r * stride + k] * block[k * N_OUTPUTS + j];
    }
}

/* Kernels for a fixed number of rows, so that the sums stay in registers, and their dispatch for any number
 * of rows; the kernel for eight is optional. */
typedef void (*IntRows)(const int8_t* rows, size_t stride, const int32_t* row_sums, const int8_t* block, int n_inputs,
                        int32_t* sums);
typedef void (*FloatRows)(const float* rows, size_t stride, const float* block, int n_inputs, float* sums);

static inline int rows_at_once(int n_left, bool with_eight) {
    return with_eight && n_left >= 8 ? 8 : n_left >= 4 ? 4 : n_left >= 2 ? 2 : 1;
}

template <IntRows EIGHT, IntRows FOUR, IntRows TWO, IntRows ONE>
static void ints_by_rows(const int8_t* rows, size_t stride, const int32_t* row_sums, int n_rows, const int8_t* block,
                         int n_inputs, int32_t* sums) {
    for (int r = 0, n; r < n_rows; r += n) {
        n = rows_at_once(n_rows - r, EIGHT != nullptr);
        const IntRows kernel = n == 8 ? EIGHT : n == 4 ? FOUR : n == 2 ? TWO : ONE;
        kernel(rows + r * stride, stride, row_sums + r, block, n_inputs, sums + r * N_OUTPUTS);
    }
}

template <FloatRows EIGHT, FloatRows FOUR, FloatRows TWO, FloatRows ONE>
static void floats_by_rows(const float* rows, size_t stride, int n_rows, const float* block, int n_inputs,
                           float* sums) {
    for (int r = 0, n; r < n_rows; r += n) {
        n = rows_at_once(n_rows - r, EIGHT != nullptr);
        const FloatRows kernel = n == 8 ? EIGHT : n == 4 ? FOUR : n == 2 ? TWO : ONE;
        kernel(rows + r * stride, stride, block, n_inputs, sums + r * N_OUTPUTS);
    }
}

/* ---- any processor with vectors of four floats ---- */

template <int R>
static void four_float_rows(const float* rows, size_t stride, const float* block, int n_inputs, float* sums) {
    Four sum[R][4];
    DODONA_UNROLL
    for (int r = 0; r < R; r++) sum[r][0] = sum[r][1] = sum[r][2] = sum[r][3] = four(0.0f);
    for (int k = 0; k < n_inputs; k++, block += N_OUTPUTS) {
        const Four a = load(block), b = load(block + 4), c = load(block + 8), d = load(block + 12);
        DODONA_UNROLL
        for (int r = 0; r < R; r++) {
            const Four x = four(rows[r * stride + k]);
            sum[r][0] = add(sum[r][0], multiply(x, a));
            sum[r][1] = add(sum[r][1], multiply(x, b));
            sum[r][2] = add(sum[r][2], multiply(x, c));
            sum[r][3] = add(sum[r][3], multiply(x, d));
        }
    }
    DODONA_UNROLL
    for (int r = 0; r < R; r++) {
        store(sums + r * N_OUTPUTS, sum[r][0]);
        store(sums + r * N_OUTPUTS + 4, sum[r][1]);
        store(sums + r * N_OUTPUTS + 8, sum[r][2]);
        store(sums + r * N_OUTPUTS + 12, sum[r][3]);
    }
}

static const FloatKernel four_floats =
    floats_by_rows<nullptr, four_float_rows<4>, four_float_rows<2>, four_float_rows<1>>;

}  // namespace dodona

#endif
