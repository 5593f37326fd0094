/* The bound of one element of rms_norm, told from the oracle's own steps. */
#include "explain.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rms_norm.h"

#define U 0x1p-24
#define ETA 0x1p-150
#define MIN_NORMAL 0x1p-126

static const char *const formulas[] = {
    "R-A: y = (x*r) * w, rounded to storage once",
    "R-B: y = rnd(x*r) * w: the normalised value is rounded to x's storage first",
    "R-C: y = (x*r) * (1 + w), rounded to storage once",
};

static int log2_of(int64_t n) {
    int log = 0;
    while (INT64_C(1) << log < n) log++;
    return log;
}

/* Where the height comes from, for the kernels' own tree. */
static void put_tree(char *text, size_t size, assay_dtype dtype, int64_t d) {
    const assay_rms_norm_tree t = assay_rms_norm_tree_for(dtype, d);
    const int64_t chunks = (d + t.chunk - 1) / t.chunk, rounds = (chunks + t.lanes - 1) / t.lanes;
    snprintf(
        text, size,
        "sum of squares: %lld chunks of %lld over %lld lanes; a square passes at most %lld fma "
        "in its\n  accumulator + %d additions of a lane's accumulators + %d over the lanes: "
        "height h = %lld",
        (long long)chunks, (long long)t.chunk, (long long)t.lanes, (long long)rounds,
        log2_of(t.chunk), log2_of(t.lanes), (long long)t.height);
}

static void put_contract(const assay_case *c, const assay_rms_norm_contract *contract, int64_t d,
                         assay_explanation *out) {
    char tree[320];
    const assay_rms_norm_tree own = assay_rms_norm_tree_for(contract->x_dtype, d);
    if (contract->mean_roundings == 1 && contract->sum_height == own.height)
        put_tree(tree, sizeof tree, contract->x_dtype, d);
    else
        snprintf(tree, sizeof tree, "sum of squares: any tree of height h = %lld over d = %lld",
                 (long long)contract->sum_height, (long long)d);
    snprintf(out->contract, sizeof out->contract,
             "%s%s\n%s\nmean: %d rounding%s; 1/sqrt: a relative %.4g; eps = %.9g as f32",
             formulas[contract->convention], assay_case_index(c, "w") ? "; no weight here" : "",
             tree, contract->mean_roundings, contract->mean_roundings == 1 ? "" : "s",
             contract->rsqrt_error, rms_norm_eps(c));
}

__attribute__((format(printf, 5, 6))) static assay_explain_step *
add(assay_explanation *out, const char *name, const assay_oracle_step *ends, double relative,
    const char *why, ...) {
    assay_explain_step *s = &out->steps[out->count++];
    *s = (assay_explain_step){.ends = *ends, .relative = relative};
    snprintf(s->name, sizeof s->name, "%s", name);
    va_list args;
    va_start(args, why);
    vsnprintf(s->why, sizeof s->why, why, args);
    va_end(args);
    return s;
}

/* One f32 rounding of what was carried: relative, or absolute where it may be subnormal. */
static void one_rounding(assay_explain_step *s) {
    if (s->ends.carried_hi >= MIN_NORMAL) s->relative = U;
    if (s->ends.carried_lo < MIN_NORMAL) s->absolute = ETA;
}

static void row_steps(const assay_rms_norm_contract *contract, const assay_rms_norm_trace *t,
                      assay_explanation *out) {
    assay_explain_step *s =
        add(out, "S", &t->sum, t->growth - 1,
            "%lld factors of 1+u: |fl(t) - t| <= t*u/(1+u), Jeannerod and Rump, Math. Comp. 87, "
            "2018; %lld squares may be subnormal; not below %.9g, the largest one",
            (long long)contract->sum_height, (long long)t->subnormal, t->least);
    s->absolute = (double)t->subnormal * ETA;

    const bool twice = contract->mean_roundings == 2;
    s = add(out, "S/d", &t->mean, 0,
            twice ? "times 1/d: two roundings" : "a division: one rounding");
    one_rounding(s);
    if (twice && s->relative > 0) s->relative = 2 * U + U * U;

    s = add(out, "+ eps", &t->shifted, 0, "an addition: one rounding, none where subnormal");
    if (t->shifted.hi >= MIN_NORMAL) s->relative = U;
    add(out, "1/sqrt", &t->inverse, contract->rsqrt_error,
        "square root and division; the root halves the widths before it");
}

static void element_steps(const assay_rms_norm_contract *contract, const assay_rms_norm_trace *t,
                          assay_explanation *out) {
    one_rounding(add(out, "x*r", &t->normalised, 0, "a product: one rounding"));
    if (t->inner) {
        add(out, "rnd(x*r)", &t->stored, 0,
            "both ends rounded to %s: widths before this no longer count",
            assay_dtype_name(contract->x_dtype))
            ->decides = true;
    }
    if (!t->product) return;
    const bool plus_one = contract->convention == ASSAY_NORM_RC;
    add(out, plus_one ? "1 + w" : "w", &t->scale, plus_one ? U : 0,
        plus_one ? "an addition: one rounding" : "given: exact")
        ->joins = true;
    assay_explain_step *s =
        add(out, "times it", &t->scaled, 0, "%s",
            t->product_exact ? "exact: two 16-bit factors" : "a product: one rounding");
    if (!t->product_exact) one_rounding(s);
}

assay_status rms_norm_explain(const assay_case *c, const assay_tensor *tensors,
                              const void *const *data, const char *contract_text, size_t output,
                              int64_t element, assay_explanation *out) {
    (void)output;
    assay_rms_norm_contract contract;
    assay_rms_norm_trace trace;
    double *x, *w;
    const int64_t d = tensors[RMS_NORM_X].shape[1];
    memset(out, 0, sizeof *out);
    assay_status status = rms_norm_contract_for(c, contract_text, &contract);
    if (!status) status = rms_norm_decode_row(tensors, data, element / d, &x, &w);
    if (status) return status;
    status = assay_oracle_rms_norm_trace(&contract, x, w, d, rms_norm_eps(c), element % d, &trace);
    free(x);
    if (status) return status;

    put_contract(c, &contract, d, out);
    row_steps(&contract, &trace, out);
    element_steps(&contract, &trace, out);
    out->bound = trace.bound;
    if (rms_norm_is_exact(c, &contract)) {
        const double y = fabs(trace.bound.y);
        const assay_oracle_step last = {y, y, y, y, y};
        add(out, "exact", &last, 0, "data=%s, eps=0: no step of a legal kernel rounds anything",
            assay_case_word(c, "data"))
            ->decides = true;
        out->bound.lo = out->bound.hi = out->bound.y;
    }
    return ASSAY_OK;
}
