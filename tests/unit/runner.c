/* The generic contract checks: each must catch a launch that breaks just its rule.
 *
 * The op under test is rms_norm with a faulty launch around the real one. */
#include "runner.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "assay/formats.h"
#include "op.h"

#define LINE "rms_norm dt=bf16 rows=5 d=64 eps=1e-6 data=mixed seed=3"

typedef assay_status launch_function(const assay_case *, const assay_tensor *, void *const *,
                                     const assay_target *);

static assay_status real(const assay_case *c, const assay_tensor *t, void *const *device,
                         const assay_target *target) {
    return assay_op_find("rms_norm")->launch(c, t, device, target);
}

static assay_result result;
static int results;

static void keep(const assay_result *r, void *context) {
    (void)context;
    if (results++ == 0) result = *r;
}

/* Runs LINE with the launch replaced; the first result stays in `result`. */
static void run(const char *line, launch_function *launch, bool trust) {
    static assay_op op;
    assay_case c;
    assay_totals totals;
    op = *assay_op_find("rms_norm");
    op.launch = launch;
    results = 0;
    cr_assert_eq(assay_case_parse(line, &c), ASSAY_OK, "%s", assay_last_error());
    c.op = &op;
    const assay_run_options options = {
        .backend = ASSAY_SIMT, .trust = trust, .jobs = 1, .on_result = keep};
    cr_assert_eq(assay_run_cases(&options, &c, 1, &totals), ASSAY_OK, "%s", assay_last_error());
    cr_assert_eq(totals.cases, 1);
}

static void expect(assay_word word, const char *check, const char *text) {
    cr_assert_eq(result.word, word, "%s [%s]: %s", assay_word_name(result.word), result.check,
                 result.message);
    cr_assert_str_eq(result.check, check, "%s", result.message);
    cr_assert(strstr(result.message, text), "no \"%s\" in: %s", text, result.message);
}

static uint16_t *y_of(void *const *device) { return device[2]; }

Test(runner, the_real_kernel_passes) {
    run(LINE, real, true);
    cr_assert_eq(result.word, ASSAY_PASSED, "%s", result.message);
    cr_assert_eq(result.outputs, 5 * 64);
    cr_assert(result.launches > 8, "layouts and batches must have been launched");
}

/* One element of one row, one ulp away: FAILED, at the right place. */
static assay_status one_ulp(const assay_case *c, const assay_tensor *t, void *const *device,
                            const assay_target *target) {
    const assay_status status = real(c, t, device, target);
    if (t[2].shape[0] == 5) y_of(device)[3 * t[2].stride[0] + 17]++;
    return status;
}
Test(runner, one_wrong_ulp_fails_at_its_place) {
    run(LINE, one_ulp, true);
    expect(ASSAY_FAILED, "bounds", "row 3, column 17");
    cr_assert_eq(result.tally.failed, 1);
    cr_assert_eq(result.tally.worst_at, 3 * 64 + 17);
}

static assay_status nan_out(const assay_case *c, const assay_tensor *t, void *const *device,
                            const assay_target *target) {
    const assay_status status = real(c, t, device, target);
    y_of(device)[5] = 0x7fff;
    return status;
}
Test(runner, nan_fails) {
    run(LINE, nan_out, true);
    expect(ASSAY_FAILED, "bounds", "column 5");
}

static assay_status skips_an_element(const assay_case *c, const assay_tensor *t,
                                     void *const *device, const assay_target *target) {
    const uint16_t before = y_of(device)[9];
    const assay_status status = real(c, t, device, target);
    y_of(device)[9] = before;
    return status;
}
/* The first poison is NaN, so that the bounds already reject it. */
Test(runner, an_unwritten_element_fails) {
    run(LINE, skips_an_element, true);
    expect(ASSAY_FAILED, "bounds", "column 9");
}

/* Where NaN is due the poison of the first run passes the bounds: the second run tells. */
Test(runner, an_unwritten_element_fails_where_nan_is_due) {
    run("rms_norm dt=bf16 rows=1 d=16 w=no eps=0 data=special seed=1", skips_an_element, false);
    expect(ASSAY_FAILED, "fully_written", "never written");
}

static assay_status accumulates(const assay_case *c, const assay_tensor *t, void *const *device,
                                const assay_target *target) {
    static int calls;
    const assay_status status = real(c, t, device, target);
    if (++calls % 2 == 0) y_of(device)[4] ^= 1;
    return status;
}
Test(runner, a_second_run_must_give_the_same_bits) {
    run(LINE, accumulates, true);
    expect(ASSAY_FAILED, "same_bits_every_run", "column 4");
}

static assay_status writes_an_input(const assay_case *c, const assay_tensor *t, void *const *device,
                                    const assay_target *target) {
    const assay_status status = real(c, t, device, target);
    ((uint16_t *)device[0])[70] ^= 0x8000;
    return status;
}
Test(runner, a_written_input_fails) {
    run(LINE, writes_an_input, true);
    expect(ASSAY_FAILED, "inputs_unchanged", "\"x\" was written at element 70");
}

static assay_status writes_the_gap(const assay_case *c, const assay_tensor *t, void *const *device,
                                   const assay_target *target) {
    const assay_status status = real(c, t, device, target);
    if (t[2].stride[0] > t[2].shape[1]) y_of(device)[t[2].stride[0] - 1] = 0;
    return status;
}
Test(runner, a_write_between_rows_fails) {
    run("rms_norm dt=bf16 rows=5 d=64 eps=1e-6 y_pad=8 data=mixed seed=3", writes_the_gap, true);
    expect(ASSAY_FAILED, "nothing_outside", "gap between rows");
}
Test(runner, a_write_between_rows_fails_in_a_layout_variant) {
    run(LINE, writes_the_gap, true);
    expect(ASSAY_FAILED, "nothing_outside", "with ");
}

static assay_status writes_before(const assay_case *c, const assay_tensor *t, void *const *device,
                                  const assay_target *target) {
    const assay_status status = real(c, t, device, target);
    y_of(device)[-3] = 0;
    return status;
}
Test(runner, a_write_before_the_tensor_fails) {
    run(LINE, writes_before, true);
    expect(ASSAY_FAILED, "nothing_outside", "\"y\"");
}

static assay_status depends_on_batch(const assay_case *c, const assay_tensor *t,
                                     void *const *device, const assay_target *target) {
    const assay_status status = real(c, t, device, target);
    if (t[2].shape[0] == 1) y_of(device)[2] ^= 1;
    return status;
}
Test(runner, a_row_alone_must_have_the_bits_of_the_batch) {
    run(LINE, depends_on_batch, true);
    expect(ASSAY_FAILED, "same_bits_any_batch", "column 2");
}

static assay_status depends_on_layout(const assay_case *c, const assay_tensor *t,
                                      void *const *device, const assay_target *target) {
    const assay_status status = real(c, t, device, target);
    if (t[1].offset == 1) y_of(device)[8] ^= 1;
    return status;
}
Test(runner, the_layout_must_not_show) {
    run(LINE, depends_on_layout, true);
    expect(ASSAY_FAILED, "same_bits_any_layout", "w_offset=1");
}

static assay_status runs_another_kernel(const assay_case *c, const assay_tensor *t,
                                        void *const *device, const assay_target *target) {
    const assay_status status = real(c, t, device, target);
    snprintf(target->ran->kernel, sizeof target->ran->kernel, "rms_norm<bf16,bf16,scalar>");
    return status;
}
Test(runner, another_kernel_than_meant_fails) {
    run(LINE, runs_another_kernel, true);
    expect(ASSAY_FAILED, "kernel_meant_to_run", "scalar");
}

static assay_status declines(const assay_case *c, const assay_tensor *t, void *const *device,
                             const assay_target *target) {
    (void)c, (void)t, (void)device, (void)target;
    return assay_fail(ASSAY_ERR_UNSUPPORTED, "not today");
}
Test(runner, a_declined_case_is_refused) {
    run(LINE, declines, true);
    expect(ASSAY_REFUSED, "launch", "not today");
}

/* Data that shows nothing must not be trusted, however right the kernel. */
Test(runner, all_ones_are_mistrusted) {
    run("rms_norm dt=bf16 rows=5 d=64 eps=1e-6 data=ones seed=3", real, true);
    expect(ASSAY_MISTRUSTED, "trust", "no_eps");
    cr_assert(strstr(result.message, "no_weight"), "%s", result.message);
    run("rms_norm dt=bf16 rows=5 d=64 eps=1e-6 data=ones seed=3", real, false);
    cr_assert_eq(result.word, ASSAY_PASSED);
}

Test(runner, no_case_is_an_error) {
    const char *const filter[] = {"d=123457"};
    const assay_run_options options = {.backend = ASSAY_SIMT, .filter = filter, .filter_count = 1};
    assay_totals totals;
    cr_assert_eq(assay_run(&options, &totals), ASSAY_ERR_ARGUMENT);
    cr_assert_eq(assay_totals_exit_code(&totals), 2);
}
