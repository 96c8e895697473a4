/* Time spent in each stage of the network, measured on demand. */
#ifndef DODONA_STOPWATCH_H
#define DODONA_STOPWATCH_H

#include <chrono>

namespace dodona {

enum Stage { EMBEDDING, NORMS, ROUNDING, PRODUCTS, RECURRENCE, TAGS, N_STAGES };

struct Stopwatch {
    bool runs = false;
    double seconds[N_STAGES] = {};
    std::chrono::steady_clock::time_point last;

    void start() {
        if (runs) last = std::chrono::steady_clock::now();
    }
    /* attribute the time since the last lap to `stage` */
    void lap(Stage stage) {
        if (!runs) return;
        const auto now = std::chrono::steady_clock::now();
        seconds[stage] += std::chrono::duration<double>(now - last).count();
        last = now;
    }
};

}  // namespace dodona

#endif
