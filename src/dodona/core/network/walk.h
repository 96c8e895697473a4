/* The step of a network in training, in float32: what a walk through states needs of it.
 *
 * Loops run over units and classes, which compilers turn into vector instructions; parsing has
 * integers instead (kernels.h).
 */
#ifndef DODONA_WALK_H
#define DODONA_WALK_H

#include "blocks.h"

static inline void dodona_add_row(float* DODONA_RESTRICT sum, const float* DODONA_RESTRICT row, int n) {
    for (int j = 0; j < n; j++) sum[j] += row[j];
}

/* scores = bias + leaky ReLU of the units, each times its row of weights, one per class. */
static inline void dodona_classify(float* DODONA_RESTRICT scores, const float* units, const float* weights,
                                   const float* bias, int n_units, int n_classes) {
    for (int c = 0; c < n_classes; c++) scores[c] = bias[c];
    for (int j = 0; j < n_units; j++) {
        const float unit = units[j] >= 0 ? units[j] : units[j] * 0.125f;
        const float* DODONA_RESTRICT row = weights + (size_t) j * n_classes;
        for (int c = 0; c < n_classes; c++) scores[c] += unit * row[c];
    }
}

#endif
