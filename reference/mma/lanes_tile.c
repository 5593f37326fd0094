/* A tile by the lane kernel: 16 rows of A are decoded once, then every column of B meets them. */
#include <string.h>

#include "lanes_step.h"

#define MMA_LANES_K 64 /* the longest instruction served: a lane of the executor has a small stack */

/* One instruction's worth of operands for 16 rows and one column. */
typedef struct lanes_work {
    int32_t a_significand[MMA_LANES_K][MMA_LANES], a_exponent[MMA_LANES_K][MMA_LANES];
    int32_t b_significand[MMA_LANES_K], b_exponent[MMA_LANES_K];
    bool a_special[MMA_LANES], b_special;
    int order[MMA_LANES_K];
} lanes_work;

/* Fraction bits of a product. */
static int product_fraction(const assay_mma *mma) {
    if (mma->rule.op == ASSAY_MMA_EMULATED) return 20;
    return mma_layout_of(mma->a)->fraction_bits + mma_layout_of(mma->b)->fraction_bits;
}

bool mma_lanes_serve(const assay_mma *mma) {
    const assay_mma_rule *r = &mma->rule;
    const bool fused = r->op == ASSAY_MMA_FUSED || r->op == ASSAY_MMA_EMULATED;
    /* A floor below every c: then it is a lower end of the alignment, zero terms or not. */
    return fused && mma->k <= MMA_LANES_K && r->align == ASSAY_MMA_TOWARD_ZERO && !r->infinite_products &&
           r->floor <= 1 - mma_layout_of(mma->d)->bias && r->fraction >= product_fraction(mma) &&
           r->fraction <= 26;
}

/* Significand with its sign, exponent; true when it is no number. */
static bool decode(const assay_mma *mma, const mma_layout *l, uint64_t code, int32_t *significand,
                   int32_t *exponent) {
    mma_number x = mma_decode(l, (uint32_t)code, mma->rule.flush_subnormals);
    if (mma->rule.op == ASSAY_MMA_EMULATED) x = mma_as_f16(l, x);
    const int32_t s = x.class == MMA_FINITE ? (int32_t)x.significand : 0;
    *significand = x.negative ? -s : s;
    *exponent = s ? x.exponent : MMA_LANES_ZERO;
    return x.class != MMA_FINITE;
}

static void decode_rows(const assay_mma *mma, const assay_mma_matrix *a, int64_t row, int rows,
                        int64_t k, lanes_work *w) {
    const mma_layout *l = mma_layout_of(mma->a);
    for (int i = 0; i < MMA_LANES; i++) w->a_special[i] = false;
    for (int i = 0; i < rows; i++) {
        const int64_t at = (row + i) * a->row_stride + k * a->column_stride;
        for (int j = 0; j < mma->k; j++) {
            const uint64_t code = mma_load(mma->a, a->data, at + j * a->column_stride);
            w->a_special[i] |= decode(mma, l, code, &w->a_significand[j][i], &w->a_exponent[j][i]);
        }
    }
    for (int i = rows; i < MMA_LANES; i++) {
        for (int j = 0; j < mma->k; j++) {
            w->a_significand[j][i] = 0;
            w->a_exponent[j][i] = MMA_LANES_ZERO;
        }
    }
}

static void decode_column(const assay_mma *mma, const assay_mma_matrix *b, int64_t column,
                          int64_t k, int up, lanes_work *w) {
    const mma_layout *l = mma_layout_of(mma->b);
    const int64_t at = k * b->row_stride + column * b->column_stride;
    w->b_special = false;
    for (int j = 0; j < mma->k; j++) {
        const uint64_t code = mma_load(mma->b, b->data, at + j * b->row_stride);
        w->b_special |= decode(mma, l, code, &w->b_significand[j], &w->b_exponent[j]);
        w->b_significand[j] *= 1 << up;
    }
}

/* value = fused(the terms in `order`, value), lane by lane, for finite products. */
static void step_all(const assay_mma *mma, const lanes_work *w, const int *order,
                     mma_lanes_function *step, uint32_t value[MMA_LANES]) {
    const assay_mma_rule *rule = &mma->rule;
    const mma_layout *l = mma_layout_of(mma->d);
    mma_lanes_step s = {.terms = rule->terms,
                        .order = order,
                        .a_significand = w->a_significand,
                        .a_exponent = w->a_exponent,
                        .b_significand = w->b_significand,
                        .b_exponent = w->b_exponent};
    mma_number c[MMA_LANES];
    for (int i = 0; i < MMA_LANES; i++) {
        c[i] = mma_decode(l, value[i], rule->flush_subnormals);
        if (c[i].significand == 0) c[i].exponent = rule->floor;
        s.c_exponent[i] = c[i].exponent > rule->floor ? c[i].exponent : rule->floor;
    }
    step(&s);
    for (int i = 0; i < MMA_LANES; i++) {
        if (c[i].class != MMA_FINITE) {
            value[i] =
                c[i].class == MMA_NAN ? mma_nan(rule, mma->d) : mma_infinity(mma->d, c[i].negative);
            continue;
        }
        const int unit = s.largest[i] - rule->fraction;
        const int64_t signed_c = c[i].negative ? -(int64_t)c[i].significand : c[i].significand;
        const int64_t cut =
            mma_shift(signed_c, unit - (c[i].exponent - l->fraction_bits), ASSAY_MMA_TOWARD_ZERO);
        value[i] = mma_round(rule, mma->d, s.sum[i] + cut, unit);
    }
}

static void one_instruction(const assay_mma *mma, const lanes_work *w, mma_lanes_function *step,
                            uint32_t value[MMA_LANES]) {
    uint32_t sum[MMA_LANES] = {0};
    const bool emulated = mma->rule.op == ASSAY_MMA_EMULATED;
    uint32_t *d = emulated ? sum : value;
    for (int k = 0; k < mma->k; k += mma->rule.terms) step_all(mma, w, w->order + k, step, d);
    for (int i = 0; emulated && i < MMA_LANES; i++)
        value[i] = mma_add(&mma->rule, mma->d, value[i], sum[i]);
}

/* A lane with an infinity or NaN among its terms goes through the plain model. */
static uint64_t plain(const assay_mma *mma, const assay_mma_tile_args *t, int64_t row,
                      int64_t column, int64_t k, uint64_t c) {
    uint64_t a[MMA_MAX_K], b[MMA_MAX_K];
    for (int j = 0; j < mma->k; j++) {
        mma_store(
            mma->a, a, j,
            mma_load(mma->a, t->a.data, row * t->a.row_stride + (k + j) * t->a.column_stride));
        mma_store(
            mma->b, b, j,
            mma_load(mma->b, t->b.data, (k + j) * t->b.row_stride + column * t->b.column_stride));
    }
    return assay_mma_dot(mma, a, b, c, NULL, NULL);
}

static void block_column(const assay_mma *mma, const assay_mma_tile_args *t, int64_t row, int rows,
                         int64_t column, int64_t k, mma_lanes_function *step, const lanes_work *w) {
    const void *from = k == 0 ? t->c : t->d;
    const int64_t stride = k == 0 ? t->c_stride : t->d_stride;
    uint32_t value[MMA_LANES] = {0}, given[MMA_LANES];
    for (int i = 0; i < rows; i++)
        value[i] = (uint32_t)mma_load(mma->d, from, (row + i) * stride + column);
    memcpy(given, value, sizeof given);
    one_instruction(mma, w, step, value);
    for (int i = 0; i < rows; i++) {
        const bool special = w->a_special[i] || w->b_special;
        const uint64_t d =
            special ? plain(mma, t, row + i, column, k, given[i]) : (uint64_t)value[i];
        mma_store(mma->d, t->d, (row + i) * t->d_stride + column, d);
    }
}

void mma_lanes_tile(const assay_mma *mma, const assay_mma_tile_args *t, mma_lanes_function *step) {
    const int up = mma->rule.fraction - product_fraction(mma);
    lanes_work w;
    for (int i = 0; i < mma->k; i++) w.order[i] = mma_term_k(&mma->rule, i);
    for (int64_t row = 0; row < t->m; row += MMA_LANES) {
        const int rows = t->m - row < MMA_LANES ? (int)(t->m - row) : MMA_LANES;
        for (int64_t k = 0; k < t->k; k += mma->k) {
            decode_rows(mma, &t->a, row, rows, k, &w);
            for (int64_t column = 0; column < t->n; column++) {
                decode_column(mma, &t->b, column, k, up, &w);
                block_column(mma, t, row, rows, column, k, step, &w);
            }
        }
    }
}
