// Marks beside a table that threads fill as they need it: whoever comes first writes a place, and
// nobody reads it before it is written. No thread waits for another.
#ifndef DODONA_FIRST_COME_H
#define DODONA_FIRST_COME_H

#include <atomic>
#include <cstddef>
#include <memory>

class FirstCome {
 public:
    void resize(std::size_t n) { marks.reset(new std::atomic<char>[n]()); }

    bool is_written(std::size_t place) const {
        return marks[place].load(std::memory_order_acquire) == WRITTEN;
    }

    // whether the caller is to write the place, and then to say so
    bool is_mine(std::size_t place) {
        char mark = EMPTY;
        return marks[place].compare_exchange_strong(mark, TAKEN, std::memory_order_relaxed);
    }

    void set_written(std::size_t place) { marks[place].store(WRITTEN, std::memory_order_release); }

 private:
    enum : char { EMPTY, TAKEN, WRITTEN };
    std::unique_ptr<std::atomic<char>[]> marks;
};

#endif
