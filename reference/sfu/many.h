/* Whole arrays through the evaluator: one loop a function, for the compiler's vectoriser. Included
 * once per instruction set with SFU_MANY defined to the function's name. */
#include "evaluate.h"
#include "many_paths.h"

#define BLOCK 64 /* of results, kept apart from the operands so that loops vectorise */

#define LOOP(FUNCTION, EVALUATE)                                                                   \
    case ASSAY_SFU_##FUNCTION:                                                                     \
        for (size_t i = 0; i < count; i++) y[i] = EVALUATE(x[i]);                                  \
        break;

static void block(assay_sfu_function function, const uint32_t *restrict x, uint32_t *restrict y,
                  size_t count) {
    switch (function) {
        LOOP(EX2, sfu_full_ex2)
        LOOP(EX2_FTZ, sfu_mufu_ex2)
        LOOP(LG2, sfu_full_lg2)
        LOOP(LG2_FTZ, sfu_mufu_lg2)
        LOOP(RCP, sfu_full_rcp)
        LOOP(RCP_FTZ, sfu_mufu_rcp)
        LOOP(RSQRT, sfu_full_rsq)
        LOOP(RSQRT_FTZ, sfu_mufu_rsq)
        LOOP(SQRT, sfu_full_sqrt)
        LOOP(SQRT_FTZ, sfu_mufu_sqrt)
        LOOP(SIN, sfu_full_sin)
        LOOP(COS, sfu_full_cos)
        LOOP(TANH, sfu_mufu_tanh)
        LOOP(EXPF, sfu_expf)
        LOOP(FAST_EXPF, sfu_fast_expf)
        LOOP(FAST_LOGF, sfu_fast_logf)
    default: break;
    }
}

void SFU_MANY(assay_sfu_function function, const uint32_t *x, uint32_t *y, size_t count) {
    for (size_t first = 0; first < count; first += BLOCK) {
        uint32_t in[BLOCK], out[BLOCK];
        const size_t n = count - first < BLOCK ? count - first : BLOCK;
        memcpy(in, x + first, n * sizeof in[0]);
        block(function, in, out, n);
        memcpy(y + first, out, n * sizeof out[0]);
    }
}
