/* GGUF MXFP4: 32 elements, 17 bytes. value = e2m1 * 2^(e - 127).
 *   0       e, e8m0, but 0xff is 2^128 here, not NaN
 *   1..16   byte j: e2m1 code of element j in the low nibble, of element j + 16 in the high one
 * (OCP MX as NVIDIA packs it puts neighbours into one byte) Quantiser: e = floor(log2(absmax)) - 2
 * + 127, at least 0; 0 for a zero block. Each code is the first of least error in float: ties go
 * toward zero, a negative zero becomes 0. */
#include <string.h>

#include "assay/formats.h"
#include "blocks.h"

/* 2^(e - 128), half the scale: ggml keeps the values doubled, in integers. */
static double half_scale(int e) { return e < 255 ? assay_e8m0_decode((uint32_t)e) / 2 : 0x1p127; }

void block_mxfp4_decode(const uint8_t *bytes, double *values) {
    double half = half_scale(bytes[0]);
    for (int j = 0; j < 16; j++) {
        values[j] = half * block_fp4_doubled[bytes[1 + j] & 15];
        values[j + 16] = half * block_fp4_doubled[bytes[1 + j] >> 4];
    }
}

void block_mxfp4_quantise(const float *values, uint8_t *bytes) {
    float absmax = block_absmax(values, 32);
    uint32_t field;
    memcpy(&field, &absmax, sizeof field);
    int e = (int)(field >> 23) - 2; /* subnormal: far below 0 as it is */
    if (e < 0) e = 0;
    float half = (float)half_scale(e); /* exact, possibly subnormal */
    bytes[0] = (uint8_t)e;
    for (int j = 0; j < 16; j++)
        bytes[1 + j] = (uint8_t)(block_nearest_fp4(values[j], half) |
                                 block_nearest_fp4(values[j + 16], half) << 4);
}
