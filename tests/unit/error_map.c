/* Error maps: failures in their cells, every element counted. */
#include "error_map.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "session.h"

static assay_error_map map;

static assay_status last_columns_wrong(const assay_case *c, const assay_tensor *t,
                                       void *const *device, const assay_target *target) {
    const assay_status status = assay_op_find("rms_norm")->launch(c, t, device, target);
    for (int64_t row = 0; row < t[2].shape[0]; row++)
        for (int64_t i = t[2].shape[1] - 8; i < t[2].shape[1]; i++)
            ((float *)device[2])[row * t[2].stride[0] + i] += 1.0f;
    return status;
}

static void make(const char *line, bool faulty) {
    static assay_op op;
    const assay_run_options options = {.backend = ASSAY_SIMT};
    assay_case c;
    cr_assert_eq(assay_case_parse(line, &c), ASSAY_OK, "%s", assay_last_error());
    op = *c.op;
    if (faulty) op.launch = last_columns_wrong;
    c.op = &op;
    cr_assert_eq(assay_error_map_make(&options, &c, &map), ASSAY_OK, "%s", assay_last_error());
}

Test(error_map, failures_lie_in_their_cells) {
    make("rms_norm dt=f32 rows=100 d=512", true);
    cr_expect_eq(map.map_rows, ASSAY_MAP_ROWS);
    cr_expect_eq(map.map_columns, ASSAY_MAP_COLUMNS);
    cr_expect_eq(map.failures, 800);
    cr_expect_str_eq(map.where, "all in the last 8 columns");
    for (int r = 0; r < map.map_rows; r++)
        for (int c = 0; c < map.map_columns; c++)
            cr_expect_eq(map.failed[r][c], c >= 126, "cell %d, %d", r, c);
    cr_expect_eq(map.elements.over, 800);
    cr_expect_eq(assay_histogram_total(&map.elements), 51200);
}

Test(error_map, small_tensors_have_a_cell_an_element) {
    make("rms_norm dt=f32 rows=3 d=5", false);
    cr_expect_eq(map.map_rows, 3);
    cr_expect_eq(map.map_columns, 5);
    cr_expect_eq(map.failures, 0);
    cr_expect_str_eq(map.where, "");
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 5; c++) cr_expect(map.cells[r][c] >= 0 && map.cells[r][c] <= 1);
    cr_expect(isnan(map.cells[3][0]));
}

/* Half a step of storage is part of what a right result may be off. */
Test(error_map, storage_that_rounds_stays_within_one) {
    make("rms_norm dt=bf16 rows=7 d=333", false);
    cr_expect(map.storage_rounds);
    cr_expect_eq(map.elements.over, 0);
    cr_expect_eq(assay_histogram_total(&map.elements), 7 * 333);
    make("rms_norm dt=bf16 rows=11 d=16 w=no eps=0 data=special", false);
    cr_expect(map.elements.unknown > 0, "rows of NaN have no bound");
}
