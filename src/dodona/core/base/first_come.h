// Marks for a table that threads fill on demand: the first thread to claim an entry writes it, and no
// thread reads it before it is written. No thread waits for another.
#ifndef DODONA_FIRST_COME_H
#define DODONA_FIRST_COME_H

#include <atomic>
#include <cstddef>
#include <memory>

class FirstCome {
 public:
    void resize(std::size_t n) { marks.reset(new std::atomic<char>[n]()); }

    bool is_written(std::size_t entry) const {
        return marks[entry].load(std::memory_order_acquire) == WRITTEN;
    }

    // Return whether the caller must write the entry, and then call set_written.
    bool is_mine(std::size_t entry) {
        char mark = EMPTY;
        return marks[entry].compare_exchange_strong(mark, TAKEN, std::memory_order_relaxed);
    }

    void set_written(std::size_t entry) { marks[entry].store(WRITTEN, std::memory_order_release); }

 private:
    enum : char { EMPTY, TAKEN, WRITTEN };
    std::unique_ptr<std::atomic<char>[]> marks;
};

#endif
