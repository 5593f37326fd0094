/* Number formats: exact decode to float64, correctly rounded encode from float64 and float.
 *
 *   decode(code)                    the value, exactly; every NaN code gives a NaN
 *   encode(value)                   round(value, ASSAY_NEAREST_EVEN, false)
 *   round(value, rounding, saturate)      rounds once, directly from float64
 *   from_f32(value, rounding, saturate)   the same result for a float
 *
 * Subnormals are kept, both ways. Overflow is decided after rounding as if the exponent had no
 * upper end, as IEEE 754 and the OCP specifications (OFP8 1.0, MX 1.0) have it:
 *   - saturate: the largest magnitude of that sign, for infinities too;
 *   - otherwise infinity; the canonical NaN where the format has no infinity; the largest magnitude
 *     where it has neither (e3m2, e2m3, e2m1, which saturate always);
 *   - a directed rounding that points toward zero stops at the largest, as IEEE 754 7.4 has it.
 * Every NaN becomes the canonical NaN; in a format that has none it becomes the largest positive
 * value, as NVIDIA's conversions do. Zero keeps its sign, and so does what underflows, except
 * where there is no -0 (FNUZ, unsigned). Unsigned formats: a value that is still below zero after
 * rounding becomes 0 when saturating and NaN otherwise. e8m0 has a file of its own rules.
 *
 * Integer code throughout: the host's rounding mode and flush-to-zero setting change nothing.
 * Codes are the low bits of a uint32_t.
 */
#ifndef ASSAY_FORMATS_H
#define ASSAY_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/dtype.h"
#include "assay/format_info.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Canonical NaNs: what NVIDIA arithmetic and conversions return; the sign is positive. */
#define ASSAY_F32_NAN UINT32_C(0x7fffffff)
#define ASSAY_F16_NAN UINT32_C(0x7fff)
#define ASSAY_BF16_NAN UINT32_C(0x7fff)

double assay_f32_decode(uint32_t bits);
double assay_tf32_decode(uint32_t code);
double assay_f16_decode(uint32_t bits);
double assay_bf16_decode(uint32_t bits);
double assay_e5m2_decode(uint32_t code);
double assay_e4m3_decode(uint32_t code);
double assay_ue4m3_decode(uint32_t code);
double assay_e5m2_fnuz_decode(uint32_t code);
double assay_e4m3_fnuz_decode(uint32_t code);
double assay_e3m2_decode(uint32_t code);
double assay_e2m3_decode(uint32_t code);
double assay_e2m1_decode(uint32_t code);
double assay_e8m0_decode(uint32_t code);

uint32_t assay_f32_encode(double value);
uint32_t assay_tf32_encode(double value);
uint32_t assay_f16_encode(double value);
uint32_t assay_bf16_encode(double value);
uint32_t assay_e5m2_encode(double value);
uint32_t assay_e4m3_encode(double value);
uint32_t assay_ue4m3_encode(double value);
uint32_t assay_e5m2_fnuz_encode(double value);
uint32_t assay_e4m3_fnuz_encode(double value);
uint32_t assay_e3m2_encode(double value);
uint32_t assay_e2m3_encode(double value);
uint32_t assay_e2m1_encode(double value);
uint32_t assay_e8m0_encode(double value);

uint32_t assay_f32_round(double value, assay_rounding rounding, bool saturate);
uint32_t assay_tf32_round(double value, assay_rounding rounding, bool saturate);
uint32_t assay_f16_round(double value, assay_rounding rounding, bool saturate);
uint32_t assay_bf16_round(double value, assay_rounding rounding, bool saturate);
uint32_t assay_e5m2_round(double value, assay_rounding rounding, bool saturate);
uint32_t assay_e4m3_round(double value, assay_rounding rounding, bool saturate);
uint32_t assay_ue4m3_round(double value, assay_rounding rounding, bool saturate);
uint32_t assay_e5m2_fnuz_round(double value, assay_rounding rounding, bool saturate);
uint32_t assay_e4m3_fnuz_round(double value, assay_rounding rounding, bool saturate);
uint32_t assay_e3m2_round(double value, assay_rounding rounding, bool saturate);
uint32_t assay_e2m3_round(double value, assay_rounding rounding, bool saturate);
uint32_t assay_e2m1_round(double value, assay_rounding rounding, bool saturate);
uint32_t assay_e8m0_round(double value, assay_rounding rounding, bool saturate);

uint32_t assay_f32_from_f32(float value, assay_rounding rounding, bool saturate);
uint32_t assay_tf32_from_f32(float value, assay_rounding rounding, bool saturate);
uint32_t assay_f16_from_f32(float value, assay_rounding rounding, bool saturate);
uint32_t assay_bf16_from_f32(float value, assay_rounding rounding, bool saturate);
uint32_t assay_e5m2_from_f32(float value, assay_rounding rounding, bool saturate);
uint32_t assay_e4m3_from_f32(float value, assay_rounding rounding, bool saturate);
uint32_t assay_ue4m3_from_f32(float value, assay_rounding rounding, bool saturate);
uint32_t assay_e5m2_fnuz_from_f32(float value, assay_rounding rounding, bool saturate);
uint32_t assay_e4m3_fnuz_from_f32(float value, assay_rounding rounding, bool saturate);
uint32_t assay_e3m2_from_f32(float value, assay_rounding rounding, bool saturate);
uint32_t assay_e2m3_from_f32(float value, assay_rounding rounding, bool saturate);
uint32_t assay_e2m1_from_f32(float value, assay_rounding rounding, bool saturate);
uint32_t assay_e8m0_from_f32(float value, assay_rounding rounding, bool saturate);

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
