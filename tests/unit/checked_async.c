/* What the executor does in a lane's name: asynchronous copies, named barriers, matrix rows. */
#include "checked_kit.h"

/* Schedules under which the kernel is found at fault, at one of two marked lines, with one of two
 * texts. */
static int found(kit *k, int kernel, const char *mark, const char *other_mark, const char *text,
                 const char *other_text) {
    char line[64], other[64];
    int count = 0;
    snprintf(line, sizeof line, " at checked_kernels.cu:%d: ", line_of(mark));
    snprintf(other, sizeof other, " at checked_kernels.cu:%d: ", line_of(other_mark));
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        if (kit_run(k, kernel, seed) == ASSAY_OK) continue;
        const char *said = assay_last_error();
        const bool right = (strstr(said, line) || strstr(said, other)) &&
                           (strstr(said, text) || strstr(said, other_text));
        cr_expect(right, "%s", said);
        count += right;
    }
    return count;
}

Test(checked_async, copies) {
    kit k = kit_make(2, 64);
    k.params.at = kit_alloc(&k, "x", 3 * 1024, 0);
    memset(k.params.at, 0, 3 * 1024);
    k.params.first = COPIES_right;
    kit_clean(&k, CHECKED_COPIES, SEEDS);
    k.params.first = COPIES_no_wait;
    cr_expect_eq(
        found(&k, CHECKED_COPIES, "copied_read", "copied_read", " was never written", "race"),
        SEEDS);
    k.params.first = COPIES_no_barrier;
    cr_expect_eq(found(&k, CHECKED_COPIES, "copied_read", "copy", " was never written", "race: "),
                 SEEDS);
    k.params.first = COPIES_no_second_barrier;
    cr_expect_eq(found(&k, CHECKED_COPIES, "copied_read", "copy", "race: ", "race: "), SEEDS);
    k.params.first = COPIES_outside;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        cr_expect_eq(kit_run(&k, CHECKED_COPIES, seed), ASSAY_ERR_KERNEL);
    assay_simt_destroy(k.simt);
}

Test(checked_async, named_barriers) {
    kit k = kit_make(2, 128);
    k.params.first = NAMED_right;
    kit_clean(&k, CHECKED_NAMED, SEEDS);
    k.params.first = NAMED_empty_too_late;
    cr_expect_eq(found(&k, CHECKED_NAMED, "produce", "consume", "race: ", "race: "), SEEDS);
    k.params.first = NAMED_full_too_late;
    cr_expect_eq(found(&k, CHECKED_NAMED, "consume", "produce", "race: ", " was never written"),
                 SEEDS);
    assay_simt_destroy(k.simt);
}

Test(checked_async, matrix_rows) {
    kit k = kit_make(2, 64);
    k.params.first = MATRIX_right;
    kit_clean(&k, CHECKED_MATRIX, SEEDS);
    k.params.first = MATRIX_unwritten;
    cr_expect_eq(found(&k, CHECKED_MATRIX, "ldmatrix", "ldmatrix", " was never written", "\n"),
                 SEEDS);
    k.params.first = MATRIX_race;
    cr_expect_eq(found(&k, CHECKED_MATRIX, "ldmatrix", "stmatrix", " was never written", "race: "),
                 SEEDS);
    assay_simt_destroy(k.simt);
}
