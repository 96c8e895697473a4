/* Operations on rows between matrix products: norms, gates, the recurrence, softmax, results of kernels.
 *
 * This file is included by elementwise.h once for each kind of vector, within a namespace that has `Lanes`,
 * vectors of N_LANES floats, `Ints`, vectors of as many integers, and hidden_bytes. All kinds give equal bits: a
 * sum over a row consists of eight partial sums (of every eighth unit), added in a fixed order,
 * ((0+4)+(2+6)) + ((1+5)+(3+7)).
 */

/* x = 2^x for |x| <= 125: an integer power times a polynomial in the remainder (within ±1/2), whose relative
 * error is below 1e-7. Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits.
 * Several vectors are interleaved to hide latency: the recurrence is 1.4x faster with four of four lanes. */
template <int N> static inline void powers_of_two(Lanes (&x)[N]) {
    static const float COEFFICIENTS[] = {9.6715129912e-3f, 5.5507335812e-2f, 2.4022242427e-1f, 6.9314700365e-1f, 1.0f};
    const Lanes magic = every(12582912.0f);
    Lanes shifted[N], p[N];
    DODONA_UNROLL
    for (int i = 0; i < N; i++) shifted[i] = add(x[i], magic);
    DODONA_UNROLL
    for (int i = 0; i < N; i++) x[i] = subtract(x[i], subtract(shifted[i], magic));
    DODONA_UNROLL
    for (int i = 0; i < N; i++) p[i] = every(1.3264727313e-3f);
    DODONA_UNROLL
    for (int c = 0; c < 5; c++) {
        DODONA_UNROLL
        for (int i = 0; i < N; i++) p[i] = add(multiply(p[i], x[i]), every(COEFFICIENTS[c]));
    }
    DODONA_UNROLL
    for (int i = 0; i < N; i++) x[i] = multiply(p[i], whole_power(shifted[i]));
}

/* x = 1 / (1 + e^-x) */
template <int N> static inline void sigmoids(Lanes (&x)[N]) {
    DODONA_UNROLL
    for (int i = 0; i < N; i++) x[i] = clamp(multiply(x[i], every(-LOG2_E)), -MOST_POWER, MOST_POWER);
    powers_of_two(x);
    DODONA_UNROLL
    for (int i = 0; i < N; i++) x[i] = divide(every(1.0f), add(every(1.0f), x[i]));
}

/* to = maxout of three pieces of n units each */
static void largest_piece(const float* pieces, float* to, int n) {
    for (int i = 0; i < n; i += N_LANES)
        store(to + i, larger(larger(load(pieces + i), load(pieces + n + i)), load(pieces + 2 * n + i)));
}

/* Return the largest absolute value; n is a multiple of 16. */
static float largest_size(const float* x, int n) {
    Lanes largest[16 / N_LANES];
    for (auto& one : largest) one = every(0.0f);
    for (int i = 0; i < n; i += 16) {
        DODONA_UNROLL
        for (int k = 0; k < 16 / N_LANES; k++) largest[k] = most(absolute(load(x + i + k * N_LANES)), largest[k]);
    }
    for (int k = 1; k < 16 / N_LANES; k++) largest[0] = most(largest[0], largest[k]);
    return largest_of(largest[0]);
}

/* Quantise x to int8 in units of largest / 127 and return the sum of the bytes; n is a multiple of 16. */
static int32_t quantise(const float* x, int8_t* to, int n, float largest) {
    const Lanes factor = every(largest >= LEAST_ROW ? 127.0f / largest : 0.0f);
    Ints sums = no_ints();
    for (int i = 0; i < n; i += 16) {
        Lanes scaled[16 / N_LANES];
        DODONA_UNROLL
        for (int k = 0; k < 16 / N_LANES; k++) scaled[k] = multiply(load(x + i + k * N_LANES), factor);
        sums = store_int8(to + i, scaled, sums);
    }
    return total(sums);
}

/* Replace each word by a weighted sum of the previous word, itself and the next one, unit by unit; `conv`
 * holds three rows of d weights, `before` is scratch memory of length d. */
static void look_around(float* words, size_t stride, const float* conv, float* before, int d, int n_words) {
    for (int i = 0; i < d; i++) before[i] = 0.0f;
    for (int t = 0; t < n_words; t++) {
        float* word = words + (size_t) t * stride;
        const bool is_last = t + 1 == n_words;
        for (int i = 0; i < d; i += N_LANES) {
            const Lanes now = load(word + i), after = is_last ? every(0.0f) : load(word + stride + i);
            const Lanes left = multiply(load(conv + i), load(before + i));
            const Lanes middle = multiply(load(conv + d + i), now), right = multiply(load(conv + 2 * d + i), after);
            store(before + i, now);
            store(word + i, add(add(left, middle), right));
        }
    }
}

/* Run the recurrence of one layer over a sentence for the units [begin, end), a multiple of 16, from the left or
 * from the right. u holds z, f and o of every word (d each); to = h · silu(o); h is scratch memory of length d. */
static void recur(const float* u, size_t u_stride, float* to, size_t to_stride, float* h, int d, int begin, int end,
                  int n_words, bool from_right) {
    enum { N = 2 };      /* vectors at once */
    for (int i = begin; i < end; i++) h[i] = 0.0f;
    for (int t = 0; t < n_words; t++) {
        const int word = from_right ? n_words - 1 - t : t;
        const float* z = u + (size_t) word * u_stride;
        float* out = to + (size_t) word * to_stride;
        for (int i = begin; i < end; i += N * N_LANES) {
            Lanes o[N], gates[2 * N];
            DODONA_UNROLL
            for (int k = 0; k < N; k++) {
                gates[k] = load(z + d + i + k * N_LANES);
                gates[N + k] = o[k] = load(z + 2 * d + i + k * N_LANES);
            }
            sigmoids(gates);
            DODONA_UNROLL
            for (int k = 0; k < N; k++) {
                const Lanes fresh = multiply(subtract(every(1.0f), gates[k]), load(z + i + k * N_LANES));
                const Lanes kept = add(multiply(gates[k], load(h + i + k * N_LANES)), fresh);
                store(h + i + k * N_LANES, kept);
                store(out + i + k * N_LANES, multiply(kept, multiply(o[k], gates[N + k])));
            }
        }
    }
}

/* The results of int8 kernels: n sums of each row, a multiple of 16, whose scales are the unit of the row times
 * those of the outputs. */
static inline Lanes result_of(const int32_t* sums, Lanes row_unit, const float* units) {
    return multiply(to_floats(load_ints(sums)), multiply(row_unit, load(units)));
}

static void store_results(const int32_t* sums, const float* row_units, int n_rows, const float* units,
                          const float* bias, int n, float* to, size_t stride) {
    for (int r = 0; r < n_rows; r++, sums += n, to += stride) {
        const Lanes unit = every(row_units[r]);
        for (int i = 0; i < n; i += N_LANES) store(to + i, add(result_of(sums + i, unit, units + i), load(bias + i)));
    }
}

static void add_results(const int32_t* sums, const float* row_units, int n_rows, const float* units, const float* bias,
                        int n, float* to, size_t stride) {
    for (int r = 0; r < n_rows; r++, sums += n, to += stride) {
        const Lanes unit = every(row_units[r]);
        for (int i = 0; i < n; i += N_LANES)
            store(to + i, add(load(to + i), add(result_of(sums + i, unit, units + i), load(bias + i))));
    }
}

/* Each row has a pointer, and its results begin at `first`. */
static void round_results(const int32_t* sums, const float* row_units, int n_rows, const float* units, int n,
                          int16_t* const* to, int first) {
    for (int r = 0; r < n_rows; r++, sums += n) {
        const Lanes unit = every(row_units[r]);
        for (int i = 0; i < n; i += N_LANES) store_int16(to[r] + first + i, result_of(sums + i, unit, units + i));
    }
}

/* the total of eight partial sums */
static inline float total_of(const Lanes (&parts)[8 / N_LANES]) {
    float s[8];
    for (int k = 0; k < 8 / N_LANES; k++) store(s + k * N_LANES, parts[k]);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* to = x / sqrt(mean(x²) + epsilon) */
static void normalise(const float* x, float* to, int n) {
    Lanes parts[8 / N_LANES];
    for (auto& part : parts) part = every(0.0f);
    for (int i = 0; i < n; i += 8) {
        DODONA_UNROLL
        for (int k = 0; k < 8 / N_LANES; k++) {
            const Lanes one = load(x + i + k * N_LANES);
            parts[k] = add(parts[k], multiply(one, one));
        }
    }
    const Lanes factor = every(1.0f / sqrtf(total_of(parts) / (float) n + EPSILON));
    for (int i = 0; i < n; i += N_LANES) store(to + i, multiply(load(x + i), factor));
}

/* Return the index of the first maximum of n numbers; x is padded to a multiple of eight. */
static int first_largest(float* x, int n) {
    const int padded = (n + 7) / 8 * 8;
    int k;
    for (k = n; k < padded; k++) x[k] = x[0];
    Lanes most_of[8 / N_LANES];
    for (int j = 0; j < 8 / N_LANES; j++) most_of[j] = load(x + j * N_LANES);
    for (k = 8; k < padded; k += 8) {
        DODONA_UNROLL
        for (int j = 0; j < 8 / N_LANES; j++) most_of[j] = most(load(x + k + j * N_LANES), most_of[j]);
    }
    for (int j = 1; j < 8 / N_LANES; j++) most_of[0] = most(most_of[0], most_of[j]);
    const float largest = largest_of(most_of[0]);
    for (k = 0; k + 8 < padded && !is_among_eight(x + k, largest); k += 8) {}
    while (k < n - 1 && x[k] != largest) k++;
    return k;
}

/* x = softmax(x), padded with 0 to a multiple of eight. */
static void softmax(float* x, int n, float largest) {
    const int padded = (n + 7) / 8 * 8;
    Lanes parts[8 / N_LANES], powers[8 / N_LANES];
    for (int i = n; i < padded; i++) x[i] = largest;
    for (int i = 0; i < padded; i += 8) {
        for (int k = 0; k < 8 / N_LANES; k++)
            powers[k] = multiply(subtract(load(x + i + k * N_LANES), every(largest)), every(LOG2_E));
        for (int k = 0; k < 8 / N_LANES; k++) powers[k] = most(powers[k], every(-MOST_POWER));
        powers_of_two(powers);
        for (int k = 0; k < 8 / N_LANES; k++) store(x + i + k * N_LANES, powers[k]);
    }
    for (int i = n; i < padded; i++) x[i] = 0.0f;
    for (auto& part : parts) part = every(0.0f);
    for (int i = 0; i < padded; i += 8)
        for (int k = 0; k < 8 / N_LANES; k++) parts[k] = add(parts[k], load(x + i + k * N_LANES));
    const Lanes factor = every(1.0f / total_of(parts));
    for (int i = 0; i < padded; i += N_LANES) store(x + i, multiply(load(x + i), factor));
}

/* Write the scores of n classes, a multiple of eight, in steps of 1/256 within ±8191, given the sums of the high
 * and of the low bytes of the hidden units. Partial sums may wrap around; the total does not. */
static void store_scores(const int32_t* high, const int32_t* low, const int32_t* offsets, const float* factors,
                         const float* bias, int n, int16_t* scores) {
    for (int i = 0; i < n; i += N_LANES) {
        const Ints whole = add(add(times_256(load_ints(high + i)), load_ints(low + i)), load_ints(offsets + i));
        const Lanes score = multiply(add(multiply(to_floats(whole), load(factors + i)), load(bias + i)), every(256.0f));
        store_int16(scores + i, clamp(score, -MOST_SCORE, MOST_SCORE));
    }
}

static const Loops loops = {
    normalise, largest_piece, largest_size, quantise,      look_around,  recur,        first_largest,
    softmax,   store_results, add_results,  round_results, hidden_bytes, store_scores,
};
