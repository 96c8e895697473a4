/* Selection of the kernels that this machine can run. */
#ifndef DODONA_KERNELS_H
#define DODONA_KERNELS_H

#include "kernels_neon.h"
#include "kernels_plain.h"
#include "kernels_x86.h"

namespace dodona {

/* Fill in the variants, at most MOST_VARIANTS, fastest last; return their number. */
static inline int list_variants(Variant* found) {
    int n = 0;
    found[n++] = Variant{"plain", plain_ints, plain_floats, &four_lanes::loops};
#if defined(DODONA_NEON)
    n = add_neon(found, n);
#elif defined(DODONA_SSE2)
    n = add_x86(found, n);
#endif
    return n;
}

}  // namespace dodona

#endif
