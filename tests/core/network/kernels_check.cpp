/* Compares every kernel variant of this machine with the plain one, bit for bit.
 *
 *     c++ -std=c++17 -O2 -ffp-contract=off -I src/dodona/core/base -I src/dodona/core/network \
 *         tests/core/network/kernels_check.cpp -o check && ./check [speed]
 *
 * Prints a line for each variant; the exit status tells whether all are equal. "speed" also times them.
 */
#include <algorithm>
#include <ctime>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>

#include "state_scores.h"

using namespace dodona;

static std::mt19937 random_bits(7);
static int between(int low, int high) { return low + (int) (random_bits() % (unsigned) (high - low + 1)); }

/* random bytes, or extreme ones for the largest sums */
static int8_t random_byte(int least, int edge) {
    return (int8_t) (edge ? (edge > 0 ? 127 : least) : between(least, 127));
}

/* Compare the sums of the plain kernel with those of another. */
static bool same_ints(const Variant& plain, const Variant& other, int n_rows, int n_inputs, int n_blocks, int edge) {
    const size_t stride = (size_t) n_inputs + 16 * (size_t) between(0, 1);
    std::vector<int8_t> rows(n_rows * stride), blocks((size_t) n_blocks * N_OUTPUTS * n_inputs);
    std::vector<int32_t> row_sums((size_t) n_rows), a((size_t) n_rows * n_blocks * N_OUTPUTS + 1, 12345), b(a);
    for (auto& x : rows) x = random_byte(-128, edge);
    for (auto& x : blocks) x = random_byte(-127, edge && between(0, 1) ? -edge : edge);
    for (int r = 0; r < n_rows; r++)
        for (int k = 0; k < n_inputs; k++) row_sums[r] += rows[r * stride + k];
    plain.ints(rows.data(), stride, row_sums.data(), n_rows, blocks.data(), n_blocks, n_inputs, a.data());
    other.ints(rows.data(), stride, row_sums.data(), n_rows, blocks.data(), n_blocks, n_inputs, b.data());
    return a == b;
}

/* Every product and sum is rounded separately: volatile keeps the compiler from fusing them. */
static bool right_floats(const Variant& variant, int n_rows, int n_inputs) {
    const float spread = std::ldexp(1.0f, between(-140, 20));    /* with subnormal numbers */
    std::normal_distribution<float> normal;
    std::vector<float> rows((size_t) n_rows * n_inputs), block((size_t) N_OUTPUTS * n_inputs);
    std::vector<float> sums((size_t) n_rows * N_OUTPUTS);
    for (auto& x : rows) x = normal(random_bits) * spread;
    for (auto& x : block) x = normal(random_bits);
    variant.floats(rows.data(), (size_t) n_inputs, n_rows, block.data(), n_inputs, sums.data());
    for (int r = 0; r < n_rows; r++)
        for (int j = 0; j < N_OUTPUTS; j++) {
            volatile float sum = 0.0f, product;
            for (int k = 0; k < n_inputs; k++) {
                product = rows[(size_t) r * n_inputs + k] * block[(size_t) k * N_OUTPUTS + j];
                sum = sum + product;
            }
            const float expected = sum;
            if (std::memcmp(&expected, &sums[(size_t) r * N_OUTPUTS + j], sizeof expected) != 0) return false;
        }
    return true;
}

/* Compare the scores of states with their definition. */
static bool same_scores(const Variant& variant, int hidden, int n_classes, int n_rows, int edge) {
    std::vector<std::vector<int16_t>> rows((size_t) n_rows, std::vector<int16_t>((size_t) hidden));
    std::vector<const int16_t*> pointers;
    std::vector<int32_t> bias((size_t) hidden);
    std::vector<int8_t> weights((size_t) n_classes * hidden);
    std::vector<float> units((size_t) n_classes), class_bias((size_t) n_classes);
    for (auto& row : rows) {
        for (auto& x : row) x = (int16_t) (edge ? (edge > 0 ? 32767 : -32768) : between(-3000, 3000));
        pointers.push_back(row.data());
    }
    for (auto& x : bias) x = between(-131072, 131072);
    for (auto& x : weights) x = random_byte(-127, edge);
    for (auto& x : units) x = (float) between(0, 1000) / 1e6f;
    for (auto& x : class_bias) x = (float) between(-1000, 1000) / 1e3f;
    Matrix matrix;
    matrix.shape(n_classes, hidden, class_bias.data());
    matrix.pack(weights.data(), units.data());
    Classes classes;
    classes.set(matrix);
    std::vector<int16_t> scores(whole((size_t) n_classes, SCORE_BLOCK) + 1, 12345);
    state_scores(variant, pointers.data(), n_rows, bias.data(), classes, scores.data());
    for (int c = 0; c < n_classes; c++) {
        int64_t sum = 0;
        for (int j = 0; j < hidden; j++) {
            int32_t unit = bias[j];
            for (int r = 0; r < n_rows; r++) unit += rows[r][j];
            unit = unit < 0 ? -((-unit + 7) / 8) : unit;
            unit = unit > 32767 ? 32767 : unit < -32767 ? -32767 : unit;
            sum += unit * weights[(size_t) c * hidden + j];
        }
        const volatile float product = (float) (int32_t) sum * (units[c] / 1024.0f);
        const float score = (product + class_bias[c]) * 256.0f;
        if (scores[c] != lrintf(score > 8191.0f ? 8191.0f : score < -8191.0f ? -8191.0f : score)) return false;
    }
    return scores.back() == 12345;
}

static Matrix random_matrix(int n_out, int n_in, bool int8) {
    std::normal_distribution<float> normal;
    std::vector<float> weights((size_t) n_out * n_in);
    for (auto& x : weights) x = normal(random_bits);
    Matrix matrix;
    matrix.shape(n_out, n_in, nullptr);
    if (int8) matrix.pack_as_bytes(weights.data()); else matrix.pack(weights.data());
    return matrix;
}

/* Compare the scores of many states with those of single states. */
static bool same_together(const Variant& variant, int hidden, int n_classes, int n_states) {
    const int n_rows = 5, n_scores = (int) whole((size_t) n_classes, SCORE_BLOCK);
    Classes classes;
    classes.set(random_matrix(n_classes, hidden, true));
    std::vector<int32_t> bias((size_t) hidden), sums((size_t) 2 * n_states);
    std::vector<int16_t> units((size_t) n_states * n_rows * hidden), alone((size_t) n_scores);
    std::vector<int16_t> together((size_t) n_states * n_scores + 1, 12345);
    std::vector<int8_t> halves((size_t) 2 * n_states * hidden);
    std::vector<const int16_t*> rows((size_t) n_states * n_rows);
    for (auto& x : bias) x = between(-5000, 5000);
    for (auto& x : units) x = (int16_t) between(-9000, 9000);
    for (size_t r = 0; r < rows.size(); r++) rows[r] = units.data() + r * hidden;
    for (int i = 0; i < n_states; i++)
        state_bytes(variant, rows.data() + i * n_rows, n_rows, bias.data(), hidden,
                    halves.data() + (size_t) 2 * i * hidden, sums.data() + 2 * i);
    class_scores(variant, halves.data(), sums.data(), n_states, classes, together.data());
    for (int i = 0; i < n_states; i++) {
        state_scores(variant, rows.data() + i * n_rows, n_rows, bias.data(), classes, alone.data());
        if (std::memcmp(alone.data(), together.data() + (size_t) i * n_scores, alone.size() * 2) != 0) return false;
    }
    return together.back() == 12345;
}

/* Compare some outputs of packed rows with all outputs of all rows. */
static bool same_in_part(const Variant& variant, int n_in, bool int8) {
    const int n_rows = 37, n_out = 64, first = 32, n = 16;
    const Matrix matrix = random_matrix(n_out, n_in, int8);
    const size_t size = Rows::packed_size(n_in, int8);
    std::vector<int16_t> all((size_t) n_rows * n_out), some((size_t) n_rows * n);
    std::vector<int16_t*> all_rows, some_rows;
    std::vector<char> packed(size * n_rows);
    Rows x, y;
    x.reshape(n_rows, n_in);
    for (int i = 0; i < n_rows; i++)
        for (int k = 0; k < n_in; k++) x.row(i)[k] = (float) between(-900, 900);
    for (int i = 0; i < n_rows; i++) {
        all_rows.push_back(all.data() + (size_t) i * n_out);
        some_rows.push_back(some.data() + (size_t) (n_rows - 1 - i) * n);
    }
    rounded_product(variant, matrix, x, 0, n_out, all_rows.data());
    for (int i = 0; i < n_rows; i++) x.pack_row(i, int8, packed.data() + size * i);
    y.reshape_packed(n_rows, n_in, int8);
    for (int i = 0; i < n_rows; i++) y.unpack_row(i, int8, packed.data() + size * (n_rows - 1 - i));
    rounded_product(variant, matrix, y, first, n, some_rows.data());
    for (int i = 0; i < n_rows; i++)
        if (std::memcmp(&some[(size_t) i * n], &all[(size_t) i * n_out + first], n * 2) != 0) return false;
    return true;
}

/* Compare the operations between products with those of the plain variant: every result, as bytes. */
static std::vector<char> results_of(const Loops& loops, const std::vector<float>& numbers, int width, int n_tags) {
    const int n_words = 5;
    const size_t n = (size_t) width;
    std::vector<float> row(n), words(n_words * n), gated(n_words * n), scratch(n), tags((size_t) n_tags + 8);
    std::vector<int8_t> bytes(n);
    std::vector<int32_t> sums(2 * n);
    std::vector<int16_t> rounded(2 * n + 16);
    std::vector<char> all;
    const auto keep = [&](const void* from, size_t size) {
        all.insert(all.end(), (const char*) from, (const char*) from + size);
    };
    const float* x = numbers.data();
    loops.normalise(x, row.data(), width), keep(row.data(), 4 * n);
    loops.largest_piece(x, row.data(), width), keep(row.data(), 4 * n);
    const float largest = loops.largest_size(x, width);
    const int32_t sum = loops.quantise(x, bytes.data(), width, largest);
    keep(&largest, 4), keep(&sum, 4), keep(bytes.data(), n);
    std::memcpy(words.data(), x, 4 * words.size());
    loops.look_around(words.data(), n, x, scratch.data(), width, n_words), keep(words.data(), 4 * words.size());
    for (const bool from_right : {false, true})
        loops.recur(x, 3 * n, gated.data(), n, scratch.data(), width, 0, width, n_words, from_right),
            keep(gated.data(), 4 * gated.size());
    std::memcpy(tags.data(), x, 4 * (size_t) n_tags);
    const int best = loops.first_largest(tags.data(), n_tags);
    loops.softmax(tags.data(), n_tags, x[best]), keep(&best, sizeof best), keep(tags.data(), 4 * (size_t) n_tags);
    for (size_t i = 0; i < sums.size(); i++) sums[i] = (int32_t) (x[i] * 1e6f);
    const float* of_rows = x + 3 * n;
    loops.store_results(sums.data(), of_rows, 2, x + n, x + 2 * n, width, words.data(), n + 16);
    keep(words.data(), 4 * words.size());
    loops.add_results(sums.data(), of_rows, 2, x + n, x + 2 * n, width, words.data(), n + 16);
    keep(words.data(), 4 * words.size());
    int16_t* const rows[] = {rounded.data() + n, rounded.data()};
    loops.round_results(sums.data(), of_rows, 2, x + n, width, rows, 16), keep(rounded.data(), 2 * rounded.size());
    return all;
}

static bool same_loops(const Variant& plain, const Variant& other, int width, int n_tags) {
    std::normal_distribution<float> normal;
    const float spread = std::ldexp(1.0f, between(-20, 8));
    std::vector<float> numbers((size_t) 15 * width);
    for (auto& x : numbers) x = between(0, 9) ? normal(random_bits) * spread : 0.0f;
    return results_of(*plain.loops, numbers, width, n_tags) == results_of(*other.loops, numbers, width, n_tags);
}

/* the least CPU time of a call, of many rounds */
template <typename Function> static double seconds(int times, Function function) {
    double least = 1e9;
    for (int round = 0; round < 50; round++) {
        const std::clock_t begin = std::clock();
        for (int i = 0; i < times; i++) function();
        least = std::min(least, (double) (std::clock() - begin) / CLOCKS_PER_SEC / times);
    }
    return least;
}

/* The speed of a kernel alone, whose 32 rows and 64 outputs stay in the first cache. */
static double kernel_speed(const Variant& variant) {
    const int n_inputs = 256, n_blocks = MOST_BLOCKS;
    dodona_large<int8_t> rows((size_t) MOST_ROWS * n_inputs, 3), blocks((size_t) n_blocks * N_OUTPUTS * n_inputs, 5);
    std::vector<int32_t> row_sums(MOST_ROWS, 3 * n_inputs), sums((size_t) MOST_ROWS * n_blocks * N_OUTPUTS);
    const double s = seconds(400, [&] {
        variant.ints(rows.data(), n_inputs, row_sums.data(), MOST_ROWS, blocks.data(), n_blocks, n_inputs, sums.data());
    });
    return 1e-9 * MOST_ROWS * n_blocks * N_OUTPUTS * n_inputs / s;
}

static double product_speed(const Variant& variant, int n_rows, int n_out, int n_in, bool int8) {
    const Matrix matrix = random_matrix(n_out, n_in, int8);
    Rows x, to;
    x.reshape(n_rows, n_in);
    for (auto& value : x.values) value = (float) between(-9, 9);
    return 1e-9 * n_rows * n_out * n_in / seconds(int8 ? 40 : 10, [&] { product(variant, matrix, x, to); });
}

static double slot_speed(const Variant& variant, int n_rows, int hidden, int n_in) {
    const Matrix matrix = random_matrix(hidden, n_in, true);
    std::vector<int16_t> products((size_t) n_rows * hidden);
    std::vector<int16_t*> to;
    Rows x;
    x.reshape(n_rows, n_in);
    for (auto& value : x.values) value = (float) between(-9, 9);
    for (int i = 0; i < n_rows; i++) to.push_back(products.data() + (size_t) i * hidden);
    const double s = seconds(100, [&] { rounded_product(variant, matrix, x, 0, hidden, to.data()); });
    return 1e-9 * n_rows * hidden * n_in / s;
}

static double class_speed(const Variant& variant, int n_states, int n_classes, int hidden) {
    Classes classes;
    classes.set(random_matrix(n_classes, hidden, true));
    dodona_large<int8_t> halves((size_t) 2 * n_states * hidden, 3);
    std::vector<int32_t> sums((size_t) 2 * n_states, 3 * hidden);
    std::vector<int16_t> scores((size_t) n_states * whole((size_t) n_classes, SCORE_BLOCK));
    const double s = seconds(40, [&] {
        class_scores(variant, halves.data(), sums.data(), n_states, classes, scores.data());
    });
    return 1e-9 * 2 * n_states * n_classes * hidden / s;
}

/* Billions of multiplications per second: of the kernel alone, and of the products of `en` (docs/explanation/speed.md)
 * with the conversion of their sums. */
static void time_variant(const Variant& variant) {
    std::printf("\n  kernel %.0f, layer in %.0f, layer out %.0f, tags %.0f, slot %.0f, classes %.0f; float32 %.0f",
                kernel_speed(variant), product_speed(variant, 64, 768, 256, true),
                product_speed(variant, 64, 256, 256, true), product_speed(variant, 64, 230, 256, true),
                slot_speed(variant, 20, 256, 256), class_speed(variant, 64, 239, 256),
                product_speed(variant, 64, 768, 256, false));
}

int main(int n_arguments, char** arguments) {
    Variant found[MOST_VARIANTS];
    const int n = list_variants(found);
    bool all = true;
    for (int v = 0; v < n; v++) {
        int n_wrong = 0, n_cases = 0;
        for (int n_rows = 1; n_rows <= MOST_ROWS; n_rows += n_rows < 9 ? 1 : 11)
            for (const int n_inputs : {16, 32, 48, 80, 160, 192, 512}) {
                for (int n_blocks = 1; n_blocks <= MOST_BLOCKS; n_blocks++)
                    for (int edge = -1; edge <= 1; edge++, n_cases++)
                        n_wrong += !same_ints(found[0], found[v], n_rows, n_inputs, n_blocks, edge);
                for (int k = 0; k < 2; k++, n_cases++)
                    n_wrong += !right_floats(found[v], n_rows, n_inputs - between(0, 15));
            }
        for (const int hidden : {16, 128, 256, 512})
            for (const int n_classes : {1, 8, 9, 16, 17, 100})
                for (int n_rows = 0; n_rows < 20; n_rows += 3)
                    for (int edge = -1; edge <= 1; edge++, n_cases++)
                        n_wrong += !same_scores(found[v], hidden, n_classes, n_rows, edge);
        for (const int hidden : {16, 48, 256})
            for (const int n_states : {1, 2, 15, 16, 17, 50})
                for (const int n_classes : {1, 9, 40}) {
                    n_wrong += !same_together(found[v], hidden, n_classes, n_states);
                    n_cases++;
                }
        for (const int n_in : {16, 36, 192})
            for (const bool int8 : {true, false}) {
                n_wrong += !same_in_part(found[v], n_in, int8);
                n_cases++;
            }
        for (const int width : {32, 96, 256})
            for (int n_tags = 1; n_tags <= width; n_tags += 7, n_cases++)
                n_wrong += !same_loops(found[0], found[v], width, n_tags);
        std::printf("%s: %d of %d cases equal", found[v].name, n_cases - n_wrong, n_cases);
        if (n_arguments > 1 && !std::strcmp(arguments[1], "speed")) time_variant(found[v]);
        std::printf("\n");
        all = all && n_wrong == 0;
    }
    return all ? 0 : 1;
}
