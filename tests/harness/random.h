/* Random numbers for test data: a counter-based generator, so that element i of a tensor is a
 * function of (seed, stream, i) alone. Integer arithmetic only: the same on every machine. */
#ifndef ASSAY_HARNESS_RANDOM_H
#define ASSAY_HARNESS_RANDOM_H

#include <stdint.h>

/* splitmix64's finaliser over the three coordinates. */
static inline uint64_t assay_random(uint64_t seed, uint64_t stream, uint64_t index) {
    uint64_t z = seed * UINT64_C(0x9e3779b97f4a7c15) + stream * UINT64_C(0xd1b54a32d192ed03) +
                 index * UINT64_C(0x8cb92ba72f3d8dd7) + UINT64_C(0x632be59bd9b4e019);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in [0, 1), 53 bits. */
static inline double assay_random_uniform(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

/* Close to a standard normal: the sum of four 16-bit uniforms, centred and scaled to variance 1;
 * |value| < 3.5. */
static inline double assay_random_normal(uint64_t bits) {
    const int64_t sum = (int64_t)(bits & 0xffff) + (int64_t)(bits >> 16 & 0xffff) +
                        (int64_t)(bits >> 32 & 0xffff) + (int64_t)(bits >> 48);
    return (double)(sum - 131070) * (1.7320508075688772 / 65536.0);
}

#endif
