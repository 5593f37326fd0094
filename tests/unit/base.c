/* What every folder speaks: names of status codes and dtypes, chip records, the kernel registry;
 * and a kernel's entry that is asked for an instance it does not have. */
#include <criterion/criterion.h>
#include <string.h>

#include "assay/gemm_bf16.h"
#include "assay/rms_norm.h"
#include "assay/simt.h"

assay_kernel_entry assay_rms_norm_simt, assay_gemm_bf16_simt;

Test(base, each_status_has_its_own_name) {
    for (int i = ASSAY_OK; i <= ASSAY_ERR_INTERNAL; i++) {
        const char *name = assay_status_name((assay_status)i);
        cr_expect_str_neq(name, "?", "status %d", i);
        for (int j = ASSAY_OK; j < i; j++)
            cr_expect_str_neq(name, assay_status_name((assay_status)j));
    }
    cr_expect_str_eq(assay_status_name((assay_status)(ASSAY_ERR_INTERNAL + 1)), "?");
}

Test(base, dtype_names_read_back) {
    for (int i = 0; i < ASSAY_DTYPE_COUNT; i++) {
        assay_dtype back = ASSAY_DTYPE_COUNT;
        cr_expect(assay_dtype_parse(assay_dtype_name((assay_dtype)i), &back));
        cr_expect_eq((int)back, i);
        cr_expect_gt(assay_dtype_size((assay_dtype)i), 0u);
    }
    assay_dtype untouched = ASSAY_BF16;
    cr_expect_not(assay_dtype_parse("f31", &untouched));
    cr_expect_not(assay_dtype_parse("", &untouched));
    cr_expect_eq(untouched, ASSAY_BF16);
}

Test(base, back_end_names_read_back) {
    for (int i = 0; i < ASSAY_BACKEND_COUNT; i++) {
        assay_backend back = ASSAY_BACKEND_COUNT;
        cr_expect(assay_backend_parse(assay_backend_name((assay_backend)i), &back));
        cr_expect_eq((int)back, i);
    }
    assay_backend untouched = ASSAY_HIP;
    cr_expect_not(assay_backend_parse("cpu", &untouched));
    cr_expect_eq(untouched, ASSAY_HIP);
    cr_expect_str_eq(assay_backend_name(ASSAY_BACKEND_COUNT), "?");
    cr_expect(assay_backend_built(ASSAY_SIMT));
    cr_expect_not(assay_backend_built(ASSAY_BACKEND_COUNT));
}

Test(base, the_registry_ends_where_it_says) {
    const size_t count = assay_kernel_count();
    cr_assert_gt(count, 0u);
    for (size_t i = 0; i < count; i++) {
        const assay_kernel *k = assay_kernel_at(i);
        cr_assert(k && *k->op && *k->dtypes && *k->archs);
        for (size_t j = 0; j < i; j++) {
            const assay_kernel *other = assay_kernel_at(j);
            cr_expect(strcmp(k->op, other->op) || strcmp(k->dtypes, other->dtypes),
                      "%s %s is listed twice", k->op, k->dtypes);
        }
    }
    cr_expect_null(assay_kernel_at(count));
}

/* Both objects of each kernel: as it is, and, where the build has it, built for a checked executor.
 */
Test(base, an_unknown_instance_is_refused) {
    static assay_kernel_entry *const entries[] = {assay_rms_norm_simt, assay_gemm_bf16_simt};
    const assay_geometry one = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    static const char nothing[512];
    for (int checked = 0; checked < 2; checked++) {
        const assay_simt_options options = {.checked = checked};
        assay_simt *simt;
        cr_assert_eq(assay_simt_create(&options, &simt), ASSAY_OK, "%s", assay_last_error());
        for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
            const assay_status status = entries[i](1000, &one, nothing, simt);
            if (checked && status == ASSAY_ERR_UNSUPPORTED) {
                cr_expect(strstr(assay_last_error(), "no checked object"), "%s",
                          assay_last_error());
                continue;
            }
            cr_expect_eq(status, ASSAY_ERR_INTERNAL);
            cr_expect(strstr(assay_last_error(), "no instance 1000"), "%s", assay_last_error());
        }
        assay_simt_destroy(simt);
    }
}

Test(base, a_back_end_that_does_not_exist_is_refused) {
    static const uint16_t x[8], w[8];
    static uint16_t y[8];
    const assay_target target = {.backend = ASSAY_BACKEND_COUNT, .chip = assay_chip_find("h200")};
    const assay_rms_norm_args norm = {.x = x,
                                      .y = y,
                                      .x_dtype = ASSAY_F16,
                                      .y_dtype = ASSAY_F16,
                                      .rows = 1,
                                      .d = 8,
                                      .x_stride = 8,
                                      .y_stride = 8};
    cr_expect_eq(assay_rms_norm(&norm, &target), ASSAY_ERR_UNSUPPORTED);
    cr_expect(strstr(assay_last_error(), "has no ? "), "%s", assay_last_error());
    const assay_gemm_bf16_args gemm = {.x = x,
                                       .w = w,
                                       .y = y,
                                       .m = 1,
                                       .n = 1,
                                       .k = 8,
                                       .x_stride = 8,
                                       .w_stride = 8,
                                       .y_stride = 1,
                                       .y_dtype = ASSAY_BF16};
    cr_expect_eq(assay_gemm_bf16(&gemm, &target), ASSAY_ERR_UNSUPPORTED);
    cr_expect(strstr(assay_last_error(), "has no ? "), "%s", assay_last_error());
}
