/* The number formats by name: what their codes mean, and how values are rounded to them.
 *
 * A code is the low `bits` bits of a uint32_t; bits above are ignored. tf32 is 19 bits wide: a
 * register holds code << 13.
 */
#ifndef ASSAY_FORMAT_INFO_H
#define ASSAY_FORMAT_INFO_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum assay_format {
    ASSAY_FORMAT_F32 = 0,
    ASSAY_FORMAT_TF32,
    ASSAY_FORMAT_F16,
    ASSAY_FORMAT_BF16,
    ASSAY_FORMAT_E5M2,
    ASSAY_FORMAT_E4M3,
    ASSAY_FORMAT_UE4M3,
    ASSAY_FORMAT_E5M2_FNUZ,
    ASSAY_FORMAT_E4M3_FNUZ,
    ASSAY_FORMAT_E3M2,
    ASSAY_FORMAT_E2M3,
    ASSAY_FORMAT_E2M1,
    ASSAY_FORMAT_E8M0,
    ASSAY_FORMAT_COUNT
} assay_format;

typedef enum assay_rounding {
    ASSAY_NEAREST_EVEN = 0, /* ties to the even code */
    ASSAY_NEAREST_AWAY,     /* ties away from zero */
    ASSAY_TOWARD_ZERO,
    ASSAY_UP,   /* toward +infinity */
    ASSAY_DOWN, /* toward -infinity */
    ASSAY_ROUNDING_COUNT
} assay_rounding;

typedef struct assay_format_info {
    const char *name;
    int bits; /* 1 sign where there is one, exponent, fraction */
    int exponent_bits, fraction_bits, bias;
    bool has_sign, has_negative_zero, has_infinity, has_nan;
    uint32_t largest_code;  /* of the largest finite magnitude */
    uint32_t overflow_code; /* what overflows, not saturated: Inf, else NaN, else the largest */
    uint32_t nan_code;      /* the canonical NaN; where there is none, what a NaN becomes */
    double largest, smallest_normal,
        smallest; /* positive; smallest is subnormal where they exist */
} assay_format_info;

/* NULL for a value outside the enum. */
const assay_format_info *assay_format_describe(assay_format format);

/* Parses a name; false (and *format untouched) when unknown. */
bool assay_format_parse(const char *name, assay_format *format);

/* Exact value of a code. */
double assay_code_decode(assay_format format, uint32_t code);

/* One correct rounding of a float64; see formats.h for what overflows, underflows and NaN give. A
 * format or rounding outside its enum gives 0. */
uint32_t assay_code_round(assay_format format, double value, assay_rounding rounding,
                          bool saturate);

/* The same from a float, faster. */
uint32_t assay_code_from_f32(assay_format format, float value, assay_rounding rounding,
                             bool saturate);

/* Does the code hold a NaN? */
bool assay_code_is_nan(assay_format format, uint32_t code);

#ifdef __cplusplus
}
#endif
#endif
