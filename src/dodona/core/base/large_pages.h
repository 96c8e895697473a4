/* Vectors of many megabytes: aligned to a cache line, and in large pages where the system has them. */
#ifndef DODONA_LARGE_PAGES_H
#define DODONA_LARGE_PAGES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/* Request large pages for memory that has not been touched yet. */
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

/* An allocator that aligns to a cache line and stores the original address before it. (C++17 has this, but not on
   every macOS that we support.) */
template <typename T>
struct dodona_lines {
    typedef T value_type;
    enum : size_t { LINE = 64 };

    dodona_lines() = default;
    template <typename Other>
    dodona_lines(const dodona_lines<Other>&) {}

    T* allocate(size_t n) {
        if (n > (SIZE_MAX - 2 * LINE) / sizeof(T)) throw std::bad_alloc();
        const size_t n_bytes = n * sizeof(T) + LINE + sizeof(void*);
        char* const found = static_cast<char*>(malloc(n_bytes));
        if (found == nullptr) throw std::bad_alloc();
        dodona_prefer_large_pages(found, n_bytes);
        char* const line = found + LINE + sizeof(void*) - 1 - ((uintptr_t) found + LINE + sizeof(void*) - 1) % LINE;
        reinterpret_cast<void**>(line)[-1] = found;
        return reinterpret_cast<T*>(line);
    }

    void deallocate(T* memory, size_t) { free(reinterpret_cast<void**>(memory)[-1]); }

    template <typename Other>
    bool operator==(const dodona_lines<Other>&) const { return true; }
    template <typename Other>
    bool operator!=(const dodona_lines<Other>&) const { return false; }
};

template <typename T>
using dodona_large = std::vector<T, dodona_lines<T>>;

#endif
