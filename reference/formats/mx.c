/* OCP Microscaling (MX) 1.0: blocks of 32 elements that share a power of two. See blocks.h.
 *
 * A value is m * 2^k with m in [1, 2); the largest element is M * 2^emax with M in [1, 2). FLOOR
 * takes the scale 2^(k - emax), which leaves absmax in [1, 2) * 2^emax and saturates what exceeds
 * M; CEIL doubles the scale when m > M. Both work on exponents, never on a rounded logarithm. */
#include <string.h>

#include "assay/formats.h"
#include "blocks.h"

static bool is_element(assay_format format) {
    return format == ASSAY_FORMAT_E2M1 || format == ASSAY_FORMAT_E2M3 ||
           format == ASSAY_FORMAT_E3M2 || format == ASSAY_FORMAT_E4M3 ||
           format == ASSAY_FORMAT_E5M2;
}

static assay_status check(const char *what, assay_format element, int64_t count, const void *codes,
                          const void *scales, const void *values) {
    if (!is_element(element))
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "%s: elements of format %d, expected e2m1, e2m3, e3m2, e4m3 or e5m2",
                          what, (int)element);
    return blocks_check(what, count, ASSAY_MX_BLOCK, codes, scales, values);
}

/* absmax > 0, finite. ilogb and scalbn would do; bits do not depend on libm. */
static int split(double value, double *significand) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
    memcpy(significand, &bits, sizeof bits);
    return exponent;
}

static uint32_t scale_code(assay_format element, assay_mx_scale rule, float absmax) {
    if (absmax == 0) return 0;
    double m, top;
    int k = split((double)absmax, &m); /* a float's subnormals are normal in float64 */
    int emax = split(assay_format_describe(element)->largest, &top);
    int exponent = k - emax + (rule == ASSAY_MX_CEIL && m > top);
    return exponent < -127 ? 0 : (uint32_t)(exponent + 127); /* at most 127 - emax + 1 */
}

static void put(assay_format element, uint8_t *codes, int64_t i, uint32_t code) {
    if (element != ASSAY_FORMAT_E2M1)
        codes[i] = (uint8_t)code;
    else if (i % 2 == 0)
        codes[i / 2] = (uint8_t)code;
    else
        codes[i / 2] |= (uint8_t)(code << 4);
}

static uint32_t get(assay_format element, const uint8_t *codes, int64_t i) {
    if (element != ASSAY_FORMAT_E2M1) return codes[i];
    return codes[i / 2] >> (i % 2 * 4) & 15;
}

assay_status assay_mx_quantise(assay_format element, assay_mx_scale rule, const float *values,
                               int64_t count, uint8_t *codes, uint8_t *scales) {
    assay_status status = check("mx quantise", element, count, codes, scales, values);
    if (status != ASSAY_OK) return status;
    if ((unsigned)rule >= ASSAY_MX_SCALE_COUNT)
        return assay_fail(ASSAY_ERR_ARGUMENT, "mx quantise: scale rule %d, expected 0 to %d",
                          (int)rule, ASSAY_MX_SCALE_COUNT - 1);
    for (int64_t first = 0; first < count; first += ASSAY_MX_BLOCK) {
        const float *x = values + first;
        bool finite = block_is_finite(x, ASSAY_MX_BLOCK);
        uint32_t scale = finite ? scale_code(element, rule, block_absmax(x, ASSAY_MX_BLOCK)) : 0xff;
        scales[first / ASSAY_MX_BLOCK] = (uint8_t)scale;
        double inverse = finite ? 1 / assay_e8m0_decode(scale) : 0; /* exact: a power of two */
        for (int i = 0; i < ASSAY_MX_BLOCK; i++) {
            uint32_t code = 0;
            if (finite)
                code = assay_code_round(element, (double)x[i] * inverse, ASSAY_NEAREST_EVEN, true);
            put(element, codes, first + i, code);
        }
    }
    return ASSAY_OK;
}

assay_status assay_mx_decode(assay_format element, const uint8_t *codes, const uint8_t *scales,
                             int64_t count, double *values) {
    assay_status status = check("mx decode", element, count, codes, scales, values);
    if (status != ASSAY_OK) return status;
    for (int64_t i = 0; i < count; i++)
        values[i] = assay_code_decode(element, get(element, codes, i)) *
                    assay_e8m0_decode(scales[i / ASSAY_MX_BLOCK]);
    return ASSAY_OK;
}
