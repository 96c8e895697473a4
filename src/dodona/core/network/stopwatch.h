/* Where the time goes, for whoever asks: laps are added up by what was done in them. */
#ifndef DODONA_STOPWATCH_H
#define DODONA_STOPWATCH_H

#include <chrono>

namespace dodona {

enum Part { SPELLING, NORMS, ROUNDING, PRODUCTS, RECURRENCE, TAGS, N_PARTS };

struct Stopwatch {
    bool runs = false;
    double seconds[N_PARTS] = {};
    std::chrono::steady_clock::time_point last;

    void start() {
        if (runs) last = std::chrono::steady_clock::now();
    }
    /* what was done since the last lap */
    void lap(Part part) {
        if (!runs) return;
        const auto now = std::chrono::steady_clock::now();
        seconds[part] += std::chrono::duration<double>(now - last).count();
        last = now;
    }
};

}  // namespace dodona

#endif
