/* Bit-accurate models of Hopper's approximate functions: the bits that an H200 returns.
 *
 * The unit is a table-driven quadratic with a truncated squarer (reference/sfu/evaluate.h), and
 * what PTX and CUDA 13.0 build on it. Every f32 function reproduces the chip over all 2^32 inputs,
 * every 16-bit one over all 65,536 (docs/special-functions.md). Other chips may hold other
 * coefficients.
 */
#ifndef ASSAY_SFU_H
#define ASSAY_SFU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum assay_sfu_function {
    ASSAY_SFU_EX2 = 0, /* exp2f is the same function */
    ASSAY_SFU_EX2_FTZ,
    ASSAY_SFU_LG2,
    ASSAY_SFU_LG2_FTZ,
    ASSAY_SFU_RCP,
    ASSAY_SFU_RCP_FTZ,
    ASSAY_SFU_RSQRT, /* rsqrtf is the same function */
    ASSAY_SFU_RSQRT_FTZ,
    ASSAY_SFU_SQRT,
    ASSAY_SFU_SQRT_FTZ,
    ASSAY_SFU_SIN, /* with .ftz too */
    ASSAY_SFU_COS, /* with .ftz too */
    ASSAY_SFU_TANH,
    ASSAY_SFU_EXPF,      /* expf of CUDA 13.0 */
    ASSAY_SFU_FAST_EXPF, /* __expf */
    ASSAY_SFU_FAST_LOGF, /* __logf */
    ASSAY_SFU_EX2_F16,   /* from here on: a 16-bit code in, a 16-bit code out */
    ASSAY_SFU_TANH_F16,
    ASSAY_SFU_EX2_FTZ_BF16,
    ASSAY_SFU_TANH_BF16,
    ASSAY_SFU_FUNCTION_COUNT
} assay_sfu_function;

/* The instruction or function: "ex2.approx.ftz.f32", "expf"; "?" outside the enum. Parsing knows
 * the aliases too ("exp2f", "rsqrtf", "sin.approx.ftz.f32", ...); false, *function untouched, when
 * unknown. */
const char *assay_sfu_name(assay_sfu_function function);
bool assay_sfu_parse(const char *name, assay_sfu_function *function);

/* Bits of operand and result: 32 or 16. */
int assay_sfu_bits(assay_sfu_function function);

/* The result's bits for the operand's bits. NaN is 0x7fffffff, 0x7fff in 16 bits. */
uint32_t assay_sfu(assay_sfu_function function, uint32_t x);

typedef enum assay_sfu_path {
    ASSAY_SFU_BEST = 0, /* the fastest that this processor runs */
    ASSAY_SFU_PORTABLE,
    ASSAY_SFU_AVX2, /* with fused multiply-add */
    ASSAY_SFU_AVX512
} assay_sfu_path;

bool assay_sfu_path_available(assay_sfu_path path);

/* y[i] = function(x[i]); y may be x. A path that is not available is the portable one. */
void assay_sfu_many(assay_sfu_function function, const uint32_t *x, uint32_t *y, size_t count,
                    assay_sfu_path path);

#ifdef __cplusplus
}
#endif
#endif
