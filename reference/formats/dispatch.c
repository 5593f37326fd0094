/* The formats by dtype, and their elements in memory. A dtype outside the enum reads as NaN and
 * encodes to 0: callers have refused it long before. */
#include "assay/formats.h"

#include <math.h>
#include <string.h>

double assay_format_decode(assay_dtype dtype, uint32_t bits) {
    switch (dtype) {
    case ASSAY_F32: return assay_f32_decode(bits);
    case ASSAY_F16: return assay_f16_decode(bits);
    case ASSAY_BF16: return assay_bf16_decode(bits);
    case ASSAY_DTYPE_COUNT: break;
    }
    return (double)NAN;
}

uint32_t assay_format_encode(assay_dtype dtype, double value) {
    switch (dtype) {
    case ASSAY_F32: return assay_f32_encode(value);
    case ASSAY_F16: return assay_f16_encode(value);
    case ASSAY_BF16: return assay_bf16_encode(value);
    case ASSAY_DTYPE_COUNT: break;
    }
    return 0;
}

/* The magnitude of a NaN exceeds that of infinity: exponent all ones and a fraction. */
uint32_t assay_format_canonical(assay_dtype dtype, uint32_t bits) {
    switch (dtype) {
    case ASSAY_F32: return (bits & 0x7fffffff) > 0x7f800000 ? ASSAY_F32_NAN : bits;
    case ASSAY_F16: return (bits & 0x7fff) > 0x7c00 ? ASSAY_F16_NAN : bits;
    case ASSAY_BF16: return (bits & 0x7fff) > 0x7f80 ? ASSAY_BF16_NAN : bits;
    case ASSAY_DTYPE_COUNT: break;
    }
    return bits;
}

uint32_t assay_format_load(assay_dtype dtype, const void *base, int64_t index) {
    size_t size = assay_dtype_size(dtype);
    uint32_t bits = 0; /* little endian: a short element lands in the low bytes */
    memcpy(&bits, (const char *)base + (size_t)index * size, size);
    return bits;
}

void assay_format_store(assay_dtype dtype, void *base, int64_t index, uint32_t bits) {
    size_t size = assay_dtype_size(dtype);
    memcpy((char *)base + (size_t)index * size, &bits, size);
}
