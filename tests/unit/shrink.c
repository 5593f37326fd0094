/* Shrinking reaches the known minimum of planted faults, and keeps the failure it was given. */
#include "shrink.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/formats.h"
#include "operands_files.h"
#include "session.h"

typedef assay_status launch_function(const assay_case *, const assay_tensor *, void *const *,
                                     const assay_target *);

/* What the planted fault sees, and where it strikes. */
typedef struct seen {
    const assay_case *c;
    const assay_tensor *t;
    uint16_t *x, *w, *y;
    int64_t rows, d;
} seen;

static bool (*fault)(const seen *s);
static void (*after)(const seen *s); /* other damage; NULL: none */

static assay_status launch(const assay_case *c, const assay_tensor *t, void *const *device,
                           const assay_target *target) {
    const seen s = {c, t, device[0], device[1], device[2], t[2].shape[0], t[2].shape[1]};
    const bool strikes = s.rows > 0 && fault(&s); /* now: in place, x is gone afterwards */
    const assay_status status = assay_op_find("rms_norm")->launch(c, t, device, target);
    if (!status && strikes) s.y[s.d - 1] ^= 0x4000;
    if (!status && s.rows > 0 && after) after(&s);
    return status;
}

static assay_shrunk shrunk;
static char line[ASSAY_CASE_LINE];

static void shrink_within(const char *text, bool (*planted)(const seen *), int64_t budget) {
    static assay_op op;
    const assay_run_options run = {.backend = ASSAY_SIMT};
    const assay_shrink_options options = {.run = &run, .budget = budget};
    assay_case c;
    fault = planted;
    assay_shrunk_free(&shrunk);
    cr_assert_eq(assay_case_parse(text, &c), ASSAY_OK, "%s", assay_last_error());
    op = *c.op;
    op.launch = launch;
    c.op = &op;
    cr_assert_eq(assay_shrink(&options, &c, &shrunk), ASSAY_OK, "%s", assay_last_error());
    assay_case_format(&shrunk.result.c, line);
}

static void shrink(const char *text, bool (*planted)(const seen *)) {
    shrink_within(text, planted, 0);
    cr_assert_eq(shrunk.first.word, ASSAY_FAILED);
    cr_expect_str_eq(shrunk.first.check, "bounds");
    cr_expect_str_eq(shrunk.result.check, "bounds");
    cr_expect_eq(shrunk.exhausted, false);
}

#define LARGE                                                                                      \
    "rms_norm dt=f16 rows=7 d=900 conv=rc eps=0.5 x_pad=3 y_pad=5 x_offset=4 data=heavy seed=9"

static bool always(const seen *s) { return s->d > 0; }
Test(shrink, a_fault_everywhere_has_the_plainest_case) {
    shrink(LARGE, always);
    cr_expect_str_eq(line, "rms_norm dt=bf16 rows=1 d=1 eps=1e-6 data=normal seed=42");
    cr_expect(shrunk.emptied);
    cr_expect_eq(shrunk.elements, 2);
    cr_expect_eq(shrunk.nonzero, 0);
}

static bool from_100(const seen *s) { return s->d >= 100; }
Test(shrink, a_fault_from_a_width_on_ends_at_that_width) {
    shrink(LARGE, from_100);
    cr_expect_str_eq(line, "rms_norm dt=bf16 rows=1 d=100 eps=1e-6 data=normal seed=42");
    cr_expect(shrunk.runs < 110, "%lld runs: no bisection?", (long long)shrunk.runs);
}

static bool tail_of_7(const seen *s) { return s->d >= 100 && s->d % 8 == 7; }
Test(shrink, a_fault_of_a_remainder_is_found_below_the_edge) {
    shrink("rms_norm dt=bf16 rows=2 d=1023 data=normal", tail_of_7);
    cr_expect_str_eq(line, "rms_norm dt=bf16 rows=1 d=103 eps=1e-6 data=normal seed=42");
}

static bool three_rows_of_rb(const seen *s) {
    return s->rows >= 3 && strcmp(assay_case_word(s->c, "conv"), "rb") == 0 &&
           s->t[0].stride[0] > s->d;
}
Test(shrink, what_the_fault_needs_stays) {
    shrink("rms_norm dt=f16 rows=11 d=70 conv=rb w=no x_pad=9 y_pad=2 data=heavy",
           three_rows_of_rb);
    cr_expect_str_eq(line,
                     "rms_norm dt=bf16 rows=3 d=1 conv=rb eps=1e-6 x_pad=1 data=normal seed=42");
}

static bool first_negative(const seen *s) { return s->x[0] & 0x8000; }
Test(shrink, one_value_is_left_where_one_value_matters) {
    shrink("rms_norm dt=bf16 rows=5 d=64 data=normal seed=4", first_negative);
    cr_expect(shrunk.emptied);
    cr_expect_eq(shrunk.nonzero, 1);
    const uint16_t *x = shrunk.operands.dense[0];
    cr_expect(x[0] & 0x8000);
}

static bool two_together(const seen *s) { return s->d > 9 && s->x[5] && s->x[9]; }
Test(shrink, two_values_that_only_matter_together_are_both_left_as_ones) {
    shrink("rms_norm dt=bf16 rows=4 d=64 data=normal seed=3", two_together);
    cr_expect_eq(shrunk.result.outputs, 10);
    cr_expect_eq(shrunk.nonzero, 2);
    const uint16_t *x = shrunk.operands.dense[0];
    cr_expect_eq(x[5], 0x3f80);
    cr_expect_eq(x[9], 0x3f80);
}

/* Below 50 it writes before the tensor: another failure, which must not be followed. */
static bool from_50(const seen *s) { return s->d >= 50; }
static void before_below_50(const seen *s) {
    if (s->d < 50) s->y[-3] = 0;
}
Test(shrink, another_failure_is_not_followed) {
    after = before_below_50;
    shrink("rms_norm dt=bf16 rows=4 d=200 y_pad=8", from_50);
    cr_expect_str_eq(line, "rms_norm dt=bf16 rows=1 d=50 eps=1e-6 data=normal seed=42");
}

static bool never(const seen *s) { return s->d < 0; }
Test(shrink, what_passes_is_left_alone) {
    shrink_within("rms_norm dt=bf16 rows=4 d=200", never, 0);
    cr_expect_eq(shrunk.first.word, ASSAY_PASSED);
    cr_expect_eq(shrunk.runs, 1);
    cr_expect_eq(shrunk.emptied, false);
}

Test(shrink, the_same_case_shrinks_the_same_way_within_its_budget) {
    shrink(LARGE, two_together);
    const int64_t runs = shrunk.runs, launches = shrunk.launches;
    char hash[ASSAY_HASH_TEXT];
    memcpy(hash, shrunk.given.input_hash, sizeof hash);
    shrink(LARGE, two_together);
    cr_expect_eq(shrunk.runs, runs);
    cr_expect_eq(shrunk.launches, launches);
    cr_expect_str_eq(shrunk.given.input_hash, hash);

    shrink_within(LARGE, two_together, 20);
    cr_expect(shrunk.exhausted);
    cr_expect_eq(shrunk.result.word, ASSAY_FAILED);
    cr_expect(shrunk.launches < 60, "%lld launches", (long long)shrunk.launches);
}

/* data=exact promises exact results; edited inputs are judged without that promise. */
static void one_step_off(const seen *s) { s->y[0] ^= 1; }
Test(shrink, exact_data_is_not_edited_under_its_promise) {
    after = one_step_off;
    shrink("rms_norm dt=bf16 rows=2 d=16 eps=0 data=exact", never);
    if (shrunk.emptied) cr_expect_str_eq(assay_case_word(&shrunk.given.c, "data"), "normal");
}

Test(shrink, inputs_survive_their_files) {
    char folder[] = "/tmp/assay-shrink-XXXXXX", path[64];
    shrink("rms_norm dt=bf16 rows=4 d=64 data=normal seed=3", two_together);
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(assay_operands_save(&shrunk.operands, folder), ASSAY_OK, "%s", assay_last_error());
    assay_operands o;
    assay_session session;
    static assay_result r;
    const assay_run_options run = {.backend = ASSAY_SIMT};
    cr_assert_eq(assay_operands_create(&shrunk.given.c, &o), ASSAY_OK);
    static const char *const roles[] = {"x", "w"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.npy", folder, roles[i]);
        cr_expect_eq(assay_operands_load(&o, roles[i], path), ASSAY_OK, "%s", assay_last_error());
    }
    cr_expect_eq(assay_operands_load(&o, "y", path), ASSAY_ERR_ARGUMENT);
    cr_assert_eq(assay_session_open(&run, &session), ASSAY_OK);
    assay_session_run(&session, &shrunk.given.c, &o, &r);
    assay_session_close(&session);
    cr_expect_str_eq(r.input_hash, shrunk.given.input_hash);
    cr_expect_str_eq(r.check, "bounds");
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.npy", folder, roles[i]);
        if (i == 1) { /* 10 elements where 1 is due; then f32 where bf16 is due */
            assay_operands other;
            assay_case c;
            cr_assert_eq(assay_case_parse("rms_norm dt=bf16 rows=1 d=1", &c), ASSAY_OK);
            cr_assert_eq(assay_operands_create(&c, &other), ASSAY_OK);
            cr_expect_eq(assay_operands_load(&other, "w", path), ASSAY_ERR_ARGUMENT);
            assay_operands_free(&other);
            cr_assert_eq(assay_case_parse("rms_norm dt=f16 rows=1 d=10", &c), ASSAY_OK);
            cr_assert_eq(assay_operands_create(&c, &other), ASSAY_OK);
            cr_expect_eq(assay_operands_load(&other, "w", path), ASSAY_ERR_ARGUMENT);
            assay_operands_free(&other);
        }
        unlink(path);
    }
    assay_operands_free(&o);
    rmdir(folder);
}
