/* gemm_bf16 tensors made elsewhere: attributes from shapes. */
#include <stdio.h>
#include <string.h>

#include "gemm_bf16.h"

static const assay_tensor *find(const assay_tensor *given, size_t count, const char *role) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(given[i].role, role) == 0) return &given[i];
    return NULL;
}

/* Leading dimensions of x and y collapse into m. */
assay_status gemm_bf16_from_shapes(assay_case *c, const assay_tensor *given, size_t count) {
    const assay_tensor *x = find(given, count, "x"), *w = find(given, count, "w"),
                       *y = find(given, count, "y");
    if (!x || !w || !y)
        return assay_fail(ASSAY_ERR_ARGUMENT, "gemm_bf16: x, w and y must all be given");
    if (x->rank < 1 || y->rank != x->rank || w->rank != 2)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "gemm_bf16: x has rank %d, y %d, w %d; expected equal ranks of x and y, "
                          "and w (n, k)",
                          x->rank, y->rank, w->rank);
    int64_t m = 1;
    for (int i = 0; i + 1 < x->rank; i++) {
        if (x->shape[i] != y->shape[i])
            return assay_fail(ASSAY_ERR_ARGUMENT, "gemm_bf16: dimension %d is %lld in x, %lld in y",
                              i, (long long)x->shape[i], (long long)y->shape[i]);
        if (__builtin_mul_overflow(m, x->shape[i], &m))
            return assay_fail(ASSAY_ERR_OVERFLOW, "gemm_bf16: m overflows");
    }
    const int64_t k = x->shape[x->rank - 1], n = y->shape[y->rank - 1];
    if (w->shape[0] != n || w->shape[1] != k)
        return assay_fail(
            ASSAY_ERR_ARGUMENT, "gemm_bf16: w is (%lld, %lld), expected (%lld, %lld) by x and y",
            (long long)w->shape[0], (long long)w->shape[1], (long long)n, (long long)k);
    if (x->dtype != ASSAY_BF16 || w->dtype != ASSAY_BF16 || y->dtype == ASSAY_F16)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "gemm_bf16: x is %s, w %s, y %s; expected bf16, bf16, and bf16 or f32",
                          assay_dtype_name(x->dtype), assay_dtype_name(w->dtype),
                          assay_dtype_name(y->dtype));
    char text[160];
    snprintf(text, sizeof text, "out=%s m=%lld n=%lld k=%lld", assay_dtype_name(y->dtype),
             (long long)m, (long long)n, (long long)k);
    return assay_case_override(c, text);
}
