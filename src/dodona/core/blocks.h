/* Eight at a time: adding weights to scores, and finding a fingerprint; the innermost loops of all.
 *
 * Compilers do not turn these into vector instructions by themselves (parsing is 1.3x slower
 * without), so the two families of processors are spelled out; any other gets the plain loop.
 */
#ifndef DODONA_BLOCKS_H
#define DODONA_BLOCKS_H

#include <stdint.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#if defined(_MSC_VER)
#include <intrin.h>
#define DODONA_RESTRICT __restrict
#define dodona_prefetch(address) ((void) 0)
static inline int dodona_lowest_bit(unsigned x) { unsigned long i; _BitScanForward(&i, x); return (int) i; }
#else
#define DODONA_RESTRICT __restrict__
#define dodona_prefetch(address) __builtin_prefetch(address)
static inline int dodona_lowest_bit(unsigned x) { return __builtin_ctz(x); }
#endif

enum { DODONA_BLOCK = 8 };

/* scores[0 … 8n) += weights[0 … 8n) */
static inline void dodona_add_int8(int16_t* DODONA_RESTRICT scores, const int8_t* DODONA_RESTRICT weights,
                                   int n_blocks) {
    for (int block = 0; block < n_blocks; block++, scores += DODONA_BLOCK, weights += DODONA_BLOCK) {
#if defined(__SSE2__) || defined(_M_X64)
        /* each byte into the high half of a 16-bit lane, then shifted down with its sign */
        __m128i bytes = _mm_loadl_epi64((const __m128i*) weights);
        __m128i wide = _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8);
        __m128i sum = _mm_add_epi16(_mm_loadu_si128((const __m128i*) scores), wide);
        _mm_storeu_si128((__m128i*) scores, sum);
#elif defined(__ARM_NEON)
        vst1q_s16(scores, vaddw_s8(vld1q_s16(scores), vld1_s8(weights)));
#else
        for (int k = 0; k < DODONA_BLOCK; k++) scores[k] = (int16_t) (scores[k] + weights[k]);
#endif
    }
}

/* Which of eight fingerprints equals the one sought: its number, or 8 if none does. */
static inline int dodona_match(const uint32_t* fingerprints, uint32_t sought) {
#if defined(__SSE2__) || defined(_M_X64)
    __m128i key = _mm_set1_epi32((int) sought);
    __m128i low = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i*) fingerprints), key);
    __m128i high = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i*) fingerprints + 1), key);
    __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(low, high), _mm_setzero_si128());
    return dodona_lowest_bit((unsigned) _mm_movemask_epi8(bytes) | 0x100u);
#else
    unsigned mask = 0x100u;
    for (int k = 0; k < DODONA_BLOCK; k++) mask |= (unsigned) (fingerprints[k] == sought) << k;
    return dodona_lowest_bit(mask);
#endif
}

static inline void dodona_add_float(float* DODONA_RESTRICT scores, const float* DODONA_RESTRICT block) {
    for (int k = 0; k < DODONA_BLOCK; k++) scores[k] += block[k];
}

#endif
