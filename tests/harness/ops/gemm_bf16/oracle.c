/* Bounds and ablations of gemm_bf16 cases: contracts as text, rows for the oracle. */
#include <string.h>

#include "assay/oracle_gemm.h"
#include "gemm_bf16.h"

/* mma.sync m16n8k16: sm_80 and sm_89 in halves; sm_90, sm_100 and sm_120 at once. */
#define AMPERE                                                                                     \
    { .terms = 8, .fraction = 24, .floor = -132 }
#define HOPPER                                                                                     \
    { .terms = 16, .fraction = 25, .floor = -133 }

static const struct {
    const char *name;
    assay_gemm_contract contract;
} contracts[] = {
    {"declared", {.chains = 2, .chain = {HOPPER, AMPERE}}},
    {"sm_90", {.chains = 1, .chain = {HOPPER}}},
    {"sm_80", {.chains = 1, .chain = {AMPERE}}},
    {"fma-chain", {.per_step = 0x1p-24}},
    {"any", {.per_step = 0x1p-23}},
};

static const assay_gemm_contract *find(const char *text) {
    if (!text) return &contracts[0].contract;
    for (size_t i = 0; i < sizeof contracts / sizeof contracts[0]; i++)
        if (strcmp(contracts[i].name, text) == 0) return &contracts[i].contract;
    return NULL;
}

assay_status gemm_bf16_oracle(const assay_case *c, const assay_tensor *tensors,
                              const void *const *data, const char *contract, size_t output,
                              int64_t unit, assay_bound *bounds) {
    const assay_gemm_contract *const found = find(contract);
    const int64_t k = tensors[GEMM_X].shape[1];
    (void)c, (void)output;
    if (!found)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "contract '%s': expected declared, sm_80, sm_90, fma-chain or any",
                          contract);
    return assay_oracle_gemm_bf16(found, (const uint16_t *)data[GEMM_X] + unit * k, data[GEMM_W],
                                  tensors[GEMM_W].shape[0], k, bounds);
}

const char *gemm_bf16_ablation_text(size_t ablation) {
    return assay_gemm_ablation_name((assay_gemm_ablation)(ablation + 1));
}

bool gemm_bf16_ablation_applies(const assay_case *c, size_t ablation) {
    const assay_gemm_ablation which = (assay_gemm_ablation)(ablation + 1);
    const int64_t k = assay_case_int(c, "k");
    /* One product rounded to bf16 is the result. */
    if (which == ASSAY_GEMM_BF16_PRODUCTS && k == 1 && assay_case_index(c, "out") == 0)
        return false;
    return assay_gemm_ablation_applies(which, assay_case_int(c, "m"), assay_case_int(c, "n"), k);
}

assay_status gemm_bf16_ablate(const assay_case *c, const assay_tensor *tensors,
                              const void *const *data, size_t ablation, int64_t unit, double *y) {
    (void)c;
    return assay_oracle_gemm_bf16_ablated(
        (assay_gemm_ablation)(ablation + 1), data[GEMM_X], data[GEMM_W], tensors[GEMM_X].shape[0],
        tensors[GEMM_W].shape[0], tensors[GEMM_X].shape[1], unit, y);
}
