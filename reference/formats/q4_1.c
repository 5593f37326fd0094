/* GGUF Q4_1: 32 elements, 20 bytes. value = d * q + m, q = 0..15.
 *   0..1    d, f16
 *   2..3    m, f16, the minimum
 *   4..19   byte j: q of element j in the low nibble, of element j + 16 in the high one
 * Quantiser: m the least value, d = (largest - least) / 15, q = trunc((x - m) / d + 0.5). */
#include "blocks.h"

void block_q4_1_decode(const uint8_t *bytes, double *values) {
    double d = block_load_f16(bytes), m = block_load_f16(bytes + 2);
    for (int j = 0; j < 16; j++) {
        values[j] = d * (bytes[4 + j] & 15) + m;
        values[j + 16] = d * (bytes[4 + j] >> 4) + m;
    }
}

void block_q4_1_quantise(const float *values, uint8_t *bytes) {
    float least = values[0], largest = values[0];
    for (int j = 1; j < 32; j++) {
        if (values[j] < least) least = values[j];
        if (values[j] > largest) largest = values[j];
    }
    float d = (largest - least) / 15, inverse = block_reciprocal(d);
    block_store_f16(bytes, d);
    block_store_f16(bytes + 2, least);
    for (int j = 0; j < 16; j++) {
        int low = block_truncate((values[j] - least) * inverse + 0.5f, 15);
        int high = block_truncate((values[j + 16] - least) * inverse + 0.5f, 15);
        bytes[4 + j] = (uint8_t)(low | high << 4);
    }
}
