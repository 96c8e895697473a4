/* Kernels: products of rows and blocks of weights, where a network spends most of its time.
 *
 * A block holds the weights of 16 outputs. An int8 block has, for every four inputs, 16 groups of four bytes
 * (the weights of one output for these inputs); a float block has 16 numbers for every input. A kernel
 * multiplies up to 32 rows by up to four consecutive blocks of int8, or by one block of floats, and writes 16
 * sums per row and block.
 *
 * All kernels give identical bits: sums of int8 are exact in any order (weights are within ±127, rows within
 * -128 … 127); sums of floats run over the inputs in ascending order, and every product and sum is rounded
 * separately. The kernel is chosen at start by the features of the processor.
 */
#ifndef DODONA_KERNELS_PLAIN_H
#define DODONA_KERNELS_PLAIN_H

#include <stddef.h>

#include "elementwise.h"

namespace dodona {

enum { N_OUTPUTS = 16, MOST_ROWS = 32, MOST_BLOCKS = 4, N_GROUPED = 4, MOST_VARIANTS = 8 };

/* n_inputs of int8 is a multiple of 16. Row r begins at rows + r * stride; row_sums holds the sum of each
 * row. The sums of row r begin at sums + r * n_blocks * N_OUTPUTS. */
typedef void (*IntKernel)(const int8_t* rows, size_t stride, const int32_t* row_sums, int n_rows,
                          const int8_t* blocks, int n_blocks, int n_inputs, int32_t* sums);
typedef void (*FloatKernel)(const float* rows, size_t stride, int n_rows, const float* block, int n_inputs,
                            float* sums);

struct Variant {
    const char* name;
    IntKernel ints;
    FloatKernel floats;
    const Loops* loops;      /* between products */
};

/* ---- any processor ---- */

static inline void plain_row(const int8_t* row, const int8_t* block, int n_inputs, int32_t* sums) {
    for (int j = 0; j < N_OUTPUTS; j++) sums[j] = 0;
    for (int k = 0; k < n_inputs; k++) {
        const int8_t* weights = block + (k / N_GROUPED) * (N_OUTPUTS * N_GROUPED) + k % N_GROUPED;
        for (int j = 0; j < N_OUTPUTS; j++) sums[j] += row[k] * weights[j * N_GROUPED];
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

/* Kernels of one row and one block, and their dispatch for any number of both. */
typedef void (*IntRow)(const int8_t* row, const int8_t* block, int n_inputs, int32_t* sums);

template <IntRow ROW>
static void ints_one_by_one(const int8_t* rows, size_t stride, const int32_t*, int n_rows, const int8_t* blocks,
                            int n_blocks, int n_inputs, int32_t* sums) {
    for (int b = 0; b < n_blocks; b++)
        for (int r = 0; r < n_rows; r++)
            ROW(rows + r * stride, blocks + (size_t) b * N_OUTPUTS * n_inputs, n_inputs,
                sums + (r * n_blocks + b) * N_OUTPUTS);
}

static const IntKernel plain_ints = ints_one_by_one<plain_row>;

/* Kernels of a fixed number of rows and blocks, so that the sums stay in registers; sums of rows are `width`
 * numbers apart. */
typedef void (*IntTile)(const int8_t* rows, size_t stride, const int32_t* row_sums, const int8_t* blocks, int n_inputs,
                        int32_t* sums, int width);
typedef void (*FloatRows)(const float* rows, size_t stride, const float* block, int n_inputs, float* sums);

static inline int rows_at_once(int n_left, bool with_eight) {
    return with_eight && n_left >= 8 ? 8 : n_left >= 4 ? 4 : n_left >= 2 ? 2 : 1;
}

/* The tiles of B blocks; the one of eight rows is optional. */
template <int B, IntTile EIGHT, IntTile FOUR, IntTile TWO, IntTile ONE>
struct IntTiles {
    enum { N_BLOCKS = B };

    static void multiply(const int8_t* rows, size_t stride, const int32_t* row_sums, int n_rows, const int8_t* blocks,
                         int n_inputs, int32_t* sums, int width) {
        for (int r = 0, n; r < n_rows; r += n) {
            n = rows_at_once(n_rows - r, EIGHT != nullptr);
            const IntTile tile = n == 8 ? EIGHT : n == 4 ? FOUR : n == 2 ? TWO : ONE;
            tile(rows + r * stride, stride, row_sums + r, blocks, n_inputs, sums + r * width, width);
        }
    }
};

/* As many blocks at once as `Tiles` has, the others one by one. */
template <typename Tiles, typename Single = Tiles>
static void ints_by_tiles(const int8_t* rows, size_t stride, const int32_t* row_sums, int n_rows, const int8_t* blocks,
                          int n_blocks, int n_inputs, int32_t* sums) {
    const size_t block_size = (size_t) N_OUTPUTS * n_inputs;
    const int width = n_blocks * N_OUTPUTS;
    int b = 0;
    for (; b + Tiles::N_BLOCKS <= n_blocks; b += Tiles::N_BLOCKS, sums += Tiles::N_BLOCKS * N_OUTPUTS)
        Tiles::multiply(rows, stride, row_sums, n_rows, blocks + b * block_size, n_inputs, sums, width);
    for (; b < n_blocks; b++, sums += N_OUTPUTS)
        Single::multiply(rows, stride, row_sums, n_rows, blocks + b * block_size, n_inputs, sums, width);
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
