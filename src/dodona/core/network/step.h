/* The step of a state: rows of its words and atoms are added, and every class gets a score; all in integers.
 *
 * Rows are in steps of 1/1024, hidden units int16, weights int8. A unit is taken apart into two bytes, so
 * that the kernels for int8 can multiply it: unit = 256 · high + low + 128, both within -128 … 127.
 */
#ifndef DODONA_STEP_H
#define DODONA_STEP_H

#include "matrix.h"

namespace dodona {

enum { MOST_HIDDEN = 512, MOST_SCORE = 8191, SCORE_BLOCK = 8 };

struct Classes {
    Matrix matrix;
    std::vector<float> factors;       /* what 1 is worth in the sum of a class */
    std::vector<uint32_t> offsets;    /* 128 · the weights of a class, added up */

    void set(const Matrix& from) {
        matrix = from;
        factors.resize(matrix.units.size());
        offsets.assign(matrix.units.size(), 0);
        for (size_t j = 0; j < factors.size(); j++) factors[j] = matrix.units[j] / 1024.0f;
        for (size_t i = 0; i < matrix.bytes.size(); i++) {
            const size_t block = i / ((size_t) N_OUTPUTS * matrix.n_padded_in);
            offsets[block * N_OUTPUTS + i / N_GROUPED % N_OUTPUTS] += 128u * (uint32_t) matrix.bytes[i];
        }
    }
};

/* The hidden units in two bytes each: bias and rows added up, leaky ReLU with slope 1/8, clamped. */
static inline void hidden_bytes(const int16_t* const* rows, int n_rows, const int32_t* bias, int hidden, int8_t* high,
                                int8_t* low) {
    for (int j = 0; j < hidden; j++) {
        int32_t unit = bias[j];
        for (int r = 0; r < n_rows; r++) unit += rows[r][j];
        if (unit < 0) unit = -((-unit + 7) / 8);
        unit = unit > 32767 ? 32767 : unit < -32767 ? -32767 : unit;
        const int32_t bottom = unit & 255;
        high[j] = (int8_t) ((unit - bottom) / 256), low[j] = (int8_t) (bottom - 128);
    }
}

/* scores = the score of each class in steps of 1/256, within ±8191, and 0 up to a whole block of eight */
static inline void state_scores(const Variant& variant, const int16_t* const* rows, int n_rows, const int32_t* bias,
                                const Classes& classes, int16_t* scores) {
    const Matrix& matrix = classes.matrix;
    const int hidden = matrix.n_in, n_scores = (int) whole((size_t) matrix.n_out, SCORE_BLOCK);
    int8_t halves[2 * MOST_HIDDEN];
    int32_t row_sums[2] = {0, 0}, sums[2 * N_OUTPUTS];
    hidden_bytes(rows, n_rows, bias, hidden, halves, halves + hidden);
    for (int j = 0; j < hidden; j += 16) {
        row_sums[0] += sum_of_bytes(halves + j);
        row_sums[1] += sum_of_bytes(halves + hidden + j);
    }
    for (int b = 0; b < matrix.n_blocks; b++) {
        const int at = b * N_OUTPUTS;
        variant.ints(halves, (size_t) hidden, row_sums, 2, matrix.bytes.data() + (size_t) at * hidden, hidden, sums);
        /* without a sign, since parts of a sum may wrap round; the whole does not */
        for (int k = 0; k < N_OUTPUTS; k++)
            sums[k] = (int32_t) (256u * (uint32_t) sums[k] + (uint32_t) sums[N_OUTPUTS + k] + classes.offsets[at + k]);
        for (int k = 0; k < N_OUTPUTS && at + k < n_scores; k += SCORE_BLOCK) {
            FourInts parts[2];
            for (int h = 0; h < 2; h++) {
                const int c = at + k + 4 * h;
                const Four score = add(multiply(to_floats(load_ints(sums + k + 4 * h)), load(classes.factors.data() + c)),
                                       load(matrix.bias.data() + c));
                parts[h] = to_ints(clamp(multiply(score, four(256.0f)), -MOST_SCORE, MOST_SCORE));
            }
            store_int16(scores + at + k, parts[0], parts[1]);
        }
    }
}

}  // namespace dodona

#endif
