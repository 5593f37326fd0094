/* GGUF Q5_0: 32 elements, 22 bytes. value = d * (q - 16), q = 0..31.
 *   0..1    d, f16
 *   2..5    bit i of this little-endian word: bit 4 of element i's q
 *   6..21   byte j: bits 0..3 of q, element j in the low nibble, element j + 16 in the high one
 * Quantiser: d = m / -16 for the value m of largest magnitude (the first of them);
 * q = trunc(x / d + 16.5), at most 31. */
#include <math.h>

#include "blocks.h"

void block_q5_0_decode(const uint8_t *bytes, double *values) {
    double d = block_load_f16(bytes);
    for (int i = 0; i < 32; i++) {
        int low = bytes[6 + i % 16] >> (i / 16 * 4) & 15, high = bytes[2 + i / 8] >> (i % 8) & 1;
        values[i] = d * ((low | high << 4) - 16);
    }
}

void block_q5_0_quantise(const float *values, uint8_t *bytes) {
    float peak = 0;
    for (int i = 0; i < 32; i++)
        if (fabsf(values[i]) > fabsf(peak)) peak = values[i];
    float d = peak / -16, inverse = block_reciprocal(d);
    block_store_f16(bytes, d);
    for (int i = 2; i < 22; i++) bytes[i] = 0;
    for (int i = 0; i < 32; i++) {
        int q = block_truncate(values[i] * inverse + 16.5f, 31);
        bytes[2 + i / 8] |= (uint8_t)(q >> 4 << (i % 8));
        bytes[6 + i % 16] |= (uint8_t)((q & 15) << (i / 16 * 4));
    }
}
