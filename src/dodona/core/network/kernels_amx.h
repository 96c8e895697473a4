/* Kernels for the tiles of x86-64 (AMX, since Sapphire Rapids): products of 16 rows and 16 outputs at once. */
#ifndef DODONA_KERNELS_AMX_H
#define DODONA_KERNELS_AMX_H

#include "kernels_plain.h"

#if defined(DODONA_SSE2) && defined(__linux__) && defined(__x86_64__) && \
    ((defined(__clang__) && __clang_major__ >= 13) || (!defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 11))
#define DODONA_AMX
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#define DODONA_AMX_TARGET __attribute__((target("amx-tile,amx-int8")))

namespace dodona {

enum { TILE_ROWS = 16, TILE_BYTES = 64, FEWEST_ROWS = 6 };

/* The shapes of the eight tiles, as the processor reads them. */
struct alignas(64) TileShapes {
    uint8_t palette = 1, first_row = 0, reserved[14] = {};
    uint16_t n_bytes[16] = {};      /* of a row */
    uint8_t n_rows[16] = {};

    void set(int tile, int rows, int bytes) {
        n_rows[tile] = (uint8_t) rows, n_bytes[tile] = (uint16_t) bytes;
    }
};

/* Tiles 0 to 3 are sums (of two tiles of rows and two blocks), 4 and 5 rows, 6 and 7 weights: a block has the
 * layout of a tile of weights, for as many inputs as a tile has. */
DODONA_AMX_TARGET static inline void shape_tiles(int n_rows, int n_inputs) {
    TileShapes shapes;
    const int n[2] = {n_rows < TILE_ROWS ? n_rows : TILE_ROWS, n_rows - TILE_ROWS};
    for (int i = 0; i < 2; i++) {
        shapes.set(6 + i, n_inputs / N_GROUPED, TILE_BYTES);
        if (n[i] <= 0) continue;
        shapes.set(2 * i, n[i], TILE_BYTES);
        shapes.set(2 * i + 1, n[i], TILE_BYTES);
        shapes.set(4 + i, n[i], n_inputs);
    }
    __asm__ volatile("" : : "r"(&shapes) : "memory");      /* gcc's header does not say that all of it is read */
    _tile_loadconfig(&shapes);
}

/* Multiply one or two tiles of rows by one or two blocks; `step` inputs at a time. */
template <bool TWO_OF_ROWS, bool TWO_BLOCKS>
DODONA_AMX_TARGET static inline void amx_tile(const int8_t* rows, size_t stride, const int8_t* block, int n_inputs,
                                              int step, int32_t* sums, int width) {
    const int8_t* const other_rows = rows + TILE_ROWS * stride;
    const int8_t* const other_block = block + (size_t) N_OUTPUTS * n_inputs;
    const size_t apart = (size_t) width * sizeof(int32_t);
    _tile_zero(0);
    if (TWO_BLOCKS) _tile_zero(1);
    if (TWO_OF_ROWS) _tile_zero(2);
    if (TWO_OF_ROWS && TWO_BLOCKS) _tile_zero(3);
    for (int k = 0; k < n_inputs; k += step) {
        _tile_loadd(4, rows + k, stride);
        _tile_loadd(6, block + (size_t) k * N_OUTPUTS, TILE_BYTES);
        _tile_dpbssd(0, 4, 6);
        if (TWO_BLOCKS) {
            _tile_loadd(7, other_block + (size_t) k * N_OUTPUTS, TILE_BYTES);
            _tile_dpbssd(1, 4, 7);
        }
        if (TWO_OF_ROWS) {
            _tile_loadd(5, other_rows + k, stride);
            _tile_dpbssd(2, 5, 6);
        }
        if (TWO_OF_ROWS && TWO_BLOCKS) _tile_dpbssd(3, 5, 7);
    }
    _tile_stored(0, sums, apart);
    if (TWO_BLOCKS) _tile_stored(1, sums + N_OUTPUTS, apart);
    if (TWO_OF_ROWS) _tile_stored(2, sums + TILE_ROWS * width, apart);
    if (TWO_OF_ROWS && TWO_BLOCKS) _tile_stored(3, sums + TILE_ROWS * width + N_OUTPUTS, apart);
}

/* The largest number of inputs, at most those of a tile, that divides all of them. */
static inline int inputs_of_tile(int n_inputs) {
    int n = TILE_BYTES;
    while (n_inputs % n) n -= 16;
    return n;
}

/* Few rows are left to `OTHER`, since a tile of weights takes as long to load for one row as for sixteen. */
template <IntKernel OTHER>
DODONA_AMX_TARGET static void amx_ints(const int8_t* rows, size_t stride, const int32_t* row_sums, int n_rows,
                                       const int8_t* blocks, int n_blocks, int n_inputs, int32_t* sums) {
    if (n_rows < FEWEST_ROWS) return OTHER(rows, stride, row_sums, n_rows, blocks, n_blocks, n_inputs, sums);
    const int step = inputs_of_tile(n_inputs), width = n_blocks * N_OUTPUTS;
    const bool two = n_rows > TILE_ROWS;
    shape_tiles(n_rows, step);
    for (int b = 0; b < n_blocks; b += 2, blocks += (size_t) 2 * N_OUTPUTS * n_inputs, sums += 2 * N_OUTPUTS) {
        const bool pair = b + 1 < n_blocks;
        if (two && pair) amx_tile<true, true>(rows, stride, blocks, n_inputs, step, sums, width);
        else if (two) amx_tile<true, false>(rows, stride, blocks, n_inputs, step, sums, width);
        else if (pair) amx_tile<false, true>(rows, stride, blocks, n_inputs, step, sums, width);
        else amx_tile<false, false>(rows, stride, blocks, n_inputs, step, sums, width);
    }
    _tile_release();      /* the system need not save empty tiles */
}

/* Linux lets a process use tiles once it has asked for them, since they enlarge the frames of signals. */
static inline bool has_amx() {
    enum { ASK_FOR_STATE = 0x1023, TILE_DATA = 18 };      /* ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA */
    unsigned a, b, c, d = 0;
    const bool is_there = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 24 & 1) && (d >> 25 & 1);
    return is_there && syscall(SYS_arch_prctl, ASK_FOR_STATE, TILE_DATA) == 0;
}

}  // namespace dodona

#endif
#endif
