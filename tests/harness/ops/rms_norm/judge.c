/* rms_norm tensors made elsewhere: attributes from shapes. */
#include <stdio.h>
#include <string.h>

#include "rms_norm.h"

static const assay_tensor *find(const assay_tensor *given, size_t count, const char *role) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(given[i].role, role) == 0) return &given[i];
    return NULL;
}

assay_status rms_norm_from_shapes(assay_case *c, const assay_tensor *given, size_t count) {
    const assay_tensor *x = find(given, count, "x"), *w = find(given, count, "w"),
                       *y = find(given, count, "y");
    if (!x || !y) return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm: x and y must both be given");
    if (x->rank < 1 || y->rank != x->rank)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "rms_norm: x has rank %d, y has rank %d; expected "
                          "the same, 1 or more",
                          x->rank, y->rank);
    int64_t rows = 1;
    for (int i = 0; i < x->rank; i++) {
        if (x->shape[i] != y->shape[i])
            return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm: dimension %d is %lld in x, %lld in y",
                              i, (long long)x->shape[i], (long long)y->shape[i]);
        if (i + 1 < x->rank && __builtin_mul_overflow(rows, x->shape[i], &rows))
            return assay_fail(ASSAY_ERR_OVERFLOW, "rms_norm: rows overflow");
    }
    const int64_t d = x->shape[x->rank - 1];
    if (w && (w->rank != 1 || w->shape[0] != d || w->dtype != x->dtype))
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "rms_norm: w must be (%lld) of %s, like the rows of x", (long long)d,
                          assay_dtype_name(x->dtype));
    if (y->dtype != x->dtype && y->dtype != ASSAY_F32)
        return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm: y is %s; expected %s or f32",
                          assay_dtype_name(y->dtype), assay_dtype_name(x->dtype));
    char text[160];
    snprintf(text, sizeof text, "dt=%s out=%s rows=%lld d=%lld w=%s", assay_dtype_name(x->dtype),
             y->dtype == x->dtype ? "same" : "f32", (long long)rows, (long long)d,
             w ? "yes" : "no");
    return assay_case_override(c, text);
}
