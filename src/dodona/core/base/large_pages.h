/* Room for vectors of many megabytes, in large pages of memory where the system has them. */
#ifndef DODONA_LARGE_PAGES_H
#define DODONA_LARGE_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/* Ask for large pages behind memory that has not been touched yet. */
static inline void dodona_prefer_large_pages(void* memory, size_t n_bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    const uintptr_t page = (uintptr_t) 1 << 21;
    const uintptr_t start = ((uintptr_t) memory + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t) memory + n_bytes) / page * page;
    if (start < end) (void) madvise((void*) start, end - start, MADV_HUGEPAGE);
#else
    (void) memory, (void) n_bytes;
#endif
}

/* Let a vector have room for n items: as it would by itself, doubling, but in large pages. */
template <typename T>
static void dodona_make_room(std::vector<T>& items, size_t n) {
    if (n <= items.capacity()) return;
    std::vector<T> larger;
    larger.reserve(std::max(n, 2 * items.capacity()));
    dodona_prefer_large_pages(larger.data(), larger.capacity() * sizeof(T));
    larger.insert(larger.end(), items.begin(), items.end());
    items.swap(larger);
}

#endif
