#include "blocks.h"

#include <math.h>

#include "assay/formats.h"

const int8_t block_fp4_doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

assay_status blocks_check(const char *what, int64_t count, int block, const void *a, const void *b,
                          const void *c) {
    if (count < 0 || count % block != 0)
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: %lld elements, expected a multiple of %d", what,
                          (long long)count, block);
    if (count > 0 && !(a && b && c))
        return assay_fail(ASSAY_ERR_ARGUMENT, "%s: a null pointer, expected %lld elements", what,
                          (long long)count);
    return ASSAY_OK;
}

bool block_is_finite(const float *values, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

float block_absmax(const float *values, int count) {
    float largest = 0;
    for (int i = 0; i < count; i++)
        if (fabsf(values[i]) > largest) largest = fabsf(values[i]);
    return largest;
}

double block_load_f16(const uint8_t *bytes) {
    return assay_f16_decode(bytes[0] | (uint32_t)bytes[1] << 8);
}

void block_store_f16(uint8_t *bytes, float value) {
    uint32_t code = assay_f16_from_f32(value, ASSAY_NEAREST_EVEN, false);
    bytes[0] = (uint8_t)(code & 0xff);
    bytes[1] = (uint8_t)(code >> 8);
}

float block_reciprocal(float d) {
    float inverse = d == 0 ? 0 : 1 / d;
    return isinf(inverse) ? 0 : inverse;
}

int block_truncate(float value, int largest) {
    if (!(value > 0)) return 0;
    return value < (float)largest ? (int)value : largest;
}

int block_nearest_fp4(float value, float half_scale) {
    int best = 0;
    float least = fabsf((float)block_fp4_doubled[0] * half_scale - value);
    for (int code = 1; code < 16; code++) {
        float error = fabsf((float)block_fp4_doubled[code] * half_scale - value);
        if (error < least) {
            best = code;
            least = error;
        }
    }
    return best;
}

void block_k_scale(const uint8_t *packed, int j, int *scale, int *minimum) {
    if (j < 4) {
        *scale = packed[j] & 63;
        *minimum = packed[j + 4] & 63;
    } else {
        *scale = (packed[j + 4] & 15) | packed[j - 4] >> 6 << 4;
        *minimum = packed[j + 4] >> 4 | packed[j] >> 6 << 4;
    }
}
