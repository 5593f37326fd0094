/* Launcher of rms_norm: what it refuses, which instance it picks, with what geometry.
 *
 * Geometry. A row of d elements is n = ceil(d / chunk) chunks of 16 bytes. lanes = the power of two
 * at or above n / 4, at most 1024: up to four chunks a lane, which it holds in registers, until a
 * row needs more than 1024 threads. Small rows share a block of up to 256 threads. None of this
 * touches a row's bits but `lanes`, which is a function of d and the storage type alone.
 */
#include "assay/rms_norm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "launch/entries.h"
#include "norm/rms_norm.h"

ASSAY_DECLARE_ENTRIES(rms_norm);

#define MAX_LANES 1024
#define BLOCK_THREADS 256
#define CHUNK_BYTES 16
#define MAX_EXTENT (INT64_C(1) << 62) /* bytes a tensor may span */

static const struct {
    assay_dtype x, y;
} pairs[] = {
#define f32 ASSAY_F32
#define f16 ASSAY_F16
#define bf16 ASSAY_BF16
#define ASSAY_INSTANCE(op, tx, ty, archs) {tx, ty},
#include "norm/rms_norm.def"
#undef ASSAY_INSTANCE
};

static int64_t next_power_of_two(int64_t n) {
    int64_t p = 1;
    while (p < n) p *= 2;
    return p;
}

static int64_t ceil_log2(int64_t n) {
    int64_t log = 0;
    while ((INT64_C(1) << log) < n) log++;
    return log;
}

assay_rms_norm_tree assay_rms_norm_tree_for(assay_dtype x_dtype, int64_t d) {
    const int64_t chunk = CHUNK_BYTES / (int64_t)assay_dtype_size(x_dtype);
    const int64_t chunks = (d + chunk - 1) / chunk;
    int64_t lanes = next_power_of_two((chunks + RMS_NORM_HELD - 1) / RMS_NORM_HELD);
    if (lanes > MAX_LANES) lanes = MAX_LANES;
    const int64_t per_lane = (chunks + lanes - 1) / lanes;
    const int64_t height = per_lane + ceil_log2(chunk) + ceil_log2(lanes);
    return (assay_rms_norm_tree){.lanes = lanes, .chunk = chunk, .height = height};
}

/* Bytes from the first to one past the last element; -1 when beyond MAX_EXTENT. */
static int64_t extent(int64_t rows, int64_t d, int64_t stride, size_t element) {
    int64_t elements, bytes;
    if (__builtin_mul_overflow(rows - 1, stride, &elements)) return -1;
    if (__builtin_add_overflow(elements, d, &elements)) return -1;
    if (__builtin_mul_overflow(elements, (int64_t)element, &bytes)) return -1;
    return bytes <= MAX_EXTENT ? bytes : -1;
}

static assay_status check_pointer(const char *role, const void *pointer, size_t element) {
    if (!pointer) return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm: %s is NULL", role);
    if ((uintptr_t)pointer % element != 0)
        return assay_fail(ASSAY_ERR_ALIGNMENT,
                          "rms_norm: %s = %p is not aligned to its element of %zu bytes", role,
                          pointer, element);
    return ASSAY_OK;
}

static bool overlap(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    return x < y + (uintptr_t)b_bytes && y < x + (uintptr_t)a_bytes;
}

/* The values that need no memory to judge. */
static assay_status check_shape(const assay_rms_norm_args *a) {
    if (a->rows < 0)
        return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm: rows = %lld, expected 0 or more",
                          (long long)a->rows);
    if (a->d < 1 || a->d > ASSAY_RMS_NORM_MAX_D)
        return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm: d = %lld, expected 1 to %lld",
                          (long long)a->d, (long long)ASSAY_RMS_NORM_MAX_D);
    if (a->x_stride < a->d || a->y_stride < a->d)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "rms_norm: row strides x = %lld, y = %lld, expected d = %lld or more",
                          (long long)a->x_stride, (long long)a->y_stride, (long long)a->d);
    if (!(a->eps >= 0.0f) || isinf(a->eps))
        return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm: eps = %g, expected finite and 0 or more",
                          (double)a->eps);
    if ((unsigned)a->convention > ASSAY_NORM_RC)
        return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm: convention = %d, expected 0, 1 or 2",
                          (int)a->convention);
    return ASSAY_OK;
}

static assay_status check_memory(const assay_rms_norm_args *a) {
    const size_t x_size = assay_dtype_size(a->x_dtype), y_size = assay_dtype_size(a->y_dtype);
    const int64_t x_bytes = extent(a->rows, a->d, a->x_stride, x_size);
    const int64_t y_bytes = extent(a->rows, a->d, a->y_stride, y_size);
    if (x_bytes < 0 || y_bytes < 0)
        return assay_fail(
            ASSAY_ERR_OVERFLOW,
            "rms_norm: %lld rows with strides %lld and %lld span more than 2^62 bytes",
            (long long)a->rows, (long long)a->x_stride, (long long)a->y_stride);
    assay_status status = check_pointer("x", a->x, x_size);
    if (!status) status = check_pointer("y", a->y, y_size);
    if (!status && a->w) status = check_pointer("w", a->w, x_size);
    if (status) return status;
    const bool in_place = a->x == a->y && a->x_dtype == a->y_dtype && a->x_stride == a->y_stride;
    if (!in_place && overlap(a->x, x_bytes, a->y, y_bytes))
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "rms_norm: x and y overlap; only y == x with equal dtype and stride may");
    if (a->w && overlap(a->w, a->d * (int64_t)x_size, a->y, y_bytes))
        return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm: w and y overlap");
    return ASSAY_OK;
}

static bool aligned(const void *pointer, int64_t stride, int64_t rows, size_t element) {
    const bool rows_aligned = rows < 2 || (uint64_t)stride * element % CHUNK_BYTES == 0;
    return (uintptr_t)pointer % CHUNK_BYTES == 0 && rows_aligned;
}

static bool vector_path(const assay_rms_norm_args *a) {
    return aligned(a->x, a->x_stride, a->rows, assay_dtype_size(a->x_dtype)) &&
           aligned(a->y, a->y_stride, a->rows, assay_dtype_size(a->y_dtype)) &&
           (!a->w || (uintptr_t)a->w % CHUNK_BYTES == 0);
}

static assay_geometry geometry_for(const assay_chip *chip, int64_t rows, int64_t lanes) {
    int64_t per_block = lanes < BLOCK_THREADS ? BLOCK_THREADS / lanes : 1;
    if (rows < per_block) per_block = next_power_of_two(rows);
    if (per_block * lanes < chip->warp_size) per_block = chip->warp_size / lanes;
    const int64_t threads = per_block * lanes;
    int64_t blocks = rows / per_block + (rows % per_block != 0);
    const int64_t limit = (int64_t)(chip->max_grid_threads / (uint64_t)threads);
    if (blocks > limit) blocks = limit;
    if (blocks > chip->max_grid_x) blocks = chip->max_grid_x;
    return (assay_geometry){.grid = {(uint32_t)blocks, 1, 1}, .block = {(uint32_t)threads, 1, 1}};
}

static int find_pair(assay_dtype x, assay_dtype y) {
    for (int i = 0; i < (int)(sizeof pairs / sizeof pairs[0]); i++)
        if (pairs[i].x == x && pairs[i].y == y) return i;
    return -1;
}

assay_status assay_rms_norm(const assay_rms_norm_args *a, const assay_target *target) {
    if (target->ran) memset(target->ran, 0, sizeof *target->ran);
    assay_status status = check_shape(a);
    if (status) return status;
    const int pair = find_pair(a->x_dtype, a->y_dtype);
    if (pair < 0)
        return assay_fail(ASSAY_ERR_UNSUPPORTED, "rms_norm: no instance for x %s, y %s",
                          assay_dtype_name(a->x_dtype), assay_dtype_name(a->y_dtype));
    if ((unsigned)target->backend >= ASSAY_BACKEND_COUNT || !entries_rms_norm[target->backend])
        return assay_fail(ASSAY_ERR_UNSUPPORTED, "rms_norm: this build has no %s back end",
                          assay_backend_name(target->backend));
    if (!target->chip) return assay_fail(ASSAY_ERR_ARGUMENT, "rms_norm: no chip record given");
    if (a->rows == 0) return ASSAY_OK;
    status = check_memory(a);
    if (status) return status;

    const assay_rms_norm_tree tree = assay_rms_norm_tree_for(a->x_dtype, a->d);
    if (tree.lanes > target->chip->max_block_threads)
        return assay_fail(ASSAY_ERR_UNSUPPORTED, "rms_norm: d = %lld needs %lld threads, %s has %u",
                          (long long)a->d, (long long)tree.lanes, target->chip->name,
                          target->chip->max_block_threads);
    const assay_geometry geometry = geometry_for(target->chip, a->rows, tree.lanes);
    const int variant = vector_path(a) ? RMS_NORM_VECTOR : RMS_NORM_SCALAR;
    const rms_norm_params params = {
        .x = a->x,
        .w = a->w,
        .y = a->y,
        .rows = a->rows,
        .d = a->d,
        .x_stride = a->x_stride,
        .y_stride = a->y_stride,
        .eps = a->eps,
        .lanes = (uint32_t)tree.lanes,
        .convention = (int32_t)a->convention,
    };
    status = entries_rms_norm[target->backend](pair * RMS_NORM_VARIANTS + variant, &geometry,
                                               &params, target->stream);
    if (!status && target->ran) {
        static const char *const names[] = {"scalar", "vector"};
        target->ran->geometry = geometry;
        snprintf(target->ran->kernel, sizeof target->ran->kernel, "rms_norm<%s,%s,%s>",
                 assay_dtype_name(a->x_dtype), assay_dtype_name(a->y_dtype), names[variant]);
    }
    return status;
}
