/* The device layer's scalar forms, one number each, for sweeping them on a chip against the
 * executor.
 *
 * A form maps an index to operands and gives 32 result bits:
 *   unary forms take the index itself as the operand's bits, over all 2^32 (or 2^16) of them;
 *   the others take operands drawn by index from special values and random bits.
 */
#ifndef ASSAY_GPU_FORMS_H
#define ASSAY_GPU_FORMS_H

#include <stdint.h>

#define FORMS(X)                                                                                   \
    X(f32_to_f16, 32)                                                                              \
    X(f32_to_bf16, 32)                                                                             \
    X(f32_to_i32, 32)                                                                              \
    X(f32_to_u32, 32)                                                                              \
    X(sqrt, 32)                                                                                    \
    X(reciprocal, 32)                                                                              \
    X(is_nan, 32)                                                                                  \
    X(f16_to_f32, 16)                                                                              \
    X(bf16_to_f32, 16)                                                                             \
    X(div, 0)                                                                                      \
    X(fma, 0)                                                                                      \
    X(add, 0)                                                                                      \
    X(mul, 0)                                                                                      \
    X(mul_add, 0)                                                                                  \
    X(min, 0)                                                                                      \
    X(max, 0)                                                                                      \
    X(shl, 0)                                                                                      \
    X(shr, 0)

enum form {
#define FORM(name, bits) FORM_##name,
    FORMS(FORM)
#undef FORM
        FORM_COUNT
};

typedef struct forms_params {
    int32_t form;
    uint64_t first; /* index of out[0] */
    uint64_t step;  /* from one index to the next */
    uint32_t count;
    uint32_t *out;
} forms_params;

#endif
