/* scores[0 … 8n) += rows of weights, each 8n bytes times its factor: half of the work of scoring. */
#ifndef DODONA_ROWS_H
#define DODONA_ROWS_H

#include "blocks.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define DODONA_ROWS_AVX2 __attribute__((target("avx2")))
#include <immintrin.h>
#endif

#if defined(DODONA_LOAD)
/* Add sixteen weights times a factor to two registers of eight sums. */
static inline void dodona_add_weights(dodona_sums* low, dodona_sums* high, const int8_t* weights, int factor) {
#if defined(DODONA_NEON)
    int8x16_t bytes = vld1q_s8(weights), times = vdupq_n_s8((int8_t) factor);
    *low = DODONA_PLUS(*low, vreinterpretq_u16_s16(vmull_s8(vget_low_s8(bytes), vget_low_s8(times))));
    *high = DODONA_PLUS(*high, vreinterpretq_u16_s16(vmull_high_s8(bytes, times)));
#else
    /* both in the upper half of a lane, so that their product is the upper half of the product */
    __m128i zero = _mm_setzero_si128(), bytes = _mm_loadu_si128((const __m128i*) weights);
    __m128i times = _mm_set1_epi16((short) (factor * 256));
    *low = DODONA_PLUS(*low, _mm_mulhi_epi16(_mm_unpacklo_epi8(zero, bytes), times));
    *high = DODONA_PLUS(*high, _mm_mulhi_epi16(_mm_unpackhi_epi8(zero, bytes), times));
#endif
}

/* Return eight sums plus eight weights times a factor. */
static inline dodona_sums dodona_plus_weights(dodona_sums sums, const int8_t* weights, int factor) {
#if defined(DODONA_NEON)
    return DODONA_PLUS(sums, vreinterpretq_u16_s16(vmull_s8(vld1_s8(weights), vdup_n_s8((int8_t) factor))));
#else
    __m128i bytes = _mm_unpacklo_epi8(_mm_setzero_si128(), _mm_loadl_epi64((const __m128i*) weights));
    return DODONA_PLUS(sums, _mm_mulhi_epi16(bytes, _mm_set1_epi16((short) (factor * 256))));
#endif
}

/* Add N blocks of the rows, from a class on. The sums must stay in registers, so loops over them are unrolled. */
template <int N>
static inline void dodona_add_chunk(int16_t* scores, const int8_t* const* rows, const int8_t* factors, int n_rows,
                                    int at) {
    dodona_sums sums[N];
    DODONA_UNROLL for (int i = 0; i < N; i++) sums[i] = DODONA_LOAD(scores + at + 8 * i);
    for (int r = 0; r < n_rows; r++) {
        DODONA_UNROLL for (int i = 0; i < N; i += 2)
            dodona_add_weights(&sums[i], &sums[i + 1], rows[r] + at + 8 * i, factors[r]);
    }
    DODONA_UNROLL for (int i = 0; i < N; i++) DODONA_STORE(scores + at + 8 * i, sums[i]);
}
#endif

/* Add one block of the rows, from a class on. */
static inline void dodona_add_block(int16_t* scores, const int8_t* const* rows, const int8_t* factors, int n_rows,
                                    int at) {
#if defined(DODONA_LOAD)
    dodona_sums sums = DODONA_LOAD(scores + at);
    for (int r = 0; r < n_rows; r++) sums = dodona_plus_weights(sums, rows[r] + at, factors[r]);
    DODONA_STORE(scores + at, sums);
#else
    for (int r = 0; r < n_rows; r++)
        for (int k = at; k < at + 8; k++) scores[k] = (int16_t) (scores[k] + rows[r][k] * factors[r]);
#endif
}

/* Add rows on any processor of its family. */
static inline void dodona_add_rows_anywhere(int16_t* scores, const int8_t* const* rows, const int8_t* factors,
                                            int n_rows, int n_blocks) {
    int at = 0;
#if defined(DODONA_LOAD)
#if defined(DODONA_NEON) /* which has twice as many registers */
    for (; at + 128 <= 8 * n_blocks; at += 128) dodona_add_chunk<16>(scores, rows, factors, n_rows, at);
#endif
    for (; at + 64 <= 8 * n_blocks; at += 64) dodona_add_chunk<8>(scores, rows, factors, n_rows, at);
    if (at + 32 <= 8 * n_blocks) dodona_add_chunk<4>(scores, rows, factors, n_rows, at), at += 32;
    if (at + 16 <= 8 * n_blocks) dodona_add_chunk<2>(scores, rows, factors, n_rows, at), at += 16;
#endif
    for (; at < 8 * n_blocks; at += 8) dodona_add_block(scores, rows, factors, n_rows, at);
}

#if defined(DODONA_ROWS_AVX2)
/* Add N times 16 classes of the rows. Scoring is 1.08x as fast as with the registers that all x86-64 have. */
template <int N>
DODONA_ROWS_AVX2 static inline void dodona_add_wide(int16_t* scores, const int8_t* const* rows,
                                                    const int8_t* factors, int n_rows, int at) {
    __m256i sums[N];
    DODONA_UNROLL for (int i = 0; i < N; i++) sums[i] = _mm256_loadu_si256((const __m256i*) (scores + at + 16 * i));
    for (int r = 0; r < n_rows; r++) {
        const __m256i times = _mm256_set1_epi16(factors[r]);
        DODONA_UNROLL for (int i = 0; i < N; i++) {
            const __m128i bytes = _mm_loadu_si128((const __m128i*) (rows[r] + at + 16 * i));
            sums[i] = _mm256_add_epi16(sums[i], _mm256_mullo_epi16(_mm256_cvtepi8_epi16(bytes), times));
        }
    }
    DODONA_UNROLL for (int i = 0; i < N; i++) _mm256_storeu_si256((__m256i*) (scores + at + 16 * i), sums[i]);
}

/* Add the last classes of the rows, less than N times 16. */
template <int N>
DODONA_ROWS_AVX2 static inline void dodona_add_rest(int16_t* scores, const int8_t* const* rows,
                                                    const int8_t* factors, int n_rows, int at, int n_left) {
    if (n_left == N - 1) return dodona_add_wide<N - 1>(scores, rows, factors, n_rows, at);
    dodona_add_rest<N - 1>(scores, rows, factors, n_rows, at, n_left);
}

template <>
DODONA_ROWS_AVX2 inline void dodona_add_rest<1>(int16_t*, const int8_t* const*, const int8_t*, int, int, int) {}

DODONA_ROWS_AVX2 static void dodona_add_rows_avx2(int16_t* scores, const int8_t* const* rows, const int8_t* factors,
                                                  int n_rows, int n_blocks) {
    int at = 0;
    for (; at + 192 <= 8 * n_blocks; at += 192) dodona_add_wide<12>(scores, rows, factors, n_rows, at);
    dodona_add_rest<12>(scores, rows, factors, n_rows, at, (8 * n_blocks - at) / 16);
    if (n_blocks % 2) dodona_add_block(scores, rows, factors, n_rows, 8 * (n_blocks - 1));
}
#endif

typedef void (*dodona_row_adder)(int16_t* scores, const int8_t* const* rows, const int8_t* factors, int n_rows,
                                 int n_blocks);

/* Write the implementations that this processor can run, the fastest last; return their number. */
static inline int dodona_row_adders(dodona_row_adder* found) {
    int n = 0;
    found[n++] = dodona_add_rows_anywhere;
#if defined(DODONA_ROWS_AVX2)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) found[n++] = dodona_add_rows_avx2;
#endif
    return n;
}

static inline dodona_row_adder dodona_fastest_row_adder() {
    dodona_row_adder found[2];
    return found[dodona_row_adders(found) - 1];
}

static const dodona_row_adder dodona_add_rows = dodona_fastest_row_adder();

#endif
