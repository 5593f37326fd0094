/* Coefficients of the special-function unit; see coefficients.c. */
#ifndef ASSAY_SFU_COEFFICIENTS_H
#define ASSAY_SFU_COEFFICIENTS_H

#include <stdint.h>

typedef int32_t sfu_segment[3]; /* C0, C1, C2 */

extern const sfu_segment sfu_rcp[128], sfu_rsq[128], sfu_ex2[64], sfu_sqrt[128], sfu_lg2[64],
    sfu_sin[64], sfu_tanh[51];

#endif
