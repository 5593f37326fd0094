/* rms_norm: y = x / sqrt(mean(x^2) + eps), scaled by a weight, per row of d elements.
 *
 * x and y are (rows, d) with unit inner stride and free row strides; w is (d). Arithmetic is f32.
 * The three published conventions differ in where they round (T is the storage type of x):
 *   R-A  y = rnd_O( (x*r) * w )              one rounding to the output type O
 *   R-B  y = rnd_O( rnd_T(x*r) * w )         normalised value rounded first (vLLM, HF Llama)
 *   R-C  y = rnd_O( (x*r) * (1 + w) )        Gemma
 * Without a weight all three are rnd_O(x*r), R-B with its inner rounding.
 */
#ifndef ASSAY_RMS_NORM_H
#define ASSAY_RMS_NORM_H

#include <stdint.h>

#include "assay/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum assay_norm_convention {
    ASSAY_NORM_RA = 0,
    ASSAY_NORM_RB,
    ASSAY_NORM_RC
} assay_norm_convention;

/* Largest d: (float)d must be exact. */
#define ASSAY_RMS_NORM_MAX_D (INT64_C(1) << 24)

typedef struct assay_rms_norm_args {
    const void *x;    /* (rows, d), x_dtype */
    const void *w;    /* (d), x_dtype; NULL: no weight */
    void *y;          /* (rows, d), y_dtype; may equal x when dtypes and strides are equal */
    int64_t rows;     /* >= 0; 0 launches nothing */
    int64_t d;        /* 1 .. ASSAY_RMS_NORM_MAX_D */
    int64_t x_stride; /* elements from row to row, >= d */
    int64_t y_stride; /* elements from row to row, >= d */
    float eps;        /* finite, >= 0 */
    assay_dtype x_dtype;
    assay_dtype y_dtype; /* x_dtype, or ASSAY_F32 for an unrounded result */
    assay_norm_convention convention;
} assay_rms_norm_args;

/* Runs it, in stream order. Refusals leave y untouched and say why:
 * ERR_ARGUMENT (range, NULL, overlap), ERR_ALIGNMENT (element alignment), ERR_OVERFLOW (extent of a
 * tensor in bytes beyond 2^62), ERR_UNSUPPORTED (dtype pair, chip or back end without an instance).
 */
assay_status assay_rms_norm(const assay_rms_norm_args *args, const assay_target *target);

/* The summation tree that every instance keeps for width d and storage type x: the largest number
 * of f32 roundings between a square and the complete sum (the square's own included). It depends on
 * nothing else: not on rows, strides, alignment, chip or wave size.
 * `lanes` threads share a row; lane t takes chunks t, t+lanes, ... of `chunk` elements.
 */
typedef struct assay_rms_norm_tree {
    int64_t lanes;
    int64_t chunk;
    int64_t height;
} assay_rms_norm_tree;
assay_rms_norm_tree assay_rms_norm_tree_for(assay_dtype x_dtype, int64_t d);

#ifdef __cplusplus
}
#endif
#endif
