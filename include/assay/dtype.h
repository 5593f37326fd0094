/* Storage formats of tensor elements: names, sizes. */
#ifndef ASSAY_DTYPE_H
#define ASSAY_DTYPE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum assay_dtype { ASSAY_F32 = 0, ASSAY_F16, ASSAY_BF16, ASSAY_DTYPE_COUNT } assay_dtype;

/* "f32", "f16", "bf16"; "?" for a value outside the enum. */
const char *assay_dtype_name(assay_dtype dtype);

/* Bytes of one element; 0 for a value outside the enum. */
size_t assay_dtype_size(assay_dtype dtype);

/* Parses a name; false (and *dtype untouched) when unknown. */
bool assay_dtype_parse(const char *name, assay_dtype *dtype);

#ifdef __cplusplus
}
#endif
#endif
