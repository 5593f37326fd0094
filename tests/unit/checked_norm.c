/* A small norm with one fault at a time: found under every schedule, and the right one never. */
#include "assay/rms_norm.h"
#include "checked_kit.h"

enum { ROWS = 5, D = 300, STRIDE = 304 };

/* Two blocks of four warps: each computes several rows. */
static kit norm(void) {
    kit k = kit_make(2, 128);
    k.params.rows = ROWS;
    k.params.d = D;
    k.params.row_stride = STRIDE;
    uint16_t *x = kit_alloc(&k, "x", 2 * ((ROWS - 1) * STRIDE + D), 0);
    k.params.y = kit_alloc(&k, "y", 2 * ((ROWS - 1) * STRIDE + D), 0);
    for (int i = 0; i < (ROWS - 1) * STRIDE + D; i++) x[i] = (uint16_t)(0x3f80 + i % 64);
    k.params.x = x;
    kit_declare(&k, x, 2, ROWS, D, STRIDE, true);
    kit_declare(&k, k.params.y, 2, ROWS, D, STRIDE, false);
    return k;
}

/* The output counts as unwritten again before each launch. */
static int found(int fault, const char *mark, const char *other_mark, const char *text,
                 const char *other_text) {
    kit k = norm();
    int count = 0;
    char line[64], other[64];
    snprintf(line, sizeof line, " at checked_kernels.cu:%d: ", line_of(mark));
    snprintf(other, sizeof other, " at checked_kernels.cu:%d: ", line_of(other_mark));
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        kit_declare(&k, k.params.y, 2, ROWS, D, STRIDE, false);
        if (kit_run(&k, CHECKED_NORM + fault, seed) == ASSAY_OK) continue;
        const char *said = assay_last_error();
        const bool right = (strstr(said, line) || strstr(said, other)) &&
                           (strstr(said, text) || strstr(said, other_text));
        cr_expect(right, "%s", said);
        count += right;
    }
    assay_simt_destroy(k.simt);
    return count;
}

Test(checked_norm, right) {
    kit k = norm();
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        kit_declare(&k, k.params.y, 2, ROWS, D, STRIDE, false);
        cr_assert_eq(kit_run(&k, CHECKED_NORM, seed), ASSAY_OK, "%s", assay_last_error());
    }
    assay_simt_destroy(k.simt);
}

Test(checked_norm, no_barrier_before_partial_sums_are_read) {
    cr_expect_eq(found(NORM_no_barrier_before_read, "partial_read", "partial_write", "race: byte ",
                       "of shared array \"partial\" was never written"),
                 SEEDS);
}

Test(checked_norm, no_barrier_between_rows) {
    cr_expect_eq(found(NORM_no_barrier_between_rows, "partial_write", "partial_read", "race: byte ",
                       "race: byte "),
                 SEEDS);
}

Test(checked_norm, tail_read) {
    cr_expect_eq(found(NORM_tail_read, "tail_read", "tail_read",
                       "in the gap behind a row of \"x\" (300 columns), at [",
                       "0 bytes past the end of \"x\""),
                 SEEDS);
}

Test(checked_norm, tail_write) {
    cr_expect_eq(found(NORM_tail_write, "tail_write", "tail_write",
                       "in the gap behind a row of \"y\" (300 columns), at [",
                       "0 bytes past the end of \"y\""),
                 SEEDS);
}

Test(checked_norm, output_read_before_it_is_written) {
    cr_expect_eq(found(NORM_reads_output, "reads_output", "reads_output", "] was never written",
                       "\"y\" element ["),
                 SEEDS);
}

Test(checked_norm, shared_partial_never_written) {
    cr_expect_eq(found(NORM_partial_unwritten, "partial_read", "partial_read",
                       "byte 12 of shared array \"partial\" was never written", "\n"),
                 SEEDS);
}

/* The production kernel on chips whose grid is so small that a block computes several rows. */
Test(checked_norm, production_kernel_with_several_rows_a_block) {
    enum { PRODUCTION_ROWS = 9, WIDTH = 4096 };
    for (uint32_t blocks = 1; blocks <= 3; blocks += 2) {
        kit k = kit_make(1, 32);
        assay_chip chip = *assay_simt_chip(k.simt);
        chip.max_grid_x = blocks;
        assay_simt_set_chip(k.simt, &chip);
        uint16_t *x = kit_alloc(&k, "x", 2 * PRODUCTION_ROWS * WIDTH, 0);
        void *y = kit_alloc(&k, "y", 2 * PRODUCTION_ROWS * WIDTH, 0);
        for (int i = 0; i < PRODUCTION_ROWS * WIDTH; i++) x[i] = (uint16_t)(0x3f80 + i % 64);
        const assay_rms_norm_args args = {.x = x,
                                          .y = y,
                                          .rows = PRODUCTION_ROWS,
                                          .d = WIDTH,
                                          .x_stride = WIDTH,
                                          .y_stride = WIDTH,
                                          .eps = 1e-6f,
                                          .x_dtype = ASSAY_BF16,
                                          .y_dtype = ASSAY_BF16};
        const assay_target target = {.backend = ASSAY_SIMT, .chip = &chip, .stream = k.simt};
        for (uint64_t seed = 0; seed < 5; seed++) {
            kit_declare(&k, y, 2, PRODUCTION_ROWS, WIDTH, WIDTH, false);
            assay_simt_set_seed(k.simt, seed);
            cr_assert_eq(assay_rms_norm(&args, &target), ASSAY_OK, "%s", assay_last_error());
        }
        assay_simt_destroy(k.simt);
    }
}
