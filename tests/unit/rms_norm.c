/* The rms_norm kernels, run by the executor: outcomes that the oracle's interval alone would not
 * name, and properties across chips, schedules and launch limits. */
#include "assay/rms_norm.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "operands.h"
#include "run_case.h"
#include "runner.h"

/* Runs one case line on a chip and returns y, dense; the caller frees it. */
static uint32_t *run_on(const assay_chip *chip, const char *line, int64_t *elements) {
    assay_case c;
    assay_device device;
    assay_operands o;
    assay_launched l;
    const char *check;
    cr_assert_eq(assay_case_parse(line, &c), ASSAY_OK, "%s", assay_last_error());
    cr_assert_eq(assay_device_open_simt(chip, &device), ASSAY_OK, "%s", assay_last_error());
    cr_assert_eq(assay_operands_create(&c, &o), ASSAY_OK);
    cr_assert_eq(assay_launch_once(&device, &c, &o, 0xff, 0, &l, &check), ASSAY_OK, "%s: %s", line,
                 assay_last_error());
    *elements = assay_tensor_elements(&o.tensors[2]);
    uint32_t *y = malloc((size_t)*elements * sizeof *y + 1);
    for (int64_t i = 0; i < *elements; i++)
        y[i] = assay_format_canonical(o.tensors[2].dtype,
                                      assay_format_load(o.tensors[2].dtype, l.out[2], i));
    assay_launched_free(&l);
    assay_operands_free(&o);
    device.close(&device);
    return y;
}

typedef struct last_result {
    assay_result result;
    int count;
} last_result;

static void keep(const assay_result *r, void *context) {
    last_result *last = context;
    if (last->count++ == 0 || r->word != ASSAY_PASSED) last->result = *r;
}

/* Judges one case line, with the bounds of `contract`. */
static assay_result judge(const char *line, const char *contract, bool trust) {
    assay_case c;
    last_result last = {.count = 0};
    assay_totals totals;
    const assay_run_options options = {.backend = ASSAY_SIMT,
                                       .contract = contract,
                                       .trust = trust,
                                       .jobs = 1,
                                       .on_result = keep,
                                       .context = &last};
    cr_assert_eq(assay_case_parse(line, &c), ASSAY_OK, "%s", assay_last_error());
    cr_assert_eq(assay_run_cases(&options, &c, 1, &totals), ASSAY_OK, "%s", assay_last_error());
    cr_assert_eq(last.count, 1);
    return last.result;
}

/* A bound that is never approached hides bugs: with data that loses half an ulp at every addition
 * the error must come near it, and stay inside. */
Test(rms_norm, absorbing_data_comes_near_the_bound) {
    static const char *const storages[] = {"dt=f32", "dt=bf16 out=f32", "dt=f16 out=f32"};
    static const int widths[] = {4096, 16384, 262144};
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < 3; i++) {
            char line[200];
            snprintf(line, sizeof line, "rms_norm %s rows=2 d=%d eps=0 data=absorb seed=%d",
                     storages[s], widths[i], i + 1);
            const assay_result r = judge(line, NULL, false);
            cr_assert_eq(r.word, ASSAY_PASSED, "%s: %s", line, r.message);
            cr_assert(r.tally.max_slack > 0.2 && r.tally.max_slack <= 1.0, "%s: slack %.3f", line,
                      r.tally.max_slack);
        }
    }
}

/* The published conventions differ in one element of four; 256 elements tell each pair apart. */
static void convention_fails(const char *ran, const char *judged) {
    assay_case c;
    assay_device device;
    assay_operands o;
    assay_launched l;
    const char *check;
    char line[200];
    snprintf(line, sizeof line, "rms_norm dt=bf16 rows=1 d=256 conv=%s eps=1e-6 data=normal seed=7",
             ran);
    cr_assert_eq(assay_case_parse(line, &c), ASSAY_OK);
    cr_assert_eq(assay_device_open_simt(NULL, &device), ASSAY_OK);
    cr_assert_eq(assay_operands_create(&c, &o), ASSAY_OK);
    cr_assert_eq(assay_launch_once(&device, &c, &o, 0xff, 0, &l, &check), ASSAY_OK);
    char text[32];
    snprintf(text, sizeof text, "conv=%s", judged);
    cr_assert_eq(assay_case_override(&c, text), ASSAY_OK);
    assay_bound bounds[256];
    cr_assert_eq(c.op->oracle(&c, o.tensors, (const void *const *)o.dense, NULL, 2, 0, bounds),
                 ASSAY_OK);
    assay_tally tally;
    assay_tally_start(&tally);
    assay_tally_add(&tally, ASSAY_BF16, l.out[2], 0, 256, bounds, NULL);
    cr_assert_eq(tally.failed > 0, strcmp(ran, judged) != 0, "ran %s, judged as %s: %lld failed",
                 ran, judged, (long long)tally.failed);
    assay_launched_free(&l);
    assay_operands_free(&o);
    device.close(&device);
}

Test(rms_norm, conventions_are_told_apart_by_256_elements) {
    static const char *const conventions[] = {"ra", "rb", "rc"};
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) convention_fails(conventions[a], conventions[b]);
}

/* data=special, by row: 0 zeros, 1 one NaN, 2 +Inf, 3 -Inf, 4 overflow, ... (see data/rms_norm.c)
 */
Test(rms_norm, special_rows_have_the_documented_outcomes) {
    int64_t n;
    const int64_t d = 100;
    uint32_t *y =
        run_on(NULL, "rms_norm dt=f32 rows=11 d=100 w=no eps=1e-6 data=special seed=5", &n);
    cr_assert_eq(n, 11 * d);
    int nan_at_infinity = 0, zeros_beside = 0;
    for (int64_t i = 0; i < d; i++) {
        cr_assert_eq(y[i] & 0x7fffffff, 0u, "a zero row must give zeros");
        cr_assert_eq(y[d + i], ASSAY_F32_NAN, "a NaN must fill its row");
        nan_at_infinity += y[2 * d + i] == ASSAY_F32_NAN;
        zeros_beside += (y[2 * d + i] & 0x7fffffff) == 0;
        cr_assert_eq(y[4 * d + i] & 0x7fffffff, 0u, "an overflowing sum must give zeros");
        cr_assert_neq(y[8 * d + i], ASSAY_F32_NAN, "a NaN must not leave its row");
    }
    cr_assert_eq(nan_at_infinity, 1);
    cr_assert_eq(zeros_beside, (int)d - 1);
    free(y);
}

/* Side by side is not overlapping: y right behind x, and w right behind y. */
Test(rms_norm, touching_tensors_are_accepted) {
    assay_device device;
    void *memory;
    enum { D = 8, BYTES = 2 * D };
    cr_assert_eq(assay_device_open_simt(NULL, &device), ASSAY_OK);
    cr_assert_eq(device.alloc(&device, "x, y, w", 3 * BYTES, 0, &memory), ASSAY_OK);
    char *const x = memory;
    const assay_rms_norm_args args = {.x = x,
                                      .w = x + 2 * BYTES,
                                      .y = x + BYTES,
                                      .rows = 1,
                                      .d = D,
                                      .x_stride = D,
                                      .y_stride = D,
                                      .x_dtype = ASSAY_BF16,
                                      .y_dtype = ASSAY_BF16};
    cr_expect_eq(assay_rms_norm(&args, &device.target), ASSAY_OK, "%s", assay_last_error());
    device.release(&device, memory);
    device.close(&device);
}

Test(rms_norm, zero_row_without_eps_is_nan) {
    int64_t n;
    uint32_t *y = run_on(NULL, "rms_norm dt=f32 rows=1 d=16 eps=0 data=special seed=5", &n);
    for (int64_t i = 0; i < n; i++) cr_assert_eq(y[i], ASSAY_F32_NAN);
    free(y);
}

Test(rms_norm, one_element_rows_give_their_sign) {
    int64_t n;
    uint32_t *y = run_on(NULL, "rms_norm dt=f32 rows=9 d=1 w=no eps=0 data=exact seed=5", &n);
    for (int64_t i = 0; i < n; i++) cr_assert_eq(y[i] & 0x7fffffff, 0x3f800000u);
    free(y);
}

/* The tree is the same on every chip: waves of 64 and warps of 32 give the same bits. */
Test(rms_norm, every_chip_gives_the_same_bits) {
    static const char *const lines[] = {
        "rms_norm dt=bf16 out=f32 rows=3 d=5000 eps=1e-6 data=heavy seed=1",
        "rms_norm dt=f32 rows=70 d=31 eps=1e-6 data=heavy seed=2",
        "rms_norm dt=f32 rows=5 d=300 eps=1e-6 data=heavy seed=3",
        "rms_norm dt=f16 out=f32 rows=2 d=40000 eps=1e-6 data=heavy seed=4",
        "rms_norm dt=bf16 out=f32 rows=9 d=513 eps=1e-6 data=heavy seed=5",
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        int64_t n;
        uint32_t *reference = run_on(assay_chip_find("h200"), lines[i], &n);
        for (size_t k = 0; k < assay_chip_count(); k++) {
            int64_t m;
            uint32_t *y = run_on(assay_chip_at(k), lines[i], &m);
            cr_assert_eq(m, n);
            cr_assert_eq(memcmp(y, reference, (size_t)n * sizeof *y), 0, "%s on %s", lines[i],
                         assay_chip_at(k)->name);
            free(y);
        }
        free(reference);
    }
}

/* More rows than a launch may have blocks: blocks take several rows each. */
Test(rms_norm, rows_beyond_the_grid_limit_are_computed) {
    assay_chip small = *assay_chip_find("h200");
    small.max_grid_x = 3;
    static const char *const lines[] = {
        "rms_norm dt=bf16 rows=1000 d=40 eps=1e-6 data=scales seed=1",
        "rms_norm dt=f32 rows=17 d=4096 eps=1e-6 data=scales seed=2"};
    for (int i = 0; i < 2; i++) {
        int64_t n, m;
        uint32_t *whole = run_on(NULL, lines[i], &n), *looped = run_on(&small, lines[i], &m);
        cr_assert_eq(n, m);
        cr_assert_eq(memcmp(whole, looped, (size_t)n * sizeof *whole), 0, "%s", lines[i]);
        free(whole);
        free(looped);
    }
}

Test(rms_norm, a_chip_with_small_blocks_is_refused) {
    assay_chip tiny = *assay_chip_find("h200");
    tiny.max_block_threads = 256;
    assay_rms_norm_args args = {.rows = 1,
                                .d = 65536,
                                .x_stride = 65536,
                                .y_stride = 65536,
                                .x_dtype = ASSAY_BF16,
                                .y_dtype = ASSAY_BF16};
    static uint32_t x[32768], y[32768];
    args.x = x;
    args.y = y;
    const assay_target target = {.backend = ASSAY_SIMT, .chip = &tiny};
    cr_assert_eq(assay_rms_norm(&args, &target), ASSAY_ERR_UNSUPPORTED);
    cr_assert(strstr(assay_last_error(), "1024 threads"), "%s", assay_last_error());
}

Test(rms_norm, refusals_are_as_documented) {
    assay_device device;
    char message[256];
    cr_assert_eq(assay_device_open_simt(NULL, &device), ASSAY_OK);
    const assay_op *op = assay_op_find("rms_norm");
    cr_assert(op->refusals(&device.target, message, sizeof message) >= 20);
    cr_assert_str_eq(message, "");
    device.close(&device);
}

/* height: roundings from a square to the sum, for hand-checked trees. */
Test(rms_norm, declared_trees) {
    static const struct {
        assay_dtype dtype;
        int64_t d, lanes, chunk, height;
    } trees[] = {
        {ASSAY_F32, 1, 1, 4, 1 + 2 + 0},        {ASSAY_BF16, 8, 1, 8, 1 + 3 + 0},
        {ASSAY_BF16, 9, 1, 8, 2 + 3 + 0},       {ASSAY_BF16, 33, 2, 8, 3 + 3 + 1},
        {ASSAY_F16, 4096, 128, 8, 4 + 3 + 7},   {ASSAY_F32, 4096, 256, 4, 4 + 2 + 8},
        {ASSAY_BF16, 16384, 512, 8, 4 + 3 + 9}, {ASSAY_BF16, 262144, 1024, 8, 32 + 3 + 10},
    };
    for (size_t i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        const assay_rms_norm_tree t = assay_rms_norm_tree_for(trees[i].dtype, trees[i].d);
        cr_assert_eq(t.lanes, trees[i].lanes, "d = %lld", (long long)trees[i].d);
        cr_assert_eq(t.chunk, trees[i].chunk);
        cr_assert_eq(t.height, trees[i].height, "d = %lld: height %lld", (long long)trees[i].d,
                     (long long)t.height);
    }
}

/* An unknown contract text is refused, and the widest one is vacuous for a long sum. */
Test(rms_norm, contracts) {
    const char *line = "rms_norm dt=f32 rows=1 d=64 eps=1e-6 data=normal seed=1";
    cr_assert_eq(judge(line, "nonsense", false).word, ASSAY_HARNESS_ERROR);
    cr_assert_eq(judge(line, "any", false).word, ASSAY_PASSED);
    cr_assert_eq(judge(line, "h=6", false).word, ASSAY_PASSED);
    const assay_result tight = judge(line, "declared", false), wide = judge(line, "any", false);
    cr_assert(tight.tally.max_slack > wide.tally.max_slack);
}
