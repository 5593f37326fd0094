/* What the files of the float64 rms_norm oracle share. Internal. */
#ifndef ASSAY_ORACLE_RMS_NORM_INTERNAL_H
#define ASSAY_ORACLE_RMS_NORM_INTERNAL_H

#include "assay/formats.h"
#include "assay/oracle.h"

enum { RMS_NORM_RA, RMS_NORM_RB, RMS_NORM_RC }; /* assay_norm_convention */

/* Refuses what the public functions document as ERR_ARGUMENT. */
assay_status rms_norm_check(const assay_rms_norm_contract *contract, const double *x,
                            const double *w, int64_t d, double eps, const void *out);

/* The sum of squares with a relative error of at most 2^-52; Inf or NaN as IEEE addition has it. */
double rms_norm_sum_squares(const double *x, int64_t d);

/* Nearest value of a storage format. */
static inline double rms_norm_round(assay_dtype dtype, double value) {
    return assay_format_decode(dtype, assay_format_encode(dtype, value));
}

#endif
