/* Calls that the gemm_bf16 launcher must refuse. */
#include <stdio.h>
#include <string.h>

#include "gemm_bf16.h"

/* x (2, 8), w (3, 8), y (2, 3) in one piece of memory. */
enum { X_AT = 0, W_AT = 32, Y_AT = 80, BYTES = 256 };

size_t gemm_bf16_refusals(const assay_target *target, char *message, size_t size) {
    static uint32_t memory[BYTES / 4];
    char *const m = (char *)memory;
    const assay_gemm_bf16_args good = {.x = m + X_AT,
                                       .w = m + W_AT,
                                       .y = m + Y_AT,
                                       .m = 2,
                                       .n = 3,
                                       .k = 8,
                                       .x_stride = 8,
                                       .w_stride = 8,
                                       .y_stride = 3,
                                       .y_dtype = ASSAY_BF16};
    const assay_chip *const amd = assay_chip_find("mi300x");
    struct {
        const char *what;
        assay_status expected;
        assay_gemm_bf16_args args;
        const assay_chip *chip;
    } tries[] = {
        {"m = -1", ASSAY_ERR_ARGUMENT, good, NULL},
        {"n = -1", ASSAY_ERR_ARGUMENT, good, NULL},
        {"k = -1", ASSAY_ERR_ARGUMENT, good, NULL},
        {"k = 2^24 + 1", ASSAY_ERR_ARGUMENT, good, NULL},
        {"x_stride < k", ASSAY_ERR_ARGUMENT, good, NULL},
        {"w_stride < k", ASSAY_ERR_ARGUMENT, good, NULL},
        {"y_stride < n", ASSAY_ERR_ARGUMENT, good, NULL},
        {"x = NULL", ASSAY_ERR_ARGUMENT, good, NULL},
        {"w = NULL", ASSAY_ERR_ARGUMENT, good, NULL},
        {"y = NULL", ASSAY_ERR_ARGUMENT, good, NULL},
        {"x at an odd byte", ASSAY_ERR_ALIGNMENT, good, NULL},
        {"w at an odd byte", ASSAY_ERR_ALIGNMENT, good, NULL},
        {"y at an odd byte", ASSAY_ERR_ALIGNMENT, good, NULL},
        {"an f32 y at half an element", ASSAY_ERR_ALIGNMENT, good, NULL},
        {"y over the last of x", ASSAY_ERR_ARGUMENT, good, NULL},
        {"y over the last of w", ASSAY_ERR_ARGUMENT, good, NULL},
        {"w over the last of y", ASSAY_ERR_ARGUMENT, good, NULL},
        {"y f16", ASSAY_ERR_UNSUPPORTED, good, NULL},
        {"a chip without mma.sync", ASSAY_ERR_UNSUPPORTED, good, amd},
        {"x beyond 2^62", ASSAY_ERR_OVERFLOW, good, NULL},
        {"w beyond int64", ASSAY_ERR_OVERFLOW, good, NULL},
        {"y beyond 2^62", ASSAY_ERR_OVERFLOW, good, NULL},
    };
    enum { TRIES = sizeof tries / sizeof tries[0] };
    int i = 0;
    tries[i++].args.m = -1;
    tries[i++].args.n = -1;
    tries[i++].args.k = -1;
    tries[i].args.x_stride = tries[i].args.w_stride = tries[i].args.k = (INT64_C(1) << 24) + 1;
    i++;
    tries[i++].args.x_stride = 7;
    tries[i++].args.w_stride = 7;
    tries[i++].args.y_stride = 2;
    tries[i++].args.x = NULL;
    tries[i++].args.w = NULL;
    tries[i++].args.y = NULL;
    tries[i++].args.x = m + X_AT + 1;
    tries[i++].args.w = m + W_AT + 1;
    tries[i++].args.y = m + Y_AT + 1;
    tries[i].args.y_dtype = ASSAY_F32;
    tries[i++].args.y = m + Y_AT + 2;
    tries[i].args.w = m + 128;
    tries[i++].args.y = m + W_AT - 2;
    tries[i++].args.y = m + Y_AT - 2;
    tries[i++].args.w = m + Y_AT + 10;
    tries[i++].args.y_dtype = ASSAY_F16;
    i++;
    tries[i].args.m = INT64_C(1) << 40;
    tries[i++].args.x_stride = INT64_C(1) << 22;
    tries[i].args.n = INT64_C(1) << 40;
    tries[i].args.y_stride = INT64_C(1) << 40;
    tries[i++].args.w_stride = INT64_C(1) << 62;
    tries[i].args.m = INT64_C(1) << 30;
    tries[i++].args.y_stride = INT64_C(1) << 32;
    message[0] = '\0';
    if (i != TRIES)
        snprintf(message, size, "the table of refusals has %d entries for %d", i, TRIES);
    for (i = 0; i < TRIES && !message[0]; i++) {
        assay_target on = *target;
        if (tries[i].chip) on.chip = tries[i].chip;
        assay_fail(ASSAY_OK, "%s", "");
        const assay_status got = gemm_bf16_call(&tries[i].args, &on);
        if (got != tries[i].expected)
            snprintf(message, size, "%s: expected %s, got %s", tries[i].what,
                     assay_status_name(tries[i].expected), assay_status_name(got));
        else if (!strstr(assay_last_error(), "gemm_bf16"))
            snprintf(message, size, "%s: refused without a message", tries[i].what);
    }
    return TRIES;
}
