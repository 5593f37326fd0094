/* GGUF Q4_0: 32 elements, 18 bytes. value = d * (q - 8), q = 0..15.
 *   0..1    d, f16
 *   2..17   byte j: q of element j in the low nibble, of element j + 16 in the high one
 * Quantiser: d = m / -8 for the value m of largest magnitude (the first of them), so that m has q =
 * 0; q = trunc(x / d + 8.5), at most 15. */
#include <math.h>

#include "blocks.h"

void block_q4_0_decode(const uint8_t *bytes, double *values) {
    double d = block_load_f16(bytes);
    for (int j = 0; j < 16; j++) {
        values[j] = d * ((bytes[2 + j] & 15) - 8);
        values[j + 16] = d * ((bytes[2 + j] >> 4) - 8);
    }
}

void block_q4_0_quantise(const float *values, uint8_t *bytes) {
    float peak = 0;
    for (int j = 0; j < 32; j++)
        if (fabsf(values[j]) > fabsf(peak)) peak = values[j];
    float d = peak / -8, inverse = block_reciprocal(d);
    block_store_f16(bytes, d);
    for (int j = 0; j < 16; j++) {
        int low = block_truncate(values[j] * inverse + 8.5f, 15);
        int high = block_truncate(values[j + 16] * inverse + 8.5f, 15);
        bytes[2 + j] = (uint8_t)(low | high << 4);
    }
}
