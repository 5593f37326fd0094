/* Block formats: elements of few bits that share scales.
 *
 * Decoders return the exact value in float64; nothing they add or multiply is rounded. Where a
 * format's library works in float (ggml), its result is that value rounded once: assay_f32_encode
 * of it has the same bits.
 *
 * Quantisers say in their comment which arithmetic they do; operations on floats are IEEE, in
 * round-to-nearest-even, without contraction, and need the host's default floating-point mode.
 * Counts are in elements. Errors: a count that is negative or no multiple of the block, a null
 * pointer, an unknown format (ASSAY_ERR_ARGUMENT), a quantiser that does not exist
 * (ASSAY_ERR_UNSUPPORTED); nothing has been written then.
 */
#ifndef ASSAY_BLOCKS_H
#define ASSAY_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "assay/format_info.h"
#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- NVFP4: e2m1 elements, a ue4m3 scale for 16 of them, one f32 scale for the tensor.
 * Element 2i is the low nibble of byte i. value = element * block scale * tensor scale. */

enum { ASSAY_NVFP4_BLOCK = 16 };

typedef enum assay_nvfp4_convention {
    ASSAY_NVFP4_2688 = 0, /* block scales up to 448: Transformer Engine, ModelOpt, vLLM */
    ASSAY_NVFP4_ABSMAX_6, /* block scales up to 1: the tensor scale alone maps absmax to 6 */
    ASSAY_NVFP4_CONVENTION_COUNT
} assay_nvfp4_convention;

/* The tensor's scale. `encode` is what ASSAY_NVFP4_2688 checkpoints call the global scale. */
typedef struct assay_nvfp4_scale {
    assay_nvfp4_convention convention;
    float encode, decode;
} assay_nvfp4_scale;

/* From the largest finite magnitude of the tensor, in float:
 *   2688      encode = min(2688 / absmax, FLT_MAX), 1 if absmax is 0;  decode = 1 / encode
 *   absmax/6  decode = absmax / 6, 1 if that is 0;                     encode = min(1 / decode,
 * FLT_MAX)
 */
assay_nvfp4_scale assay_nvfp4_scale_for(assay_nvfp4_convention convention, float absmax);

/* The largest finite magnitude; 0 when there is none. */
float assay_absmax(const float *values, int64_t count);

/* Quantises count elements (a multiple of 16) into count / 2 bytes of codes and count / 16 scales.
 *   2688      s = e4m3(absmax_b * (encode * fl(1/6)));  q = e2m1(clamp(x * e, -6, 6)),
 *             e = min(1 / (s * decode), FLT_MAX)
 *   absmax/6  s = e4m3(max(absmax_b / min(decode * 6, FLT_MAX), 2^-9));  q = e2m1(x / (s *
 * decode)), and 0 stays 0 where s * decode underflows All steps in float, both encodes nearest-even
 * and saturating. A zero block has scale code 0x00 (2688) or 0x01 (absmax/6) and zeros that keep
 * their signs. A block that holds a NaN or an infinity has the scale 0x7f (NaN), codes 0. */
assay_status assay_nvfp4_quantise(assay_nvfp4_scale scale, const float *values, int64_t count,
                                  uint8_t *codes, uint8_t *scales);

/* A NaN scale makes every element of its block a NaN. */
assay_status assay_nvfp4_decode(const uint8_t *codes, const uint8_t *scales, float tensor_scale,
                                int64_t count, double *values);

/* ---- OCP MX 1.0: elements of e2m1, e2m3, e3m2, e4m3 or e5m2, an e8m0 scale for 32 of them.
 * e2m1 is packed as above; all others take a byte each. */

enum { ASSAY_MX_BLOCK = 32 };

typedef enum assay_mx_scale {
    ASSAY_MX_FLOOR = 0, /* MX 1.0, 6.3: 2^(floor(log2 absmax) - emax); the largest may saturate */
    ASSAY_MX_CEIL,      /* NVIDIA: the least 2^k with absmax <= 2^k * largest; none saturates */
    ASSAY_MX_SCALE_COUNT
} assay_mx_scale;

/* The scale is exact integer work, limited to 2^-127 .. 2^127; each element is value / scale,
 * rounded once to nearest even, saturating. A zero block has scale code 0x00 and zeros that keep
 * their signs. A block that holds a NaN or an infinity has the scale 0xff (NaN), codes 0. */
assay_status assay_mx_quantise(assay_format element, assay_mx_scale rule, const float *values,
                               int64_t count, uint8_t *codes, uint8_t *scales);

/* A NaN scale makes every element of its block a NaN. */
assay_status assay_mx_decode(assay_format element, const uint8_t *codes, const uint8_t *scales,
                             int64_t count, double *values);

/* ---- GGUF: blocks of bytes as in a GGUF file, scales inside. Layouts are in reference/formats/.
 */

typedef enum assay_block {
    ASSAY_BLOCK_Q4_0 = 0,
    ASSAY_BLOCK_Q4_1,
    ASSAY_BLOCK_Q5_0,
    ASSAY_BLOCK_Q5_1,
    ASSAY_BLOCK_Q8_0,
    ASSAY_BLOCK_Q4_K,
    ASSAY_BLOCK_Q5_K,
    ASSAY_BLOCK_Q6_K,
    ASSAY_BLOCK_MXFP4,
    ASSAY_BLOCK_NVFP4,
    ASSAY_BLOCK_COUNT
} assay_block;

typedef struct assay_block_info {
    const char *name; /* as GGUF spells it: "Q4_0" */
    int gguf_id;
    int elements, bytes; /* of one block */
    bool quantises;
} assay_block_info;

/* NULL for a value outside the enum. */
const assay_block_info *assay_block_describe(assay_block block);

/* By name or by GGUF's number; false (and *block untouched) when unknown. */
bool assay_block_parse(const char *name, assay_block *block);
bool assay_block_from_gguf(int gguf_id, assay_block *block);

assay_status assay_block_decode(assay_block block, const void *bytes, int64_t count,
                                double *values);

/* ggml's reference quantisers, in float, step by step: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, MXFP4, NVFP4.
 * They are not nearest-even. Three points that ggml leaves to the machine are fixed here: a value
 * that is not finite is refused (ASSAY_ERR_ARGUMENT, naming it); where 1 / d overflows, it counts
 * as 0, as for d = 0 (the stored f16 scale is 0 then); MXFP4's floor(log2) is exact, and its code
 * stops at 0. Codes are the same otherwise. A scale beyond f16 is stored as infinity. */
assay_status assay_block_quantise(assay_block block, const float *values, int64_t count,
                                  void *bytes);

#ifdef __cplusplus
}
#endif
#endif
