/* f32: IEEE 754 binary32. 1 sign, 8 exponent (bias 127), 23 fraction bits.
 * Largest 0x1.fffffep127, smallest normal 0x1p-126, smallest subnormal 0x1p-149; half an ulp is a
 * relative 2^-24. Rounds to infinity from 0x1.ffffffp127 on. */
#include "assay/formats.h"

#include "pack.h"

double assay_f32_decode(uint32_t bits) { return format_decode(bits, 8, 23); }

uint32_t assay_f32_encode(double value) { return format_encode(value, 8, 23, ASSAY_F32_NAN); }
