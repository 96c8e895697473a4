/* Scores of a state in integers: the rows of its words and atoms are summed, and every class is scored.
 *
 * Rows are fixed-point numbers in steps of 1/1024, hidden units int16, weights int8. A unit is split into
 * two bytes for the int8 kernels: unit = 256 · high + low + 128, both within -128 … 127.
 */
#ifndef DODONA_STATE_SCORES_H
#define DODONA_STATE_SCORES_H

#include "matrix.h"

namespace dodona {

enum { MOST_HIDDEN = 512, MOST_SCORE = 8191, SCORE_BLOCK = 8 };

struct Classes {
    Matrix matrix;
    std::vector<float> factors;       /* scale of the sum of a class */
    std::vector<uint32_t> offsets;    /* 128 · the sum of the weights of a class */

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

#if defined(DODONA_NEON)

/* Compute 8 · N hidden units from `first` on. Reading whole cache lines of each row is 1.3x faster. */
template <int N>
static inline void hidden_some(const int16_t* const* rows, int n_rows, const int32_t* bias, int first, int8_t* high,
                               int8_t* low) {
    int32x4_t sum[2 * N];
    DODONA_UNROLL
    for (int v = 0; v < 2 * N; v++) sum[v] = vld1q_s32(bias + first + 4 * v);
    for (int r = 0; r < n_rows; r++) {
        DODONA_UNROLL
        for (int v = 0; v < N; v++) {
            const int16x8_t row = vld1q_s16(rows[r] + first + 8 * v);
            sum[2 * v] = vaddw_s16(sum[2 * v], vget_low_s16(row));
            sum[2 * v + 1] = vaddw_high_s16(sum[2 * v + 1], row);
        }
    }
    DODONA_UNROLL
    for (int v = 0; v < N; v++) {
        const int32x4_t a = vmaxq_s32(sum[2 * v], vshrq_n_s32(sum[2 * v], 3));
        const int32x4_t b = vmaxq_s32(sum[2 * v + 1], vshrq_n_s32(sum[2 * v + 1], 3));
        const int16x8_t unit = vmaxq_s16(vcombine_s16(vqmovn_s32(a), vqmovn_s32(b)), vdupq_n_s16(-32767));
        vst1_s8(high + first + 8 * v, vshrn_n_s16(unit, 8));
        vst1_s8(low + first + 8 * v, veor_s8(vmovn_s16(unit), vdup_n_s8(-128)));
    }
}

#endif

/* Compute the hidden units, two bytes each: leaky ReLU (slope 1/8) of bias plus rows, clamped to ±32767. */
static inline void hidden_bytes(const int16_t* const* rows, int n_rows, const int32_t* bias, int hidden, int8_t* high,
                                int8_t* low) {
#if defined(DODONA_NEON)
    int j = 0;
    for (; j + 32 <= hidden; j += 32) hidden_some<4>(rows, n_rows, bias, j, high, low);
    for (; j < hidden; j += 16) hidden_some<2>(rows, n_rows, bias, j, high, low);
#elif defined(DODONA_SSE2)
    const __m128i ones = _mm_set1_epi16(1), zero = _mm_setzero_si128();
    for (int j = 0; j < hidden; j += 8) {
        __m128i a = _mm_loadu_si128((const __m128i*) (bias + j)), b = _mm_loadu_si128((const __m128i*) (bias + j + 4));
        for (int r = 0; r < n_rows; r += 2) {     /* interleave two rows: the products of pairs with 1 are their sums */
            const __m128i one = _mm_loadu_si128((const __m128i*) (rows[r] + j));
            const __m128i other = r + 1 < n_rows ? _mm_loadu_si128((const __m128i*) (rows[r + 1] + j)) : zero;
            a = _mm_add_epi32(a, _mm_madd_epi16(_mm_unpacklo_epi16(one, other), ones));
            b = _mm_add_epi32(b, _mm_madd_epi16(_mm_unpackhi_epi16(one, other), ones));
        }
        a = _mm_or_si128(_mm_andnot_si128(_mm_srai_epi32(a, 31), a),
                         _mm_and_si128(_mm_srai_epi32(a, 31), _mm_srai_epi32(a, 3)));
        b = _mm_or_si128(_mm_andnot_si128(_mm_srai_epi32(b, 31), b),
                         _mm_and_si128(_mm_srai_epi32(b, 31), _mm_srai_epi32(b, 3)));
        const __m128i unit = _mm_max_epi16(_mm_packs_epi32(a, b), _mm_set1_epi16(-32767));
        const __m128i bottom = _mm_sub_epi16(_mm_and_si128(unit, _mm_set1_epi16(255)), _mm_set1_epi16(128));
        _mm_storel_epi64((__m128i*) (high + j), _mm_packs_epi16(_mm_srai_epi16(unit, 8), zero));
        _mm_storel_epi64((__m128i*) (low + j), _mm_packs_epi16(bottom, zero));
    }
#else
    for (int j = 0; j < hidden; j++) {
        int32_t unit = bias[j];
        for (int r = 0; r < n_rows; r++) unit += rows[r][j];
        if (unit < 0) unit = -((-unit + 7) / 8);
        unit = unit > 32767 ? 32767 : unit < -32767 ? -32767 : unit;
        const int32_t bottom = unit & 255;
        high[j] = (int8_t) ((unit - bottom) / 256), low[j] = (int8_t) (bottom - 128);
    }
#endif
}

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
static inline void state_bytes(const int16_t* const* rows, int n_rows, const int32_t* bias, int hidden, int8_t* halves,
                               int32_t* sums) {
    hidden_bytes(rows, n_rows, bias, hidden, halves, halves + hidden);
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
    int32_t sums[MOST_ROWS * N_OUTPUTS];
    for (int at = 0; at < matrix.n_blocks * N_OUTPUTS; at += N_OUTPUTS)
        for (int first = 0; first < n_states; first += MOST_ROWS / 2) {
            const int n = n_states - first < MOST_ROWS / 2 ? n_states - first : MOST_ROWS / 2;
            variant.ints(halves + (size_t) 2 * first * hidden, (size_t) hidden, row_sums + 2 * first, 2 * n,
                         matrix.bytes.data() + (size_t) at * hidden, hidden, sums);
            for (int i = 0; i < n; i++) {
                const int32_t* sum = sums + 2 * i * N_OUTPUTS;
                int32_t wholes[N_OUTPUTS];
                /* unsigned, since partial sums may wrap around; the total does not */
                for (int k = 0; k < N_OUTPUTS; k++)
                    wholes[k] = (int32_t) (256u * (uint32_t) sum[k] + (uint32_t) sum[N_OUTPUTS + k] +
                                           classes.offsets[at + k]);
                for (int k = 0; k < N_OUTPUTS && at + k < n_scores; k += 4) {
                    const Four product = multiply(to_floats(load_ints(wholes + k)), load(classes.factors.data() + at + k));
                    const Four score = multiply(add(product, load(matrix.bias.data() + at + k)), four(256.0f));
                    store_int16(scores + (size_t) (first + i) * n_scores + at + k, clamp(score, -MOST_SCORE, MOST_SCORE));
                }
            }
        }
}

/* Score every class for one state. */
static inline void state_scores(const Variant& variant, const int16_t* const* rows, int n_rows, const int32_t* bias,
                                const Classes& classes, int16_t* scores) {
    int8_t halves[2 * MOST_HIDDEN];
    int32_t row_sums[2];
    state_bytes(rows, n_rows, bias, classes.matrix.n_in, halves, row_sums);
    class_scores(variant, halves, row_sums, 1, classes, scores);
}

}  // namespace dodona

#endif
