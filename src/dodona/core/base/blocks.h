/* Eight at a time: adding weights, finding the best scores, finding a fingerprint; the innermost loops.
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

/* scores[0 … 8n) += the rows, each 8n weights times two to its power; sums are kept in registers. */
static inline void dodona_add_rows(int16_t* scores, const int8_t* const* rows, const int* powers, int n_rows,
                                   int n_blocks) {
    int at = 0;
#if defined(__SSE2__) || defined(_M_X64)
    /* each byte into the high half of a 16-bit lane, then shifted down with its sign */
    const __m128i zero = _mm_setzero_si128();
    for (; at + 16 <= 8 * n_blocks; at += 16) {
        __m128i low = _mm_loadu_si128((const __m128i*) (scores + at));
        __m128i high = _mm_loadu_si128((const __m128i*) (scores + at + 8));
        for (int r = 0; r < n_rows; r++) {
            __m128i bytes = _mm_loadu_si128((const __m128i*) (rows[r] + at));
            __m128i down = _mm_cvtsi32_si128(8 - powers[r]);
            low = _mm_add_epi16(low, _mm_sra_epi16(_mm_unpacklo_epi8(zero, bytes), down));
            high = _mm_add_epi16(high, _mm_sra_epi16(_mm_unpackhi_epi8(zero, bytes), down));
        }
        _mm_storeu_si128((__m128i*) (scores + at), low);
        _mm_storeu_si128((__m128i*) (scores + at + 8), high);
    }
    if (at < 8 * n_blocks) {
        __m128i low = _mm_loadu_si128((const __m128i*) (scores + at));
        for (int r = 0; r < n_rows; r++) {
            __m128i bytes = _mm_loadl_epi64((const __m128i*) (rows[r] + at));
            __m128i down = _mm_cvtsi32_si128(8 - powers[r]);
            low = _mm_add_epi16(low, _mm_sra_epi16(_mm_unpacklo_epi8(zero, bytes), down));
        }
        _mm_storeu_si128((__m128i*) (scores + at), low);
    }
#elif defined(__ARM_NEON)
    for (; at < 8 * n_blocks; at += 8) {
        /* without a sign, since scores of barred classes may wrap round, which signed ones must not */
        uint16x8_t sum = vreinterpretq_u16_s16(vld1q_s16(scores + at));
        for (int r = 0; r < n_rows; r++)
            sum = vaddq_u16(sum, vreinterpretq_u16_s16(vshlq_s16(
                vmovl_s8(vld1_s8(rows[r] + at)), vdupq_n_s16((int16_t) powers[r]))));
        vst1q_s16(scores + at, vreinterpretq_s16_u16(sum));
    }
#else
    for (int r = 0; r < n_rows; r++)
        for (at = 0; at < 8 * n_blocks; at++)
            scores[at] = (int16_t) (scores[at] + rows[r][at] * (1 << powers[r]));
#endif
}

/* The first of the highest among 8n scores. */
static inline int dodona_best(const int16_t* scores, int n_blocks) {
    int16_t lanes[8], best;
    int k;
#if defined(__SSE2__) || defined(_M_X64)
    __m128i most = _mm_loadu_si128((const __m128i*) scores);
    for (k = 1; k < n_blocks; k++)
        most = _mm_max_epi16(most, _mm_loadu_si128((const __m128i*) (scores + 8 * k)));
    _mm_storeu_si128((__m128i*) lanes, most);
#elif defined(__ARM_NEON)
    int16x8_t most = vld1q_s16(scores);
    for (k = 1; k < n_blocks; k++) most = vmaxq_s16(most, vld1q_s16(scores + 8 * k));
    vst1q_s16(lanes, most);
#else
    for (k = 0; k < 8; k++) lanes[k] = scores[k];
    for (k = 8; k < 8 * n_blocks; k++)
        if (scores[k] > lanes[k % 8]) lanes[k % 8] = scores[k];
#endif
    best = lanes[0];
    for (k = 1; k < 8; k++)
        if (lanes[k] > best) best = lanes[k];
    for (k = 0; scores[k] != best; k++) {}
    return k;
}

/* The set, a bit each, of those among eight scores that are above a bar. */
static inline unsigned dodona_above(const int16_t* scores, int16_t bar) {
#if defined(__SSE2__) || defined(_M_X64)
    __m128i above = _mm_cmpgt_epi16(_mm_loadu_si128((const __m128i*) scores), _mm_set1_epi16(bar));
    return (unsigned) _mm_movemask_epi8(_mm_packs_epi16(above, _mm_setzero_si128()));
#else
    unsigned mask = 0;
    for (int k = 0; k < DODONA_BLOCK; k++) mask |= (unsigned) (scores[k] > bar) << k;
    return mask;
#endif
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
