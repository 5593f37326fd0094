/* GGUF Q8_0: 32 elements, 34 bytes. value = d * q, q = -128..127.
 *   0..1    d, f16
 *   2..33   q of element j, signed
 * Quantiser: d = absmax / 127, q = x / d rounded to nearest, ties away from zero. */
#include <math.h>

#include "blocks.h"

void block_q8_0_decode(const uint8_t *bytes, double *values) {
    double d = block_load_f16(bytes);
    for (int j = 0; j < 32; j++)
        values[j] = d * (bytes[2 + j] < 128 ? bytes[2 + j] : bytes[2 + j] - 256);
}

void block_q8_0_quantise(const float *values, uint8_t *bytes) {
    float d = block_absmax(values, 32) / 127, inverse = block_reciprocal(d);
    block_store_f16(bytes, d);
    for (int j = 0; j < 32; j++) {
        float x = values[j] * inverse; /* within +-127 and a rounding error */
        int q = (int)x;
        if (fabsf(x - (float)q) >= 0.5f) q += x < 0 ? -1 : 1;
        bytes[2 + j] = (uint8_t)(q & 0xff);
    }
}
