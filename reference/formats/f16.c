/* f16: IEEE 754 binary16. 1 sign, 5 exponent (bias 15), 10 fraction bits.
 * Largest 65504, smallest normal 0x1p-14, smallest subnormal 0x1p-24; half an ulp is a relative
 * 2^-11. Rounds to infinity from 65520 on. */
#include "assay/formats.h"

#include "pack.h"

double assay_f16_decode(uint32_t bits) { return format_decode(bits, 5, 10); }

uint32_t assay_f16_encode(double value) { return format_encode(value, 5, 10, ASSAY_F16_NAN); }
