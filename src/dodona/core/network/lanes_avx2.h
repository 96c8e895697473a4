/* Vectors of eight floats or integers (AVX2) with the operations of simd.h. */
#ifndef DODONA_LANES_AVX2_H
#define DODONA_LANES_AVX2_H

#include "simd.h"

#if defined(DODONA_SSE2) && defined(__GNUC__)
#define DODONA_AVX2
#include <immintrin.h>
#define DODONA_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define DODONA_BEGIN_TARGET(names) \
    DODONA_PRAGMA(clang attribute push(__attribute__((target(names))), apply_to = function))
#define DODONA_END_TARGET _Pragma("clang attribute pop")
#else
#define DODONA_BEGIN_TARGET(names) _Pragma("GCC push_options") DODONA_PRAGMA(GCC target(names))
#define DODONA_END_TARGET _Pragma("GCC pop_options")
#endif

namespace dodona {

DODONA_BEGIN_TARGET("avx2")
namespace eight_lanes {

enum { N_LANES = 8 };
typedef __m256 Lanes;
typedef __m256i Ints;

static inline Lanes every(float x) { return _mm256_set1_ps(x); }
static inline Lanes load(const float* from) { return _mm256_loadu_ps(from); }
static inline void store(float* to, Lanes a) { _mm256_storeu_ps(to, a); }
static inline Lanes add(Lanes a, Lanes b) { return _mm256_add_ps(a, b); }
static inline Lanes subtract(Lanes a, Lanes b) { return _mm256_sub_ps(a, b); }
static inline Lanes multiply(Lanes a, Lanes b) { return _mm256_mul_ps(a, b); }
static inline Lanes divide(Lanes a, Lanes b) { return _mm256_div_ps(a, b); }
static inline Lanes absolute(Lanes a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
static inline Lanes larger(Lanes a, Lanes b) { return _mm256_max_ps(a, b); }
static inline Lanes most(Lanes a, Lanes b) { return _mm256_max_ps(a, b); }
static inline Lanes clamp(Lanes a, float low, float high) {
    return _mm256_min_ps(_mm256_max_ps(a, every(low)), every(high));
}
static inline float largest_of(Lanes a) {
    return dodona::largest_of(_mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1)));
}
static inline bool is_among_eight(const float* x, float sought) {
    return _mm256_movemask_ps(_mm256_cmp_ps(load(x), every(sought), _CMP_EQ_OQ)) != 0;
}
static inline Lanes whole_power(Lanes a) {
    return _mm256_castsi256_ps(
        _mm256_add_epi32(_mm256_slli_epi32(_mm256_castps_si256(a), 23), _mm256_set1_epi32(127 << 23)));
}

static inline Ints no_ints() { return _mm256_setzero_si256(); }
static inline Ints load_ints(const int32_t* from) { return _mm256_loadu_si256((const __m256i*) from); }
static inline Ints load_int16(const int16_t* from) {
    return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i*) from));
}
static inline Ints add(Ints a, Ints b) { return _mm256_add_epi32(a, b); }
static inline Ints times_256(Ints a) { return _mm256_slli_epi32(a, 8); }
static inline Lanes to_floats(Ints a) { return _mm256_cvtepi32_ps(a); }
static inline int32_t total(Ints a) {
    return dodona::total(_mm_add_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)));
}
/* saturated to 16 bits, in order */
static inline __m128i narrow(Ints a) {
    return _mm_packs_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
}
static inline void store_int16(int16_t* to, Lanes a) {
    _mm_storeu_si128((__m128i*) to, narrow(_mm256_cvtps_epi32(_mm256_min_ps(a, every(32767.0f)))));
}
static inline Ints store_int8(int8_t* to, const Lanes (&x)[2], Ints sums) {
    const Ints a = _mm256_cvtps_epi32(x[0]), b = _mm256_cvtps_epi32(x[1]);
    _mm_storeu_si128((__m128i*) to, _mm_packs_epi16(narrow(a), narrow(b)));
    return add(sums, add(a, b));
}

}  // namespace eight_lanes
DODONA_END_TARGET

}  // namespace dodona

#endif
#endif
