/* The 128 x 4 scale layout: see format_swizzle.h. */
#include "assay/format_swizzle.h"

#include <string.h>

enum { TILE_ROWS = 128, TILE_COLUMNS = 4, TILE_BYTES = TILE_ROWS * TILE_COLUMNS };

static int64_t tiles(int64_t size, int64_t tile) { return size / tile + (size % tile != 0); }

assay_status assay_swizzle_bytes(int64_t rows, int64_t columns, int64_t *bytes) {
    if (rows < 0 || columns < 0)
        return assay_fail(ASSAY_ERR_ARGUMENT,
                          "swizzle: %lld x %lld scales, expected no less than 0", (long long)rows,
                          (long long)columns);
    int64_t down = tiles(rows, TILE_ROWS), across = tiles(columns, TILE_COLUMNS);
    if (across && down > INT64_MAX / TILE_BYTES / across)
        return assay_fail(ASSAY_ERR_OVERFLOW, "swizzle: %lld x %lld scales are too many bytes",
                          (long long)rows, (long long)columns);
    *bytes = down * across * TILE_BYTES;
    return ASSAY_OK;
}

int64_t assay_swizzle_offset(int64_t row, int64_t column, int64_t columns) {
    int64_t tile = row / TILE_ROWS * tiles(columns, TILE_COLUMNS) + column / TILE_COLUMNS;
    int64_t r = row % TILE_ROWS;
    return tile * TILE_BYTES + r % 32 * 16 + r / 32 * 4 + column % TILE_COLUMNS;
}

void assay_swizzle_position(int64_t offset, int64_t columns, int64_t *row, int64_t *column) {
    int64_t tile = offset / TILE_BYTES, byte = offset % TILE_BYTES;
    int64_t across = tiles(columns, TILE_COLUMNS);
    *row = tile / across * TILE_ROWS + byte / 4 % 4 * 32 + byte / 16;
    *column = tile % across * TILE_COLUMNS + byte % 4;
}

static assay_status check(int64_t rows, int64_t columns, int64_t stride, int64_t bytes) {
    int64_t due = 0;
    assay_status status = assay_swizzle_bytes(rows, columns, &due);
    if (status != ASSAY_OK) return status;
    if (stride < columns)
        return assay_fail(ASSAY_ERR_ARGUMENT, "swizzle: stride %lld, expected at least %lld",
                          (long long)stride, (long long)columns);
    if (bytes != due)
        return assay_fail(ASSAY_ERR_ARGUMENT, "swizzle: a buffer of %lld bytes, expected %lld",
                          (long long)bytes, (long long)due);
    return ASSAY_OK;
}

assay_status assay_swizzle_scales(const uint8_t *scales, int64_t rows, int64_t columns,
                                  int64_t stride, uint8_t *swizzled, int64_t bytes) {
    assay_status status = check(rows, columns, stride, bytes);
    if (status != ASSAY_OK || bytes == 0) return status;
    memset(swizzled, 0, (size_t)bytes);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            swizzled[assay_swizzle_offset(r, c, columns)] = scales[r * stride + c];
    return ASSAY_OK;
}

assay_status assay_unswizzle_scales(const uint8_t *swizzled, int64_t bytes, int64_t rows,
                                    int64_t columns, int64_t stride, uint8_t *scales) {
    assay_status status = check(rows, columns, stride, bytes);
    if (status != ASSAY_OK) return status;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            scales[r * stride + c] = swizzled[assay_swizzle_offset(r, c, columns)];
    return ASSAY_OK;
}
