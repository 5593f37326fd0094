/* The 128 x 4 scale layout: the formula against a walk through the bytes in order, a bijection over
 * many shapes, padding, strides, refusals. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "assay/format_swizzle.h"

/* A cursor that walks the layout byte by byte, as its definition reads. */
typedef struct walker {
    int64_t tile_row, tile_column, row, group, column;
} walker;

static void step(walker *w, int64_t columns) {
    if (++w->column < 4) return;
    w->column = 0;
    if (++w->group < 4) return;
    w->group = 0;
    if (++w->row < 32) return;
    w->row = 0;
    w->tile_column += 4;
    if (w->tile_column < columns) return;
    w->tile_column = 0;
    w->tile_row += 128;
}

/* Offsets depend on the number of columns alone, so one walk of 384 rows covers every shape up to
 * 300 rows: a shape is the prefix of the walk that assay_swizzle_bytes gives. */
Test(formats, swizzle_is_a_bijection_over_shapes) {
    for (int64_t columns = 1; columns <= 40; columns++) {
        int64_t bytes, rows = 1, seen = 0;
        cr_assert(assay_swizzle_bytes(384, columns, &bytes) == ASSAY_OK);
        walker w = {0};
        for (int64_t offset = 0; offset < bytes; offset++, step(&w, columns)) {
            int64_t row = w.tile_row + 32 * w.group + w.row, column = w.tile_column + w.column;
            int64_t got_row, got_column, size;
            assay_swizzle_position(offset, columns, &got_row, &got_column);
            cr_assert(got_row == row && got_column == column, "%ld columns, byte %ld",
                      (long)columns, (long)offset);
            for (; rows <= w.tile_row && rows <= 300; rows++) { /* a tile row is complete */
                cr_assert(assay_swizzle_bytes(rows, columns, &size) == ASSAY_OK && size == offset,
                          "%ld x %ld: %ld bytes", (long)rows, (long)columns, (long)size);
            }
            if (column >= columns) continue;
            cr_assert(assay_swizzle_offset(row, column, columns) == offset,
                      "%ld columns, (%ld, %ld)", (long)columns, (long)row, (long)column);
            seen++;
        }
        cr_assert(seen == 384 * columns);
        for (; rows <= 300; rows++) {
            int64_t size;
            cr_assert(assay_swizzle_bytes(rows, columns, &size) == ASSAY_OK && size == bytes);
        }
    }
}

/* The first bytes of a tile, as the instruction's operand is described. */
Test(formats, swizzle_matches_the_described_order) {
    static const struct {
        int64_t row, column, columns, offset;
    } rows[] = {{0, 0, 4, 0},
                {0, 3, 4, 3},
                {32, 0, 4, 4},
                {64, 1, 4, 9},
                {96, 3, 4, 15},
                {1, 0, 4, 16},
                {127, 3, 4, 511},
                {0, 4, 5, 512},
                {128, 0, 4, 512},
                {128, 0, 5, 1024},
                {131, 6, 9, 1536 + 512 + 48 + 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_assert(assay_swizzle_offset(rows[i].row, rows[i].column, rows[i].columns) ==
                      rows[i].offset,
                  "row %zu", i);
}

Test(formats, swizzle_copies_pads_and_comes_back) {
    static const int64_t shapes[][3] = {{1, 1, 1},     {128, 4, 4}, {129, 5, 9}, {33, 52, 56},
                                        {300, 39, 40}, {0, 7, 7},   {7, 0, 3}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        int64_t rows = shapes[s][0], columns = shapes[s][1], stride = shapes[s][2], bytes;
        cr_assert(assay_swizzle_bytes(rows, columns, &bytes) == ASSAY_OK);
        size_t size = (size_t)(rows * stride) + 1;
        uint8_t *from = malloc(size), *back = malloc(size), *swizzled = malloc((size_t)bytes + 2);
        for (size_t i = 0; i < size; i++) from[i] = (uint8_t)(1 + i * 37 % 255); /* never 0 */
        memset(back, 0xee, size);
        memset(swizzled, 0xdd, (size_t)bytes + 2);
        cr_assert(assay_swizzle_scales(from, rows, columns, stride, swizzled + 1, bytes) ==
                  ASSAY_OK);
        cr_assert(swizzled[0] == 0xdd && swizzled[bytes + 1] == 0xdd, "written outside");
        for (int64_t i = 0; i < bytes; i++) {
            int64_t r, c;
            assay_swizzle_position(i, columns, &r, &c);
            uint8_t due = r < rows && c < columns ? from[r * stride + c] : 0;
            cr_assert(swizzled[1 + i] == due, "shape %zu byte %ld", s, (long)i);
        }
        cr_assert(assay_unswizzle_scales(swizzled + 1, bytes, rows, columns, stride, back) ==
                  ASSAY_OK);
        for (int64_t i = 0; i < (int64_t)size; i++) {
            bool element = i < rows * stride && i % stride < columns;
            cr_assert(back[i] == (element ? from[i] : 0xee), "shape %zu byte %ld", s, (long)i);
        }
        free(from);
        free(back);
        free(swizzled);
    }
}

Test(formats, swizzle_refuses_wrong_sizes) {
    uint8_t scales[8] = {0}, out[512];
    int64_t bytes = -5;
    memset(out, 0xdd, sizeof out);
    cr_assert(assay_swizzle_bytes(-1, 4, &bytes) == ASSAY_ERR_ARGUMENT && bytes == -5);
    cr_assert(assay_swizzle_bytes(4, -1, &bytes) == ASSAY_ERR_ARGUMENT && bytes == -5);
    cr_assert(assay_swizzle_bytes(INT64_MAX, INT64_MAX, &bytes) == ASSAY_ERR_OVERFLOW);
    cr_assert(assay_swizzle_bytes(INT64_C(1) << 40, INT64_C(1) << 40, &bytes) ==
              ASSAY_ERR_OVERFLOW);
    cr_assert(assay_swizzle_bytes(INT64_MAX, 1, &bytes) == ASSAY_ERR_OVERFLOW && bytes == -5);
    cr_assert(assay_swizzle_bytes(INT64_C(1) << 40, 1 << 20, &bytes) == ASSAY_OK &&
              bytes == INT64_C(1) << 60);
    cr_assert(assay_swizzle_scales(scales, 2, 4, 4, out, 511) == ASSAY_ERR_ARGUMENT);
    cr_assert(strstr(assay_last_error(), "511 bytes, expected 512") != NULL);
    cr_assert(assay_swizzle_scales(scales, 2, 4, 3, out, 512) == ASSAY_ERR_ARGUMENT);
    cr_assert(assay_unswizzle_scales(out, 1024, 2, 4, 4, scales) == ASSAY_ERR_ARGUMENT);
    for (size_t i = 0; i < sizeof out; i++) cr_assert(out[i] == 0xdd, "written by a refused call");
}
