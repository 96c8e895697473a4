/* The innermost loops, eight numbers at a time: adding scores, finding the best, matching a fingerprint.
 *
 * Compilers do not vectorise these by themselves (parsing is 1.3x slower without), so there are versions for two
 * families of processors; any other gets the plain loop.
 */
#ifndef DODONA_BLOCKS_H
#define DODONA_BLOCKS_H

#include <math.h>
#include <stdint.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define DODONA_NEON
#include <arm_neon.h>
#endif

#if defined(_MSC_VER)
#include <intrin.h>
#define DODONA_RESTRICT __restrict
#define dodona_prefetch(address) ((void) 0)
static inline int dodona_lowest_bit(unsigned x) { unsigned long i; _BitScanForward(&i, x); return (int) i; }
static inline int dodona_highest_bit(unsigned x) { unsigned long i; _BitScanReverse(&i, x); return (int) i; }
#else
#define DODONA_RESTRICT __restrict__
#define dodona_prefetch(address) __builtin_prefetch(address)
static inline int dodona_lowest_bit(unsigned x) { return __builtin_ctz(x); }
static inline int dodona_highest_bit(unsigned x) { return 31 - __builtin_clz(x); }
#endif

#if defined(__clang__)
#define DODONA_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define DODONA_UNROLL _Pragma("GCC unroll 16")
#else
#define DODONA_UNROLL
#endif

enum { DODONA_BLOCK = 8 };

/* Eight sums of 16 bits each, in one register. They are unsigned, since scores of masked classes may wrap around,
   which is undefined for signed ones. */
#if defined(__SSE2__) || defined(_M_X64)
typedef __m128i dodona_sums;
#define DODONA_LOAD(scores) _mm_loadu_si128((const __m128i*) (scores))
#define DODONA_STORE(scores, sums) _mm_storeu_si128((__m128i*) (scores), sums)
#define DODONA_PLUS(a, b) _mm_add_epi16(a, b)
#elif defined(DODONA_NEON)
typedef uint16x8_t dodona_sums;
#define DODONA_LOAD(scores) vreinterpretq_u16_s16(vld1q_s16(scores))
#define DODONA_STORE(scores, sums) vst1q_s16(scores, vreinterpretq_s16_u16(sums))
#define DODONA_PLUS(a, b) vaddq_u16(a, b)
#endif

/* sums[0 … 8n) += others */
static inline void dodona_add_scores(int16_t* sums, const int16_t* others, int n_blocks) {
    for (int at = 0; at < 8 * n_blocks; at += 8) {
#if defined(DODONA_LOAD)
        DODONA_STORE(sums + at, DODONA_PLUS(DODONA_LOAD(sums + at), DODONA_LOAD(others + at)));
#else
        for (int k = at; k < at + 8; k++) sums[k] = (int16_t) (sums[k] + others[k]);
#endif
    }
}

/* Return the highest of 8n scores. */
static inline int16_t dodona_highest(const int16_t* scores, int n_blocks) {
#if defined(__SSE2__) || defined(_M_X64)
    __m128i most = _mm_loadu_si128((const __m128i*) scores);
    for (int k = 1; k < n_blocks; k++)
        most = _mm_max_epi16(most, _mm_loadu_si128((const __m128i*) (scores + 8 * k)));
    most = _mm_max_epi16(most, _mm_shuffle_epi32(most, _MM_SHUFFLE(1, 0, 3, 2)));
    most = _mm_max_epi16(most, _mm_shuffle_epi32(most, _MM_SHUFFLE(2, 3, 0, 1)));
    most = _mm_max_epi16(most, _mm_shufflelo_epi16(most, _MM_SHUFFLE(2, 3, 0, 1)));
    return (int16_t) _mm_extract_epi16(most, 0);
#elif defined(DODONA_NEON)
    int16x8_t most = vld1q_s16(scores);
    for (int k = 1; k < n_blocks; k++) most = vmaxq_s16(most, vld1q_s16(scores + 8 * k));
    return vmaxvq_s16(most);
#else
    int16_t most = scores[0];
    for (int k = 1; k < 8 * n_blocks; k++)
        if (scores[k] > most) most = scores[k];
    return most;
#endif
}

/* Return the index of the first of the highest scores. */
static inline int dodona_best(const int16_t* scores, int n_blocks) {
    const int16_t best = dodona_highest(scores, n_blocks);
    int k = 0;
    while (scores[k] != best) k++;
    return k;
}

/* Return the index of the first of the highest of 8n scores whose cost is within a limit; -1 if none is. */
static inline int dodona_best_within(const float* scores, const int32_t* costs, int32_t limit, int n_blocks) {
    const int n = 8 * n_blocks;
    const float lowest = -HUGE_VALF;
    float lanes[4] = {lowest, lowest, lowest, lowest}, best;
    int k, first = -1;
#if defined(__SSE2__) || defined(_M_X64)
    __m128 most = _mm_set1_ps(lowest);
    for (k = 0; k < n; k += 4) {
        __m128i cost = _mm_loadu_si128((const __m128i*) (costs + k));
        __m128 excluded = _mm_castsi128_ps(_mm_cmpgt_epi32(cost, _mm_set1_epi32(limit)));
        __m128 score = _mm_andnot_ps(excluded, _mm_loadu_ps(scores + k));
        most = _mm_max_ps(most, _mm_or_ps(score, _mm_and_ps(excluded, _mm_set1_ps(lowest))));
    }
    _mm_storeu_ps(lanes, most);
#elif defined(DODONA_NEON)
    float32x4_t most = vdupq_n_f32(lowest);
    for (k = 0; k < n; k += 4) {
        uint32x4_t within = vcleq_s32(vld1q_s32(costs + k), vdupq_n_s32(limit));
        most = vmaxq_f32(most, vbslq_f32(within, vld1q_f32(scores + k), vdupq_n_f32(lowest)));
    }
    vst1q_f32(lanes, most);
#else
    for (k = 0; k < n; k++)
        if (costs[k] <= limit && scores[k] > lanes[0]) lanes[0] = scores[k];
#endif
    best = lanes[0];
    for (k = 1; k < 4; k++)
        if (lanes[k] > best) best = lanes[k];
    for (k = 0; k < n; k++) {
        if (costs[k] > limit) continue;
        if (scores[k] == best) return k;
        if (first < 0) first = k; /* if the scores are NaN */
    }
    return first;
}

/* Return the set, a bit each, of those of eight scores that are above a threshold. */
static inline unsigned dodona_above(const int16_t* scores, int16_t threshold) {
#if defined(__SSE2__) || defined(_M_X64)
    __m128i above = _mm_cmpgt_epi16(_mm_loadu_si128((const __m128i*) scores), _mm_set1_epi16(threshold));
    return (unsigned) _mm_movemask_epi8(_mm_packs_epi16(above, _mm_setzero_si128()));
#elif defined(DODONA_NEON)
    const uint8x8_t bits = vcreate_u8(0x8040201008040201u);
    return vaddv_u8(vand_u8(vmovn_u16(vcgtq_s16(vld1q_s16(scores), vdupq_n_s16(threshold))), bits));
#else
    unsigned mask = 0;
    for (int k = 0; k < DODONA_BLOCK; k++) mask |= (unsigned) (scores[k] > threshold) << k;
    return mask;
#endif
}

/* Return whether one of 32 scores is above a threshold. */
static inline int dodona_any_above(const int16_t* scores, int16_t threshold) {
#if defined(__SSE2__) || defined(_M_X64)
    const __m128i* at = (const __m128i*) scores;
    __m128i low = _mm_max_epi16(_mm_loadu_si128(at), _mm_loadu_si128(at + 1));
    __m128i high = _mm_max_epi16(_mm_loadu_si128(at + 2), _mm_loadu_si128(at + 3));
    return _mm_movemask_epi8(_mm_cmpgt_epi16(_mm_max_epi16(low, high), _mm_set1_epi16(threshold)));
#elif defined(DODONA_NEON)
    int16x8_t low = vmaxq_s16(vld1q_s16(scores), vld1q_s16(scores + 8));
    int16x8_t high = vmaxq_s16(vld1q_s16(scores + 16), vld1q_s16(scores + 24));
    return vmaxvq_s16(vmaxq_s16(low, high)) > threshold;
#else
    int found = 0;
    for (int k = 0; k < 4 * DODONA_BLOCK; k++) found |= scores[k] > threshold;
    return found;
#endif
}

/* Return the first block, from `block` on, with a score above a threshold; n if there is none. Most have none, so
   that four are tested at a time. */
static inline int dodona_next_above(const int16_t* scores, int block, int n_blocks, int16_t threshold) {
    while (block + 4 <= n_blocks && !dodona_any_above(scores + DODONA_BLOCK * block, threshold)) block += 4;
    while (block < n_blocks && !dodona_above(scores + DODONA_BLOCK * block, threshold)) block++;
    return block;
}

/* Return the set of those of eight floats that are at or above a threshold, which may be rounded, and not masked. */
static inline unsigned dodona_reaching(const float* scores, const int16_t* masks, float threshold) {
#if defined(__SSE2__) || defined(_M_X64)
    __m128 lowest = _mm_set1_ps(threshold);
    __m128i low = _mm_castps_si128(_mm_cmpge_ps(_mm_loadu_ps(scores), lowest));
    __m128i high = _mm_castps_si128(_mm_cmpge_ps(_mm_loadu_ps(scores + 4), lowest));
    __m128i open = _mm_cmpeq_epi16(_mm_loadu_si128((const __m128i*) masks), _mm_setzero_si128());
    __m128i both = _mm_and_si128(_mm_packs_epi32(low, high), open);
    return (unsigned) _mm_movemask_epi8(_mm_packs_epi16(both, _mm_setzero_si128()));
#elif defined(DODONA_NEON)
    const uint16x8_t bits = {1, 2, 4, 8, 16, 32, 64, 128};
    uint32x4_t low = vcgeq_f32(vld1q_f32(scores), vdupq_n_f32(threshold));
    uint32x4_t high = vcgeq_f32(vld1q_f32(scores + 4), vdupq_n_f32(threshold));
    uint16x8_t both = vandq_u16(vcombine_u16(vmovn_u32(low), vmovn_u32(high)), vceqzq_s16(vld1q_s16(masks)));
    return vaddvq_u16(vandq_u16(both, bits));
#else
    unsigned mask = 0;
    for (int k = 0; k < DODONA_BLOCK; k++) mask |= (unsigned) (scores[k] >= threshold && masks[k] == 0) << k;
    return mask;
#endif
}

/* Return the index of the one of eight fingerprints that equals the one sought, or 8 if none does. */
static inline int dodona_match(const uint32_t* fingerprints, uint32_t sought) {
#if defined(__SSE2__) || defined(_M_X64)
    __m128i key = _mm_set1_epi32((int) sought);
    __m128i low = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i*) fingerprints), key);
    __m128i high = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i*) fingerprints + 1), key);
    __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(low, high), _mm_setzero_si128());
    return dodona_lowest_bit((unsigned) _mm_movemask_epi8(bytes) | 0x100u);
#elif defined(DODONA_NEON)
    uint32x4_t key = vdupq_n_u32(sought);
    uint16x8_t equal = vuzp1q_u16(vreinterpretq_u16_u32(vceqq_u32(vld1q_u32(fingerprints), key)),
                                  vreinterpretq_u16_u32(vceqq_u32(vld1q_u32(fingerprints + 4), key)));
    uint64_t bytes = vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(equal)), 0);
    return bytes ? __builtin_ctzll(bytes) >> 3 : DODONA_BLOCK;
#else
    unsigned mask = 0x100u;
    for (int k = 0; k < DODONA_BLOCK; k++) mask |= (unsigned) (fingerprints[k] == sought) << k;
    return dodona_lowest_bit(mask);
#endif
}

/* sums[0 … 8n) += others */
static inline void dodona_add_floats(float* DODONA_RESTRICT sums, const float* DODONA_RESTRICT others, int n_blocks) {
    for (int at = 0; at < 8 * n_blocks; at += 8)
        for (int k = at; k < at + 8; k++) sums[k] += others[k];
}

#endif
