/* Distance in representable values. Codes of equal sign are ordered like integers, so a code maps
 * to its signed magnitude; both zeros map to 0, and infinity is the value after the largest. */
#include "assay/formats.h"

static int64_t ordinal(uint32_t bits, int width) {
    int64_t magnitude = bits & ((UINT32_C(1) << (width - 1)) - 1);
    return bits >> (width - 1) & 1 ? -magnitude : magnitude;
}

int64_t assay_format_ulps(assay_dtype dtype, uint32_t a, uint32_t b) {
    double x = assay_format_decode(dtype, a), y = assay_format_decode(dtype, b);
    if (x != x || y != y) return INT64_MAX;
    int width = 8 * (int)assay_dtype_size(dtype);
    int64_t distance = ordinal(a, width) - ordinal(b, width);
    return distance < 0 ? -distance : distance;
}
