/* Kernels for 64-bit ARM: NEON, with and without the dot product of bytes (ARMv8.2). */
#ifndef DODONA_KERNELS_NEON_H
#define DODONA_KERNELS_NEON_H

#include "kernels_plain.h"

#if defined(DODONA_NEON)

#if defined(__ARM_FEATURE_DOTPROD)
#define DODONA_DOT
#define DODONA_DOT_TARGET
#elif defined(__GNUC__) && (!defined(__clang__) || __clang_major__ >= 17)
#define DODONA_DOT
#define DODONA_DOT_TARGET __attribute__((target("arch=armv8.2-a+dotprod")))
#endif

#if defined(__linux__)
#include <sys/auxv.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace dodona {

/* Pairs of byte products are added in 16 bits, which 2 · 127 · 128 does not overflow, and pairs of those in
 * 32 bits. A vector of weights holds four outputs, four inputs each. */
static inline void neon_row(const int8_t* row, const int8_t* block, int n_inputs, int32_t* sums) {
    int32x4_t sum[8];      /* for every two outputs: two halves of the inputs */
    DODONA_UNROLL
    for (int v = 0; v < 8; v++) sum[v] = vdupq_n_s32(0);
    for (int k = 0; k < n_inputs; k += 8, block += 8 * N_OUTPUTS) {
        const int8x8_t four_inputs = vld1_s8(row + k);
        const int8x8_t x = vreinterpret_s8_s32(vdup_lane_s32(vreinterpret_s32_s8(four_inputs), 0));
        const int8x8_t y = vreinterpret_s8_s32(vdup_lane_s32(vreinterpret_s32_s8(four_inputs), 1));
        DODONA_UNROLL
        for (int v = 0; v < 8; v++) {
            const int16x8_t products = vmull_s8(vld1_s8(block + 8 * v), x);
            sum[v] = vpadalq_s16(sum[v], vmlal_s8(products, vld1_s8(block + 4 * N_OUTPUTS + 8 * v), y));
        }
    }
    DODONA_UNROLL
    for (int v = 0; v < 4; v++) vst1q_s32(sums + 4 * v, vpaddq_s32(sum[2 * v], sum[2 * v + 1]));
}

static const IntKernel neon_ints = ints_one_by_one<neon_row>;

#if defined(DODONA_DOT)

/* Sixteen inputs per iteration: one load per row, then each lane of four is multiplied by four outputs. The
 * empty assembly keeps the compiler from loading the weights of all four lanes first, which spills
 * registers: 1.1x. */
#define DODONA_DOT_STEP(LANE) \
    { \
        const int8x16_t a = vld1q_s8(block), b = vld1q_s8(block + 16); \
        const int8x16_t c = vld1q_s8(block + 32), d = vld1q_s8(block + 48); \
        block += 64; \
        __asm__("" : "+r"(block)); \
        DODONA_UNROLL \
        for (int r = 0; r < R; r++) { \
            sum[r][0] = vdotq_laneq_s32(sum[r][0], a, x[r], LANE); \
            sum[r][1] = vdotq_laneq_s32(sum[r][1], b, x[r], LANE); \
            sum[r][2] = vdotq_laneq_s32(sum[r][2], c, x[r], LANE); \
            sum[r][3] = vdotq_laneq_s32(sum[r][3], d, x[r], LANE); \
        } \
    }

template <int R>
DODONA_DOT_TARGET static void dot_rows(const int8_t* rows, size_t stride, const int32_t*, const int8_t* block,
                                       int n_inputs, int32_t* sums, int width) {
    int32x4_t sum[R][4];
    int8x16_t x[R];
    DODONA_UNROLL
    for (int r = 0; r < R; r++) sum[r][0] = sum[r][1] = sum[r][2] = sum[r][3] = vdupq_n_s32(0);
    for (int k = 0; k < n_inputs; k += 16) {
        DODONA_UNROLL
        for (int r = 0; r < R; r++) x[r] = vld1q_s8(rows + r * stride + k);
        DODONA_DOT_STEP(0)
        DODONA_DOT_STEP(1)
        DODONA_DOT_STEP(2)
        DODONA_DOT_STEP(3)
    }
    DODONA_UNROLL
    for (int r = 0; r < R; r++) {
        vst1q_s32(sums + r * width, sum[r][0]);
        vst1q_s32(sums + r * width + 4, sum[r][1]);
        vst1q_s32(sums + r * width + 8, sum[r][2]);
        vst1q_s32(sums + r * width + 12, sum[r][3]);
    }
}
#undef DODONA_DOT_STEP

static const IntKernel dot_ints = ints_by_tiles<IntTiles<1, nullptr, dot_rows<4>, dot_rows<2>, dot_rows<1>>>;

static inline bool has_dot() {
#if defined(__linux__)
    return getauxval(AT_HWCAP) >> 20 & 1;     /* HWCAP_ASIMDDP, which older headers do not name */
#elif defined(__APPLE__)
    int has = 0;
    size_t size = sizeof has;
    return sysctlbyname("hw.optional.arm.FEAT_DotProd", &has, &size, nullptr, 0) == 0 && has;
#else
    return false;
#endif
}

#endif

static inline int add_neon(Variant* found, int n) {
    found[n++] = Variant{"neon", neon_ints, four_floats, &four_lanes::loops};
#if defined(DODONA_DOT)
    if (has_dot()) found[n++] = Variant{"neon-dot", dot_ints, four_floats, &four_lanes::loops};
#endif
    return n;
}

}  // namespace dodona

#endif
#endif
