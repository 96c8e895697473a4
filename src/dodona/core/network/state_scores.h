/* Scores of a state in integers: the rows of its words and atoms are summed, and every class is scored.
 *
 * Rows are fixed-point numbers in steps of 1/1024, hidden units int16, weights int8. A unit is split into
 * two bytes for the int8 kernels: unit = 256 · high + low + 128, both within -128 … 127.
 */
#ifndef DODONA_STATE_SCORES_H
#define DODONA_STATE_SCORES_H

#include "matrix.h"

namespace dodona {

enum { MOST_HIDDEN = 512, SCORE_BLOCK = 8 };

struct Classes {
    Matrix matrix;
    std::vector<float> factors;       /* scale of the sum of a class */
    std::vector<int32_t> offsets;     /* 128 · the sum of the weights of a class */

    void set(const Matrix& from) {
        matrix = from;
        factors.resize(matrix.units.size());
        offsets.assign(matrix.units.size(), 0);
        for (size_t j = 0; j < factors.size(); j++) factors[j] = matrix.units[j] / 1024.0f;
        for (size_t i = 0; i < matrix.bytes.size(); i++) {
            const size_t block = i / ((size_t) N_OUTPUTS * matrix.n_padded_in);
            offsets[block * N_OUTPUTS + i / N_GROUPED % N_OUTPUTS] += 128 * matrix.bytes[i];
        }
    }
};

/* to = a + b, unsigned, since scores of masked classes may wrap around; n is a multiple of eight. */
static inline void add_scores(const int16_t* a, const int16_t* b, int n, int16_t* to) {
    for (int i = 0; i < n; i += SCORE_BLOCK) {
        uint16_t sums[SCORE_BLOCK], others[SCORE_BLOCK];      /* local, so that the compiler vectorises the sum */
        memcpy(sums, a + i, sizeof sums);
        memcpy(others, b + i, sizeof others);
        for (int k = 0; k < SCORE_BLOCK; k++) sums[k] = (uint16_t) (sums[k] + others[k]);
        memcpy(to + i, sums, sizeof sums);
    }
}

/* Compute the hidden units of a state as kernel input: two rows of bytes, and the sum of each. */
static inline void state_bytes(const Variant& variant, const int16_t* const* rows, int n_rows, const int32_t* bias,
                               int hidden, int8_t* halves, int32_t* sums) {
    variant.loops->hidden_bytes(rows, n_rows, bias, hidden, halves, halves + hidden);
    sums[0] = sums[1] = 0;
    for (int j = 0; j < hidden; j += 16) {
        sums[0] += sum_of_bytes(halves + j);
        sums[1] += sum_of_bytes(halves + hidden + j);
    }
}

/* Score every class for several states, in steps of 1/256 within ±8191, padded with 0 to a multiple of eight
 * per state. The weights are loaded once for several states. */
static inline void class_scores(const Variant& variant, const int8_t* halves, const int32_t* row_sums, int n_states,
                                const Classes& classes, int16_t* scores) {
    const Matrix& matrix = classes.matrix;
    const int hidden = matrix.n_in, n_scores = (int) whole((size_t) matrix.n_out, SCORE_BLOCK);
    int32_t sums[MOST_ROWS * MOST_BLOCKS * N_OUTPUTS];
    for (int block = 0; block < matrix.n_blocks; block += MOST_BLOCKS) {
        const int n_blocks = matrix.n_blocks - block < MOST_BLOCKS ? matrix.n_blocks - block : MOST_BLOCKS;
        const int at = block * N_OUTPUTS, width = n_blocks * N_OUTPUTS;
        for (int first = 0; first < n_states; first += MOST_ROWS / 2) {
            const int n = n_states - first < MOST_ROWS / 2 ? n_states - first : MOST_ROWS / 2;
            variant.ints(halves + (size_t) 2 * first * hidden, (size_t) hidden, row_sums + 2 * first, 2 * n,
                         matrix.bytes.data() + (size_t) at * hidden, n_blocks, hidden, sums);
            const int n_stored = width < n_scores - at ? width : n_scores - at;
            for (int i = 0; i < n; i++) {
                const int32_t* sum = sums + 2 * i * width;
                variant.loops->store_scores(sum, sum + width, &classes.offsets[at], &classes.factors[at],
                                            &matrix.bias[at], n_stored, scores + (size_t) (first + i) * n_scores + at);
            }
        }
    }
}

/* Score every class for one state. */
static inline void state_scores(const Variant& variant, const int16_t* const* rows, int n_rows, const int32_t* bias,
                                const Classes& classes, int16_t* scores) {
    int8_t halves[2 * MOST_HIDDEN];
    int32_t row_sums[2];
    state_bytes(variant, rows, n_rows, bias, classes.matrix.n_in, halves, row_sums);
    class_scores(variant, halves, row_sums, 1, classes, scores);
}

}  // namespace dodona

#endif
