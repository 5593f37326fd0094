/* Launcher of gemm_bf16: what it refuses, which instance it picks, with what geometry.
 *
 * Geometry. One block of 128 threads a tile of 64 x 64 of y, as many as the chip's grid allows;
 * blocks take further tiles when there are more. No bit of y depends on it.
 */
#include "assay/gemm_bf16.h"

#include <stdio.h>
#include <string.h>

#include "gemm/gemm_bf16.h"
#include "launch/archs.h"
#include "launch/entries.h"

ASSAY_DECLARE_NVIDIA_ENTRIES(gemm_bf16);

#define CHUNK_BYTES 16
#define MAX_EXTENT (INT64_C(1) << 62) /* bytes a tensor may span */

static const struct {
    assay_dtype y;
    const char *archs;
} instances[] = {
#define f32 ASSAY_F32
#define bf16 ASSAY_BF16
#define ASSAY_INSTANCE(op, tx, ty, archs) {ty, archs},
#include "gemm/gemm_bf16.def"
#undef ASSAY_INSTANCE
};

/* Bytes from the first to one past the last element, of none when the matrix is empty; -1 when
 * beyond MAX_EXTENT. */
static int64_t extent(int64_t rows, int64_t columns, int64_t stride, size_t element) {
    int64_t elements, bytes;
    if (rows == 0 || columns == 0) return 0;
    if (__builtin_mul_overflow(rows - 1, stride, &elements)) return -1;
    if (__builtin_add_overflow(elements, columns, &elements)) return -1;
    if (__builtin_mul_overflow(elements, (int64_t)element, &bytes)) return -1;
    return bytes <= MAX_EXTENT ? bytes : -1;
}

static assay_status check_pointer(const char *role, const void *pointer, size_t element) {
    if (!pointer) return assay_fail(ASSAY_ERR_ARGUMENT, "gemm_bf16: %s is NULL", role);
    if ((uintptr_t)pointer % element != 0)
        return assay_fail(ASSAY_ERR_ALIGNMENT,
                          "gemm_bf16: %s = %p is not aligned to its element of %zu bytes", role,
                          pointer, element);
    return ASSAY_OK;
}

static bool overlap(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y + (uintptr_t)b_bytes && y < x + (uintptr_t)a_bytes;
}

/* The values that need no memory to judge. */
static assay_status check_shape(const assay_gemm_bf16_args *a) {
    if (a->m < 0 || a->n < 0)
        return assay_fail(ASSAY_ERR_ARGUMENT, "gemm_bf16: m = %lld, n = %lld, expected 0 or more",
                          (long long)a->m, (long long)a->n);
    if (a->k < 0 || a->k > ASSAY_GEMM_BF16_MAX_K)
        return assay_fail(ASSAY_ERR_ARGUMENT, "gemm_bf16: k = %lld, expected 0 to %lld",
                          (long long)a->k, (long long)ASSAY_GEMM_BF16_MAX_K);
    if (a->x_stride < a->k || a->w_stride < a->k)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "gemm_bf16: row strides x = %lld, w = %lld, expected k = %lld or more",
                          (long long)a->x_stride, (long long)a->w_stride, (long long)a->k);
    if (a->y_stride < a->n)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "gemm_bf16: row stride y = %lld, expected n = %lld or more",
                          (long long)a->y_stride, (long long)a->n);
    return ASSAY_OK;
}

static assay_status check_memory(const assay_gemm_bf16_args *a) {
    const size_t y_size = assay_dtype_size(a->y_dtype);
    const int64_t x_bytes = extent(a->m, a->k, a->x_stride, 2);
    const int64_t w_bytes = extent(a->n, a->k, a->w_stride, 2);
    const int64_t y_bytes = extent(a->m, a->n, a->y_stride, y_size);
    if (x_bytes < 0 || w_bytes < 0 || y_bytes < 0)
        return assay_fail(ASSAY_ERR_OVERFLOW,
                          "gemm_bf16: a tensor spans more than 2^62 bytes: m = %lld, n = %lld, row "
                          "strides %lld, %lld and %lld",
                          (long long)a->m, (long long)a->n, (long long)a->x_stride,
                          (long long)a->w_stride, (long long)a->y_stride);
    assay_status status = check_pointer("y", a->y, y_size);
    if (!status && a->k > 0) status = check_pointer("x", a->x, 2);
    if (!status && a->k > 0) status = check_pointer("w", a->w, 2);
    if (status) return status;
    if (overlap(a->x, x_bytes, a->y, y_bytes) || overlap(a->w, w_bytes, a->y, y_bytes))
        return assay_fail(ASSAY_ERR_ARGUMENT, "gemm_bf16: y overlaps x or w");
    return ASSAY_OK;
}

static bool aligned(const void *pointer, int64_t stride, int64_t rows) {
    return (uintptr_t)pointer % CHUNK_BYTES == 0 && (rows < 2 || stride % (CHUNK_BYTES / 2) == 0);
}

static assay_geometry geometry_for(const assay_chip *chip, int64_t m, int64_t n) {
    const int64_t rows = (m - 1) / GEMM_BF16_TILE_M + 1, columns = (n - 1) / GEMM_BF16_TILE_N + 1;
    int64_t blocks = (int64_t)(chip->max_grid_threads / GEMM_BF16_THREADS);
    if (blocks > chip->max_grid_x) blocks = chip->max_grid_x;
    if (rows <= blocks / columns) blocks = rows * columns;
    return (assay_geometry){.grid = {(uint32_t)blocks, 1, 1}, .block = {GEMM_BF16_THREADS, 1, 1}};
}

static int find_instance(assay_dtype y) {
    for (int i = 0; i < (int)(sizeof instances / sizeof instances[0]); i++)
        if (instances[i].y == y) return i;
    return -1;
}

static assay_status check_target(const assay_target *target, int instance) {
    if ((unsigned)target->backend >= ASSAY_BACKEND_COUNT || !entries_gemm_bf16[target->backend])
        return assay_fail(ASSAY_ERR_UNSUPPORTED, "gemm_bf16: this build has no %s instance of it",
                          assay_backend_name(target->backend));
    if (!target->chip) return assay_fail(ASSAY_ERR_ARGUMENT, "gemm_bf16: no chip record given");
    if (!assay_arch_listed(instances[instance].archs, target->chip->arch))
        return assay_fail(ASSAY_ERR_UNSUPPORTED, "gemm_bf16: no instance for %s (%s)",
                          target->chip->name, target->chip->arch);
    return ASSAY_OK;
}

assay_status assay_gemm_bf16(const assay_gemm_bf16_args *a, const assay_target *target) {
    if (target->ran) memset(target->ran, 0, sizeof *target->ran);
    assay_status status = check_shape(a);
    if (status) return status;
    const int instance = find_instance(a->y_dtype);
    if (instance < 0)
        return assay_fail(ASSAY_ERR_UNSUPPORTED, "gemm_bf16: no instance for y %s",
                          assay_dtype_name(a->y_dtype));
    status = check_target(target, instance);
    if (status) return status;
    if (a->m == 0 || a->n == 0) return ASSAY_OK;
    status = check_memory(a);
    if (status) return status;

    const assay_geometry geometry = geometry_for(target->chip, a->m, a->n);
    const bool async = aligned(a->x, a->x_stride, a->m) && aligned(a->w, a->w_stride, a->n);
    const int variant = async ? GEMM_BF16_ASYNC : GEMM_BF16_SCALAR;
    const gemm_bf16_params params = {
        .x = a->x,
        .w = a->w,
        .y = a->y,
        .m = a->m,
        .n = a->n,
        .k = a->k,
        .x_stride = a->x_stride,
        .w_stride = a->w_stride,
        .y_stride = a->y_stride,
    };
    status = entries_gemm_bf16[target->backend](instance * GEMM_BF16_VARIANTS + variant, &geometry,
                                                &params, target->stream);
    if (!status && target->ran) {
        target->ran->geometry = geometry;
        snprintf(target->ran->kernel, sizeof target->ran->kernel, "gemm_bf16<bf16,%s,%s>",
                 assay_dtype_name(a->y_dtype), async ? "async" : "scalar");
    }
    return status;
}
