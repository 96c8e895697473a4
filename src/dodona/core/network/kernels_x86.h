/* Kernels for x86-64: SSE2 (always available), AVX2, and byte dot products (VNNI) of 256 and 512 bits; those
 * for tiles are in kernels_amx.h. */
#ifndef DODONA_KERNELS_X86_H
#define DODONA_KERNELS_X86_H

#include "kernels_amx.h"
#include "kernels_plain.h"

#if defined(DODONA_SSE2)

#if defined(__GNUC__)
#define DODONA_AVX
#include <cpuid.h>
#include <immintrin.h>
#define DODONA_AVX2_TARGET __attribute__((target("avx2")))
#define DODONA_AVX512_TARGET __attribute__((target("avx512f,avx512vl,avx512bw,avx512vnni")))
#if (defined(__clang__) && __clang_major__ >= 13) || (!defined(__clang__) && __GNUC__ >= 11)
#define DODONA_AVX_VNNI
#define DODONA_AVX_VNNI_TARGET __attribute__((target("avx2,avxvnni")))
#endif
#endif

namespace dodona {

static inline int32_t four_bytes(const int8_t* from) {
    int32_t bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

/* Bytes are sign-extended to 16 bits (moved to the high half, then shifted down); pairs of products are
 * added in 32 bits. A vector of weights holds two outputs, four inputs each. */
static inline void sse2_row(const int8_t* row, const int8_t* block, int n_inputs, int32_t* sums) {
    const __m128i zero = _mm_setzero_si128();
    __m128i sum[8];        /* for every two outputs: two halves of the inputs */
    for (int v = 0; v < 8; v++) sum[v] = zero;
    for (int k = 0; k < n_inputs; k += 4, block += 4 * N_OUTPUTS) {
        const __m128i x = _mm_srai_epi16(_mm_unpacklo_epi8(zero, _mm_set1_epi32(four_bytes(row + k))), 8);
        DODONA_UNROLL
        for (int v = 0; v < 4; v++) {
            const __m128i weights = _mm_loadu_si128((const __m128i*) (block + 16 * v));
            const __m128i low = _mm_srai_epi16(_mm_unpacklo_epi8(zero, weights), 8);
            const __m128i high = _mm_srai_epi16(_mm_unpackhi_epi8(zero, weights), 8);
            sum[2 * v] = _mm_add_epi32(sum[2 * v], _mm_madd_epi16(low, x));
            sum[2 * v + 1] = _mm_add_epi32(sum[2 * v + 1], _mm_madd_epi16(high, x));
        }
    }
    for (int v = 0; v < 4; v++) {
        const __m128 a = _mm_castsi128_ps(sum[2 * v]), b = _mm_castsi128_ps(sum[2 * v + 1]);
        const __m128i even = _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0)));
        const __m128i odd = _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)));
        _mm_storeu_si128((__m128i*) (sums + 4 * v), _mm_add_epi32(even, odd));
    }
}

static const IntKernel sse2_ints = ints_one_by_one<sse2_row>;

#if defined(DODONA_AVX)

/* maddubs adds pairs of unsigned times signed products with saturation to 16 bits. So the row's absolute
 * value is multiplied by weights that take the row's sign: 2 · 128 · 127 < 2^15 does not saturate. */
template <int R>
DODONA_AVX2_TARGET static void avx2_rows(const int8_t* rows, size_t stride, const int32_t*, const int8_t* block,
                                         int n_inputs, int32_t* sums, int width) {
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i sum[R][2];
    DODONA_UNROLL
    for (int r = 0; r < R; r++) sum[r][0] = sum[r][1] = _mm256_setzero_si256();
    for (int k = 0; k < n_inputs; k += 4, block += 4 * N_OUTPUTS) {
        const __m256i low = _mm256_loadu_si256((const __m256i*) block);
        const __m256i high = _mm256_loadu_si256((const __m256i*) (block + 32));
        DODONA_UNROLL
        for (int r = 0; r < R; r++) {
            const __m256i x = _mm256_set1_epi32(four_bytes(rows + r * stride + k)), size = _mm256_abs_epi8(x);
            const __m256i a = _mm256_maddubs_epi16(size, _mm256_sign_epi8(low, x));
            const __m256i b = _mm256_maddubs_epi16(size, _mm256_sign_epi8(high, x));
            sum[r][0] = _mm256_add_epi32(sum[r][0], _mm256_madd_epi16(a, ones));
            sum[r][1] = _mm256_add_epi32(sum[r][1], _mm256_madd_epi16(b, ones));
        }
    }
    DODONA_UNROLL
    for (int r = 0; r < R; r++) {
        _mm256_storeu_si256((__m256i*) (sums + r * width), sum[r][0]);
        _mm256_storeu_si256((__m256i*) (sums + r * width + 8), sum[r][1]);
    }
}

static const IntKernel avx2_ints = ints_by_tiles<IntTiles<1, nullptr, avx2_rows<4>, avx2_rows<2>, avx2_rows<1>>>;

template <int R>
DODONA_AVX2_TARGET static void avx2_float_rows(const float* rows, size_t stride, const float* block, int n_inputs,
                                               float* sums) {
    __m256 sum[R][2];
    DODONA_UNROLL
    for (int r = 0; r < R; r++) sum[r][0] = sum[r][1] = _mm256_setzero_ps();
    for (int k = 0; k < n_inputs; k++, block += N_OUTPUTS) {
        const __m256 low = _mm256_loadu_ps(block), high = _mm256_loadu_ps(block + 8);
        DODONA_UNROLL
        for (int r = 0; r < R; r++) {
            const __m256 x = _mm256_set1_ps(rows[r * stride + k]);
            sum[r][0] = _mm256_add_ps(sum[r][0], _mm256_mul_ps(x, low));
            sum[r][1] = _mm256_add_ps(sum[r][1], _mm256_mul_ps(x, high));
        }
    }
    DODONA_UNROLL
    for (int r = 0; r < R; r++) {
        _mm256_storeu_ps(sums + r * N_OUTPUTS, sum[r][0]);
        _mm256_storeu_ps(sums + r * N_OUTPUTS + 8, sum[r][1]);
    }
}

static const FloatKernel avx2_floats =
    floats_by_rows<nullptr, avx2_float_rows<4>, avx2_float_rows<2>, avx2_float_rows<1>>;

/* dpbusd multiplies unsigned by signed bytes. Weights are made unsigned by adding 128, which adds 128 times
 * the row's sum to every result. */
#if defined(DODONA_AVX_VNNI)

template <int R>
DODONA_AVX_VNNI_TARGET static void vnni_rows(const int8_t* rows, size_t stride, const int32_t* row_sums,
                                             const int8_t* block, int n_inputs, int32_t* sums, int width) {
    const __m256i shift = _mm256_set1_epi8(-128);
    __m256i sum[R][2];
    DODONA_UNROLL
    for (int r = 0; r < R; r++) sum[r][0] = sum[r][1] = _mm256_set1_epi32(-128 * row_sums[r]);
    for (int k = 0; k < n_inputs; k += 4, block += 4 * N_OUTPUTS) {
        const __m256i low = _mm256_xor_si256(_mm256_loadu_si256((const __m256i*) block), shift);
        const __m256i high = _mm256_xor_si256(_mm256_loadu_si256((const __m256i*) (block + 32)), shift);
        DODONA_UNROLL
        for (int r = 0; r < R; r++) {
            const __m256i x = _mm256_set1_epi32(four_bytes(rows + r * stride + k));
            sum[r][0] = _mm256_dpbusd_avx_epi32(sum[r][0], low, x);
            sum[r][1] = _mm256_dpbusd_avx_epi32(sum[r][1], high, x);
        }
    }
    DODONA_UNROLL
    for (int r = 0; r < R; r++) {
        _mm256_storeu_si256((__m256i*) (sums + r * width), sum[r][0]);
        _mm256_storeu_si256((__m256i*) (sums + r * width + 8), sum[r][1]);
    }
}

static const IntKernel vnni_ints = ints_by_tiles<IntTiles<1, nullptr, vnni_rows<4>, vnni_rows<2>, vnni_rows<1>>>;

static inline bool has_avx_vnni() {
    unsigned a = 0, b, c, d;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 4 & 1) && __builtin_cpu_supports("avx2");
}

#endif

/* One instruction for all 16 outputs. Two blocks share the broadcast bytes of a row, and 16 sums hide the
 * latency of the dot product. */
template <int R, int B>
DODONA_AVX512_TARGET static void avx512_tile(const int8_t* rows, size_t stride, const int32_t* row_sums,
                                             const int8_t* blocks, int n_inputs, int32_t* sums, int width) {
    const __m512i shift = _mm512_set1_epi8(-128);
    const size_t block_size = (size_t) N_OUTPUTS * n_inputs;
    __m512i sum[R][B];
    DODONA_UNROLL
    for (int r = 0; r < R; r++)
        for (int b = 0; b < B; b++) sum[r][b] = _mm512_set1_epi32(-128 * row_sums[r]);
    for (int k = 0; k < n_inputs; k += 4, blocks += 4 * N_OUTPUTS) {
        __m512i weights[B];
        DODONA_UNROLL
        for (int b = 0; b < B; b++)
            weights[b] = _mm512_xor_si512(_mm512_loadu_si512(blocks + b * block_size), shift);
        DODONA_UNROLL
        for (int r = 0; r < R; r++) {
            const __m512i x = _mm512_set1_epi32(four_bytes(rows + r * stride + k));
            DODONA_UNROLL
            for (int b = 0; b < B; b++) sum[r][b] = _mm512_dpbusd_epi32(sum[r][b], weights[b], x);
        }
    }
    DODONA_UNROLL
    for (int r = 0; r < R; r++)
        for (int b = 0; b < B; b++) _mm512_storeu_si512(sums + r * width + b * N_OUTPUTS, sum[r][b]);
}

template <int B>
using Avx512Tiles = IntTiles<B, avx512_tile<8, B>, avx512_tile<4, B>, avx512_tile<2, B>, avx512_tile<1, B>>;

static constexpr IntKernel avx512_ints = ints_by_tiles<Avx512Tiles<2>, Avx512Tiles<1>>;

template <int R>
DODONA_AVX512_TARGET static void avx512_float_rows(const float* rows, size_t stride, const float* block, int n_inputs,
                                                   float* sums) {
    __m512 sum[R];
    DODONA_UNROLL
    for (int r = 0; r < R; r++) sum[r] = _mm512_setzero_ps();
    for (int k = 0; k < n_inputs; k++, block += N_OUTPUTS) {
        const __m512 weights = _mm512_loadu_ps(block);
        DODONA_UNROLL
        for (int r = 0; r < R; r++)
            sum[r] = _mm512_add_ps(sum[r], _mm512_mul_ps(_mm512_set1_ps(rows[r * stride + k]), weights));
    }
    DODONA_UNROLL
    for (int r = 0; r < R; r++) _mm512_storeu_ps(sums + r * N_OUTPUTS, sum[r]);
}

static const FloatKernel avx512_floats =
    floats_by_rows<avx512_float_rows<8>, avx512_float_rows<4>, avx512_float_rows<2>, avx512_float_rows<1>>;

static inline bool has_avx512_vnni() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni");
}

#endif

static inline int add_x86(Variant* found, int n) {
    found[n++] = Variant{"sse2", sse2_ints, four_floats, &four_lanes::loops};
#if defined(DODONA_AVX)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) found[n++] = Variant{"avx2", avx2_ints, avx2_floats, &eight_lanes::loops};
#if defined(DODONA_AVX_VNNI)
    if (has_avx_vnni()) found[n++] = Variant{"avx-vnni", vnni_ints, avx2_floats, &eight_lanes::loops};
#endif
    if (has_avx512_vnni()) found[n++] = Variant{"avx512-vnni", avx512_ints, avx512_floats, &eight_lanes::loops};
#if defined(DODONA_AMX)
    if (has_avx512_vnni() && has_amx())
        found[n++] = Variant{"amx", amx_ints<avx512_ints>, avx512_floats, &eight_lanes::loops};
#endif
#endif
    return n;
}

}  // namespace dodona

#endif
#endif
