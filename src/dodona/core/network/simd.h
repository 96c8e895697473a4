/* Vectors of four floats, with bit-identical results on every processor.
 *
 * Each operation is rounded correctly by IEEE 754, or only moves bits. Computations in a fixed order
 * therefore give equal bits everywhere, as long as the compiler fuses no product and sum (the build
 * forbids it). Processors without NEON or SSE2 use plain loops.
 */
#ifndef DODONA_SIMD_H
#define DODONA_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define DODONA_UNROLL _Pragma("GCC unroll 8")
#else
#define DODONA_UNROLL
#endif

#if defined(DODONA_PORTABLE)
/* for tests: the plain loops */
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define DODONA_NEON
#include <arm_neon.h>
#elif defined(__SSE2__) || defined(_M_X64)
#define DODONA_SSE2
#include <emmintrin.h>
#endif

namespace dodona {

#if defined(DODONA_NEON)

typedef float32x4_t Four;
typedef int32x4_t FourInts;

static inline Four four(float x) { return vdupq_n_f32(x); }
static inline Four load(const float* from) { return vld1q_f32(from); }
static inline void store(float* to, Four a) { vst1q_f32(to, a); }
static inline Four add(Four a, Four b) { return vaddq_f32(a, b); }
static inline Four subtract(Four a, Four b) { return vsubq_f32(a, b); }
static inline Four multiply(Four a, Four b) { return vmulq_f32(a, b); }
static inline Four divide(Four a, Four b) { return vdivq_f32(a, b); }
static inline Four absolute(Four a) { return vabsq_f32(a); }
static inline Four negate(Four a) { return vnegq_f32(a); }
/* a > b ? a : b, with a defined sign of zero */
static inline Four larger(Four a, Four b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
/* maximum with an undefined sign of zero */
static inline Four most(Four a, Four b) { return vmaxq_f32(a, b); }
static inline Four least(Four a, Four b) { return vminq_f32(a, b); }
static inline float largest_of(Four a) { return vmaxvq_f32(a); }
/* whether one of eight floats equals `sought` */
static inline bool holds(Four a, Four b, Four sought) {
    return vmaxvq_u32(vorrq_u32(vceqq_f32(a, sought), vceqq_f32(b, sought))) != 0;
}
static inline FourInts load_ints(const int32_t* from) { return vld1q_s32(from); }
static inline FourInts add(FourInts a, FourInts b) { return vaddq_s32(a, b); }
static inline FourInts times_256(FourInts a) { return vshlq_n_s32(a, 8); }
static inline Four to_floats(FourInts a) { return vcvtq_f32_s32(a); }
/* 2 to the power of the integer in the low bits of each float */
static inline Four whole_power(Four a) {
    return vreinterpretq_f32_s32(vaddq_s32(vshlq_n_s32(vreinterpretq_s32_f32(a), 23), vdupq_n_s32(127 << 23)));
}
/* the nearest integers, ties to even, saturated to 16 bits */
static inline void store_int16(int16_t* to, Four a) { vst1_s16(to, vqmovn_s32(vcvtnq_s32_f32(a))); }
/* Store the nearest integers of 16 floats within the range of int8; return `sums` plus four partial sums
 * of them. Adding 1.5 * 2^23 rounds like a conversion and leaves the integer in the lowest byte: 1.1x. */
static inline FourInts store_int8(int8_t* to, Four a, Four b, Four c, Four d, FourInts sums) {
    const float32x4_t magic = vdupq_n_f32(12582912.0f);
    const int16x8_t low = vuzp1q_s16(vreinterpretq_s16_f32(vaddq_f32(a, magic)),
                                     vreinterpretq_s16_f32(vaddq_f32(b, magic)));
    const int16x8_t high = vuzp1q_s16(vreinterpretq_s16_f32(vaddq_f32(c, magic)),
                                      vreinterpretq_s16_f32(vaddq_f32(d, magic)));
    vst1q_s8(to, vuzp1q_s8(vreinterpretq_s8_s16(low), vreinterpretq_s8_s16(high)));
    return vpadalq_s16(sums, vaddq_s16(low, high));
}
static inline FourInts no_ints() { return vdupq_n_s32(0); }
static inline int32_t total(FourInts a) { return vaddvq_s32(a); }
/* the sum of 16 bytes */
static inline int32_t sum_of_bytes(const int8_t* from) { return vaddlvq_s8(vld1q_s8(from)); }

#elif defined(DODONA_SSE2)

typedef __m128 Four;
typedef __m128i FourInts;

static inline Four four(float x) { return _mm_set1_ps(x); }
static inline Four load(const float* from) { return _mm_loadu_ps(from); }
static inline void store(float* to, Four a) { _mm_storeu_ps(to, a); }
static inline Four add(Four a, Four b) { return _mm_add_ps(a, b); }
static inline Four subtract(Four a, Four b) { return _mm_sub_ps(a, b); }
static inline Four multiply(Four a, Four b) { return _mm_mul_ps(a, b); }
static inline Four divide(Four a, Four b) { return _mm_div_ps(a, b); }
static inline Four absolute(Four a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
static inline Four negate(Four a) { return _mm_xor_ps(_mm_set1_ps(-0.0f), a); }
static inline Four larger(Four a, Four b) { return _mm_max_ps(a, b); }
static inline Four most(Four a, Four b) { return _mm_max_ps(a, b); }
static inline Four least(Four a, Four b) { return _mm_min_ps(a, b); }
static inline float largest_of(Four a) {
    a = _mm_max_ps(a, _mm_movehl_ps(a, a));
    return _mm_cvtss_f32(_mm_max_ss(a, _mm_shuffle_ps(a, a, 1)));
}
static inline bool holds(Four a, Four b, Four sought) {
    return _mm_movemask_ps(_mm_or_ps(_mm_cmpeq_ps(a, sought), _mm_cmpeq_ps(b, sought))) != 0;
}
static inline FourInts load_ints(const int32_t* from) { return _mm_loadu_si128((const __m128i*) from); }
static inline FourInts add(FourInts a, FourInts b) { return _mm_add_epi32(a, b); }
static inline FourInts times_256(FourInts a) { return _mm_slli_epi32(a, 8); }
static inline Four to_floats(FourInts a) { return _mm_cvtepi32_ps(a); }
static inline Four whole_power(Four a) {
    return _mm_castsi128_ps(_mm_add_epi32(_mm_slli_epi32(_mm_castps_si128(a), 23), _mm_set1_epi32(127 << 23)));
}
static inline void store_int16(int16_t* to, Four a) {
    /* the conversion turns numbers that are too large into the smallest integer */
    const __m128i ints = _mm_cvtps_epi32(_mm_min_ps(a, _mm_set1_ps(32767.0f)));
    _mm_storel_epi64((__m128i*) to, _mm_packs_epi32(ints, ints));
}
static inline FourInts store_int8(int8_t* to, Four a, Four b, Four c, Four d, FourInts sums) {
    const __m128i low = _mm_packs_epi32(_mm_cvtps_epi32(a), _mm_cvtps_epi32(b));
    const __m128i high = _mm_packs_epi32(_mm_cvtps_epi32(c), _mm_cvtps_epi32(d));
    _mm_storeu_si128((__m128i*) to, _mm_packs_epi16(low, high));
    return _mm_add_epi32(sums, _mm_madd_epi16(_mm_add_epi16(low, high), _mm_set1_epi16(1)));
}
static inline FourInts no_ints() { return _mm_setzero_si128(); }
static inline int32_t total(FourInts a) {
    a = _mm_add_epi32(a, _mm_srli_si128(a, 8));
    return _mm_cvtsi128_si32(_mm_add_epi32(a, _mm_srli_si128(a, 4)));
}
static inline int32_t sum_of_bytes(const int8_t* from) {
    const __m128i shifted = _mm_xor_si128(_mm_loadu_si128((const __m128i*) from), _mm_set1_epi8(-128));
    const __m128i halves = _mm_sad_epu8(shifted, _mm_setzero_si128());
    return _mm_cvtsi128_si32(halves) + _mm_cvtsi128_si32(_mm_srli_si128(halves, 8)) - 16 * 128;
}

#else

struct Four { float at[4]; };
struct FourInts { int32_t at[4]; };

template <typename Result, typename Each> static inline Result each(Each function) {
    Result result;
    for (int k = 0; k < 4; k++) result.at[k] = function(k);
    return result;
}
static inline Four four(float x) { return each<Four>([&](int) { return x; }); }
static inline Four load(const float* from) { return each<Four>([&](int k) { return from[k]; }); }
static inline void store(float* to, Four a) { memcpy(to, a.at, sizeof a.at); }
static inline Four add(Four a, Four b) { return each<Four>([&](int k) { return a.at[k] + b.at[k]; }); }
static inline Four subtract(Four a, Four b) { return each<Four>([&](int k) { return a.at[k] - b.at[k]; }); }
static inline Four multiply(Four a, Four b) { return each<Four>([&](int k) { return a.at[k] * b.at[k]; }); }
static inline Four divide(Four a, Four b) { return each<Four>([&](int k) { return a.at[k] / b.at[k]; }); }
static inline Four absolute(Four a) { return each<Four>([&](int k) { return fabsf(a.at[k]); }); }
static inline Four negate(Four a) { return each<Four>([&](int k) { return -a.at[k]; }); }
static inline Four larger(Four a, Four b) {
    return each<Four>([&](int k) { return a.at[k] > b.at[k] ? a.at[k] : b.at[k]; });
}
static inline Four most(Four a, Four b) { return larger(a, b); }
static inline Four least(Four a, Four b) {
    return each<Four>([&](int k) { return a.at[k] < b.at[k] ? a.at[k] : b.at[k]; });
}
static inline float largest_of(Four a) {
    const float x = a.at[0] > a.at[1] ? a.at[0] : a.at[1], y = a.at[2] > a.at[3] ? a.at[2] : a.at[3];
    return x > y ? x : y;
}
static inline bool holds(Four a, Four b, Four sought) {
    for (int k = 0; k < 4; k++)
        if (a.at[k] == sought.at[k] || b.at[k] == sought.at[k]) return true;
    return false;
}
static inline FourInts load_ints(const int32_t* from) {
    return each<FourInts>([&](int k) { return from[k]; });
}
/* unsigned, since sums may wrap around */
static inline FourInts add(FourInts a, FourInts b) {
    return each<FourInts>([&](int k) { return (int32_t) ((uint32_t) a.at[k] + (uint32_t) b.at[k]); });
}
static inline FourInts times_256(FourInts a) {
    return each<FourInts>([&](int k) { return (int32_t) (256u * (uint32_t) a.at[k]); });
}
static inline Four to_floats(FourInts a) { return each<Four>([&](int k) { return (float) a.at[k]; }); }
static inline Four whole_power(Four a) {
    return each<Four>([&](int k) {
        uint32_t bits;
        float power;
        memcpy(&bits, &a.at[k], sizeof bits);
        bits = (bits << 23) + (127u << 23);
        memcpy(&power, &bits, sizeof power);
        return power;
    });
}
static inline void store_int16(int16_t* to, Four a) {
    for (int k = 0; k < 4; k++) {
        const float x = a.at[k] > 32767.0f ? 32767.0f : a.at[k] < -32768.0f ? -32768.0f : a.at[k];
        to[k] = (int16_t) lrintf(x);
    }
}
static inline FourInts store_int8(int8_t* to, Four a, Four b, Four c, Four d, FourInts sums) {
    const Four all[4] = {a, b, c, d};
    for (int k = 0; k < 16; k++) sums.at[k % 4] += to[k] = (int8_t) lrintf(all[k / 4].at[k % 4]);
    return sums;
}
static inline FourInts no_ints() { return FourInts{{0, 0, 0, 0}}; }
static inline int32_t total(FourInts a) { return a.at[0] + a.at[1] + a.at[2] + a.at[3]; }
static inline int32_t sum_of_bytes(const int8_t* from) {
    int32_t sum = 0;
    for (int k = 0; k < 16; k++) sum += from[k];
    return sum;
}

#endif

static inline Four clamp(Four a, float low, float high) { return least(most(a, four(low)), four(high)); }

}  // namespace dodona

#endif
