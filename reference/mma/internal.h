/* What the files of reference/mma share: decoded numbers, shifts that round, the operators. */
#ifndef ASSAY_MMA_INTERNAL_H
#define ASSAY_MMA_INTERNAL_H

#include "assay/mma.h"

#define MMA_MAX_K 256 /* the longest instruction in the table */

typedef enum mma_class { MMA_FINITE, MMA_INFINITE, MMA_NAN } mma_class;

/* (-1)^negative * significand * 2^(exponent - fraction bits of its type); never renormalised: a
 * subnormal keeps its type's least exponent. */
typedef struct mma_number {
    uint32_t significand;
    int32_t exponent;
    bool negative;
    mma_class class;
} mma_number;

/* Layout of a floating-point type of up to 32 bits. */
typedef struct mma_layout {
    int exponent_bits, fraction_bits, bias;
    int unused_low_bits;    /* tf32 */
    bool ieee_specials;     /* the top exponent holds Inf and NaN */
    bool top_code_nan;      /* all bits set is NaN (e4m3) */
    bool negative_zero_nan; /* FNUZ */
} mma_layout;
const mma_layout *mma_layout_of(assay_mma_type type);

mma_number mma_decode(const mma_layout *layout, uint32_t code, bool flush_subnormals);

/* The same value as binary16 holds it: 10 fraction bits, exponent as small as -14. */
mma_number mma_as_f16(const mma_layout *layout, mma_number x);

uint64_t mma_load(assay_mma_type type, const void *base, int64_t index);
void mma_store(assay_mma_type type, void *base, int64_t index, uint64_t code);

/* v / 2^n, rounded; n may be negative (the result must fit) and as large as it likes. */
int64_t mma_shift(int64_t v, int n, assay_mma_rounding rounding);

/* sum * 2^q rounded to the accumulator type, f32 or f16. */
uint32_t mma_round(const assay_mma_rule *rule, assay_mma_type type, int64_t sum, int q);

/* The code of +-infinity, and the rule's NaN. */
uint32_t mma_infinity(assay_mma_type type, bool negative);
uint32_t mma_nan(const assay_mma_rule *rule, assay_mma_type type);

/* Infinities and NaN among products and c decide the result before any arithmetic: true, and
 * *result, when they do. */
bool mma_special(const assay_mma_rule *rule, assay_mma_type type, const mma_number *a,
                 const mma_number *b, int count, mma_number c, uint32_t *result);

/* One step of an operator; fraction: fraction bits of a product. */
uint32_t mma_fused(const assay_mma_rule *rule, assay_mma_type type, const mma_number *a,
                   const mma_number *b, int count, int fraction, int scale_exponent, uint32_t c);
uint32_t mma_late_c(const assay_mma_rule *rule, assay_mma_type type, const mma_number *a,
                    const mma_number *b, int count, int fraction, uint32_t c);
uint32_t mma_emulated(const assay_mma *mma, const mma_number *a, const mma_number *b, uint32_t c);
uint32_t mma_group_scaled(const assay_mma *mma, const mma_number *a, const mma_number *b,
                          const uint8_t *a_scale, const uint8_t *b_scale, uint32_t c);

/* c + d, correctly rounded in the accumulator's type; a NaN is the rule's. */
uint32_t mma_add(const assay_mma_rule *rule, assay_mma_type type, uint32_t c, uint32_t d);

/* One scale: significand in units of 2^-fraction_bits. */
typedef struct mma_scale {
    int32_t significand, exponent;
    bool nan;
} mma_scale;
mma_scale mma_decode_scale(assay_mma_type type, uint8_t code);

uint64_t mma_chain(const assay_mma *mma, const void *a, const void *b, uint64_t c);
uint64_t mma_integer(const assay_mma *mma, const void *a, const void *b, uint64_t c);

/* The plain model in two halves: mma->k codes to numbers, and an element of numbers. */
bool mma_takes_numbers(const assay_mma *mma);
void mma_decode_operand(const assay_mma *mma, assay_mma_type type, const void *base, int64_t at,
                        int64_t stride, mma_number *out);
uint32_t mma_dot_numbers(const assay_mma *mma, const mma_number *a, const mma_number *b, uint32_t c,
                         const uint8_t *a_scale, const uint8_t *b_scale);

/* The k of the i-th term that the operator takes: its own order within an instruction. */
int mma_term_k(const assay_mma_rule *rule, int i);

extern const assay_mma mma_nvidia[], mma_amd[];
extern const size_t mma_nvidia_count, mma_amd_count;

#endif
