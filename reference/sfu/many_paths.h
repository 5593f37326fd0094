/* The builds of many.h. f32 functions only. */
#ifndef ASSAY_SFU_MANY_PATHS_H
#define ASSAY_SFU_MANY_PATHS_H

#include "assay/sfu.h"

typedef void sfu_many_function(assay_sfu_function function, const uint32_t *x, uint32_t *y,
                               size_t count);
sfu_many_function sfu_many_portable, sfu_many_avx2, sfu_many_avx512;

#endif
