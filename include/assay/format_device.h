/* Conversions as NVIDIA's devices do them: the same rounding as formats.h, with each instruction's
 * own rule for NaN and what is out of range.
 *
 * Source: PTX ISA, cvt; the CUDA 13.0 headers. All were compared with an H200 over all 2^32 inputs:
 * f16, bf16, tf32, e4m3 and e5m2 with the instruction, e3m2, e2m3, e2m1 and ue8m0 with the software
 * path of the CUDA headers (their instructions exist on sm_100 and later only).
 */
#ifndef ASSAY_FORMAT_DEVICE_H
#define ASSAY_FORMAT_DEVICE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* cvt.rn.f16.f32, cvt.rn.bf16.f32: nearest even; NaN gives 0x7fff. */
uint32_t assay_cvt_rn_f16(float value);
uint32_t assay_cvt_rn_bf16(float value);

/* cvt.rn.tf32.f32, cvt.rna.tf32.f32 to a register, tf32's code << 13. rn: nearest even, NaN gives
 * 0x7fffe000. rna: ties away from zero; a NaN is truncated, sign and payload kept (a payload in the
 * low 13 bits alone leaves infinity's pattern). */
uint32_t assay_cvt_rn_tf32(float value);
uint32_t assay_cvt_rna_tf32(float value);

/* cvt.rn.satfinite: nearest even; what overflows and infinity give the largest of their sign; NaN
 * of either sign gives 0x7f. */
uint32_t assay_cvt_rn_satfinite_e4m3(float value);
uint32_t assay_cvt_rn_satfinite_e5m2(float value);

/* cvt.rn.satfinite to FP6 and FP4: the same, but NaN gives the largest positive value. */
uint32_t assay_cvt_rn_satfinite_e3m2(float value);
uint32_t assay_cvt_rn_satfinite_e2m3(float value);
uint32_t assay_cvt_rn_satfinite_e2m1(float value);

/* cvt.{rp,rz}.satfinite.ue8m0: of the magnitude, the sign is dropped. rp: the next power of two
 * unless it is one; rz: the exponent alone. 0 and what is below 2^-127 give 0x00, what is beyond
 * 2^127 and infinity 0xfe, NaN 0xff. */
uint32_t assay_cvt_rp_satfinite_ue8m0(float value);
uint32_t assay_cvt_rz_satfinite_ue8m0(float value);

#ifdef __cplusplus
}
#endif
#endif
