/* Permutations drawn from the seed. */
#include "internal.h"

/* splitmix64's finaliser. */
uint64_t simt_order_mix(uint64_t value) {
    value += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ (value >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

/* xorshift64*; the state is never 0. */
uint32_t simt_order_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return (uint32_t)((x * UINT64_C(0x2545f4914f6cdd1d)) >> 32);
}

/* The block visited at `position`: a permutation of [0, blocks) that needs no table (a grid may
 * have 2^31 blocks). A Feistel network permutes the next power of four; values beyond `blocks` are
 * fed through again until one falls inside. */
uint64_t simt_order_block(uint64_t seed, uint64_t position, uint64_t blocks) {
    if (seed == 0 || blocks < 2) return position;
    unsigned half = (65 - (unsigned)__builtin_clzll(blocks - 1)) / 2;
    uint64_t low_mask = (UINT64_C(1) << half) - 1;
    uint64_t value = position;
    do {
        uint64_t left = value >> half, right = value & low_mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint64_t next = left ^ (simt_order_mix(seed ^ (round << 56) ^ right) & low_mask);
            left = right;
            right = next;
        }
        value = left << half | right;
    } while (value >= blocks);
    return value;
}
