/* The operations between matrix products for every kind of vector that this machine may have; loops.h has them. */
#ifndef DODONA_ELEMENTWISE_H
#define DODONA_ELEMENTWISE_H

#include <stddef.h>

#include "hidden_units.h"
#include "lanes_avx2.h"
#include "simd.h"

namespace dodona {

enum { MOST_SCORE = 8191 };
static const float EPSILON = 1e-6f;      /* added under the square root of a norm */
static const float LEAST_ROW = 1e-30f;   /* rows with smaller numbers count as zero: 127 / x would overflow */
static const float LOG2_E = 1.44269504f;
static const float MOST_POWER = 125.0f;

static inline float unit_of(float largest) { return largest >= LEAST_ROW ? largest / 127.0f : 0.0f; }

/* The operations of one kind of vector; loops.h describes them. */
struct Loops {
    void (*normalise)(const float* x, float* to, int n);
    void (*largest_piece)(const float* pieces, float* to, int n);
    float (*largest_size)(const float* x, int n);
    int32_t (*quantise)(const float* x, int8_t* to, int n, float largest);
    void (*look_around)(float* words, size_t stride, const float* conv, float* before, int d, int n_words);
    void (*recur)(const float* u, size_t u_stride, float* to, size_t to_stride, float* h, int d, int begin, int end,
                  int n_words, bool from_right);
    int (*first_largest)(float* x, int n);
    void (*softmax)(float* x, int n, float largest);
    void (*store_results)(const int32_t* sums, const float* row_units, int n_rows, const float* units,
                          const float* bias, int n, float* to, size_t stride);
    void (*add_results)(const int32_t* sums, const float* row_units, int n_rows, const float* units,
                        const float* bias, int n, float* to, size_t stride);
    void (*round_results)(const int32_t* sums, const float* row_units, int n_rows, const float* units, int n,
                          int16_t* const* to, int first);
    void (*hidden_bytes)(const int16_t* const* rows, int n_rows, const int32_t* bias, int hidden, int8_t* high,
                         int8_t* low);
    void (*store_scores)(const int32_t* high, const int32_t* low, const int32_t* offsets, const float* factors,
                         const float* bias, int n, int16_t* scores);
};

namespace four_lanes {
enum { N_LANES = 4 };
typedef Four Lanes;
typedef FourInts Ints;
static inline Lanes every(float x) { return four(x); }
static inline bool is_among_eight(const float* x, float sought) { return holds(load(x), load(x + 4), every(sought)); }
static inline Ints store_int8(int8_t* to, const Lanes (&x)[4], Ints sums) {
    return dodona::store_int8(to, x[0], x[1], x[2], x[3], sums);
}
#include "loops.h"
}  // namespace four_lanes

#if defined(DODONA_AVX2)

DODONA_BEGIN_TARGET("avx2")
namespace eight_lanes {
#include "loops.h"
}  // namespace eight_lanes
DODONA_END_TARGET

#endif

}  // namespace dodona

#endif
