/* The special functions of an sm_90 device, for comparison with their models. */
#ifndef ASSAY_GPU_SFU_PROBE_H
#define ASSAY_GPU_SFU_PROBE_H

#include <stdint.h>

#include "assay/sfu.h"

/* X(function of the model, identifier, name). Functions with an alias are run under both names:
 * that they agree is a result. */
#define SFU_PROBE_PTX(X)                                                                           \
    X(EX2, ex2_f32, "ex2.approx.f32")                                                              \
    X(EX2_FTZ, ex2_ftz_f32, "ex2.approx.ftz.f32")                                                  \
    X(LG2, lg2_f32, "lg2.approx.f32")                                                              \
    X(LG2_FTZ, lg2_ftz_f32, "lg2.approx.ftz.f32")                                                  \
    X(RCP, rcp_f32, "rcp.approx.f32")                                                              \
    X(RCP_FTZ, rcp_ftz_f32, "rcp.approx.ftz.f32")                                                  \
    X(RSQRT, rsqrt_f32, "rsqrt.approx.f32")                                                        \
    X(RSQRT_FTZ, rsqrt_ftz_f32, "rsqrt.approx.ftz.f32")                                            \
    X(SQRT, sqrt_f32, "sqrt.approx.f32")                                                           \
    X(SQRT_FTZ, sqrt_ftz_f32, "sqrt.approx.ftz.f32")                                               \
    X(SIN, sin_f32, "sin.approx.f32")                                                              \
    X(SIN, sin_ftz_f32, "sin.approx.ftz.f32")                                                      \
    X(COS, cos_f32, "cos.approx.f32")                                                              \
    X(COS, cos_ftz_f32, "cos.approx.ftz.f32")                                                      \
    X(TANH, tanh_f32, "tanh.approx.f32")
#define SFU_PROBE_CUDA(X)                                                                          \
    X(EXPF, expf, "expf")                                                                          \
    X(EX2, exp2f, "exp2f")                                                                         \
    X(RSQRT, rsqrtf, "rsqrtf")                                                                     \
    X(FAST_EXPF, fast_expf, "__expf")                                                              \
    X(FAST_LOGF, fast_logf, "__logf")
#define SFU_PROBE_HALF(X)                                                                          \
    X(EX2_F16, ex2_f16, "ex2.approx.f16")                                                          \
    X(TANH_F16, tanh_f16, "tanh.approx.f16")                                                       \
    X(EX2_FTZ_BF16, ex2_ftz_bf16, "ex2.approx.ftz.bf16")                                           \
    X(TANH_BF16, tanh_bf16, "tanh.approx.bf16")
#define SFU_PROBE_FUNCTIONS(X) SFU_PROBE_PTX(X) SFU_PROBE_CUDA(X) SFU_PROBE_HALF(X)

typedef struct sfu_probe_info {
    assay_sfu_function model;
    const char *name;
} sfu_probe_info;

#ifdef __cplusplus
extern "C" {
#endif

#define SFU_PROBE_BATCH (UINT32_C(1) << 27) /* operands at once, at most */

/* Opens the device: 0, or 77 when there is none of sm_90; *name is the device's, *host room for a
 * batch of results, kept until the program ends. */
int sfu_probe_open(const char **name, uint32_t **host);

/* out[i] = function `index` of the list above, of operand first + i. 0, or the runtime's error. */
int sfu_probe_device(int index, uint64_t first, uint32_t count, uint32_t *out);
const char *sfu_probe_error(int error);

#ifdef __cplusplus
}
#endif
#endif
