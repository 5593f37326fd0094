/* bf16: the upper half of binary32. 1 sign, 8 exponent (bias 127), 7 fraction bits.
 * Largest 0x1.fep127, smallest normal 0x1p-126, smallest subnormal 0x1p-133; half an ulp is a
 * relative 2^-8. Rounds to infinity from 0x1.ffp127 on. */
#include "assay/formats.h"

#include "pack.h"

double assay_bf16_decode(uint32_t bits) { return format_decode(bits, 8, 7); }

uint32_t assay_bf16_encode(double value) { return format_encode(value, 8, 7, ASSAY_BF16_NAN); }
