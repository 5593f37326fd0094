/* Explanations: the oracle's own numbers, whole, and about the right element. */
#include "explain.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "session.h"

static assay_case case_of(const char *line) {
    assay_case c;
    cr_assert_eq(assay_case_parse(line, &c), ASSAY_OK, "%s", assay_last_error());
    return c;
}

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Every element's explanation against the oracle; returns the elements. */
static int64_t compare_with_oracle(const assay_case *c, const char *contract) {
    assay_operands o;
    assay_explanation e;
    char line[ASSAY_CASE_LINE];
    assay_case_format(c, line);
    cr_assert_eq(assay_operands_create(c, &o), ASSAY_OK, "%s", assay_last_error());
    const void *const *data = (const void *const *)o.dense;
    const int64_t rows = o.tensors[2].shape[0], d = o.tensors[2].shape[1];
    assay_bound *bounds = calloc((size_t)d, sizeof *bounds);
    for (int64_t at = 0; at < rows * d; at++) {
        if (at % d == 0)
            cr_assert_eq(c->op->oracle(c, o.tensors, data, contract, 2, at / d, bounds), ASSAY_OK);
        const assay_bound *b = &bounds[at % d];
        cr_assert_eq(c->op->explain(c, o.tensors, data, contract, 2, at, &e), ASSAY_OK);
        cr_assert(same_bits(e.bound.y, b->y) && same_bits(e.bound.lo, b->lo) &&
                      same_bits(e.bound.hi, b->hi),
                  "%s, element %lld: %a [%a, %a] for %a [%a, %a]", line, (long long)at, e.bound.y,
                  e.bound.lo, e.bound.hi, b->y, b->lo, b->hi);
        const assay_oracle_step *last = &e.steps[e.count - 1].ends;
        if (isfinite(b->lo) && isfinite(b->hi))
            cr_assert(fmin(fabs(b->lo), fabs(b->hi)) == last->lo &&
                          fmax(fabs(b->lo), fabs(b->hi)) == last->hi,
                      "%s, element %lld: the last step ends elsewhere", line, (long long)at);
    }
    free(bounds);
    assay_operands_free(&o);
    return rows * d;
}

Test(explain, numbers_are_the_oracles_to_the_last_bit) {
    static const char *const kinds[] = {
        "data=normal", "data=special",     "data=near_eps",        "data=absorb",
        "data=scales", "data=exact eps=0", "data=ties eps=0 w=no", "data=heavy w=no",
    };
    static const char *const contracts[] = {NULL, "any", "h=9"};
    int64_t elements = 0;
    for (int k = 0; k < 8; k++)
        for (int t = 0; t < 9; t++)
            for (int n = 0; n < 3; n++) {
                static const char *const types[] = {"f32", "f16", "bf16"};
                static const char *const conventions[] = {"ra", "rb", "rc"};
                char line[ASSAY_CASE_LINE];
                snprintf(line, sizeof line, "rms_norm dt=%s conv=%s rows=11 d=%d %s", types[t / 3],
                         conventions[t % 3], 5 + 8 * n, kinds[k]);
                const assay_case c = case_of(line);
                elements += compare_with_oracle(&c, contracts[n]);
            }
    cr_expect_eq(elements, 8 * 9 * 11 * (5 + 13 + 21));
}

static assay_explained explained;

static void explain(const char *line, int64_t row, int64_t column) {
    const assay_run_options options = {.backend = ASSAY_SIMT};
    const assay_case c = case_of(line);
    cr_assert_eq(assay_explain(&options, &c, row, column, &explained), ASSAY_OK, "%s",
                 assay_last_error());
}

/* h factors before the root count half; after it 2 for 1/sqrt, 1 for x*r, 1 for the weight. */
Test(explain, shares_are_what_the_roundings_say) {
    double shares[ASSAY_EXPLAIN_STEPS], sum = 0;
    explain("rms_norm dt=f32 rows=2 d=8192 eps=0 data=normal", 1, 77);
    const assay_explanation *e = &explained.explanation;
    cr_assert_eq(e->count, 7);
    cr_assert(assay_explain_shares(e, shares));
    static const double parts[] = {7.5, 0.5, 0.5, 2, 1, 0, 1}; /* h = 15 */
    for (size_t i = 0; i < e->count; i++) {
        sum += shares[i];
        cr_expect_float_eq(shares[i], parts[i] / 12.5, 1e-4, "%s: %g", e->steps[i].name, shares[i]);
    }
    cr_expect_float_eq(sum, 1, 1e-12);
}

Test(explain, a_rounding_to_storage_takes_the_whole_width) {
    double shares[ASSAY_EXPLAIN_STEPS];
    explain("rms_norm dt=bf16 rows=2 d=256 conv=rb data=normal", 0, 3);
    cr_assert_eq(strcmp(explained.explanation.steps[5].name, "rnd(x*r)"), 0);
    if (assay_explain_shares(&explained.explanation, shares)) /* two codes are possible */
        cr_expect_float_eq(shares[5], 1, 1e-9);
    else
        cr_expect(isnan(shares[0]));
}

/* What the text says is checked against another run of the same case. */
Test(explain, the_text_names_the_element_and_what_may_be_stored) {
    static char text[16384], codes[64];
    explain("rms_norm dt=f32 rows=3 d=100 data=normal seed=5", 2, 99);
    assay_explain_text(&explained, text, sizeof text);
    const assay_bound *b = &explained.explanation.bound;
    cr_expect(strstr(text, "y[row 2, column 99]: as asked"), "%s", text);
    const uint32_t low = assay_f32_encode(b->lo), high = assay_f32_encode(b->hi);
    snprintf(codes, sizeof codes, "round(lo) = 0x%08x", low);
    cr_expect(strstr(text, codes), "%s not in %s", codes, text);
    snprintf(codes, sizeof codes, ": %lld values\n",
             (long long)assay_format_ulps(ASSAY_F32, low, high) + 1);
    cr_expect(strstr(text, codes), "%s not in %s", codes, text);
    cr_expect(strstr(text, "from rms_norm<f32,f32,vector>: right\n"), "%s", text);
    cr_expect(strstr(text, "Jeannerod and Rump"), "%s", text);
    cr_expect(strstr(text, "height h = "), "%s", text);
}

Test(explain, rows_of_nan_accept_nan_only) {
    static char text[16384];
    explain("rms_norm dt=bf16 rows=11 d=16 w=no eps=0 data=special seed=1", 0, 0);
    assay_explain_text(&explained, text, sizeof text);
    cr_expect(strstr(text, "NaN only"), "%s", text);
}

static assay_status one_wrong(const assay_case *c, const assay_tensor *t, void *const *device,
                              const assay_target *target) {
    const assay_status status = assay_op_find("rms_norm")->launch(c, t, device, target);
    ((uint16_t *)device[2])[2 * t[2].stride[0] + 31] ^= 0x40;
    return status;
}

Test(explain, the_worst_failure_is_chosen) {
    static assay_op op;
    static char text[16384];
    const assay_run_options options = {.backend = ASSAY_SIMT};
    assay_case c = case_of("rms_norm dt=bf16 rows=5 d=64");
    op = *c.op;
    op.launch = one_wrong;
    c.op = &op;
    cr_assert_eq(assay_explain(&options, &c, -1, 0, &explained), ASSAY_OK);
    cr_expect_eq(explained.row, 2);
    cr_expect_eq(explained.column, 31);
    assay_explain_text(&explained, text, sizeof text);
    cr_expect(strstr(text, "the worst failure"), "%s", text);
    cr_expect(strstr(text, "OUT OF BOUNDS"), "%s", text);
}

Test(explain, what_is_not_there_is_refused) {
    const assay_run_options options = {.backend = ASSAY_SIMT};
    assay_case c = case_of("rms_norm dt=f32 rows=3 d=4");
    cr_expect_eq(assay_explain(&options, &c, 3, 0, &explained), ASSAY_ERR_ARGUMENT);
    cr_expect_eq(assay_explain(&options, &c, 0, 4, &explained), ASSAY_ERR_ARGUMENT);
    c = case_of("rms_norm dt=f32 rows=0 d=4");
    cr_expect_eq(assay_explain(&options, &c, -1, 0, &explained), ASSAY_ERR_ARGUMENT);
    assay_op op = *c.op;
    op.explain = NULL;
    c.op = &op;
    cr_expect_eq(assay_explain(&options, &c, 0, 0, &explained), ASSAY_ERR_UNSUPPORTED);
}

static void keep(const assay_result *r, void *context) { *(assay_result *)context = *r; }

/* A line as printed, run alone and on its own operands, is the same case to the bit. */
Test(explain, a_printed_line_reproduces_its_inputs_and_outputs) {
    static assay_result first, again, given;
    static const char *const lines[] = {"rms_norm dt=bf16 rows=7 d=333 data=tail_spike seed=9",
                                        "rms_norm dt=f16 rows=3 d=65 eps=0.1 data=special",
                                        "rms_norm dt=f32 rows=2 d=1000 x_pad=3 data=absorb"};
    for (size_t i = 0; i < 3; i++) {
        assay_totals totals;
        char line[ASSAY_CASE_LINE];
        assay_run_options options = {
            .backend = ASSAY_SIMT, .jobs = 1, .on_result = keep, .context = &first};
        assay_case c = case_of(lines[i]);
        cr_assert_eq(assay_run_cases(&options, &c, 1, &totals), ASSAY_OK);
        assay_case_format(&c, line);
        c = case_of(line);
        options.context = &again;
        cr_assert_eq(assay_run_cases(&options, &c, 1, &totals), ASSAY_OK);
        cr_expect_str_eq(again.input_hash, first.input_hash);
        cr_expect_str_eq(again.output_hash, first.output_hash);

        assay_session session;
        assay_operands o;
        cr_assert_eq(assay_session_open(&options, &session), ASSAY_OK);
        cr_assert_eq(assay_operands_create(&c, &o), ASSAY_OK);
        assay_session_run(&session, &c, &o, &given);
        cr_expect_str_eq(given.input_hash, first.input_hash);
        cr_expect_str_eq(given.output_hash, first.output_hash);
        cr_expect_eq(given.word, ASSAY_PASSED, "%s", given.message);
        assay_operands_free(&o);
        assay_session_close(&session);
    }
}
