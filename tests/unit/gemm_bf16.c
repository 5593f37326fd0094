/* The gemm_bf16 kernels, run by the executor: the chips' own bits, geometry, outcomes that the
 * interval alone would not name. */
#include "assay/gemm_bf16.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/formats.h"
#include "assay/mma.h"
#include "assay/simt.h"
#include "operands.h"
#include "run_case.h"
#include "runner.h"

/* What one case line gives on a chip: y, dense, and the operands; free with done(). */
typedef struct outcome {
    assay_operands operands;
    assay_launched launched;
    int64_t elements;
} outcome;

static outcome run_on(const assay_chip *chip, const char *line, uint64_t seed) {
    assay_case c;
    assay_device device;
    outcome o;
    const char *check;
    cr_assert_eq(assay_case_parse(line, &c), ASSAY_OK, "%s", assay_last_error());
    cr_assert_eq(assay_device_open_simt(chip, &device), ASSAY_OK, "%s", assay_last_error());
    cr_assert_eq(assay_operands_create(&c, &o.operands), ASSAY_OK);
    cr_assert_eq(assay_launch_once(&device, &c, &o.operands, 0xff, seed, &o.launched, &check),
                 ASSAY_OK, "%s: %s", line, assay_last_error());
    o.elements = assay_tensor_elements(&o.operands.tensors[2]);
    device.close(&device);
    return o;
}

static void done(outcome *o) {
    assay_launched_free(&o->launched);
    assay_operands_free(&o->operands);
}

typedef struct last_result {
    assay_result result;
    int count;
} last_result;

static void keep(const assay_result *r, void *context) {
    last_result *last = context;
    if (last->count++ == 0 || r->word != ASSAY_PASSED) last->result = *r;
}

static assay_result judge(const char *chip, const char *line, const char *contract, bool trust) {
    assay_case c;
    last_result last = {.count = 0};
    assay_totals totals;
    const assay_run_options options = {.backend = ASSAY_SIMT,
                                       .chip = assay_chip_find(chip),
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

/* x(m, k) w(n, k)^T as a plain chain of the chip's instruction, zeros beyond k. */
static float *chained(const assay_chip *chip, const assay_operands *o) {
    const int64_t m = o->tensors[0].shape[0], n = o->tensors[1].shape[0],
                  k = o->tensors[0].shape[1];
    const int64_t padded = (k + 15) / 16 * 16;
    uint16_t *x = calloc((size_t)(m * padded), 2), *w = calloc((size_t)(n * padded), 2);
    float *d = calloc((size_t)(m * n), sizeof *d);
    for (int64_t i = 0; i < m; i++)
        memcpy(x + i * padded, (const uint16_t *)o->dense[0] + i * k, 2 * (size_t)k);
    for (int64_t i = 0; i < n; i++)
        memcpy(w + i * padded, (const uint16_t *)o->dense[1] + i * k, 2 * (size_t)k);
    const assay_mma *mma = assay_mma_find(chip->arch, "mma.m16n8k16.f32.bf16.bf16.f32");
    const assay_mma_tile_args tile = {.m = m,
                                      .n = n,
                                      .k = padded,
                                      .a = {x, padded, 1},
                                      .b = {w, 1, padded},
                                      .c = d,
                                      .d = d,
                                      .c_stride = n,
                                      .d_stride = n};
    cr_assert_eq(assay_mma_tile(mma, &tile), ASSAY_OK, "%s", assay_last_error());
    free(x);
    free(w);
    return d;
}

static const char *const lines[] = {
    "gemm_bf16 out=f32 m=66 n=65 k=161 data=mixed seed=1",
    "gemm_bf16 out=f32 m=13 n=70 k=300 x_offset=1 data=heavy seed=2",
    "gemm_bf16 out=f32 m=39 n=24 k=77 w_pad=3 data=special seed=3",
    "gemm_bf16 out=f32 m=7 n=9 k=250 data=rising seed=4",
};

/* The declared contract, to the bit: and the chips differ, or nothing would have been shown. */
Test(gemm_bf16, every_chip_gives_the_chain_of_its_own_instruction) {
    static const char *const chips[] = {"a100", "l40s", "h200", "b200", "rtx5090"};
    int differing = 0;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        outcome reference = run_on(assay_chip_find("h200"), lines[i], 0);
        for (size_t c = 0; c < sizeof chips / sizeof chips[0]; c++) {
            const assay_chip *chip = assay_chip_find(chips[c]);
            outcome o = run_on(chip, lines[i], c);
            float *due = chained(chip, &o.operands);
            for (int64_t e = 0; e < o.elements; e++) {
                uint32_t expected;
                memcpy(&expected, &due[e], 4);
                cr_assert_eq(assay_format_load(ASSAY_F32, o.launched.out[2], e), expected,
                             "%s on %s, element %lld", lines[i], chips[c], (long long)e);
            }
            differing +=
                memcmp(o.launched.out[2], reference.launched.out[2], 4 * (size_t)o.elements) != 0;
            free(due);
            done(&o);
        }
        done(&reference);
    }
    cr_expect(differing > 0);
}

/* A bf16 y is the f32 one, rounded once. */
Test(gemm_bf16, a_bf16_result_is_the_accumulator_rounded) {
    outcome wide = run_on(NULL, "gemm_bf16 out=f32 m=20 n=33 k=100 data=heavy seed=5", 0);
    outcome narrow = run_on(NULL, "gemm_bf16 out=bf16 m=20 n=33 k=100 data=heavy seed=5", 0);
    for (int64_t i = 0; i < wide.elements; i++) {
        const double d = assay_f32_decode(assay_format_load(ASSAY_F32, wide.launched.out[2], i));
        cr_assert_eq(assay_format_load(ASSAY_BF16, narrow.launched.out[2], i),
                     assay_bf16_encode(d));
    }
    done(&wide);
    done(&narrow);
}

/* More tiles than a launch may have blocks: blocks take several, under any order of the lanes. */
Test(gemm_bf16, tiles_beyond_the_grid_limit_are_computed) {
    assay_chip small = *assay_chip_find("h200");
    small.max_grid_x = 2;
    static const char *const many[] = {
        "gemm_bf16 out=f32 m=70 n=260 k=161 data=heavy seed=6",
        "gemm_bf16 out=bf16 m=200 n=65 k=31 x_pad=1 data=heavy seed=7",
        "gemm_bf16 out=f32 m=200 n=65 k=64 data=heavy seed=8",
    };
    for (int i = 0; i < 3; i++) {
        outcome whole = run_on(NULL, many[i], 0);
        for (uint64_t seed = 0; seed < 3; seed++) {
            outcome looped = run_on(&small, many[i], seed);
            cr_assert_eq(looped.launched.ran.geometry.grid[0], 2u);
            cr_assert_eq(
                memcmp(whole.launched.out[2], looped.launched.out[2],
                       (size_t)whole.elements * assay_dtype_size(whole.operands.tensors[2].dtype)),
                0, "%s, seed %llu", many[i], (unsigned long long)seed);
            done(&looped);
        }
        done(&whole);
    }
}

/* By row: 0 zeros, 1 a NaN, 2 +Inf, 3 -Inf, ... (see data.c); column 5 of w holds a NaN or Inf. */
Test(gemm_bf16, special_rows_have_the_documented_outcomes) {
    outcome o = run_on(NULL, "gemm_bf16 out=f32 m=13 n=5 k=40 data=special seed=9", 0);
    for (int64_t column = 0; column < 5; column++) {
        cr_assert_eq(assay_format_load(ASSAY_F32, o.launched.out[2], column), 0u, "+0 for zeros");
        cr_assert_eq(assay_format_load(ASSAY_F32, o.launched.out[2], 5 + column), ASSAY_F32_NAN);
        const uint32_t plus = assay_format_load(ASSAY_F32, o.launched.out[2], 10 + column);
        const uint32_t minus = assay_format_load(ASSAY_F32, o.launched.out[2], 15 + column);
        cr_assert_eq(plus & 0x7fffffff, 0x7f800000u);
        cr_assert_eq(minus & 0x7fffffff, 0x7f800000u);
    }
    done(&o);
    o = run_on(NULL, "gemm_bf16 out=f32 m=3 n=4 k=0 data=normal seed=9", 0);
    for (int64_t i = 0; i < 12; i++)
        cr_assert_eq(assay_format_load(ASSAY_F32, o.launched.out[2], i), 0u, "an empty sum is +0");
    done(&o);
}

Test(gemm_bf16, geometry_is_a_tile_a_block_within_the_chips_limits) {
    static const struct {
        int m, n;
        uint32_t limit, blocks;
    } cases[] = {{1, 1, 9, 1}, {64, 65, 9, 2}, {65, 129, 9, 6}, {65, 129, 4, 4}, {300, 1, 9, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assay_chip chip = *assay_chip_find("h200");
        chip.max_grid_x = cases[i].limit;
        char line[128];
        snprintf(line, sizeof line, "gemm_bf16 out=f32 m=%d n=%d k=8 data=ones", cases[i].m,
                 cases[i].n);
        outcome o = run_on(&chip, line, 0);
        cr_assert_eq(o.launched.ran.geometry.grid[0], cases[i].blocks, "%s", line);
        cr_assert_eq(o.launched.ran.geometry.block[0], 128u);
        done(&o);
    }
}

Test(gemm_bf16, refusals_are_as_documented) {
    assay_device device;
    char message[256];
    cr_assert_eq(assay_device_open_simt(NULL, &device), ASSAY_OK);
    const assay_op *op = assay_op_find("gemm_bf16");
    cr_assert(op->refusals(&device.target, message, sizeof message) >= 20);
    cr_assert_str_eq(message, "");
    cr_assert(assay_op_runs_on(op, assay_chip_find("a100")));
    cr_assert(!assay_op_runs_on(op, assay_chip_find("mi300x")));
    device.close(&device);
}

assay_kernel_entry assay_gemm_bf16_simt;

/* What the launcher would never ask for. */
Test(gemm_bf16, back_ends_and_instances_that_do_not_exist) {
    uint16_t memory[64] = {0};
    const assay_gemm_bf16_args args = {.x = memory,
                                       .w = memory + 16,
                                       .y = memory + 32,
                                       .m = 1,
                                       .n = 1,
                                       .k = 1,
                                       .x_stride = 1,
                                       .w_stride = 1,
                                       .y_stride = 1,
                                       .y_dtype = ASSAY_BF16};
    const assay_target amd = {.backend = ASSAY_HIP, .chip = assay_chip_find("mi300x")};
    const assay_target none = {.backend = ASSAY_SIMT};
    cr_expect_eq(assay_gemm_bf16(&args, &amd), ASSAY_ERR_UNSUPPORTED);
    cr_expect(strstr(assay_last_error(), "no hip instance"), "%s", assay_last_error());
    cr_expect_eq(assay_gemm_bf16(&args, &none), ASSAY_ERR_ARGUMENT);
    for (int checked = 0; checked < 2; checked++) {
        assay_simt *simt;
        const assay_simt_options options = {.checked = checked};
        const assay_geometry g = {.grid = {1, 1, 1}, .block = {128, 1, 1}};
        cr_assert_eq(assay_simt_create(&options, &simt), ASSAY_OK, "%s", assay_last_error());
        const assay_status status = assay_gemm_bf16_simt(99, &g, memory, simt);
        cr_expect(status == ASSAY_ERR_INTERNAL || (checked && status == ASSAY_ERR_UNSUPPORTED));
        assay_simt_destroy(simt);
    }
}

/* The chip's own contract holds, another chip's does not; those for strangers are wider. */
Test(gemm_bf16, contracts) {
    const char *line = "gemm_bf16 out=f32 m=28 n=40 k=200 data=rising seed=10";
    cr_assert_eq(judge("h200", line, "nonsense", false).word, ASSAY_HARNESS_ERROR);
    const assay_result declared = judge("h200", line, "declared", false),
                       any = judge("h200", line, "any", false);
    cr_assert_eq(declared.word, ASSAY_PASSED);
    cr_assert_eq(judge("h200", line, "sm_90", false).word, ASSAY_PASSED);
    cr_assert_eq(judge("a100", line, "sm_80", false).word, ASSAY_PASSED);
    cr_assert_eq(judge("a100", line, "declared", false).word, ASSAY_PASSED);
    cr_assert_eq(judge("a100", line, "sm_90", false).word, ASSAY_FAILED);
    cr_assert_eq(any.word, ASSAY_PASSED);
    cr_assert_eq(judge("h200", line, "fma-chain", false).word, ASSAY_PASSED);
    cr_assert(declared.tally.max_slack > 0.5 && any.tally.max_slack < 0.2);
}

Test(gemm_bf16, data_that_shows_little_is_not_trusted) {
    const assay_result r = judge("h200", "gemm_bf16 out=bf16 m=9 n=10 k=40 data=ones", NULL, true);
    cr_assert_eq(r.word, ASSAY_MISTRUSTED);
    cr_assert(strstr(r.message, "column_shifted"), "%s", r.message);
}
