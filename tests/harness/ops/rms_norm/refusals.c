/* Calls that the rms_norm launcher must refuse. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rms_norm.h"

size_t rms_norm_refusals(const assay_target *target, char *message, size_t size) {
    static uint32_t memory[64];
    char *const m = (char *)memory;
    const assay_rms_norm_args good = {.x = m,
                                      .w = NULL,
                                      .y = m + 128,
                                      .rows = 2,
                                      .d = 8,
                                      .x_stride = 8,
                                      .y_stride = 8,
                                      .eps = 1e-6f,
                                      .x_dtype = ASSAY_BF16,
                                      .y_dtype = ASSAY_BF16};
    struct {
        const char *what;
        assay_status expected;
        const char *says; /* in the message: the same status for another reason is no answer */
        assay_rms_norm_args args;
    } tries[] = {
        {"rows = -1", ASSAY_ERR_ARGUMENT, "rows = -1", good},
        {"d = 0", ASSAY_ERR_ARGUMENT, "d = 0", good},
        {"d = 2^24 + 1", ASSAY_ERR_ARGUMENT, "d = 16777217", good},
        {"x_stride < d", ASSAY_ERR_ARGUMENT, "strides", good},
        {"y_stride < d", ASSAY_ERR_ARGUMENT, "strides", good},
        {"eps = -1", ASSAY_ERR_ARGUMENT, "eps", good},
        {"eps = NaN", ASSAY_ERR_ARGUMENT, "eps", good},
        {"eps = Inf", ASSAY_ERR_ARGUMENT, "eps", good},
        {"x = NULL", ASSAY_ERR_ARGUMENT, "x is NULL", good},
        {"y = NULL", ASSAY_ERR_ARGUMENT, "y is NULL", good},
        {"x at an odd byte", ASSAY_ERR_ALIGNMENT, "x = ", good},
        {"y at an odd byte", ASSAY_ERR_ALIGNMENT, "y = ", good},
        {"w at an odd byte", ASSAY_ERR_ALIGNMENT, "w = ", good},
        {"x and y overlap", ASSAY_ERR_ARGUMENT, "x and y overlap", good},
        {"in place, other stride", ASSAY_ERR_ARGUMENT, "x and y overlap", good},
        {"w and y overlap", ASSAY_ERR_ARGUMENT, "w and y overlap", good},
        {"f32 -> bf16", ASSAY_ERR_UNSUPPORTED, "f32", good},
        {"convention 3", ASSAY_ERR_ARGUMENT, "convention", good},
        {"extent beyond 2^62", ASSAY_ERR_OVERFLOW, "2^62", good},
        {"extent beyond int64", ASSAY_ERR_OVERFLOW, "2^62", good},
        {"extent that wraps to little", ASSAY_ERR_OVERFLOW, "2^62", good},
        {"in place, other type", ASSAY_ERR_ARGUMENT, "x and y overlap", good},
    };
    enum { TRIES = sizeof tries / sizeof tries[0] };
    int i = 0;
    tries[i++].args.rows = -1;
    tries[i++].args.d = 0;
    tries[i].args.x_stride = tries[i].args.y_stride = tries[i].args.d = (INT64_C(1) << 24) + 1;
    i++;
    tries[i++].args.x_stride = 7;
    tries[i++].args.y_stride = 7;
    tries[i++].args.eps = -1.0f;
    tries[i++].args.eps = NAN;
    tries[i++].args.eps = INFINITY;
    tries[i++].args.x = NULL;
    tries[i++].args.y = NULL;
    tries[i++].args.x = m + 1;
    tries[i++].args.y = m + 129;
    tries[i++].args.w = m + 65;
    tries[i++].args.y = m + 16;
    tries[i].args.y = m;
    tries[i++].args.y_stride = 9;
    tries[i++].args.w = m + 130;
    tries[i++].args.x_dtype = ASSAY_F32;
    tries[i++].args.convention = (assay_norm_convention)3;
    tries[i].args.rows = INT64_C(1) << 40;
    tries[i++].args.x_stride = INT64_C(1) << 22;
    tries[i].args.rows = INT64_C(1) << 62;
    tries[i++].args.y_stride = INT64_C(1) << 62;
    tries[i].args.rows = (INT64_C(1) << 33) + 1;
    tries[i++].args.x_stride = INT64_C(1) << 31;
    tries[i].args.y = m;
    tries[i++].args.y_dtype = ASSAY_F32;
    message[0] = '\0';
    if (i != TRIES)
        snprintf(message, size, "the table of refusals has %d entries for %d", i, TRIES);
    for (i = 0; i < TRIES && !message[0]; i++) {
        assay_fail(ASSAY_OK, "%s", "");
        const assay_status got = rms_norm_call(&tries[i].args, target);
        if (got != tries[i].expected)
            snprintf(message, size, "%s: expected %s, got %s", tries[i].what,
                     assay_status_name(tries[i].expected), assay_status_name(got));
        else if (!strstr(assay_last_error(), "rms_norm") ||
                 !strstr(assay_last_error(), tries[i].says))
            snprintf(message, size, "%s: the message should say \"%s\": %s", tries[i].what,
                     tries[i].says, assay_last_error());
    }
    return TRIES;
}
