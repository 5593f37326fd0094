/* Number formats: exact decode to float64, correctly rounded encode from float64.
 *
 * Encode rounds once, to nearest even, directly from float64 (never through f32); overflow gives
 * infinity, subnormals are kept, and every NaN becomes the format's canonical NaN.
 * Elements are the low bits of a uint32_t.
 */
#ifndef ASSAY_FORMATS_H
#define ASSAY_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Canonical NaNs: what NVIDIA arithmetic and conversions return; the sign is positive. */
#define ASSAY_F32_NAN UINT32_C(0x7fffffff)
#define ASSAY_F16_NAN UINT32_C(0x7fff)
#define ASSAY_BF16_NAN UINT32_C(0x7fff)

double assay_f32_decode(uint32_t bits);
double assay_f16_decode(uint32_t bits);
double assay_bf16_decode(uint32_t bits);

uint32_t assay_f32_encode(double value);
uint32_t assay_f16_encode(double value);
uint32_t assay_bf16_encode(double value);

/* By dtype. */
double assay_format_decode(assay_dtype dtype, uint32_t bits);
uint32_t assay_format_encode(assay_dtype dtype, double value);

/* Bits with every NaN replaced by the canonical one: what is compared and hashed. */
uint32_t assay_format_canonical(assay_dtype dtype, uint32_t bits);

/* Element i of an array in memory (little endian). */
uint32_t assay_format_load(assay_dtype dtype, const void *base, int64_t index);
void assay_format_store(assay_dtype dtype, void *base, int64_t index, uint32_t bits);

/* Distance in representable values from a to b (0 when equal, zeros of both signs equal);
 * INT64_MAX when either is NaN. */
int64_t assay_format_ulps(assay_dtype dtype, uint32_t a, uint32_t b);

#ifdef __cplusplus
}
#endif
#endif
