/* Elementwise operations on rows between matrix products: norms, gates, the recurrence, softmax.
 *
 * All lengths are multiples of 8. A sum over a row consists of eight partial sums (of every eighth unit),
 * added in a fixed order: ((0+4)+(2+6)) + ((1+5)+(3+7)).
 */
#ifndef DODONA_ELEMENTWISE_H
#define DODONA_ELEMENTWISE_H

#include <stddef.h>

#include "simd.h"

namespace dodona {

static const float EPSILON = 1e-6f;      /* added under the square root of a norm */
static const float LEAST_ROW = 1e-30f;   /* rows with smaller numbers count as zero: 127 / x would overflow */

/* the total of eight partial sums, four in each argument */
static inline float total(Four low, Four high) {
    float s[4];
    store(s, add(low, high));            /* 0+4, 1+5, 2+6, 3+7 */
    return (s[0] + s[2]) + (s[1] + s[3]);
}

static const float LOG2_E = 1.44269504f;
static const float MOST_POWER = 125.0f;

/* x = 2^x for |x| <= 125: an integer power times a polynomial in the remainder (within ±1/2), whose relative
 * error is below 1e-7. Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits.
 * Several vectors are interleaved to hide latency: the recurrence is 1.4x faster with four. */
template <int N> static inline void powers_of_two(Four (&x)[N]) {
    static const float COEFFICIENTS[] = {9.6715129912e-3f, 5.5507335812e-2f, 2.4022242427e-1f, 6.9314700365e-1f, 1.0f};
    const Four magic = four(12582912.0f);
    Four shifted[N], p[N];
    DODONA_UNROLL
    for (int i = 0; i < N; i++) shifted[i] = add(x[i], magic);
    DODONA_UNROLL
    for (int i = 0; i < N; i++) x[i] = subtract(x[i], subtract(shifted[i], magic));
    DODONA_UNROLL
    for (int i = 0; i < N; i++) p[i] = four(1.3264727313e-3f);
    DODONA_UNROLL
    for (int c = 0; c < 5; c++) {
        DODONA_UNROLL
        for (int i = 0; i < N; i++) p[i] = add(multiply(p[i], x[i]), four(COEFFICIENTS[c]));
    }
    DODONA_UNROLL
    for (int i = 0; i < N; i++) x[i] = multiply(p[i], whole_power(shifted[i]));
}

/* x = 1 / (1 + e^-x) */
template <int N> static inline void sigmoids(Four (&x)[N]) {
    DODONA_UNROLL
    for (int i = 0; i < N; i++) x[i] = clamp(multiply(x[i], four(-LOG2_E)), -MOST_POWER, MOST_POWER);
    powers_of_two(x);
    DODONA_UNROLL
    for (int i = 0; i < N; i++) x[i] = divide(four(1.0f), add(four(1.0f), x[i]));
}

/* to = x / sqrt(mean(x²) + epsilon) */
static inline void normalise(const float* x, float* to, int n) {
    Four low = four(0.0f), high = four(0.0f);
    for (int i = 0; i < n; i += 8) {
        low = add(low, multiply(load(x + i), load(x + i)));
        high = add(high, multiply(load(x + i + 4), load(x + i + 4)));
    }
    const Four factor = four(1.0f / sqrtf(total(low, high) / (float) n + EPSILON));
    for (int i = 0; i < n; i += 4) store(to + i, multiply(load(x + i), factor));
}

/* to = maxout of three pieces of n units each */
static inline void largest_piece(const float* pieces, float* to, int n) {
    for (int i = 0; i < n; i += 4)
        store(to + i, larger(larger(load(pieces + i), load(pieces + n + i)), load(pieces + 2 * n + i)));
}

/* Return the largest absolute value; n is a multiple of 8. */
static inline float largest_size(const float* x, int n) {
    Four a = four(0.0f), b = a;
    for (int i = 0; i < n; i += 8) a = most(absolute(load(x + i)), a), b = most(absolute(load(x + i + 4)), b);
    return largest_of(most(a, b));
}

/* Quantise x to int8 in units of largest / 127 and return the sum of the bytes; n is a multiple of 16. */
static inline int32_t quantise(const float* x, int8_t* to, int n, float largest) {
    const Four factor = four(largest >= LEAST_ROW ? 127.0f / largest : 0.0f);
    FourInts sums = no_ints();
    for (int i = 0; i < n; i += 16)
        sums = store_int8(to + i, multiply(load(x + i), factor), multiply(load(x + i + 4), factor),
                          multiply(load(x + i + 8), factor), multiply(load(x + i + 12), factor), sums);
    return total(sums);
}

static inline float unit_of(float largest) { return largest >= LEAST_ROW ? largest / 127.0f : 0.0f; }

/* Replace each word by a weighted sum of the previous word, itself and the next one, unit by unit; `conv`
 * holds three rows of d weights, `before` is scratch memory of length d. */
static inline void look_around(float* words, size_t stride, const float* conv, float* before, int d, int n_words) {
    for (int i = 0; i < d; i++) before[i] = 0.0f;
    for (int t = 0; t < n_words; t++) {
        float* word = words + (size_t) t * stride;
        const bool is_last = t + 1 == n_words;
        for (int i = 0; i < d; i += 4) {
            const Four now = load(word + i), after = is_last ? four(0.0f) : load(word + stride + i);
            const Four left = multiply(load(conv + i), load(before + i));
            const Four middle = multiply(load(conv + d + i), now), right = multiply(load(conv + 2 * d + i), after);
            store(before + i, now);
            store(word + i, add(add(left, middle), right));
        }
    }
}

/* Run the recurrence of one layer over a sentence for the units [begin, end), from the left or from the
 * right. u holds z, f and o of every word (d each); to = h · silu(o); h is scratch memory of length d. */
static inline void recur(const float* u, size_t u_stride, float* to, size_t to_stride, float* h, int d, int begin,
                         int end, int n_words, bool from_right) {
    for (int i = begin; i < end; i++) h[i] = 0.0f;
    for (int t = 0; t < n_words; t++) {
        const int word = from_right ? n_words - 1 - t : t;
        const float* z = u + (size_t) word * u_stride;
        float* out = to + (size_t) word * to_stride;
        for (int i = begin; i < end; i += 8) {
            const Four o[2] = {load(z + 2 * d + i), load(z + 2 * d + i + 4)};
            Four gates[4] = {load(z + d + i), load(z + d + i + 4), o[0], o[1]};
            sigmoids(gates);
            DODONA_UNROLL
            for (int k = 0; k < 2; k++) {
                const Four fresh = multiply(subtract(four(1.0f), gates[k]), load(z + i + 4 * k));
                const Four kept = add(multiply(gates[k], load(h + i + 4 * k)), fresh);
                store(h + i + 4 * k, kept);
                store(out + i + 4 * k, multiply(kept, multiply(o[k], gates[2 + k])));
            }
        }
    }
}

/* Return the index of the first maximum of n numbers; x is padded to a multiple of eight. */
static inline int first_largest(float* x, int n) {
    const int padded = (n + 7) / 8 * 8;
    int k;
    for (k = n; k < padded; k++) x[k] = x[0];
    Four a = load(x), b = load(x + 4);
    for (k = 8; k < padded; k += 8) a = most(load(x + k), a), b = most(load(x + k + 4), b);
    const float largest = largest_of(most(a, b));
    for (k = 0; k + 8 < padded && !holds(load(x + k), load(x + k + 4), four(largest)); k += 8) {}
    while (k < n - 1 && x[k] != largest) k++;
    return k;
}

/* x = softmax(x), padded with 0 to a multiple of eight. */
static inline void softmax(float* x, int n, float largest) {
    const int padded = (n + 7) / 8 * 8;
    for (int i = n; i < padded; i++) x[i] = largest;
    for (int i = 0; i < padded; i += 8) {
        Four powers[2];
        for (int k = 0; k < 2; k++)
            powers[k] = multiply(subtract(load(x + i + 4 * k), four(largest)), four(LOG2_E));
        for (int k = 0; k < 2; k++) powers[k] = most(powers[k], four(-MOST_POWER));
        powers_of_two(powers);
        store(x + i, powers[0]), store(x + i + 4, powers[1]);
    }
    for (int i = n; i < padded; i++) x[i] = 0.0f;
    Four low = four(0.0f), high = four(0.0f);
    for (int i = 0; i < padded; i += 8) {
        low = add(low, load(x + i));
        high = add(high, load(x + i + 4));
    }
    const Four factor = four(1.0f / total(low, high));
    for (int i = 0; i < padded; i += 4) store(x + i, multiply(load(x + i), factor));
}

}  // namespace dodona

#endif
