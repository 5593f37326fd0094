/* GGUF Q5_1: 32 elements, 24 bytes. value = d * q + m, q = 0..31.
 *   0..1    d, f16
 *   2..3    m, f16, the minimum
 *   4..7    bit i of this little-endian word: bit 4 of element i's q
 *   8..23   byte j: bits 0..3 of q, element j in the low nibble, element j + 16 in the high one
 * Quantiser: m the least value, d = (largest - least) / 31, q = trunc((x - m) / d + 0.5). */
#include "blocks.h"

void block_q5_1_decode(const uint8_t *bytes, double *values) {
    double d = block_load_f16(bytes), m = block_load_f16(bytes + 2);
    for (int i = 0; i < 32; i++) {
        int low = bytes[8 + i % 16] >> (i / 16 * 4) & 15, high = bytes[4 + i / 8] >> (i % 8) & 1;
        values[i] = d * (low | high << 4) + m;
    }
}

void block_q5_1_quantise(const float *values, uint8_t *bytes) {
    float least = values[0], largest = values[0];
    for (int i = 1; i < 32; i++) {
        if (values[i] < least) least = values[i];
        if (values[i] > largest) largest = values[i];
    }
    float d = (largest - least) / 31, inverse = block_reciprocal(d);
    block_store_f16(bytes, d);
    block_store_f16(bytes + 2, least);
    for (int i = 4; i < 24; i++) bytes[i] = 0;
    for (int i = 0; i < 32; i++) {
        int q = block_truncate((values[i] - least) * inverse + 0.5f, 31);
        bytes[4 + i / 8] |= (uint8_t)(q >> 4 << (i % 8));
        bytes[8 + i % 16] |= (uint8_t)((q & 15) << (i / 16 * 4));
    }
}
