/* Four floats at once, with the same bits on every processor.
 *
 * Each operation here is one that IEEE 754 rounds correctly, or that only moves bits; what is built of
 * them in a fixed order is therefore the same everywhere, as long as no compiler fuses a product and a
 * sum into one (the build says so). Where there are no vector instructions that we know, loops do.
 */
#ifndef DODONA_FOUR_H
#define DODONA_FOUR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__aarch64__) && defined(__ARM_NEON)
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
/* a > b ? a : b, which also says which zero it is */
static inline Four larger(Four a, Four b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }
static inline Four smaller(Four a, Four b) { return vbslq_f32(vcltq_f32(a, b), a, b); }
static inline FourInts load_ints(const int32_t* from) { return vld1q_s32(from); }
static inline Four to_floats(FourInts a) { return vcvtq_f32_s32(a); }
/* to the nearest integer, ties to the even one */
static inline FourInts to_ints(Four a) { return vcvtnq_s32_f32(a); }
/* 2 to the power that the low bits of these floats' patterns say */
static inline Four power_of_two(Four a) {
    return vreinterpretq_f32_s32(vaddq_s32(vshlq_n_s32(vreinterpretq_s32_f32(a), 23), vdupq_n_s32(127 << 23)));
}
/* eight integers, clamped */
static inline void store_int16(int16_t* to, FourInts a, FourInts b) {
    vst1q_s16(to, vcombine_s16(vqmovn_s32(a), vqmovn_s32(b)));
}
static inline void store_int8(int8_t* to, FourInts a, FourInts b, FourInts c, FourInts d) {
    const int16x8_t low = vcombine_s16(vqmovn_s32(a), vqmovn_s32(b));
    const int16x8_t high = vcombine_s16(vqmovn_s32(c), vqmovn_s32(d));
    vst1q_s8(to, vcombine_s8(vqmovn_s16(low), vqmovn_s16(high)));
}
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
static inline Four smaller(Four a, Four b) { return _mm_min_ps(a, b); }
static inline FourInts load_ints(const int32_t* from) { return _mm_loadu_si128((const __m128i*) from); }
static inline Four to_floats(FourInts a) { return _mm_cvtepi32_ps(a); }
static inline FourInts to_ints(Four a) { return _mm_cvtps_epi32(a); }
static inline Four power_of_two(Four a) {
    return _mm_castsi128_ps(_mm_add_epi32(_mm_slli_epi32(_mm_castps_si128(a), 23), _mm_set1_epi32(127 << 23)));
}
static inline void store_int16(int16_t* to, FourInts a, FourInts b) {
    _mm_storeu_si128((__m128i*) to, _mm_packs_epi32(a, b));
}
static inline void store_int8(int8_t* to, FourInts a, FourInts b, FourInts c, FourInts d) {
    _mm_storeu_si128((__m128i*) to, _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d)));
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
static inline Four smaller(Four a, Four b) {
    return each<Four>([&](int k) { return a.at[k] < b.at[k] ? a.at[k] : b.at[k]; });
}
static inline FourInts load_ints(const int32_t* from) {
    return each<FourInts>([&](int k) { return from[k]; });
}
static inline Four to_floats(FourInts a) { return each<Four>([&](int k) { return (float) a.at[k]; }); }
static inline FourInts to_ints(Four a) {
    return each<FourInts>([&](int k) { return (int32_t) lrintf(a.at[k]); });
}
static inline Four power_of_two(Four a) {
    return each<Four>([&](int k) {
        uint32_t bits;
        float power;
        memcpy(&bits, &a.at[k], sizeof bits);
        bits = (bits << 23) + (127u << 23);
        memcpy(&power, &bits, sizeof power);
        return power;
    });
}
static inline int32_t clamped(int32_t x, int32_t most) { return x > most ? most : x < -most - 1 ? -most - 1 : x; }
static inline void store_int16(int16_t* to, FourInts a, FourInts b) {
    for (int k = 0; k < 4; k++) to[k] = (int16_t) clamped(a.at[k], 32767);
    for (int k = 0; k < 4; k++) to[4 + k] = (int16_t) clamped(b.at[k], 32767);
}
static inline void store_int8(int8_t* to, FourInts a, FourInts b, FourInts c, FourInts d) {
    const FourInts all[4] = {a, b, c, d};
    for (int k = 0; k < 16; k++) to[k] = (int8_t) clamped(all[k / 4].at[k % 4], 127);
}
static inline int32_t sum_of_bytes(const int8_t* from) {
    int32_t sum = 0;
    for (int k = 0; k < 16; k++) sum += from[k];
    return sum;
}

#endif

static inline Four clamp(Four a, float low, float high) { return smaller(larger(a, four(low)), four(high)); }

}  // namespace dodona

#endif
