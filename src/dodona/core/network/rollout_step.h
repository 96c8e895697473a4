/* Scores of a state during training, in float32, for rollouts.
 *
 * Parsing computes them in integers (state_scores.h). Sums run over rows and units in ascending order.
 */
#ifndef DODONA_ROLLOUT_STEP_H
#define DODONA_ROLLOUT_STEP_H

#include <stddef.h>

#include "simd.h"

namespace dodona {

/* Compute 4 · N hidden units from `first` on: leaky ReLU of bias plus rows. */
template <int N>
static inline void add_some(float* units, const float* bias, const float* const* rows, int n_rows, int first) {
    Four sum[N];
    DODONA_UNROLL
    for (int v = 0; v < N; v++) sum[v] = load(bias + first + 4 * v);
    for (int r = 0; r < n_rows; r++) {
        DODONA_UNROLL
        for (int v = 0; v < N; v++) sum[v] = add(sum[v], load(rows[r] + first + 4 * v));
    }
    DODONA_UNROLL
    for (int v = 0; v < N; v++) store(units + first + 4 * v, most(sum[v], multiply(sum[v], four(0.125f))));
}

/* Compute all hidden units; n_units is a multiple of 4. */
static inline void add_up(float* units, const float* bias, const float* const* rows, int n_rows, int n_units) {
    int first = 0;
    for (; first + 32 <= n_units; first += 32) add_some<8>(units, bias, rows, n_rows, first);
    for (; first < n_units; first += 4) add_some<1>(units, bias, rows, n_rows, first);
}

/* Compute the scores of 4 · N classes from `first` on. The sums stay in registers, unlike in a plain loop
 * over classes: rollouts are 3.5x faster, and an epoch takes a tenth less. */
template <int N>
static inline void classify_some(float* scores, const float* units, const float* weights, const float* bias,
                                 int n_units, int n_classes, int first) {
    Four sum[N];
    DODONA_UNROLL
    for (int v = 0; v < N; v++) sum[v] = load(bias + first + 4 * v);
    for (int j = 0; j < n_units; j++) {
        const Four unit = four(units[j]);
        const float* row = weights + (size_t) j * n_classes + first;
        DODONA_UNROLL
        for (int v = 0; v < N; v++) sum[v] = add(sum[v], multiply(unit, load(row + 4 * v)));
    }
    DODONA_UNROLL
    for (int v = 0; v < N; v++) store(scores + first + 4 * v, sum[v]);
}

/* scores = bias + units · weights (unit, class); n_classes is a multiple of 8. */
static inline void classify(float* scores, const float* units, const float* weights, const float* bias, int n_units,
                            int n_classes) {
    int first = 0;
    for (; first + 32 <= n_classes; first += 32)
        classify_some<8>(scores, units, weights, bias, n_units, n_classes, first);
    for (; first < n_classes; first += 8)
        classify_some<2>(scores, units, weights, bias, n_units, n_classes, first);
}

}  // namespace dodona

#endif
