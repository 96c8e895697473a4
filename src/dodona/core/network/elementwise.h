/* What a network does to single rows between its products: norms, gates, the recurrence, softmax.
 *
 * All lengths are multiples of 8. Sums over a row are eight partial sums, of every eighth unit each,
 * added in a fixed order: ((0+4)+(2+6)) + ((1+5)+(3+7)).
 */
#ifndef DODONA_ELEMENTWISE_H
#define DODONA_ELEMENTWISE_H

#include <stddef.h>

#include "four.h"

namespace dodona {

static const float EPSILON = 1e-6f;      /* under the root of a norm */
static const float LEAST_ROW = 1e-30f;   /* a row that is smaller counts as zero: 127 / x would overflow */

/* the eight partial sums, four in each */
static inline float total(Four low, Four high) {
    float s[4];
    store(s, add(low, high));            /* 0+4, 1+5, 2+6, 3+7 */
    return (s[0] + s[2]) + (s[1] + s[3]);
}

static inline float most_of(Four a) {
    float s[4];
    store(s, a);
    const float x = s[0] > s[1] ? s[0] : s[1], y = s[2] > s[3] ? s[2] : s[3];
    return x > y ? x : y;
}

/* e^x for |x| <= 87: 2^n e^r with r in ±ln(2)/2, and the polynomial of Cephes (Moshier 1992).
 * Adding 1.5 * 2^23 rounds to the nearest integer, and leaves it in the low bits. */
static inline Four exponential(Four x) {
    const Four magic = four(12582912.0f);
    const Four shifted = add(multiply(x, four(1.44269504f)), magic);
    const Four n = subtract(shifted, magic);
    Four r = subtract(x, multiply(n, four(0.693359375f)));
    r = subtract(r, multiply(n, four(-2.12194440e-4f)));
    Four p = four(1.9875691500e-4f);
    p = add(multiply(p, r), four(1.3981999507e-3f));
    p = add(multiply(p, r), four(8.3334519073e-3f));
    p = add(multiply(p, r), four(4.1665795894e-2f));
    p = add(multiply(p, r), four(1.6666665459e-1f));
    p = add(multiply(p, r), four(5.0000001201e-1f));
    p = add(add(multiply(p, multiply(r, r)), r), four(1.0f));
    return multiply(p, power_of_two(shifted));
}

static inline Four sigmoid(Four x) {
    return divide(four(1.0f), add(four(1.0f), exponential(clamp(negate(x), -87.0f, 87.0f))));
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

/* to = the largest of three pieces, each of n units */
static inline void largest_piece(const float* pieces, float* to, int n) {
    for (int i = 0; i < n; i += 4)
        store(to + i, larger(larger(load(pieces + i), load(pieces + n + i)), load(pieces + 2 * n + i)));
}

/* to = x in units of its largest over 127, and their sum; returns the unit. n is a multiple of 16. */
static inline float quantise(const float* x, int8_t* to, int n, int32_t* sum) {
    Four most = four(0.0f);
    for (int i = 0; i < n; i += 4) most = larger(absolute(load(x + i)), most);
    const float largest = most_of(most);
    *sum = 0;
    if (!(largest >= LEAST_ROW)) {
        memset(to, 0, (size_t) n);
        return 0.0f;
    }
    const Four factor = four(127.0f / largest);
    for (int i = 0; i < n; i += 16) {
        store_int8(to + i, to_ints(multiply(load(x + i), factor)), to_ints(multiply(load(x + i + 4), factor)),
                   to_ints(multiply(load(x + i + 8), factor)), to_ints(multiply(load(x + i + 12), factor)));
        *sum += sum_of_bytes(to + i);
    }
    return largest / 127.0f;
}

/* The recurrence of one layer over a sentence, units [begin, end) from word `from` on in steps of one or
 * minus one. u has z, f and o of every word, d of each; to gets h · silu(o); h is d long and starts at 0. */
static inline void recur(const float* u, size_t u_stride, float* to, size_t to_stride, float* h, int d, int begin,
                         int end, int n_words, bool from_right) {
    for (int i = begin; i < end; i++) h[i] = 0.0f;
    for (int t = 0; t < n_words; t++) {
        const int word = from_right ? n_words - 1 - t : t;
        const float* z = u + (size_t) word * u_stride;
        float* out = to + (size_t) word * to_stride;
        for (int i = begin; i < end; i += 4) {
            const Four f = sigmoid(load(z + d + i)), o = load(z + 2 * d + i);
            const Four kept = add(multiply(f, load(h + i)), multiply(subtract(four(1.0f), f), load(z + i)));
            store(h + i, kept);
            store(out + i, multiply(kept, multiply(o, sigmoid(o))));
        }
    }
}

/* The first of the largest among n numbers, behind which there is room for whole blocks of eight. */
static inline int first_largest(float* x, int n) {
    int k;
    for (k = n; k % 8; k++) x[k] = x[0];
    Four most = load(x);
    for (int i = 4; i < k; i += 4) most = larger(load(x + i), most);
    const float largest = most_of(most);
    for (k = 0; k < n - 1 && x[k] != largest; k++) {}
    return k;
}

/* x = e^(x - largest), divided by their sum; what is behind, up to whole blocks of eight, becomes 0. */
static inline void softmax(float* x, int n, float largest) {
    const int padded = (n + 7) / 8 * 8;
    for (int i = n; i < padded; i++) x[i] = largest;
    for (int i = 0; i < padded; i += 4)
        store(x + i, exponential(clamp(subtract(load(x + i), four(largest)), -87.0f, 87.0f)));
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
