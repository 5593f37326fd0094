/* A tile by the lane kernel: 16 rows of A are decoded once, then every column of B meets them. */
#include <string.h>

#include "lanes_step.h"

#define COLUMNS 8 /* of B, decoded together */

/* One instruction's worth of operands: by k and row, by column and k. */
typedef struct lanes_work {
    int32_t a_significand[MMA_MAX_K][MMA_LANES], a_exponent[MMA_MAX_K][MMA_LANES];
    int32_t b_significand[COLUMNS * MMA_MAX_K], b_exponent[COLUMNS * MMA_MAX_K];
    bool a_special[MMA_LANES], b_special[COLUMNS];
    int order[MMA_MAX_K];
} lanes_work;

/* Fraction bits of a product. */
static int product_fraction(const assay_mma *mma) {
    if (mma->rule.op == ASSAY_MMA_EMULATED) return 20;
    return mma_layout_of(mma->a)->fraction_bits + mma_layout_of(mma->b)->fraction_bits;
}

/* Does the magnitude of every sum fit in 32 bits? Products below (2 - ulp)(2 - ulp), c below 2. */
static bool sum_fits(const assay_mma *mma) {
    const assay_mma_rule *r = &mma->rule;
    const bool f16 = r->op == ASSAY_MMA_EMULATED;
    const int a = f16 ? 10 : mma_layout_of(mma->a)->fraction_bits;
    const int b = f16 ? 10 : mma_layout_of(mma->b)->fraction_bits;
    const uint64_t product = ((UINT64_C(2) << a) - 1) * ((UINT64_C(2) << b) - 1);
    const uint64_t sum = (uint64_t)r->terms * product + (UINT64_C(2) << (a + b));
    return sum << (r->fraction - a - b) < UINT64_C(1) << 32;
}

bool mma_lanes_serve(const assay_mma *mma) {
    const assay_mma_rule *r = &mma->rule;
    if (r->op != ASSAY_MMA_FUSED && r->op != ASSAY_MMA_EMULATED) return false;
    if (r->align != ASSAY_MMA_TOWARD_ZERO || r->infinite_products || r->round == ASSAY_MMA_DOWN)
        return false;
    const mma_layout *d = mma_layout_of(mma->d);
    const int least = 1 - d->bias;
    /* A floor below every c is a lower end of the alignment, zero terms or not; and the result's
     * grid is within 31 bits of the sum's. */
    return r->floor <= least && least - r->keep - (r->floor - r->fraction) < 32 &&
           r->keep <= d->fraction_bits && r->fraction >= product_fraction(mma) &&
           r->fraction <= 26 && sum_fits(mma);
}

/* Codes at base[at + i * stride]. */
static void gather(assay_mma_type type, const void *base, int64_t at, int64_t stride, int count,
                   int64_t out_stride, uint32_t *out) {
    switch (assay_mma_type_size(type)) {
    case 1:
        for (int i = 0; i < count; i++)
            out[i * out_stride] = ((const uint8_t *)base)[at + i * stride];
        break;
    case 2:
        for (int i = 0; i < count; i++)
            out[i * out_stride] = ((const uint16_t *)base)[at + i * stride];
        break;
    default:
        for (int i = 0; i < count; i++)
            out[i * out_stride] = ((const uint32_t *)base)[at + i * stride];
    }
}

static void decode(const assay_mma *mma, assay_mma_type type, const mma_lanes *lanes, int up,
                   const uint32_t *code, int count, int32_t *significand, int32_t *exponent,
                   int32_t *special) {
    const mma_lanes_decode d = {.layout = mma_layout_of(type),
                                .flush_subnormals = mma->rule.flush_subnormals,
                                .as_f16 = mma->rule.op == ASSAY_MMA_EMULATED,
                                .up = up,
                                .count = count,
                                .code = code,
                                .significand = significand,
                                .exponent = exponent,
                                .special = special};
    lanes->decode(&d);
}

static void decode_rows(const assay_mma *mma, const assay_mma_matrix *a, int64_t row, int rows,
                        int64_t k, const mma_lanes *lanes, lanes_work *w) {
    uint32_t code[MMA_MAX_K][MMA_LANES];
    int32_t special[MMA_MAX_K][MMA_LANES];
    if (rows < MMA_LANES) memset(code, 0, sizeof code);
    for (int i = 0; i < rows; i++)
        gather(mma->a, a->data, (row + i) * a->row_stride + k * a->column_stride, a->column_stride,
               mma->k, MMA_LANES, &code[0][i]);
    decode(mma, mma->a, lanes, 0, code[0], mma->k * MMA_LANES, w->a_significand[0],
           w->a_exponent[0], special[0]);
    int32_t any[MMA_LANES] = {0};
    for (int j = 0; j < mma->k; j++)
        for (int i = 0; i < MMA_LANES; i++) any[i] |= special[j][i];
    for (int i = 0; i < MMA_LANES; i++) w->a_special[i] = any[i];
}

static void decode_columns(const assay_mma *mma, const assay_mma_matrix *b, int64_t column,
                           int columns, int64_t k, int up, const mma_lanes *lanes, lanes_work *w) {
    uint32_t code[COLUMNS * MMA_MAX_K];
    int32_t special[COLUMNS * MMA_MAX_K];
    for (int i = 0; i < columns; i++)
        gather(mma->b, b->data, k * b->row_stride + (column + i) * b->column_stride, b->row_stride,
               mma->k, 1, &code[i * mma->k]);
    decode(mma, mma->b, lanes, up, code, columns * mma->k, w->b_significand, w->b_exponent,
           special);
    for (int i = 0; i < columns; i++) {
        int32_t any = 0;
        for (int j = 0; j < mma->k; j++) any |= special[i * mma->k + j];
        w->b_special[i] = any;
    }
}

static void one_instruction(const assay_mma *mma, const lanes_work *w, int column,
                            const mma_lanes *lanes, uint32_t value[MMA_LANES]) {
    uint32_t sum[MMA_LANES] = {0};
    const bool emulated = mma->rule.op == ASSAY_MMA_EMULATED;
    mma_lanes_step s = {.rule = &mma->rule,
                        .layout = mma_layout_of(mma->d),
                        .a_significand = w->a_significand,
                        .a_exponent = w->a_exponent,
                        .b_significand = w->b_significand + column * mma->k,
                        .b_exponent = w->b_exponent + column * mma->k,
                        .value = emulated ? sum : value};
    for (int k = 0; k < mma->k; k += mma->rule.terms) {
        s.order = w->order + k;
        lanes->step(&s);
    }
    for (int i = 0; emulated && i < MMA_LANES; i++)
        value[i] = mma_add(&mma->rule, mma->d, value[i], sum[i]);
}

/* A lane with an infinity or NaN among its operands goes through the plain model. */
static uint32_t plain(const assay_mma *mma, const assay_mma_tile_args *t, int64_t row,
                      int64_t column, int64_t k, uint32_t c) {
    uint64_t a[MMA_MAX_K], b[MMA_MAX_K];
    const int64_t a_at = row * t->a.row_stride, b_at = column * t->b.column_stride;
    for (int j = 0; j < mma->k; j++) {
        mma_store(mma->a, a, j, mma_load(mma->a, t->a.data, a_at + (k + j) * t->a.column_stride));
        mma_store(mma->b, b, j, mma_load(mma->b, t->b.data, b_at + (k + j) * t->b.row_stride));
    }
    return (uint32_t)assay_mma_dot(mma, a, b, c, NULL, NULL);
}

static void block_column(const assay_mma *mma, const assay_mma_tile_args *t, int64_t row, int rows,
                         int64_t first, int column, int64_t k, const mma_lanes *lanes,
                         const lanes_work *w) {
    const int64_t at = first + column;
    const void *from = k == 0 ? t->c : t->d;
    const int64_t stride = k == 0 ? t->c_stride : t->d_stride;
    uint32_t value[MMA_LANES] = {0}, given[MMA_LANES];
    gather(mma->d, from, row * stride + at, stride, rows, 1, value);
    memcpy(given, value, sizeof given);
    one_instruction(mma, w, column, lanes, value);
    for (int i = 0; i < rows; i++)
        if (w->a_special[i] || w->b_special[column])
            value[i] = plain(mma, t, row + i, at, k, given[i]);
    const int64_t to = row * t->d_stride + at;
    if (mma->d == ASSAY_MMA_F16)
        for (int i = 0; i < rows; i++)
            ((uint16_t *)t->d)[to + i * t->d_stride] = (uint16_t)value[i];
    else
        for (int i = 0; i < rows; i++) ((uint32_t *)t->d)[to + i * t->d_stride] = value[i];
}

void mma_lanes_tile(const assay_mma *mma, const assay_mma_tile_args *t, const mma_lanes *lanes) {
    const int up = mma->rule.fraction - product_fraction(mma);
    lanes_work w;
    for (int i = 0; i < mma->k; i++) w.order[i] = mma_term_k(&mma->rule, i);
    for (int64_t row = 0; row < t->m; row += MMA_LANES) {
        const int rows = t->m - row < MMA_LANES ? (int)(t->m - row) : MMA_LANES;
        for (int64_t k = 0; k < t->k; k += mma->k) {
            decode_rows(mma, &t->a, row, rows, k, lanes, &w);
            for (int64_t first = 0; first < t->n; first += COLUMNS) {
                const int columns = t->n - first < COLUMNS ? (int)(t->n - first) : COLUMNS;
                decode_columns(mma, &t->b, first, columns, k, up, lanes, &w);
                for (int column = 0; column < columns; column++)
                    block_column(mma, t, row, rows, first, column, k, lanes, &w);
            }
        }
    }
}
