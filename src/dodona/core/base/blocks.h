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
#elif defined(__ARM_NEON) && defined(__aarch64__)
#define DODONA_NEON
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

#if defined(__clang__)
#define DODONA_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define DODONA_UNROLL _Pragma("GCC unroll 8")
#endif

enum { DODONA_BLOCK = 8 };

enum { DODONA_POWERS = 4 };

#if defined(DODONA_NEON)
static inline void dodona_add_to(int16_t* scores, uint16x8_t sums) {
    vst1q_s16(scores, vreinterpretq_s16_u16(vaddq_u16(vreinterpretq_u16_s16(vld1q_s16(scores)), sums)));
}

/* dodona_add_rows, below, for N blocks from a class on: the sums must stay in registers, so that loops
   over them have to vanish. */
template <int N>
static inline void dodona_add_chunk(int16_t* scores, const int8_t* const* rows, const int* ends, int at) {
    uint16x8_t sums[N];
    DODONA_UNROLL for (int i = 0; i < N; i++) sums[i] = vdupq_n_u16(0);
    for (int p = DODONA_POWERS - 1, r = 0; p >= 0; p--) {
        DODONA_UNROLL for (int i = 0; i < N; i++) sums[i] = vaddq_u16(sums[i], sums[i]);
        for (; r < ends[p]; r++) {
            DODONA_UNROLL for (int i = 0; i < N; i += 2) {
                int8x16_t bytes = vld1q_s8(rows[r] + at + 8 * i);
                sums[i] = vaddq_u16(sums[i], vreinterpretq_u16_s16(vmovl_s8(vget_low_s8(bytes))));
                sums[i + 1] = vaddq_u16(sums[i + 1], vreinterpretq_u16_s16(vmovl_high_s8(bytes)));
            }
        }
    }
    DODONA_UNROLL for (int i = 0; i < N; i++) dodona_add_to(scores + at + 8 * i, sums[i]);
}
#endif

/* scores[0 … 8n) += the rows, each 8n weights times two to its power.
 *
 * Rows come by powers, those of the highest first; ends[p] is where those of power p end. So bytes are
 * added as they are, and what was summed is doubled from one power to the next, which is a third of the
 * instructions of shifting every weight. Sums are kept in registers, and have no sign, since scores of
 * barred classes may wrap round, which signed ones must not.
 */
static inline void dodona_add_rows(int16_t* scores, const int8_t* const* rows, const int* ends, int n_blocks) {
    int at = 0;
#if defined(__SSE2__) || defined(_M_X64)
    /* A lane of 16 bits has two weights. The sum of the upper ones, moved down with their signs, tells
       what they are in the sum of all lanes, where the lower ones have 128 on top, against borrowing. */
    const __m128i bias = _mm_set1_epi16(0x80);
    for (; at + 16 <= 8 * n_blocks; at += 16) {
        __m128i odd = _mm_setzero_si128(), even = _mm_setzero_si128(), low, high;
        for (int p = DODONA_POWERS - 1, r = 0; p >= 0; p--) {
            __m128i both = _mm_setzero_si128(), upper = _mm_setzero_si128();
            int first = r;
            for (; r < ends[p]; r++) {
                __m128i pair = _mm_xor_si128(_mm_loadu_si128((const __m128i*) (rows[r] + at)), bias);
                both = _mm_add_epi16(both, pair);
                upper = _mm_add_epi16(upper, _mm_srai_epi16(pair, 8));
            }
            both = _mm_sub_epi16(_mm_sub_epi16(both, _mm_slli_epi16(upper, 8)),
                                 _mm_set1_epi16((short) ((r - first) * 0x80)));
            odd = _mm_add_epi16(_mm_add_epi16(odd, odd), upper);
            even = _mm_add_epi16(_mm_add_epi16(even, even), both);
        }
        low = _mm_add_epi16(_mm_loadu_si128((const __m128i*) (scores + at)), _mm_unpacklo_epi16(even, odd));
        high = _mm_add_epi16(_mm_loadu_si128((const __m128i*) (scores + at + 8)), _mm_unpackhi_epi16(even, odd));
        _mm_storeu_si128((__m128i*) (scores + at), low);
        _mm_storeu_si128((__m128i*) (scores + at + 8), high);
    }
    if (at < 8 * n_blocks) {
        __m128i sum = _mm_setzero_si128();
        for (int p = DODONA_POWERS - 1, r = 0; p >= 0; p--) {
            sum = _mm_add_epi16(sum, sum);
            for (; r < ends[p]; r++) {
                /* each byte into the high half of a lane, then moved down with its sign */
                __m128i bytes = _mm_loadl_epi64((const __m128i*) (rows[r] + at));
                sum = _mm_add_epi16(sum, _mm_srai_epi16(_mm_unpacklo_epi8(bytes, bytes), 8));
            }
        }
        sum = _mm_add_epi16(sum, _mm_loadu_si128((const __m128i*) (scores + at)));
        _mm_storeu_si128((__m128i*) (scores + at), sum);
    }
#elif defined(DODONA_NEON)
    for (; at + 64 <= 8 * n_blocks; at += 64) dodona_add_chunk<8>(scores, rows, ends, at);
    for (; at + 16 <= 8 * n_blocks; at += 16) dodona_add_chunk<2>(scores, rows, ends, at);
    if (at < 8 * n_blocks) {
        uint16x8_t sum = vdupq_n_u16(0);
        for (int p = DODONA_POWERS - 1, r = 0; p >= 0; p--) {
            sum = vaddq_u16(sum, sum);
            for (; r < ends[p]; r++)
                sum = vaddq_u16(sum, vreinterpretq_u16_s16(vmovl_s8(vld1_s8(rows[r] + at))));
        }
        dodona_add_to(scores + at, sum);
    }
#else
    for (int p = DODONA_POWERS - 1, r = 0; p >= 0; p--)
        for (; r < ends[p]; r++)
            for (at = 0; at < 8 * n_blocks; at++) scores[at] = (int16_t) (scores[at] + rows[r][at] * (1 << p));
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
#elif defined(DODONA_NEON)
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

static inline void dodona_add_float(float* DODONA_RESTRICT scores, const float* DODONA_RESTRICT block) {
    for (int k = 0; k < DODONA_BLOCK; k++) scores[k] += block[k];
}

#endif
