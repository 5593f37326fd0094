/* The 128 x 4 layout of block scales that block-scaled matrix instructions read (cuBLASLt,
 * CUTLASS).
 *
 * Scales of a matrix, one byte each, rows x columns (columns = elements of a row / block size), are
 * stored in tiles of 128 rows x 4 columns, 512 bytes, tiles ordered with the columns fastest.
 * Within a tile, row r column c is byte (r % 32) * 16 + (r / 32) * 4 + c. Rows are padded to 128,
 * columns to 4, with zero bytes.
 */
#ifndef ASSAY_FORMAT_SWIZZLE_H
#define ASSAY_FORMAT_SWIZZLE_H

#include <stdint.h>

#include "assay/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of the padded layout. Errors: a negative size (ARGUMENT), a product beyond int64_t
 * (OVERFLOW). 0 when either size is 0. */
assay_status assay_swizzle_bytes(int64_t rows, int64_t columns, int64_t *bytes);

/* Where the scale of (row, column) lies. Requires 0 <= row, 0 <= column < columns, and a size that
 * assay_swizzle_bytes accepts. */
int64_t assay_swizzle_offset(int64_t row, int64_t column, int64_t columns);

/* The inverse: which (row, column) a byte belongs to; in the padding these lie outside the matrix.
 */
void assay_swizzle_position(int64_t offset, int64_t columns, int64_t *row, int64_t *column);

/* From row-major scales, rows `stride` bytes apart (stride >= columns), into exactly `bytes` bytes,
 * padding included. Errors: sizes as above, a stride too small, or `bytes` other than
 * assay_swizzle_bytes gives (ARGUMENT). The two buffers must not overlap. */
assay_status assay_swizzle_scales(const uint8_t *scales, int64_t rows, int64_t columns,
                                  int64_t stride, uint8_t *swizzled, int64_t bytes);

/* Back again; bytes between the columns of `scales` and its stride stay as they are. */
assay_status assay_unswizzle_scales(const uint8_t *swizzled, int64_t bytes, int64_t rows,
                                    int64_t columns, int64_t stride, uint8_t *scales);

#ifdef __cplusplus
}
#endif
#endif
