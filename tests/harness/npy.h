/* NumPy's .npy files: tensors made outside assay.
 *
 * Reads versions 1.0, 2.0 and 3.0, both memory orders, both byte orders; writes version 1.0. A file
 * is taken for hostile: nothing in it is evaluated or unpickled, every size is checked before it is
 * used, and a refusal reads
 *
 *     FILE: FIELD at byte OFFSET: found WHAT, expected WHAT
 *
 * ERR_FORMAT for what the file says, ERR_IO for what the operating system says, ERR_MEMORY when a
 * file that must be reordered does not fit.
 */
#ifndef ASSAY_HARNESS_NPY_H
#define ASSAY_HARNESS_NPY_H

#include <stddef.h>
#include <stdint.h>

#include "assay/status.h"

#define ASSAY_NPY_MAX_RANK 8

/* NumPy has no bf16. ml_dtypes writes it as '<V2' (or names it); others view it as '<u2', and only
 * whoever wrote that knows what it is. */
typedef enum assay_npy_type {
    ASSAY_NPY_F16 = 0,
    ASSAY_NPY_F32,
    ASSAY_NPY_F64,
    ASSAY_NPY_BF16,
    ASSAY_NPY_U16,
    ASSAY_NPY_TYPE_COUNT
} assay_npy_type;

/* "f16", "f32", "f64", "bf16", "u16"; "?" and 0 for a value outside the enum. */
const char *assay_npy_type_name(assay_npy_type type);
size_t assay_npy_type_size(assay_npy_type type);

typedef struct assay_npy {
    const char *path;
    assay_npy_type type;
    int rank;
    int64_t shape[ASSAY_NPY_MAX_RANK];
    int64_t elements;
    const void *data; /* dense, row-major, little endian, aligned to its element */
    void *map;        /* the mapped file, when data lies in it */
    size_t map_bytes;
    void *copy; /* the reordered data, when it had to be */
} assay_npy;

/* Opens a file. Row-major little-endian data stays in the file and is paged in as it is read, so a
 * file larger than memory is no trouble; a file that another process shortens meanwhile raises
 * SIGBUS, as any mapping does. `path` is kept, not copied. On failure *out is empty. */
assay_status assay_npy_load(const char *path, assay_npy *out);
void assay_npy_free(assay_npy *npy);

/* Writes version 1.0, row-major, little endian, under a temporary name that is renamed when the
 * file is whole. bf16 is written as '<V2', as ml_dtypes does. */
assay_status assay_npy_save(const char *path, assay_npy_type type, int rank, const int64_t *shape,
                            const void *data);

#endif
