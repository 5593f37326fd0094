/* What the files of the gemm_bf16 oracle share. */
#ifndef ASSAY_ORACLE_GEMM_INTERNAL_H
#define ASSAY_ORACLE_GEMM_INTERNAL_H

#include <math.h>
#include <string.h>

#include "assay/oracle_gemm.h"

#define GEMM_MAX_K (INT64_C(1) << 24)

assay_status gemm_check(const char *function, const assay_gemm_contract *contract, int64_t n,
                        int64_t k);

static inline double gemm_bf16(uint16_t code) {
    const uint32_t bits = (uint32_t)code << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Exponent of a bf16 number as the matrix units align it: a subnormal's is the least normal one. */
static inline int gemm_exponent(uint16_t code) {
    const int field = code >> 7 & 0xff;
    return (field ? field : 1) - 127;
}

static inline bool gemm_finite(uint16_t code) { return (code >> 7 & 0xff) != 0xff; }

/* How infinities and NaN among the products decide an element. */
typedef enum gemm_class { GEMM_FINITE, GEMM_PLUS, GEMM_MINUS, GEMM_NAN } gemm_class;

/* *first: index of the first infinite product; k when there is none. */
gemm_class gemm_classify(const uint16_t *x, const uint16_t *w, int64_t k, int64_t *first);

#endif
