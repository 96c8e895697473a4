/* Hidden units of a state: leaky ReLU (slope 1/8) of bias plus rows, clamped to ±32767, two bytes each. */
#ifndef DODONA_HIDDEN_UNITS_H
#define DODONA_HIDDEN_UNITS_H

#include "lanes_avx2.h"
#include "simd.h"

namespace dodona {

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

namespace four_lanes {

static void hidden_bytes(const int16_t* const* rows, int n_rows, const int32_t* bias, int hidden, int8_t* high,
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

}  // namespace four_lanes

#if defined(DODONA_AVX2)

DODONA_BEGIN_TARGET("avx2")
namespace eight_lanes {

static inline void store_halves(Ints a, int8_t* high, int8_t* low) {
    const Ints units = _mm256_max_epi32(a, _mm256_srai_epi32(a, 3));
    const __m128i unit = _mm_max_epi16(narrow(units), _mm_set1_epi16(-32767)), zero = _mm_setzero_si128();
    const __m128i bottom = _mm_sub_epi16(_mm_and_si128(unit, _mm_set1_epi16(255)), _mm_set1_epi16(128));
    _mm_storel_epi64((__m128i*) high, _mm_packs_epi16(_mm_srai_epi16(unit, 8), zero));
    _mm_storel_epi64((__m128i*) low, _mm_packs_epi16(bottom, zero));
}

template <int N>
static inline void hidden_some(const int16_t* const* rows, int n_rows, const int32_t* bias, int first, int8_t* high,
                               int8_t* low) {
    Ints sum[N];
    DODONA_UNROLL
    for (int v = 0; v < N; v++) sum[v] = load_ints(bias + first + 8 * v);
    for (int r = 0; r < n_rows; r++) {
        DODONA_UNROLL
        for (int v = 0; v < N; v++) sum[v] = add(sum[v], load_int16(rows[r] + first + 8 * v));
    }
    DODONA_UNROLL
    for (int v = 0; v < N; v++) store_halves(sum[v], high + first + 8 * v, low + first + 8 * v);
}

static void hidden_bytes(const int16_t* const* rows, int n_rows, const int32_t* bias, int hidden, int8_t* high,
                         int8_t* low) {
    int j = 0;
    for (; j + 64 <= hidden; j += 64) hidden_some<8>(rows, n_rows, bias, j, high, low);
    for (; j < hidden; j += 16) hidden_some<2>(rows, n_rows, bias, j, high, low);
}

}  // namespace eight_lanes
DODONA_END_TARGET

#endif

}  // namespace dodona

#endif
