#include "assay/dtype.h"

#include <string.h>

static const struct {
    const char *name;
    size_t size;
} table[ASSAY_DTYPE_COUNT] = {
    [ASSAY_F32] = {"f32", 4},
    [ASSAY_F16] = {"f16", 2},
    [ASSAY_BF16] = {"bf16", 2},
};

const char *assay_dtype_name(assay_dtype dtype) {
    return (unsigned)dtype < ASSAY_DTYPE_COUNT ? table[dtype].name : "?";
}

size_t assay_dtype_size(assay_dtype dtype) {
    return (unsigned)dtype < ASSAY_DTYPE_COUNT ? table[dtype].size : 0;
}

bool assay_dtype_parse(const char *name, assay_dtype *dtype) {
    for (int i = 0; i < ASSAY_DTYPE_COUNT; i++) {
        if (strcmp(name, table[i].name) == 0) {
            *dtype = (assay_dtype)i;
            return true;
        }
    }
    return false;
}
