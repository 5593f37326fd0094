/* What the test files of the rms_norm oracle share: rows by kind, the case line for messages, and
 * the comparator's rule. */
#ifndef ASSAY_TESTS_RMS_NORM_ORACLE_KIT_H
#define ASSAY_TESTS_RMS_NORM_ORACLE_KIT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "assay/formats.h"
#include "assay/oracle.h"

#define SEED UINT64_C(0x12d5)
#define MAX_D 16384
#define EPS ((double)1e-6f)
#define RSQRT (0x1p-23 + 0x1p-48) /* 2u + u^2: square root and division both to nearest */

enum { RA, RB, RC };

extern uint64_t state; /* of next_random: each test sets it first */
extern double x[MAX_D], w[MAX_D], values[MAX_D];
extern assay_bound bounds[MAX_D], twins[MAX_D];
extern char line[160]; /* the case at hand, for messages */

uint64_t next_random(void);
double uniform(double low, double high);
double sign(void);

/* The nearest value of a storage format. */
double to(assay_dtype dtype, double v);

typedef enum data {
    PLAIN,      /* uniform on [-2, 2] */
    WIDE,       /* exponents over 40 binades */
    TAIL_SPIKE, /* the last element holds most of the sum */
    NEAR_EPS,   /* mean square about 1e-6 */
    TINY,       /* squares about the f32 underflow to zero */
    SUBNORMAL,  /* x itself about the smallest f32 */
    EDGE,       /* sum of squares about the f32 overflow */
    ZEROS,      /* mostly zeros of both signs */
    SPECIALS,   /* plain with one or more infinities or NaNs, also in w */
    DATA_COUNT
} data;

extern const char *const data_names[DATA_COUNT];

/* One row of x and of w; every 16th weight is an odd one: 0, -1, huge, tiny. */
void fill(data kind, assay_dtype dtype, int64_t d);

/* Weights away from 0, 1 and -1, in which every fault of a weight shows. */
void ordinary_weights(assay_dtype dtype, int64_t d);

void describe(const assay_rms_norm_contract *c, const char *what, int64_t d, double eps,
              bool weighted);

bool indeterminate(assay_bound b);
bool nan_due(assay_bound b);

/* The comparator's rule: both ends rounded to the storage format. */
bool accepted(assay_dtype dtype, double got, assay_bound b);

#endif
